/**
 * One strategy's fills, refusals and costs. A fill is a row of numbers; its round trips are read from these rows when the run is
 * over.
 */
import type { TradingDay } from '../../domain/civil-date.ts';
import { isPaidInFull } from '../../domain/costs.ts';
import { signOf } from '../../domain/order.ts';
import { applyFill, FLAT_POSITION, openProfit, partOf, type Position } from '../../domain/position.ts';
import { money, tsUs } from '../../domain/units.ts';
import {
  type BacktestDenial,
  type BacktestFill,
  type BacktestTrade,
  type CostsByKind,
  DENIALS_KEPT_MAX,
  type FillCause,
  type Rows,
  type StrategyFault,
} from '../backtest-result.ts';
import type { RunInstrument } from './run-instrument.ts';
import { NumberColumn } from './number-column.ts';
import type { ContractFees } from '../../venue/account/ledger.ts';
import { FILL_CLAUSES, type Liquidity } from '../../venue/exchange/fill-models.ts';

/** An execution with all that is known of it, but the position it leads to. */
export type Execution = Omit<BacktestFill, 'positionAfter' | 'strategy' | 'instrument'>;

/** Prices at which the market traded; none where the low is above the high. */
export interface PriceRange {
  readonly high: number;
  readonly low: number;
}

/** A position in one contract, and what the market traded since its last fill. */
export class StrategyHolding implements PriceRange {
  position: Position = FLAT_POSITION;
  high = -Infinity;
  low = Infinity;

  /** The market traded in this range with this position. */
  saw({ high, low }: PriceRange): void {
    if (high > this.high) this.high = high;
    if (low < this.low) this.low = low;
  }
}

export class StrategyLedger {
  /** At each sample. */
  readonly profit: NumberColumn;
  orders = 0;
  denialCount = 0;
  stopped: string | null = null;
  fault: StrategyFault | null = null;
  readonly #index: number;
  /** By instrument. */
  readonly #holdings: (StrategyHolding | undefined)[] = [];
  /** Contracts that it ever traded. */
  readonly #traded: RunInstrument[] = [];
  readonly denials: BacktestDenial[] = [];
  readonly fills: FillLog;
  #exchangeFee = 0;
  #clearingFee = 0;
  #brokerFee = 0;
  #fee = 0;
  #tax = 0;
  /** Twice what was paid against the middle of the book. */
  #spreadTwice = 0;

  constructor(index: number, profit: NumberColumn) {
    this.#index = index;
    this.profit = profit;
    this.fills = new FillLog(index);
  }

  /** Everything charged so far. */
  get charged(): number {
    return this.#fee + this.#tax;
  }

  /** Undefined for a contract it never traded. */
  holdingOf(instrument: number): StrategyHolding | undefined {
    return this.#holdings[instrument];
  }

