/**
 * Rates between the currency of a contract and that of the account: always the last one that is known at the moment, so that no
 * amount depends on what comes later.
 */
import { assert } from '../../domain/assert.ts';
import type { Contract } from '../../domain/contract.ts';
import { partOf } from '../../domain/position.ts';
import type { CurrencyRate, RateLeg, RateSource } from '../backtest-plan.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A contract of the run, whose price may be a rate. */
interface Priced {
  readonly contract: Contract;
  /** Ticks: the last trade, 0 before the first, and what values positions. */
  readonly last: number;
  readonly mark: number;
}

/** Turns money of one currency into that of the account. */
export interface Rate {
  /** The account counts in this currency. */
  readonly isOne: boolean;
  /** Money of the account for one of the currency, now. */
  readonly now: number;
  /** Rounded to whole money, half and more up. */
  of(amount: number): number;
}

export const SAME_CURRENCY: Rate = { isOne: true, now: 1, of: (amount) => amount };

export class RunRates {
  readonly #rates: ReadonlyMap<string, Rate>;

  constructor(rates: readonly CurrencyRate[], clock: VirtualClock, instruments: readonly Priced[]) {
    this.#rates = new Map(
      rates.map(({ currency, legs }) => [currency, new CrossRate(legs, clock, instruments)]),
    );
  }

  /** Absent: the currency of the account. */
  of(currency: string | undefined): Rate {
    if (currency === undefined) return SAME_CURRENCY;
    const rate = this.#rates.get(currency);
    assert(rate !== undefined, `each currency of a run has a rate: ${currency}`);
    return rate;
  }
}

class CrossRate implements Rate {
  readonly isOne = false;
  readonly #legs: readonly Leg[];

  constructor(legs: readonly RateLeg[], clock: VirtualClock, instruments: readonly Priced[]) {
    this.#legs = legs.map(({ source, isInverse }) => new Leg(source, isInverse, clock, instruments));
  }

  get now(): number {
    let rate = 1;
    for (const leg of this.#legs) {
      const { times, parts } = leg.look();
      rate *= times / parts;
    }
    return rate;
  }

  of(amount: number): number {
    if (amount === 0) return 0;
    let [times, parts] = [1n, 1n];
    for (const leg of this.#legs) {
      const found = leg.look();
      if (this.#legs.length === 1) return partOf(amount, found.times, found.parts);
      times *= BigInt(found.times);
      parts *= BigInt(found.parts);
    }
    return partOfLarge(amount, times, parts);
  }
}

/** Rounded as `partOf` does. */
function partOfLarge(amount: number, times: bigint, parts: bigint): number {
  const [doubled, twice] = [2n * BigInt(amount) * times + parts, 2n * parts];
  const rest = ((doubled % twice) + twice) % twice;
  return Number((doubled - rest) / twice);
}

/** One price of a currency in another, as a fraction of whole numbers. */
class Leg {
  readonly #source: RateSource;
  readonly #isInverse: boolean;
  readonly #clock: VirtualClock;
  readonly #instruments: readonly Priced[];
  readonly #found = { times: 0, parts: 0 };
  /** Of a series: the place of the last row that was known. */
  #place = -1;

  constructor(source: RateSource, isInverse: boolean, clock: VirtualClock, instruments: readonly Priced[]) {
    this.#source = source;
    this.#isInverse = isInverse;
    this.#clock = clock;
    this.#instruments = instruments;
  }

  /** The same object each time. */
  look(): { readonly times: number; readonly parts: number } {
    const source = this.#source;
    const [price, parts] =
      source.kind === 'series' ? [this.#inSeries(source), source.parts] : this.#traded(source.code);
    this.#found.times = this.#isInverse ? parts : price;
    this.#found.parts = this.#isInverse ? price : parts;
    return this.#found;
  }

  #inSeries({ tsUs, prices }: Extract<RateSource, { kind: 'series' }>): number {
    while ((tsUs[this.#place + 1] ?? Infinity) <= this.#clock.nowUs) this.#place += 1;
    const price = prices[this.#place];
    assert(price !== undefined, 'a rate is known before it is needed');
    return price;
  }

  #traded(code: string): readonly [price: number, parts: number] {
    const instrument = this.#instruments.find(({ contract }) => contract.orderCode === code);
    const price = instrument?.last === 0 ? instrument.mark : instrument?.last;
    assert(
      instrument !== undefined && price !== undefined && price > 0,
      'a rate is known before it is needed',
    );
    const { hundredthsPerTick, partsPerPoint = 100 } = instrument.contract.spec;
    return [Math.round(price * hundredthsPerTick), partsPerPoint];
  }
}
