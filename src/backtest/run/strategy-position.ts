/** One strategy's position in one contract, and the round trip under way. */
import { applyFill, FLAT_POSITION, openProfit, partOf, type Position } from '../../domain/position.ts';
import type { BacktestTrade } from '../backtest-result.ts';
import type { RunInstrument } from './run-instrument.ts';
import { money, tsUs } from '../../domain/units.ts';

/** One execution: `change` above zero was bought. */
interface PositionFill {
  readonly atUs: number;
  readonly change: number;
  readonly value: number;
  readonly fee: number;
  readonly tax: number;
}

/** Prices at which the market traded since the last update of the position. */
export interface PriceRange {
  readonly high: number;
  readonly low: number;
}

export type TradeEnd = (trade: Omit<BacktestTrade, 'isOpen'>) => void;

export class StrategyPosition {
  position: Position = FLAT_POSITION;
  readonly #strategy: number;
  readonly #instrument: RunInstrument;
  #entryUs = 0;
  #heldUs = 0;
  #direction: 1 | -1 = 1;
  #qty = 0;
  #qtyMax = 0;
  #entryValue = 0;
  #exitValue = 0;
  #gross = 0;
  #fee = 0;
  #tax = 0;
  #fills = 0;
  #adverse = 0;
  #favourable = 0;

  constructor(strategy: number, instrument: RunInstrument) {
    this.#strategy = strategy;
    this.#instrument = instrument;
  }

  get isFlat(): boolean {
    return this.position.qty === 0;
  }

  /** Market time with a position, up to now. */
  heldUntil(atUs: number): number {
    return this.#heldUs + (this.isFlat ? 0 : atUs - this.#entryUs);
  }

  /** Open and closed, before costs, at the mark of its contract; open profit is 0 where that has not traded yet. */
  profitNow(): number {
    const { markValue } = this.#instrument;
    const { realised, qty } = this.position;
    return qty === 0 || markValue === 0 ? realised : realised + openProfit(this.position, markValue);
  }

  /** The market traded in this range with this position. */
  saw({ high, low }: PriceRange): void {
    if (this.isFlat || high < low) return;
    const { position } = this;
    const [best, worst] = position.qty > 0 ? [high, low] : [low, high];
    const closed = this.#gross;
    const { unit } = this.#instrument;
    this.#favourable = Math.max(this.#favourable, closed + openProfit(position, best * unit));
    this.#adverse = Math.min(this.#adverse, closed + openProfit(position, worst * unit));
  }

  execute(fill: PositionFill, onEnd: TradeEnd): void {
    const before = this.position;
    const after = applyFill(before, fill.change, fill.value);
    this.position = after;
    if (before.qty === 0) return this.#open(fill.atUs, fill.change, fill.value, fill.fee, fill.tax);
    if (Math.sign(before.qty) === Math.sign(fill.change)) return this.#add(fill);
    const closed = Math.min(Math.abs(before.qty), Math.abs(fill.change));
    const size = Math.abs(fill.change);
    const exitValue = partOf(fill.value, closed, size);
    const fee = partOf(fill.fee, closed, size);
    const tax = partOf(fill.tax, closed, size);
    this.#gross += after.realised - before.realised;
    this.#exitValue += exitValue;
    this.#fee += fee;
    this.#tax += tax;
    this.#fills += 1;
    if (after.qty !== 0 && Math.sign(after.qty) === Math.sign(before.qty)) return;
    this.#end(fill.atUs, onEnd);
    if (after.qty === 0) return;
    this.#open(fill.atUs, after.qty, fill.value - exitValue, fill.fee - fee, fill.tax - tax);
  }

  /** The round trip under way, as if it were closed for nothing at the mark of its contract; null while there is none. */
  asIfClosed(atUs: number): Omit<BacktestTrade, 'isOpen'> | null {
    if (this.isFlat) return null;
    const { markValue } = this.#instrument;
    const value = Math.abs(this.position.qty) * markValue;
    return this.#trade(atUs, this.#exitValue + value, this.#gross + openProfit(this.position, markValue));
  }

  #open(atUs: number, change: number, value: number, fee: number, tax: number): void {
    this.#entryUs = atUs;
    this.#direction = change > 0 ? 1 : -1;
    this.#qty = Math.abs(change);
    this.#qtyMax = this.#qty;
    this.#entryValue = value;
    this.#exitValue = 0;
    this.#gross = 0;
    this.#fee = fee;
    this.#tax = tax;
    this.#fills = 1;
    this.#adverse = 0;
    this.#favourable = 0;
  }

  #add({ change, value, fee, tax }: PositionFill): void {
    this.#qty += Math.abs(change);
    this.#qtyMax = Math.max(this.#qtyMax, Math.abs(this.position.qty));
    this.#entryValue += value;
    this.#fee += fee;
    this.#tax += tax;
    this.#fills += 1;
  }

  #end(atUs: number, onEnd: TradeEnd): void {
    this.#heldUs += atUs - this.#entryUs;
    onEnd(this.#trade(atUs, this.#exitValue, this.#gross));
  }

  #trade(exitUs: number, exitValue: number, gross: number): Omit<BacktestTrade, 'isOpen'> {
    return {
      strategy: this.#strategy,
      instrument: this.#instrument.contract.index,
      direction: this.#direction === 1 ? 'long' : 'short',
      entryUs: tsUs(this.#entryUs),
      exitUs: tsUs(exitUs),
      qty: this.#qty,
      qtyMax: this.#qtyMax,
      entryValue: money(this.#entryValue),
      exitValue: money(exitValue),
      grossProfit: money(gross),
      fee: money(this.#fee),
      tax: money(this.#tax),
      netProfit: money(gross - this.#fee - this.#tax),
      adverse: money(Math.min(this.#adverse, gross)),
      favourable: money(Math.max(this.#favourable, gross)),
      fills: this.#fills,
    };
  }
}
