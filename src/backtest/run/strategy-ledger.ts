/** One strategy's fills, round trips, refusals and costs. */
import { type CostSchedule, rateOn } from '../../domain/costs.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { signOf } from '../../domain/order.ts';
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
import { StrategyPosition, type TradeEnd } from './strategy-position.ts';
import type { RunInstrument } from './run-instrument.ts';
import { NumberColumn } from './number-column.ts';
import { FILL_CLAUSES, type Liquidity } from '../../venue/exchange/fill-models.ts';

/** An execution with all that is known of it, but the position it leads to. */
export type Execution = Omit<BacktestFill, 'positionAfter' | 'strategy' | 'instrument'>;

export class StrategyLedger {
  /** At each sample. */
  readonly profit: NumberColumn;
  orders = 0;
  denialCount = 0;
  stopped: string | null = null;
  fault: StrategyFault | null = null;
  readonly #index: number;
  /** By instrument. */
  readonly #holdings: (StrategyPosition | undefined)[] = [];
  readonly #traded: StrategyPosition[] = [];
  readonly denials: BacktestDenial[] = [];
  readonly fills: FillLog;
  readonly trades: TradeLog;
  readonly #onTrade: TradeEnd = (trade) => this.trades.add(trade, false);
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
    this.trades = new TradeLog(index);
  }

  /** Everything charged so far. */
  get charged(): number {
    return this.#fee + this.#tax;
  }

  /** Undefined for a contract it never traded. */
  holdingOf(instrument: number): StrategyPosition | undefined {
    return this.#holdings[instrument];
  }

  holding(instrument: RunInstrument): StrategyPosition {
    const { index } = instrument.contract;
    const known = this.#holdings[index];
    if (known !== undefined) return known;
    while (this.#holdings.length <= index) this.#holdings.push(undefined);
    const holding = new StrategyPosition(this.#index, instrument);
    this.#holdings[index] = holding;
    this.#traded.push(holding);
    return holding;
  }

  execute(instrument: RunInstrument, execution: Execution, rates: CostSchedule, day: TradingDay): void {
    const { side, qty, value, fee, tax, tsUs: at, midTwice, priceTicks } = execution;
    const holding = this.holding(instrument);
    const change = signOf(side) * qty;
    if (execution.cause !== 'settled') {
      this.#exchangeFee += rateOn(rates.exchangeFee, day) * qty;
      this.#clearingFee += rateOn(rates.clearingFee, day) * qty;
      this.#brokerFee += rateOn(rates.brokerFee, day) * qty;
    }
    this.#fee += fee;
    this.#tax += tax;
    if (midTwice > 0) this.#spreadTwice += change * (2 * priceTicks - midTwice) * instrument.unit;
    holding.execute({ atUs: at, change, value, fee, tax }, this.#onTrade);
    this.fills.add(execution, instrument.contract.index, holding.position.qty);
  }

  deny(denial: Omit<BacktestDenial, 'strategy'>): void {
    this.denialCount += 1;
    if (this.denials.length < DENIALS_KEPT_MAX) this.denials.push({ ...denial, strategy: this.#index });
  }

  /** Profit, open and closed, net of costs. */
  profitNow(): number {
    let profit = 0 - this.charged;
    for (const holding of this.#traded) profit += holding.profitNow();
    return profit;
  }

  /** The run is over: what is still held is shown as a round trip that is open. */
  end(instruments: readonly RunInstrument[], atUs: number): void {
    for (const { contract } of instruments) {
      const trade = this.#holdings[contract.index]?.asIfClosed(atUs);
      if (trade !== undefined && trade !== null) this.trades.add(trade, true);
    }
  }

  heldUs(atUs: number): number {
    let held = 0;
    for (const holding of this.#traded) held += holding.heldUntil(atUs);
    return held;
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

// Fills and round trips as numbers, and how they are read back.

/**
 * Records of a fixed number of figures, kept as one column of numbers: a run with a million fills keeps eight bytes a figure.
 * Reading a record makes its object.
 */
class RecordLog<T> implements Rows<T> {
  readonly #figures = new NumberColumn();
  readonly #width: number;
  readonly #read: (figure: (place: number) => number) => T;

  constructor(width: number, read: (figure: (place: number) => number) => T) {
    this.#width = width;
    this.#read = read;
  }

  get length(): number {
    return this.#figures.length / this.#width;
  }

  /** To be called `width` times for each record, in order. */
  push(figure: number): void {
    this.#figures.push(figure);
  }

  at(index: number): T | undefined {
    const place = index < 0 ? this.length + index : index;
    if (place < 0 || place >= this.length) return undefined;
    const from = place * this.#width;
    return this.#read((at) => this.#figures.at(from + at));
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.length; index += 1) {
      const record = this.at(index);
      if (record !== undefined) yield record;
    }
  }
}

const LIQUIDITIES: readonly Liquidity[] = ['taker', 'maker', 'auction'];
const CAUSES: readonly FillCause[] = ['order', 'forced', 'settled'];
const FILL_FIGURES = 16;
const TRADE_FIGURES = 16;

type Figure = (place: number) => number;

class FillLog extends RecordLog<BacktestFill> {
  constructor(strategy: number) {
    super(FILL_FIGURES, (figure) => readFill(strategy, figure));
  }

  add(
    fill: Omit<BacktestFill, 'strategy' | 'instrument' | 'positionAfter'>,
    instrument: number,
    positionAfter: number,
  ): void {
    this.push(fill.tsUs);
    this.push(fill.decidedUs);
    this.push(instrument);
    this.push(fill.side === 'buy' ? 1 : 0);
    this.push(fill.qty);
    this.push(fill.priceTicks);
    this.push(fill.value);
    this.push(fill.fee);
    this.push(fill.tax);
    this.push(LIQUIDITIES.indexOf(fill.liquidity));
    this.push(CAUSES.indexOf(fill.cause));
    this.push(fill.midTwice);
    this.push(fill.decidedMidTwice);
    this.push(positionAfter);
    this.push(FILL_CLAUSES.indexOf(fill.clause));
    this.push(fill.orderNo);
  }
}

class TradeLog extends RecordLog<BacktestTrade> {
  constructor(strategy: number) {
    super(TRADE_FIGURES, (figure) => readTrade(strategy, figure));
  }

  add(trade: Omit<BacktestTrade, 'isOpen'>, isOpen: boolean): void {
    this.push(trade.instrument);
    this.push(trade.direction === 'long' ? 1 : 0);
    this.push(trade.entryUs);
    this.push(trade.exitUs);
    this.push(trade.qty);
    this.push(trade.qtyMax);
    this.push(trade.entryValue);
    this.push(trade.exitValue);
    this.push(trade.grossProfit);
    this.push(trade.fee);
    this.push(trade.tax);
    this.push(trade.netProfit);
    this.push(trade.adverse);
    this.push(trade.favourable);
    this.push(trade.fills);
    this.push(isOpen ? 1 : 0);
  }
}

function readFill(strategy: number, figure: Figure): BacktestFill {
  return {
    tsUs: tsUs(figure(0)),
    decidedUs: tsUs(figure(1)),
    instrument: figure(2),
    strategy,
    side: figure(3) === 1 ? 'buy' : 'sell',
    qty: figure(4),
    priceTicks: figure(5),
    value: money(figure(6)),
    fee: money(figure(7)),
    tax: money(figure(8)),
    liquidity: LIQUIDITIES[figure(9)] ?? 'taker',
    cause: CAUSES[figure(10)] ?? 'order',
    midTwice: figure(11),
    decidedMidTwice: figure(12),
    positionAfter: figure(13),
    clause: FILL_CLAUSES[figure(14)] ?? 'shown',
    orderNo: figure(15),
  };
}

function readTrade(strategy: number, figure: Figure): BacktestTrade {
  return {
    strategy,
    instrument: figure(0),
    direction: figure(1) === 1 ? 'long' : 'short',
    entryUs: tsUs(figure(2)),
    exitUs: tsUs(figure(3)),
    qty: figure(4),
    qtyMax: figure(5),
    entryValue: money(figure(6)),
    exitValue: money(figure(7)),
    grossProfit: money(figure(8)),
    fee: money(figure(9)),
    tax: money(figure(10)),
    netProfit: money(figure(11)),
    adverse: money(figure(12)),
    favourable: money(figure(13)),
    fills: figure(14),
    isOpen: figure(15) === 1,
  };
}
