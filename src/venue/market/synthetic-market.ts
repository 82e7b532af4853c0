/** A seeded market in all listed contracts: one belief about the index, one flow of orders a contract. Without a seed nothing happens. */
import { isStandstill, type SessionPhase, tradingDayAt } from '../../domain/calendar.ts';
import { dayNumber } from '../../domain/civil-date.ts';
import {
  type PriceHundredths,
  priceHundredths,
  type TsUs,
  tsUs,
  US_PER_MS,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { CarryRates } from '../exchange/settlement-price.ts';
import type { ContractBook } from '../exchange/contract-book.ts';
import { BACKGROUND, LadderBook } from '../exchange/ladder-book.ts';
import { DEFAULT_RULES, type VenueOptions } from '../venue-options.ts';
import { Random } from './random.ts';
import { opposite, type Side, signOf } from '../../domain/order.ts';

/** The flow of one contract, and when it acts next. */
interface ScheduledFlow {
  readonly flow: ContractFlow;
  /** Distance of the contract from the index by carry, thousandths of a tick. */
  readonly carry: number;
  nextUs: number;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Far apart, so that neighbouring seeds share no stream. */
const SEED_STRIDE = 7_919;

/** Driven by the venue: a next moment, and one action at it. */
export class SyntheticMarket {
  readonly #options: VenueOptions;
  readonly #rates: CarryRates;
  /** Null: the market is of another kind. */
  readonly #seed: number | null;
  /** One stream of chance a place in the list, so that contracts do not disturb each other. */
  readonly #randoms: Random[] = [];
  #fair: FairValue | null = null;
  #flows: ScheduledFlow[] = [];
  #phase: SessionPhase = 'closed';
  /** Infinity while no action is due. */
  nextUs = NEVER;

  constructor(options: VenueOptions) {
    this.#options = options;
    this.#rates = options.rules?.carry ?? DEFAULT_RULES.carry;
    // A restart at another moment is another market.
    const begun = Math.floor(options.startUs / MILLI);
    this.#seed = options.market.kind === 'synthetic' ? options.market.seed * SEED_STRIDE + begun : null;
  }

  step(): void {
    const scheduled = this.#flows.find(({ nextUs }) => nextUs === this.nextUs);
    if (scheduled === undefined || this.#fair === null) return;
    const at = tsUs(scheduled.nextUs);
    const value = this.#fair.at(at);
    scheduled.flow.act(value + scheduled.carry, this.#phase, at);
    this.#fair.nudge(scheduled.flow.book.drainPressure() * scheduled.flow.profile.impact);
    scheduled.flow.book.publish(at);
    scheduled.nextUs = scheduled.flow.nextUs(at, this.#fair.heat, this.#phase);
    this.#plan();
  }

  /** A day begins with these books, nearest expiry first. */
  openDay(books: readonly ContractBook[], at: TsUs): void {
    const seed = this.#seed;
    if (seed === null) return;
    const ladders = books.filter((book) => book instanceof LadderBook);
    const front = ladders[0];
    if (front === undefined) {
      this.#flows = [];
      return this.#plan();
    }
    const reference = this.#indexOf(front, at);
    this.#fair ??= new FairValue(new Random(seed), reference, at);
    this.#fair.anchor(reference);
    this.#flows = ladders.map((book, rank) => {
      const random = (this.#randoms[rank] ??= new Random(seed + rank + 1));
      return {
        flow: new ContractFlow(book, random, PROFILES[rank] ?? PROFILES[2]),
        carry: this.#carryAt(this.#referenceOf(book), book, at),
        nextUs: NEVER,
      };
    });
    this.#plan();
  }

  setPhase(phase: SessionPhase, at: TsUs): void {
    this.#phase = phase;
    const acts = !isStandstill(phase);
    for (const scheduled of this.#flows) {
      if (this.#fair === null || !acts) {
        scheduled.nextUs = NEVER;
        continue;
      }
      if (phase === 'continuous') scheduled.flow.seed(this.#fair.at(at) + scheduled.carry, at);
      scheduled.nextUs = scheduled.flow.nextUs(at, this.#fair.heat, this.#phase);
    }
    this.#plan();
  }

  /** The underlying index, where there is one. */
  index(at: TsUs): PriceHundredths | null {
    return this.#fair === null ? null : hundredthsOf(this.#fair.at(at), this.#options.spec.hundredthsPerTick);
  }

  /** The index over the last half hour before `endUs`, split where the closing auction began. */
  samples(endUs: TsUs, closingFromUs: TsUs): IndexSamples {
    const { hundredthsPerTick } = this.#options.spec;
    return this.#fair?.samples(endUs, closingFromUs, hundredthsPerTick) ?? { continuous: [], closing: [] };
  }

  #plan(): void {
    let next = NEVER;
    for (const scheduled of this.#flows) if (scheduled.nextUs < next) next = scheduled.nextUs;
    this.nextUs = next;
  }

  /** The index that a contract's last price implies. */
  #indexOf(book: LadderBook, at: TsUs): number {
    const { last } = book.tally;
    const price = last === null ? this.#referenceOf(book) : last * MILLI;
    return Math.round(price - this.#carryAt(price, book, at));
  }

  #referenceOf({ listing }: LadderBook): number {
    return (listing.band.reference * MILLI) / this.#options.spec.hundredthsPerTick;
  }

  #carryAt(price: number, book: LadderBook, at: TsUs): number {
    const today = dayNumber(tradingDayAt(this.#options.calendar, at));
    const days = Math.max(0, dayNumber(book.listing.contract.expiry) - today);
    return Math.round((price * (this.#rates.interestBps - this.#rates.dividendBps) * days) / (10_000 * 360));
  }
}

// Background flow in one contract: makers quote around fair value and pull stale quotes, takers trade, arbitrage hits mispriced
// quotes. It sees the same ladder as the users and knows no order as theirs.

/** A quote this far on the wrong side of fair value is taken or pulled. */
const STALE = 700;
/** Ticks behind the touch at which makers keep quotes. */
const KEPT_LEVELS = 5;
const SEED_LEVELS = 10;
/** Ticks from fair value beyond which background orders are withdrawn. */
const FAR_TICKS = 30;
/** Standard deviation of auction prices around fair value, thousandths of a tick. */
const AUCTION_SPREAD = 6_000;
const AUCTION_UNPRICED_PERMILLE = 150;
/** Orders come this many times more slowly than actions in continuous trading. */
const AUCTION_SLOWNESS = 4;

class ContractFlow {
  readonly book: LadderBook;
  readonly #random: Random;
  readonly profile: FlowProfile;
  #basis = 0;
  #lastTradeUs = 0;
  #volumeSeen = 0;

  constructor(book: LadderBook, random: Random, profile: FlowProfile) {
    this.book = book;
    this.#random = random;
    this.profile = profile;
  }

  /** The next action after `at`: sooner when the market is hot, and before the silence grows too long. */
  nextUs(at: number, heat: number, phase: SessionPhase): number {
    if (phase !== 'continuous')
      return at + this.#random.exponential(AUCTION_SLOWNESS * this.profile.actionEveryUs);
    const mean = Math.max(1, Math.round((this.profile.actionEveryUs * 1000) / (500 + heat / 2)));
    const next = at + this.#random.exponential(mean);
    const deadline = this.#lastTradeUs + this.profile.silenceUsMax;
    return deadline > at ? Math.min(next, deadline) : next;
  }

  /** Continuous trading begins: makers show up with the first quotes. */
  seed(value: number, at: TsUs): void {
    this.#lastTradeUs = at;
    for (let k = 0; k < SEED_LEVELS; k += 1) {
      this.#quoteLevel('buy', value, k, at);
      this.#quoteLevel('sell', value, k, at);
    }
  }

  /** One action around `value`, the fair value of this contract before its own noise. */
  act(value: number, phase: SessionPhase, at: TsUs): void {
    const fair = value + this.#walkBasis();
    if (phase !== 'continuous') return this.#auctionOrder(fair, at);
    this.#noteTrades(at);
    this.#trade(fair, at);
    this.#makers(fair, at);
    this.#noteTrades(at);
  }

  /** Users' trades break the silence too; the exact moment does not matter. */
  #noteTrades(at: TsUs): void {
    const { volume } = this.book.tally;
    if (volume !== this.#volumeSeen) this.#lastTradeUs = at;
    this.#volumeSeen = volume;
  }

  #walkBasis(): number {
    const shock = Math.trunc((this.#random.bell() * this.profile.basisShock) / 1000);
    this.#basis += shock - Math.trunc(this.#basis / 200);
    return this.#basis;
  }

  #trade(fair: number, at: TsUs): void {
    const random = this.#random;
    const mispriced = this.#mispricedSide(fair);
    if (mispriced !== null && random.chance(600)) {
      const size = 2 * drawSize(random, this.profile.thinness);
      // Takes only prices better than fair value.
      const limit = mispriced === 'buy' ? Math.floor(fair / MILLI) : Math.ceil(fair / MILLI);
      return this.book.background(mispriced, this.#inBand(limit), size, false, at);
    }
    const silent = at - this.#lastTradeUs >= this.profile.silenceUsMax;
    if (!silent && !random.chance(this.profile.tradePermille)) return;
    const side = random.chance(500) ? 'buy' : 'sell';
    const taken = this.book.ladder.best(opposite(side)) === undefined ? opposite(side) : side;
    const touch = this.book.ladder.best(opposite(taken));
    if (touch === undefined) return;
    const size = drawSize(random, this.profile.thinness);
    this.book.background(taken, this.#inBand(touch + signOf(taken) * random.below(3)), size, false, at);
  }

  /** The side that profits from taking the resting orders, or null. */
  #mispricedSide(fair: number): Side | null {
    const ask = this.book.ladder.best('sell');
    if (ask !== undefined && ask * MILLI <= fair - STALE) return 'buy';
    const bid = this.book.ladder.best('buy');
    return bid !== undefined && bid * MILLI >= fair + STALE ? 'sell' : null;
  }

  #makers(fair: number, at: TsUs): void {
    const random = this.#random;
    const side = random.chance(500) ? 'buy' : 'sell';
    if (random.below(2 * this.profile.usualOrders) < this.book.ladder.restingOrders)
      this.#cancelSomewhere(side, fair);
    else this.#placeSomewhere(side, fair, at);
    for (const each of ['buy', 'sell'] as const) {
      this.#pullStale(each, fair);
      for (let k = 0; k < KEPT_LEVELS; k += 1)
        if (k < 2 || random.chance(250)) this.#quoteLevel(each, fair, k, at);
    }
  }

  #placeSomewhere(side: Side, fair: number, at: TsUs): void {
    const behind = this.#random.exponential(3 * MILLI);
    this.#rest(side, this.#quotePrice(side, fair) - signOf(side) * Math.floor(behind / MILLI), at);
  }

  /** Keeps a quote `k` ticks behind the best one. */
  #quoteLevel(side: Side, fair: number, k: number, at: TsUs): void {
    const price = this.#quotePrice(side, fair) - signOf(side) * k;
    if (this.book.ladder.qtyAt(side, price) === 0) this.#rest(side, price, at);
  }

  #quotePrice(side: Side, fair: number): number {
    const edge = this.profile.halfSpread;
    return side === 'buy' ? Math.floor((fair - edge) / MILLI) : Math.ceil((fair + edge) / MILLI);
  }

  /** A maker's order rests; it never takes. */
  #rest(side: Side, price: number, at: TsUs): void {
    const other = this.book.ladder.best(opposite(side));
    const crosses = other !== undefined && (side === 'buy' ? price >= other : price <= other);
    const shown = crosses ? other - signOf(side) : price;
    if (shown < this.book.ladder.floor || shown > this.book.ladder.ceiling) return;
    this.book.background(side, shown, drawSize(this.#random, this.profile.thinness), true, at);
  }

  /** One maker's quote on the wrong side of fair value goes. */
  #pullStale(side: Side, fair: number): void {
    const best = this.book.ladder.best(side);
    if (best === undefined) return;
    const stale = side === 'buy' ? best * MILLI > fair : best * MILLI < fair;
    if (stale && this.#random.chance(500)) this.#cancelAt(side, best, 0);
  }

  #cancelSomewhere(side: Side, fair: number): void {
    const { ladder } = this.book;
    const towards = -signOf(side);
    const tidy = this.#random.chance(300);
    const touch = ladder.best(side);
    if (touch === undefined) return;
    const from = tidy ? Math.floor(fair / MILLI) + towards * FAR_TICKS : touch;
    const start = from + towards * Math.floor(this.#random.exponential(3 * MILLI) / MILLI);
    for (let i = 0; i < 2 * FAR_TICKS; i += 1) {
      const price = start + towards * i;
      if (price < ladder.floor || price > ladder.ceiling) return;
      if (this.#cancelAt(side, price, this.#random.below(3))) return;
    }
  }

  /** Cancels a background order at a price, the one behind `skipped` others if there is one. */
  #cancelAt(side: Side, price: number, skipped: number): boolean {
    const { ladder } = this.book;
    const quotes = ladder.ordersAt(side, price).filter(({ tag }) => tag === BACKGROUND);
    const chosen = quotes[skipped] ?? quotes.at(-1);
    if (chosen === undefined) return false;
    ladder.cancel(chosen);
    return true;
  }

  #auctionOrder(fair: number, at: TsUs): void {
    const random = this.#random;
    const side = random.chance(500) ? 'buy' : 'sell';
    const size = drawSize(random, this.profile.thinness);
    if (random.chance(AUCTION_UNPRICED_PERMILLE)) return this.book.backgroundAuction(side, size);
    const noise = Math.trunc((random.bell() * AUCTION_SPREAD) / 1000);
    this.book.background(side, this.#inBand(Math.round((fair + noise) / MILLI)), size, true, at);
  }

  #inBand(price: number): number {
    return Math.min(this.book.ladder.ceiling, Math.max(this.book.ladder.floor, price));
  }
}

/** Activity of a contract by its place in the list: the front month has most of the trading. */
interface FlowProfile {
  /** Mean time between two background actions. */
  readonly actionEveryUs: number;
  /** Of 1,000 actions, this many are trades. */
  readonly tradePermille: number;
  readonly silenceUsMax: number;
  /** Distance of the makers' quotes from fair value, thousandths of a tick. */
  readonly halfSpread: number;
  readonly usualOrders: number;
  /** Sizes are divided by this. */
  readonly thinness: number;
  /** How much a traded contract moves the index, thousandths of a tick. */
  readonly impact: number;
  /** Standard deviation of the shocks to its own basis, thousandths of a tick an action. */
  readonly basisShock: number;
}

const PROFILES: readonly [FlowProfile, FlowProfile, FlowProfile] = [
  {
    actionEveryUs: 60 * US_PER_MS,
    tradePermille: 190,
    silenceUsMax: 3 * US_PER_SECOND,
    halfSpread: 600,
    usualOrders: 140,
    thinness: 1,
    impact: 9,
    basisShock: 4,
  },
  {
    actionEveryUs: 280 * US_PER_MS,
    tradePermille: 150,
    silenceUsMax: 7 * US_PER_SECOND,
    halfSpread: 800,
    usualOrders: 70,
    thinness: 3,
    impact: 4,
    basisShock: 40,
  },
  {
    actionEveryUs: 900 * US_PER_MS,
    tradePermille: 130,
    silenceUsMax: 8 * US_PER_SECOND,
    halfSpread: 1_100,
    usualOrders: 40,
    thinness: 6,
    impact: 2,
    basisShock: 90,
  },
];

/** Sizes of orders, counted in the real prints: nearly half of them are of one contract, a few are large. */
const SIZES = [
  [430, 1, 1],
  [180, 2, 2],
  [90, 3, 3],
  [100, 4, 5],
  [110, 6, 10],
  [60, 11, 20],
  [25, 21, 50],
  [5, 51, 100],
] as const;

function drawSize(random: Random, thinness: number): number {
  let left = random.below(1000);
  for (const [permille, from, to] of SIZES) {
    if (left < permille) return Math.max(1, Math.floor((from + random.below(to - from + 1)) / thinness));
    left -= permille;
  }
  return 1;
}

/** Values of the index, split where the closing auction began. */
export interface IndexSamples {
  readonly continuous: readonly PriceHundredths[];
  readonly closing: readonly PriceHundredths[];
}

const MILLI = 1000;
const hundredthsOf = (value: number, hundredthsPerTick: number): PriceHundredths =>
  priceHundredths(Math.round((value * hundredthsPerTick) / MILLI));
const STEP_US = 250 * US_PER_MS;
/** Usual standard deviation of one step: about 7 ticks a minute. */
const USUAL_VOLATILITY = 450;
const VOLATILITY_MIN = 150;
const VOLATILITY_MAX = 2_200;
/** One step in this many starts a burst. */
const BURST_EVERY_STEPS = 4_000;
/** Trends fade over about ten minutes; in millionths of a tick a step. */
const TREND_FADE_STEPS = 2_400;
const TREND_SHOCK = 330;
/** Beyond this distance from the reference, parts of 10,000, value comes back slowly: it stays inside the band. */
const WANDER_BPS_MAX = 400;
const PULL_BACK = 25;
/** After a longer pause the walk jumps instead. */
const STEPS_AT_ONCE_MAX = 14_400;
/** The index is sampled this often for the final settlement price (not published: our choice). */
const SAMPLE_EVERY_STEPS = 60;
const WINDOW_US = 1_800 * US_PER_SECOND;

/** The background's belief of the index, thousandths of a tick: a random walk on a fixed time grid, so that reading changes nothing. */
class FairValue {
  readonly #random: Random;
  #step = 0;
  #value = 0;
  #reference = 0;
  #volatility = USUAL_VOLATILITY;
  #trend = 0;
  #samples: { tsUs: number; value: number }[] = [];

  constructor(random: Random, value: number, at: TsUs) {
    this.#random = random;
    this.#value = value;
    this.#reference = value;
    this.#step = Math.floor(at / STEP_US);
  }

  /** The value at a moment that is not before the last one asked for. */
  at(us: number): number {
    const target = Math.floor(us / STEP_US);
    if (target - this.#step > STEPS_AT_ONCE_MAX) {
      this.#step = target - STEPS_AT_ONCE_MAX;
      this.#value += Math.trunc(this.#random.bell() * 8);
    }
    while (this.#step < target) this.#walk();
    return this.#value;
  }

  /** Volatility now against the usual, in parts of 1,000. */
  get heat(): number {
    return Math.round((this.#volatility * 1000) / USUAL_VOLATILITY);
  }

  /** A new day: the walk stays near its reference. */
  anchor(reference: number): void {
    this.#reference = reference;
  }

  /** Trades move the belief. */
  nudge(by: number): void {
    this.#value += Math.trunc(by);
  }

  samples(endUs: number, closingFromUs: number, hundredthsPerTick: number): IndexSamples {
    this.at(endUs);
    const window = this.#samples.filter(({ tsUs }) => tsUs >= endUs - WINDOW_US && tsUs < endUs);
    const prices = (rows: typeof window): PriceHundredths[] =>
      rows.map(({ value }) => hundredthsOf(value, hundredthsPerTick));
    return {
      continuous: prices(window.filter(({ tsUs }) => tsUs < closingFromUs)),
      closing: prices(window.filter(({ tsUs }) => tsUs >= closingFromUs)),
    };
  }

  #walk(): void {
    const random = this.#random;
    this.#step += 1;
    const shock = Math.trunc((this.#volatility * random.bell()) / 40_000);
    const back = Math.trunc((USUAL_VOLATILITY - this.#volatility) / 300);
    let volatility = this.#volatility + shock + back;
    if (random.below(BURST_EVERY_STEPS) === 0) volatility *= 3;
    this.#volatility = Math.min(VOLATILITY_MAX, Math.max(VOLATILITY_MIN, volatility));
    this.#trend +=
      Math.trunc((random.bell() * TREND_SHOCK) / 1000) - Math.trunc(this.#trend / TREND_FADE_STEPS);
    this.#value += Math.trunc((this.#volatility * random.bell()) / 1000) + Math.trunc(this.#trend / 1000);
    const far = Math.trunc((this.#reference * WANDER_BPS_MAX) / 10_000);
    if (this.#value > this.#reference + far) this.#value -= PULL_BACK;
    if (this.#value < this.#reference - far) this.#value += PULL_BACK;
    if (this.#step % SAMPLE_EVERY_STEPS === 0) this.#sample();
  }

  #sample(): void {
    const tsUs = this.#step * STEP_US;
    this.#samples.push({ tsUs, value: this.#value });
    if (this.#samples.length > 512)
      this.#samples = this.#samples.filter((row) => row.tsUs > tsUs - 2 * WINDOW_US);
  }
}
