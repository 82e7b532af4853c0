/** Fills and round trips as numbers, and how they are read back. */
import { money, tsUs } from '../../domain/units.ts';
import { FILL_CLAUSES, type Liquidity } from '../../venue/exchange/fill-models.ts';
import type { BacktestFill, BacktestTrade, FillCause, Rows } from '../backtest-result.ts';
import { NumberColumn } from './number-column.ts';

/**
 * Records of a fixed number of figures, kept as one column of numbers: a run with a million fills keeps eight bytes a figure.
 * Reading a record makes its object.
 */
class RecordLog<T> implements Rows<T> {
  readonly #figures = new NumberColumn();
  readonly #width: number;
  readonly #read: (figure: (place: number) => number) => T;

  /** `read` makes the object; `figure(place)` is one of its `width` numbers. */
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

export class FillLog extends RecordLog<BacktestFill> {
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

export class TradeLog extends RecordLog<BacktestTrade> {
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
