/**
 * An account's position in one contract, kept twice: against the price of entry, for the averages people look at, and against
 * the last daily settlement, by which money moves. `applyFill` is exact in sum, so both give the same total over a position's
 * life.
 */
import { applyFill, FLAT_POSITION, openProfit, type Position } from '../../domain/position.ts';
import { type Money, money } from '../../domain/units.ts';

/** Entry, exit and costs of what was closed today on one side, added up: against the entry, with costs of opening and closing trades. */
interface Closed {
  qty: number;
  openValue: number;
  closeValue: number;
  fee: number;
  tax: number;
  lastUs: number;
}

const nothingClosed = (): Closed => ({ qty: 0, openValue: 0, closeValue: 0, fee: 0, tax: 0, lastUs: 0 });

export interface Rounds {
  readonly long: Readonly<Closed>;
  readonly short: Readonly<Closed>;
}

/** Prices at which the market traded; none where the low is above the high. */
export interface PriceRange {
  readonly high: number;
  readonly low: number;
}

/** A holding as plain data. */
export type HoldingState = Pick<
  Holding,
  'entry' | 'day' | 'boughtQty' | 'boughtValue' | 'soldQty' | 'soldValue' | 'rounds'
>;

export class Holding implements PriceRange {
  entry: Position = FLAT_POSITION;
  day: Position = FLAT_POSITION;
  boughtQty = 0;
  boughtValue = 0;
  soldQty = 0;
  soldValue = 0;
  readonly #long = nothingClosed();
  readonly #short = nothingClosed();
  /** Of the market since the last fill, where somebody follows it. */
  high = -Infinity;
  low = Infinity;

  static restore({ rounds, ...state }: HoldingState): Holding {
    const holding = Object.assign(new Holding(), state);
    Object.assign(holding.#long, rounds.long);
    Object.assign(holding.#short, rounds.short);
    return holding;
  }

  exportState(): HoldingState {
    const { entry, day, boughtQty, boughtValue, soldQty, soldValue } = this;
    const traded = { boughtQty, boughtValue, soldQty, soldValue };
    return { entry, day, ...traded, rounds: { long: { ...this.#long }, short: { ...this.#short } } };
  }

  /** Contracts closed today. */
  get rounds(): Rounds {
    return { long: this.#long, short: this.#short };
  }

  /** `change`: contracts with a sign, bought above zero. One that turns the position closes one direction and opens the other. */
  fill(change: number, value: number, fee: number, tax: number, atUs: number): void {
    const before = this.entry;
    const isOneDay = this.day === before;
    this.entry = applyFill(before, change, value);
    this.day = isOneDay ? this.entry : applyFill(this.day, change, value);
    const size = Math.abs(change);
    if (change > 0) {
      this.boughtQty += size;
      this.boughtValue += value;
    } else {
      this.soldQty += size;
      this.soldValue += value;
    }
    const closed = Math.min(size, Math.max(0, -Math.sign(change) * before.qty));
    if (closed === 0) return this.#charge(change > 0, fee, tax);
    const wasLong = before.qty > 0;
    const closedFee = Math.round((fee * closed) / size);
    const closedTax = Math.round((tax * closed) / size);
    this.#close(wasLong ? this.#long : this.#short, before, closed, atUs);
    this.#charge(wasLong, closedFee, closedTax);
    if (closed < size) this.#charge(!wasLong, fee - closedFee, tax - closedTax);
  }

  /** The market traded in this range with this position. */
  saw({ high, low }: PriceRange): void {
    if (high > this.high) this.high = high;
    if (low < this.low) this.low = low;
  }

  restartRange(): void {
    this.high = -Infinity;
    this.low = Infinity;
  }

  #close(round: Closed, before: Position, closed: number, atUs: number): void {
    const isAll = closed === Math.abs(before.qty);
    const entry = isAll ? before.openValue : before.openValue - this.entry.openValue;
    round.qty += closed;
    round.openValue += entry;
    round.closeValue += entry + Math.sign(before.qty) * (this.entry.realised - before.realised);
    round.lastUs = atUs;
  }

  #charge(isLong: boolean, fee: number, tax: number): void {
    const round = isLong ? this.#long : this.#short;
    round.fee += fee;
    round.tax += tax;
  }

  /** Profit of the day, open and closed: `position x mark - carried x last settlement - signed sum of trades`; without a mark what is closed. */
  dayProfitAt(unitValue: number): Money {
    const { realised } = this.day;
    return unitValue === 0 ? realised : money(realised + openProfit(this.day, unitValue));
  }

  /** The holding after its profit was paid out at `unitValue`, the money of one contract at the settlement price; null where it is flat. */
  afterSettlement(unitValue: number): Holding | null {
    const { qty } = this.entry;
    if (qty === 0) return null;
    const after = new Holding();
    after.entry = { ...this.entry, realised: money(0) };
    const openValue = unitValue === 0 ? this.day.openValue : money(Math.abs(qty) * unitValue);
    after.day = { qty, openValue, realised: money(0) };
    return after;
  }

  /** The round that an expiry ends, in cash at `unitValue`. */
  roundsSettled(unitValue: number, tax: number, atUs: number): Rounds {
    const last = new Holding();
    last.entry = this.entry;
    last.fill(0 - this.entry.qty, Math.abs(this.entry.qty) * unitValue, 0, tax, atUs);
    return last.rounds;
  }
}