  holding(instrument: RunInstrument): StrategyHolding {
    const { index } = instrument.contract;
    const known = this.#holdings[index];
    if (known !== undefined) return known;
    while (this.#holdings.length <= index) this.#holdings.push(undefined);
    const holding = new StrategyHolding();
    this.#holdings[index] = holding;
    this.#traded.push(instrument);
    return holding;
  }

  execute(instrument: RunInstrument, execution: Execution, fees: ContractFees): void {
    const { side, qty, value, fee, tax, midTwice, priceTicks } = execution;
    const holding = this.holding(instrument);
    const change = signOf(side) * qty;
    this.#exchangeFee += fees.exchangeFee;
    this.#clearingFee += fees.clearingFee;
    this.#brokerFee += fees.brokerFee;
    this.#fee += fee;
    this.#tax += tax;
    if (midTwice > 0) this.#spreadTwice += change * (2 * priceTicks - midTwice) * instrument.unit;
    holding.position = applyFill(holding.position, change, value);
    this.fills.add(execution, instrument.contract.index, holding);
    holding.high = -Infinity;
    holding.low = Infinity;
  }

  deny(denial: Omit<BacktestDenial, 'strategy'>): void {
    this.denialCount += 1;
    if (this.denials.length < DENIALS_KEPT_MAX) this.denials.push({ ...denial, strategy: this.#index });
  }

  /** Profit, open and closed, net of costs; open profit is 0 where the contract has no mark yet. */
  profitNow(): number {
    let profit = 0 - this.charged;
    for (const { contract, unitValue } of this.#traded) {
      const position = this.#holdings[contract.index]?.position ?? FLAT_POSITION;
      profit += position.realised;
      if (position.qty !== 0 && unitValue !== 0) profit += openProfit(position, unitValue);
    }
    return profit;
  }

  /** A position paid in full has left the cash with its purchase; a margined one leaves its profit there when it is closed. */
  cashNow(day: TradingDay): number {
    let cash = 0 - this.charged;
    for (const { contract, costs } of this.#traded) {
      const { qty, realised, openValue } = this.#holdings[contract.index]?.position ?? FLAT_POSITION;
      cash += realised - (isPaidInFull(costs, day) ? Math.sign(qty) * openValue : 0);
    }
    return cash;
  }

  /** Round trips in the order of their ends, then those that are open at the end of the run; and the time with a position. */
  roundTrips(
    instruments: readonly RunInstrument[],
    endUs: number,
  ): { readonly trades: readonly BacktestTrade[]; readonly heldUs: number } {
    const trades: BacktestTrade[] = [];
    let heldUs = 0;
    const end = (trip: RoundTrip, exitUs: number, isOpen: boolean): void => {
      trades.push(trip.asTrade(this.#index, exitUs, isOpen));
      heldUs += exitUs - trip.entryUs;
    };
    const trips = instruments.map((instrument) => new RoundTrip(instrument));
    for (let row = 0; row < this.fills.length; row += 1) {
      const step = this.fills.stepAt(row);
      const trip = trips[step.instrument];
      trip?.fill(step, () => end(trip, step.atUs, false));
    }
    trips.forEach((trip, at) => {
      const holding = this.#holdings[at];
      if (holding === undefined || holding.position.qty === 0) return;
      trip.saw(holding);
      trip.closeAtMark();
      end(trip, endUs, true);
    });
    return { trades, heldUs };
  }

  costs(): CostsByKind {
    const [exchangeFee, clearingFee, brokerFee] = [this.#exchangeFee, this.#clearingFee, this.#brokerFee];
    return {
      exchangeFee: money(exchangeFee),
      clearingFee: money(clearingFee),
      brokerFee: money(brokerFee),
      valueFee: money(this.#fee - exchangeFee - clearingFee - brokerFee),
      tax: money(this.#tax),
      spread: money(Math.round(this.#spreadTwice / 2)),
    };
  }
}

/** A fill of a round trip, after what the market traded while the position before it was held. */
interface Step extends PriceRange {
  readonly atUs: number;
  readonly instrument: number;
  /** Above zero was bought. */
  readonly change: number;
  readonly value: number;
  readonly fee: number;
  readonly tax: number;
}

/** What happened in one contract since its position was flat or turned round. */
class RoundTrip {
  readonly #instrument: RunInstrument;
  #position = FLAT_POSITION;
  entryUs = 0;
  #isLong = false;
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

  constructor(instrument: RunInstrument) {
    this.#instrument = instrument;
  }

  saw({ high, low }: PriceRange): void {
    const position = this.#position;
    if (position.qty === 0 || high < low) return;
    const [best, worst] = position.qty > 0 ? [high, low] : [low, high];
    const { unit } = this.#instrument;
    this.#favourable = Math.max(this.#favourable, this.#gross + openProfit(position, best * unit));
    this.#adverse = Math.min(this.#adverse, this.#gross + openProfit(position, worst * unit));
  }

  /** `onEnd` is called between the part of the fill that closes and the part that opens. */
  fill(step: Step, onEnd: () => void): void {
    this.saw(step);
    const { change, value, fee, tax } = step;
    const before = this.#position;
    const after = applyFill(before, change, value);
    this.#position = after;
    const qty = Math.abs(change);
    const held = Math.max(0, -Math.sign(change) * before.qty);
    const closed = Math.min(held, qty);
    const closedValue = partOf(value, closed, qty);
    const closedFee = partOf(fee, closed, qty);
    const closedTax = partOf(tax, closed, qty);
    if (closed > 0) {
      this.#gross += after.realised - before.realised;
      this.#exitValue += closedValue;
      this.#charge(closedFee, closedTax);
      if (closed === held) onEnd();
    }
    if (closed === qty) return;
    if (before.qty === 0 || closed > 0) this.#begin(step.atUs, after.qty > 0);
    this.#qty += qty - closed;
    this.#qtyMax = Math.max(this.#qtyMax, Math.abs(after.qty));
    this.#entryValue += value - closedValue;
    this.#charge(fee - closedFee, tax - closedTax);
  }

  /** For nothing. */
  closeAtMark(): void {
    const { unitValue } = this.#instrument;
    this.#exitValue += Math.abs(this.#position.qty) * unitValue;
    this.#gross += openProfit(this.#position, unitValue);
  }

  asTrade(strategy: number, exitUs: number, isOpen: boolean): BacktestTrade {
    const gross = this.#gross;
    return {
      strategy,
      instrument: this.#instrument.contract.index,
      direction: this.#isLong ? 'long' : 'short',
      entryUs: tsUs(this.entryUs),
      exitUs: tsUs(exitUs),
      qty: this.#qty,
      qtyMax: this.#qtyMax,
      entryValue: money(this.#entryValue),
      exitValue: money(this.#exitValue),
      grossProfit: money(gross),
      fee: money(this.#fee),
      tax: money(this.#tax),
      netProfit: money(gross - this.#fee - this.#tax),
      adverse: money(Math.min(this.#adverse, gross)),
      favourable: money(Math.max(this.#favourable, gross)),
      fills: this.#fills,
      isOpen,
    };
  }

  #begin(atUs: number, isLong: boolean): void {
    this.entryUs = atUs;
    this.#isLong = isLong;
    this.#qty = this.#qtyMax = this.#entryValue = this.#exitValue = this.#gross = 0;
    this.#fee = this.#tax = this.#fills = this.#adverse = this.#favourable = 0;
  }

  #charge(fee: number, tax: number): void {
    this.#fee += fee;
    this.#tax += tax;
    this.#fills += 1;
  }
}

const LIQUIDITIES: readonly Liquidity[] = ['taker', 'maker', 'auction'];
const CAUSES: readonly FillCause[] = ['order', 'forced', 'settled'];
const FIGURES = 17;

/** Fills as one column of numbers: a run with a million of them keeps eight bytes a figure. Reading a fill makes its object. */
class FillLog implements Rows<BacktestFill> {
  readonly #figures = new NumberColumn();
  readonly #strategy: number;

  constructor(strategy: number) {
    this.#strategy = strategy;
  }

  get length(): number {
    return this.#figures.length / FIGURES;
  }

  add(
    fill: Execution,
    instrument: number,
    { position, high, low }: Pick<StrategyHolding, 'position' | 'high' | 'low'>,
  ): void {
    const figures = this.#figures;
    figures.push(fill.tsUs);
    figures.push(fill.decidedUs);
    figures.push(instrument);
    figures.push(signOf(fill.side) * fill.qty);
    figures.push(fill.priceTicks);
    figures.push(fill.value);
    figures.push(fill.fee);
    figures.push(fill.tax);
    figures.push(LIQUIDITIES.indexOf(fill.liquidity));
    figures.push(CAUSES.indexOf(fill.cause));
    figures.push(fill.midTwice);
    figures.push(fill.decidedMidTwice);
    figures.push(position.qty);
    figures.push(FILL_CLAUSES.indexOf(fill.clause));
    figures.push(fill.orderNo);
    figures.push(high);
    figures.push(low);
  }

  at(index: number): BacktestFill | undefined {
    const row = index < 0 ? this.length + index : index;
    if (row < 0 || row >= this.length) return undefined;
    const figure = (place: number): number => this.#figures.at(row * FIGURES + place);
    return {
      tsUs: tsUs(figure(0)),
      decidedUs: tsUs(figure(1)),
      instrument: figure(2),
      strategy: this.#strategy,
      side: figure(3) > 0 ? 'buy' : 'sell',
      qty: Math.abs(figure(3)),
      priceTicks: figure(4),
      value: money(figure(5)),
      fee: money(figure(6)),
      tax: money(figure(7)),
      liquidity: LIQUIDITIES[figure(8)] ?? 'taker',
      cause: CAUSES[figure(9)] ?? 'order',
      midTwice: figure(10),
      decidedMidTwice: figure(11),
      positionAfter: figure(12),
      clause: FILL_CLAUSES[figure(13)] ?? 'shown',
      orderNo: figure(14),
    };
  }

  stepAt(row: number): Step {
    const figure = (place: number): number => this.#figures.at(row * FIGURES + place);
    return {
      atUs: figure(0),
      instrument: figure(2),
      change: figure(3),
      value: figure(5),
      fee: figure(6),
      tax: figure(7),
      high: figure(15),
      low: figure(16),
    };
  }

  *[Symbol.iterator](): Iterator<BacktestFill> {
    for (let index = 0; index < this.length; index += 1) {
      const fill = this.at(index);
      if (fill !== undefined) yield fill;
    }
  }
}
