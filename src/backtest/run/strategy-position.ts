/** One strategy's position in one contract, and the round trip under way. */
import { assert } from '../../domain/assert.ts';
import { applyFill, FLAT_POSITION, openProfit, partOf, type Position } from '../../domain/position.ts';
import type { BacktestTrade } from '../backtest-result.ts';
import type { RunInstrument } from './run-instrument.ts';
import { money, tsUs } from '../../domain/units.ts';

/** One execution: `change` above zero was bought. */
export interface PositionFill {
  readonly atUs: number;
  readonly change: number;
  /** In the currency of the contract. */
  readonly value: number;
  /** In that of the account, like tax. */
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
  /** In the currency of the contract. */
  position: Position = FLAT_POSITION;
  readonly #strategy: number;
  readonly #instrument: RunInstrument;
  /** In the currency of the account, where it is another: what was paid for it at the rates of its fills. */
  #paid: Position = FLAT_POSITION;
  /** In the currency of the account, where it is another: closed profit at the rates of its moments. */
  #converted = 0;
  #entryUs = 0;
  #heldUs = 0;
  #direction: 1 | -1 = 1;
  #qty = 0;
  #qtyMax = 0;
  #entryValue = 0;
  #entryWorth = 0;
  #exitValue = 0;
  #gross = 0;
  #ownGross = 0;
  #fee = 0;
  #tax = 0;
  #carry = 0;
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

  /** Closed profit before costs, money of the account. */
  get realised(): number {
    const { rate, isPaidInFull } = this.#instrument;
    if (rate.isOne) return this.position.realised;
    return isPaidInFull ? this.#paid.realised : this.#converted;
  }

  /** Money of the account that left its cash for what is held; below zero came in. */
  get spent(): number {
    const { rate, isPaidInFull } = this.#instrument;
    if (!isPaidInFull) return 0;
    const { qty, openValue } = rate.isOne ? this.position : this.#paid;
    return Math.sign(qty) * openValue;
  }

  /** Profit, open and closed, before costs, in money of the account, when one contract is worth `unitValue` of its own; 0 where it has not traded yet. */
  profitAt(unitValue: number): number {
    if (this.position.qty === 0 || unitValue === 0) return this.realised;
    return this.realised + this.#openProfit(unitValue);
  }

  /** At the mark of its contract. */
  profitNow(): number {
    return this.profitAt(this.#instrument.markValue);
  }

  #openProfit(unitValue: number): number {
    const { rate, isPaidInFull } = this.#instrument;
    const { position } = this;
    if (rate.isOne) return openProfit(position, unitValue);
    return isPaidInFull
      ? rate.of(position.qty * unitValue) - this.spent
      : rate.of(openProfit(position, unitValue));
  }

  /** Returns the profit that was closed, in money of the account. */
  #book(change: number, value: number): number {
    const [before, closedBefore] = [this.position.realised, this.realised];
    this.position = applyFill(this.position, change, value);
    const { rate, isPaidInFull } = this.#instrument;
    if (!rate.isOne && isPaidInFull) this.#paid = applyFill(this.#paid, change, rate.of(value));
    else if (!rate.isOne) this.#converted += rate.of(this.position.realised - before);
    return this.realised - closedBefore;
  }

  /** The market traded in this range with this position. */
  saw({ high, low }: PriceRange): void {
    if (this.isFlat || high < low) return;
    const { position } = this;
    const [best, worst] = position.qty > 0 ? [high, low] : [low, high];
    const closed = this.#gross;
    const { unit } = this.#instrument;
    this.#favourable = Math.max(this.#favourable, closed + this.#openProfit(best * unit));
    this.#adverse = Math.min(this.#adverse, closed + this.#openProfit(worst * unit));
  }

  /** Time cost so much while it was held. */
  carry(cost: number): void {
    assert(!this.isFlat, 'nothing is paid for what is not held');
    this.#carry += cost;
  }

  execute(fill: PositionFill, onEnd: TradeEnd): void {
    const before = this.position;
    const gain = this.#book(fill.change, fill.value);
    const after = this.position;
    if (before.qty === 0) return this.#open(fill.atUs, fill.change, fill.value, fill.fee, fill.tax);
    if (Math.sign(before.qty) === Math.sign(fill.change)) return this.#add(fill);
    const closed = Math.min(Math.abs(before.qty), Math.abs(fill.change));
    const size = Math.abs(fill.change);
    const exitValue = partOf(fill.value, closed, size);
    const fee = partOf(fill.fee, closed, size);
    const tax = partOf(fill.tax, closed, size);
    this.#gross += gain;
    this.#ownGross += after.realised - before.realised;
    this.#exitValue += exitValue;
    this.#fee += fee;
    this.#tax += tax;
    this.#fills += 1;
    if (after.qty !== 0 && Math.sign(after.qty) === Math.sign(before.qty)) return;
    this.#end(fill.atUs, onEnd);
    if (after.qty === 0) return;
    this.#open(fill.atUs, after.qty, fill.value - exitValue, fill.fee - fee, fill.tax - tax);
  }

  /** The round trip under way, as if it were closed for nothing at `unitValue` a contract; null while there is none. */
  asIfClosed(atUs: number, unitValue: number): Omit<BacktestTrade, 'isOpen'> | null {
    if (this.isFlat) return null;
    const value = Math.abs(this.position.qty) * unitValue;
    const gross = this.#gross + this.#openProfit(unitValue);
    const ownGross = this.#ownGross + openProfit(this.position, unitValue);
    return this.#trade(atUs, this.#exitValue + value, gross, ownGross);
  }

  #open(atUs: number, change: number, value: number, fee: number, tax: number): void {
    this.#entryUs = atUs;
    this.#direction = change > 0 ? 1 : -1;
    this.#qty = Math.abs(change);
    this.#qtyMax = this.#qty;
    this.#entryValue = value;
    this.#entryWorth = this.#instrument.rate.of(value);
    this.#exitValue = 0;
    this.#gross = 0;
    this.#ownGross = 0;
    this.#fee = fee;
    this.#tax = tax;
    this.#carry = 0;
    this.#fills = 1;
    this.#adverse = 0;
    this.#favourable = 0;
  }

  #add({ change, value, fee, tax }: PositionFill): void {
    this.#qty += Math.abs(change);
    this.#qtyMax = Math.max(this.#qtyMax, Math.abs(this.position.qty));
    this.#entryValue += value;
    this.#entryWorth += this.#instrument.rate.of(value);
    this.#fee += fee;
    this.#tax += tax;
    this.#fills += 1;
  }

  #end(atUs: number, onEnd: TradeEnd): void {
    this.#heldUs += atUs - this.#entryUs;
    onEnd(this.#trade(atUs, this.#exitValue, this.#gross, this.#ownGross));
  }

  #trade(exitUs: number, exitValue: number, gross: number, ownGross: number): Omit<BacktestTrade, 'isOpen'> {
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
      ownProfit: money(ownGross),
      entryWorth: money(this.#entryWorth),
      grossProfit: money(gross),
      fee: money(this.#fee),
      tax: money(this.#tax),
      carry: money(this.#carry),
      netProfit: money(gross - this.#fee - this.#tax - this.#carry),
      adverse: money(Math.min(this.#adverse, gross)),
      favourable: money(Math.max(this.#favourable, gross)),
      fills: this.#fills,
    };
  }
}
