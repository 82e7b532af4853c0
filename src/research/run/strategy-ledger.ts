/**
 * One strategy's fills, refusals and costs. A fill is a row of numbers; its round trips are read from these rows when the run is
 * over.
 */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { OrderCode } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import { FLAT_POSITION, applyFill, openProfit, partOf } from '../../domain/position.ts';
import { money, tsUs } from '../../domain/units.ts';
import {
  type BacktestDenial,
  type BacktestFill,
  type BacktestTrade,
  type CostsByKind,
  DENIALS_KEPT_MAX,
  type Rows,
  type StrategyFault,
  type StrategyResult,
} from '../backtest-result.ts';
import {
  type Holding,
  NO_FEES,
  type OwnerBook,
  type PriceRange,
  contractFees,
} from '../../venue/account/ledger.ts';
import { FILL_CLAUSES, liquidityOf } from '../../venue/exchange/fill-models.ts';
import type { OrderFill } from '../../venue/orders/order-entry.ts';
import type { VenueOrder } from '../../venue/orders/venue-order.ts';
import type { RunInstrument } from './run-instrument.ts';
import { NumberColumn } from './sample-table.ts';

/** A filled order, or the payout of an expired contract. */
export type FilledOrder = Pick<
  VenueOrder,
  'accountId' | 'orderCode' | 'side' | 'owner' | 'decidedUs' | 'decidedMidTwice' | 'tag' | 'origin'
>;

export class StrategyLedger {
  readonly profit: NumberColumn;
  orders = 0;
  denialCount = 0;
  stopped: string | null = null;
  fault: StrategyFault | null = null;
  readonly #index: number;
  /** Its positions and charges, inside the account. */
  readonly book: OwnerBook;
  readonly denials: BacktestDenial[] = [];
  readonly fills: FillLog;

  constructor(index: number, book: OwnerBook, profit: NumberColumn) {
    this.#index = index;
    this.book = book;
    this.profit = profit;
    this.fills = new FillLog(index);
  }

