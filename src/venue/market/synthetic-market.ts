/** A seeded market in all listed contracts: one belief about the index, one flow of orders a contract. */
import { type SessionPhase, tradingDayAt } from '../../domain/calendar.ts';
import { dayNumber } from '../../domain/civil-date.ts';
import { type PriceHundredths, priceHundredths, type TsUs, tsUs } from '../../domain/units.ts';
import type { CarryRates } from '../exchange/settlement-price.ts';
import type { ContractBook } from '../exchange/contract-book.ts';
import { LadderBook } from '../exchange/ladder-book.ts';
import { DEFAULT_RULES, type VenueOptions } from '../venue-options.ts';
import { ContractFlow, profileOf } from './contract-flow.ts';
import { FairValue, type IndexSamples, MILLI } from './fair-value.ts';
import { Random } from './random.ts';

interface Lane {
  readonly flow: ContractFlow;
  /** Distance of the contract from the index by carry, thousandths of a tick. */
  readonly carry: number;
  nextUs: number;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Far apart, so that neighbouring seeds share no stream. */
const SEED_STRIDE = 7_919;

export class SyntheticMarket implements BackgroundFlow {
  readonly #options: VenueOptions;
  readonly #rates: CarryRates;
  readonly #seed: number;
  /** One stream of chance a place in the list, so that contracts do not disturb each other. */
  readonly #randoms: Random[] = [];
  #fair: FairValue | null = null;
  #lanes: Lane[] = [];
  #phase: SessionPhase = 'closed';
  #nextUs = NEVER;

  constructor(options: VenueOptions, seed: number) {
    this.#options = options;
    this.#rates = options.rules?.carry ?? DEFAULT_RULES.carry;
    // A restart at another moment is another market.
    this.#seed = seed * SEED_STRIDE + Math.floor(options.startUs / MILLI);
  }

  get nextUs(): number {
    return this.#nextUs;
  }

  step(): void {
    const lane = this.#lanes.find(({ nextUs }) => nextUs === this.#nextUs);
    if (lane === undefined || this.#fair === null) return;
    const at = tsUs(lane.nextUs);
    const value = this.#fair.at(at);
    lane.flow.act(value + lane.carry, this.#phase, at);
    this.#fair.nudge(lane.flow.book.takePressure() * lane.flow.profile.impact);
    lane.flow.book.publish(at);
    lane.nextUs = lane.flow.nextUs(at, this.#fair.heat, this.#phase);
    this.#plan();
  }

  openDay(books: readonly ContractBook[], at: TsUs): void {
    const ladders = books.filter((book) => book instanceof LadderBook);
    const front = ladders[0];
    if (front === undefined) {
      this.#lanes = [];
      return this.#plan();
    }
    const reference = this.#indexOf(front, at);
    this.#fair ??= new FairValue(new Random(this.#seed), reference, at);
    this.#fair.anchor(reference);
    this.#lanes = ladders.map((book, rank) => {
      const random = (this.#randoms[rank] ??= new Random(this.#seed + rank + 1));
      return {
        flow: new ContractFlow(book, random, profileOf(rank)),
        carry: this.#carryOf(book, at),
        nextUs: NEVER,
      };
    });
    this.#plan();
  }

  setPhase(phase: SessionPhase, at: TsUs): void {
    this.#phase = phase;
    const acts = phase === 'continuous' || phase === 'opening_auction' || phase === 'closing_auction';
    for (const lane of this.#lanes) {
      if (this.#fair === null || !acts) {
        lane.nextUs = NEVER;
        continue;
      }
      if (phase === 'continuous') lane.flow.seed(this.#fair.at(at) + lane.carry, at);
      lane.nextUs = lane.flow.nextUs(at, this.#fair.heat, this.#phase);
    }
    this.#plan();
  }

  index(at: TsUs): PriceHundredths | null {
    return this.#fair === null ? null : this.#hundredths(this.#fair.at(at));
  }

  samples(endUs: TsUs, closingFromUs: TsUs): IndexSamples {
    const { hundredthsPerTick } = this.#options.spec;
    return this.#fair?.samples(endUs, closingFromUs, hundredthsPerTick) ?? { continuous: [], closing: [] };
  }

  #plan(): void {
    let next = NEVER;
    for (const lane of this.#lanes) if (lane.nextUs < next) next = lane.nextUs;
    this.#nextUs = next;
  }

  /** The index a contract's last price stands for. */
  #indexOf(book: LadderBook, at: TsUs): number {
    const { hundredthsPerTick } = this.#options.spec;
    const { last } = book.tally;
    const price = last === null ? (book.listing.band.reference * MILLI) / hundredthsPerTick : last * MILLI;
    return Math.round(price - this.#carryAt(price, book, at));
  }

  #carryOf(book: LadderBook, at: TsUs): number {
    return this.#carryAt(
      (book.listing.band.reference * MILLI) / this.#options.spec.hundredthsPerTick,
      book,
      at,
    );
  }

  #carryAt(price: number, book: LadderBook, at: TsUs): number {
    const today = dayNumber(tradingDayAt(this.#options.calendar, at));
    const days = Math.max(0, dayNumber(book.listing.contract.expiry) - today);
    return Math.round((price * (this.#rates.interestBps - this.#rates.dividendBps) * days) / (10_000 * 360));
  }

  #hundredths(value: number): PriceHundredths {
    return priceHundredths(Math.round((value * this.#options.spec.hundredthsPerTick) / MILLI));
  }
}

/** Background market, driven by the venue: a next moment, and one action at it. */
export interface BackgroundFlow {
  /** Infinity while no action is due. */
  readonly nextUs: number;
  /** Does what is due at `nextUs`. */
  step(): void;
  /** A day begins with these books, nearest expiry first. */
  openDay(books: readonly ContractBook[], at: TsUs): void;
  setPhase(phase: SessionPhase, at: TsUs): void;
  /** The underlying index, when the background has one. */
  index(at: TsUs): PriceHundredths | null;
  /** The index over the last half hour before `endUs`, split where the closing auction began. */
  samples(endUs: TsUs, closingFromUs: TsUs): IndexSamples;
}

/** A market without background. */
export const NO_BACKGROUND_FLOW: BackgroundFlow = {
  nextUs: Number.POSITIVE_INFINITY,
  step: () => undefined,
  openDay: () => undefined,
  setPhase: () => undefined,
  index: () => null,
  samples: () => ({ continuous: [], closing: [] }),
};