  deny(denial: Omit<BacktestDenial, 'strategy'>): void {
    this.denialCount += 1;
    if (this.denials.length < DENIALS_KEPT_MAX) this.denials.push({ ...denial, strategy: this.#index });
  }

  /**
   * Round trips in the order of their ends, then those that are open at the end of the run; the time with a position; costs.
   * `days`: of the run, in the order in which its fills name them.
   */
  outcome(
    instruments: readonly RunInstrument[],
    days: readonly TradingDay[],
    endUs: number,
  ): Pick<StrategyResult, 'trades' | 'heldUs' | 'costs'> {
    const trades: BacktestTrade[] = [];
    let heldUs = 0;
    const end = (trip: RoundTrip, exitUs: number, isOpen: boolean): void => {
      trades.push(trip.asTrade(this.#index, exitUs, isOpen));
      heldUs += exitUs - trip.entryUs;
    };
    const onEnd = (trip: RoundTrip, exitUs: number): void => end(trip, exitUs, false);
    const trips = instruments.map((instrument) => new RoundTrip(instrument));
    const charged = new Charges();
    for (const fill of this.fills) {
      const [trip, traded, day] = [trips[fill.instrument], instruments[fill.instrument], days[fill.day]];
      assert(trip !== undefined && traded !== undefined && day !== undefined, 'a fill is of the run');
      trip.take(fill, onEnd);
      charged.add(fill, traded, day);
    }
    for (const trip of trips) {
      const holding = this.book.holdings.get(trip.code);
      if (holding === undefined || holding.entry.qty === 0) continue;
      trip.saw(holding);
      trip.closeAtMark();
      end(trip, endUs, true);
    }
    return { trades, heldUs, costs: charged.byKind(this.book) };
  }
}

/** Costs of fills by their kind. */
class Charges {
  #exchangeFee = 0;
  #clearingFee = 0;
  #brokerFee = 0;
  /** Twice the cost against the middle of the book. */
  #spreadTwice = 0;
  #day: TradingDay | null = null;
  #traded: RunInstrument | null = null;
  /** Fees in one contract, that day. */
  #fees = NO_FEES;

  add(
    { side, qty, priceTicks, midTwice, cause }: BacktestFill,
    traded: RunInstrument,
    day: TradingDay,
  ): void {
    if (midTwice > 0) this.#spreadTwice += signOf(side) * qty * (2 * priceTicks - midTwice) * traded.unit;
    if (cause === 'settled') return;
    if (day !== this.#day || traded !== this.#traded) this.#fees = contractFees(traded.costs, day, 1);
    this.#day = day;
    this.#traded = traded;
    this.#exchangeFee += this.#fees.exchangeFee * qty;
    this.#clearingFee += this.#fees.clearingFee * qty;
    this.#brokerFee += this.#fees.brokerFee * qty;
  }

  byKind({ accrued }: OwnerBook): CostsByKind {
    const [exchangeFee, clearingFee, brokerFee] = [this.#exchangeFee, this.#clearingFee, this.#brokerFee];
    return {
      exchangeFee: money(exchangeFee),
      clearingFee: money(clearingFee),
      brokerFee: money(brokerFee),
      valueFee: money(accrued.brokerFee - exchangeFee - clearingFee - brokerFee),
      tax: money(accrued.tax),
      spread: money(Math.round(this.#spreadTwice / 2)),
    };
  }
}

/** With the prices of the market since the fill before it, and the place of its day in the run. */
interface LoggedFill extends BacktestFill, PriceRange {
  readonly day: number;
}

/** Trades in one contract since its position was flat or reversed. */
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

  get code(): OrderCode {
    return this.#instrument.contract.orderCode;
  }

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
  take(fill: LoggedFill, onEnd: (trip: RoundTrip, exitUs: number) => void): void {
    this.saw(fill);
    const { tsUs: atUs, side, qty, value, fee, tax } = fill;
    const change = signOf(side) * qty;
    const before = this.#position;
    const after = applyFill(before, change, value);
    this.#position = after;
    const held = Math.max(0, -Math.sign(change) * before.qty);
    const closed = Math.min(held, qty);
    const closedValue = partOf(value, closed, qty);
    const closedFee = partOf(fee, closed, qty);
    const closedTax = partOf(tax, closed, qty);
    if (closed > 0) {
      this.#gross += after.realised - before.realised;
      this.#exitValue += closedValue;
      this.#charge(closedFee, closedTax);
      if (closed === held) onEnd(this, atUs);
    }
    if (closed === qty) return;
    if (before.qty === 0 || closed > 0) this.#begin(atUs, after.qty > 0);
    this.#qty += qty - closed;
    this.#qtyMax = Math.max(this.#qtyMax, Math.abs(after.qty));
    this.#entryValue += value - closedValue;
    this.#charge(fee - closedFee, tax - closedTax);
  }

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

/** A divisor of a chunk. */
const FIGURES = 16;
const SETTLEMENT = FILL_CLAUSES.indexOf('settlement');
/** On top of the clause where the broker closed by force. */
const FORCED = FILL_CLAUSES.length;

/** Fills as one column of numbers: a run with a million of them keeps eight bytes a figure. Reading a fill makes its object. */
class FillLog implements Rows<LoggedFill> {
  readonly #figures = new NumberColumn();
  readonly #strategy: number;

  constructor(strategy: number) {
    this.#strategy = strategy;
  }

  get length(): number {
    return this.#figures.length / FIGURES;
  }

  /** `holding` as the fill has left it, but for the range of the market before. */
  add(
    order: FilledOrder,
    fill: OrderFill,
    atUs: number,
    { contract, midTwice }: RunInstrument,
    { entry, high, low }: Holding,
    day: number,
  ): void {
    const clause = fill.clause === null ? -1 : FILL_CLAUSES.indexOf(fill.clause);
    const place = this.#figures.extend(FIGURES);
    const row = this.#figures.tail;
    row[place] = atUs;
    row[place + 1] = order.decidedUs;
    row[place + 2] = contract.index;
    row[place + 3] = signOf(order.side) * fill.qty;
    row[place + 4] = fill.price;
    row[place + 5] = fill.value;
    row[place + 6] = fill.fee;
    row[place + 7] = fill.tax;
    row[place + 8] = order.origin === 'forced' ? clause + FORCED : clause;
    row[place + 9] = clause === SETTLEMENT ? 0 : midTwice;
    row[place + 10] = order.decidedMidTwice;
    row[place + 11] = entry.qty;
    row[place + 12] = order.tag;
    row[place + 13] = high;
    row[place + 14] = low;
    row[place + 15] = day;
  }

  at(index: number): LoggedFill | undefined {
    const row = index < 0 ? this.length + index : index;
    if (row < 0 || row >= this.length) return undefined;
    const figure = (place: number): number => this.#figures.at(row * FIGURES + place);
    const place = figure(8) % FORCED;
    const clause = FILL_CLAUSES[place];
    assert(clause !== undefined, 'a fill has its clause');
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
      liquidity: liquidityOf(clause),
      cause: place === SETTLEMENT ? 'settled' : figure(8) >= FORCED ? 'forced' : 'order',
      midTwice: figure(9),
      decidedMidTwice: figure(10),
      positionAfter: figure(11),
      clause,
      orderNo: figure(12),
      high: figure(13),
      low: figure(14),
      day: figure(15),
    };
  }

  *[Symbol.iterator](): Iterator<LoggedFill> {
    for (let index = 0; index < this.length; index += 1) {
      const fill = this.at(index);
      if (fill !== undefined) yield fill;
    }
  }
}
