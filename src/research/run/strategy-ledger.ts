/** One strategy's fills, refusals and costs. A fill is a row of numbers; round trips are read from these rows when the run is over. */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { OrderCode } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import { FLAT_POSITION, applyFill, openProfit, partOf } from '../../domain/position.ts';
import { money, type TsUs, tsUs } from '../../domain/units.ts';
import {
  type Holding,
  NO_FEES,
  type OwnerBook,
  type HighLow,
  contractFees,
} from '../../venue/account/ledger.ts';
import { FILL_CLAUSES, liquidityOf } from '../../venue/exchange/fill-models.ts';
import type { OrderFill } from '../../venue/orders/order-entry.ts';
import type { VenueOrder } from '../../venue/orders/venue-order.ts';
import type { RunInstrument } from './run-instrument.ts';

/** A filled order, or the payout of an expired contract. */
export type FilledOrder = Pick<
  VenueOrder,
  'accountId' | 'orderCode' | 'side' | 'owner' | 'decidedUs' | 'decidedMidTwice' | 'tag' | 'origin'
>;

/** Rows in time order; an array is one. */
export interface Rows<T> extends Iterable<T> {
  readonly length: number;
  at(index: number): T | undefined;
}

export interface BacktestDenial {
  readonly tsUs: TsUs;
  readonly strategy: number;
  /** `denied` by our own risk rules, `rejected` by the venue. */
  readonly by: 'denied' | 'rejected';
  readonly code: string;
  /** The code with its numbers, or the venue's words. */
  readonly text: string;
}

const DENIALS_KEPT_MAX = 10_000;

export interface StrategyFault {
  readonly tsUs: TsUs;
  readonly message: string;
  /** The handler or call that threw. */
  readonly where: string;
  /** Stack of the throw; null where it has none. Absolute paths: no part of a journal or digest. */
  readonly stack: string | null;
}

export class StrategyLedger {
  readonly profit: number[];
  orders = 0;
  /** All of them; `denials` stops at `DENIALS_KEPT_MAX`. */
  denialCount = 0;
  /** Reason why it no longer ran at the end, or null. */
  stopped: string | null = null;
  /** The first throw of its code, or null. */
  fault: StrategyFault | null = null;
  readonly #index: number;
  /** Its positions and charges, inside the account. */
  readonly book: OwnerBook;
  readonly denials: BacktestDenial[] = [];
  readonly fills: FillLog;

  constructor(index: number, book: OwnerBook, profit: number[]) {
    this.#index = index;
    this.book = book;
    this.profit = profit;
    this.fills = new FillLog(index);
  }

  deny(denial: Omit<BacktestDenial, 'strategy'>): void {
    this.denialCount += 1;
    if (this.denials.length < DENIALS_KEPT_MAX) this.denials.push({ ...denial, strategy: this.#index });
  }

  /** Round trips in the order of their ends, open ones last; the time with a position; costs. `days`: of the run. */
  outcome(instruments: readonly RunInstrument[], days: readonly TradingDay[], endUs: number) {
    const trades: BacktestTrade[] = [];
    /** Time with a position, nights included, summed over contracts. */
    let heldUs = 0;
    const end = (trip: RoundTrip, exitUs: number, isOpen: boolean): void => {
      trades.push(trip.asTrade(this.#index, exitUs, isOpen));
      heldUs += exitUs - trip.entryUs;
    };
    const onEnd = (trip: RoundTrip, exitUs: number): void => end(trip, exitUs, false);
    const trips = instruments.map((instrument) => new RoundTrip(instrument));
    const charged = new Charges();
    const { fills } = this;
    for (let row = 0; row < fills.length; row += 1) {
      const instrument = fills.figure(row, INSTRUMENT);
      const [trip, traded, day] = [trips[instrument], instruments[instrument], days[fills.figure(row, DAY)]];
      assert(trip !== undefined && traded !== undefined && day !== undefined, 'a fill is of the run');
      trip.take(fills, row, onEnd);
      charged.add(fills, row, traded, day);
    }
    for (const trip of trips) {
      const holding = this.book.holdings.get(trip.code);
      if (holding === undefined || holding.entry.qty === 0) continue;
      trip.closeAtMark(holding);
      end(trip, endUs, true);
    }
    const { denialCount, orders, stopped, fault } = this;
    const denials: readonly BacktestDenial[] = this.denials;
    const costs = charged.byKind(this.book);
    const rows: Rows<BacktestFill> = fills;
    return { fills: rows, denials, denialCount, orders, stopped, fault, trades, heldUs, costs };
  }
}

export type CostsByKind = ReturnType<Charges['byKind']>;

class Charges {
  readonly #charged = { ...NO_FEES };
  /** Twice the cost against the middle of the book. */
  #spreadTwice = 0;
  #day: TradingDay | null = null;
  #traded: RunInstrument | null = null;
  /** Fees in one contract, that day. */
  #fees = NO_FEES;

  add(fills: FillLog, row: number, traded: RunInstrument, day: TradingDay): void {
    const [change, midTwice] = [fills.figure(row, CHANGE), fills.figure(row, MID_TWICE)];
    const qty = Math.abs(change);
    if (midTwice > 0) this.#spreadTwice += change * (2 * fills.figure(row, PRICE) - midTwice) * traded.unit;
    if (fills.figure(row, CLAUSE) % FORCED === SETTLEMENT) return;
    if (day !== this.#day || traded !== this.#traded) this.#fees = contractFees(traded.costs, day, 1);
    this.#day = day;
    this.#traded = traded;
    this.#charged.exchangeFee += this.#fees.exchangeFee * qty;
    this.#charged.clearingFee += this.#fees.clearingFee * qty;
    this.#charged.brokerFee += this.#fees.brokerFee * qty;
  }

  byKind({ accrued }: OwnerBook) {
    const { exchangeFee, clearingFee, brokerFee } = this.#charged;
    return {
      exchangeFee: money(exchangeFee),
      clearingFee: money(clearingFee),
      brokerFee: money(brokerFee),
      valueFee: money(accrued.brokerFee - exchangeFee - clearingFee - brokerFee),
      tax: money(accrued.tax),
      /** Cost of fills against the middle of the book when they happened; above zero is paid. Not a charge: part of the prices. */
      spread: money(Math.round(this.#spreadTwice / 2)),
    };
  }
}

/** One round trip of one strategy in one contract: from flat to flat, or to the turn over zero, which begins the next. */
export type BacktestTrade = ReturnType<RoundTrip['asTrade']>;

/** Sums since the position was flat or reversed. */
const begun = (entryUs: number, isLong: boolean) => ({
  entryUs,
  isLong,
  qty: 0,
  qtyMax: 0,
  entryValue: 0,
  exitValue: 0,
  gross: 0,
  fee: 0,
  tax: 0,
  fills: 0,
  adverse: 0,
  favourable: 0,
});

class RoundTrip {
  readonly #instrument: RunInstrument;
  #position = FLAT_POSITION;
  #trip = begun(0, false);

  constructor(instrument: RunInstrument) {
    this.#instrument = instrument;
  }

  get code(): OrderCode {
    return this.#instrument.contract.orderCode;
  }

  get entryUs(): number {
    return this.#trip.entryUs;
  }

  #noteRange(high: number, low: number): void {
    const [position, trip] = [this.#position, this.#trip];
    if (position.qty === 0 || high < low) return;
    const [best, worst] = position.qty > 0 ? [high, low] : [low, high];
    const { unit } = this.#instrument;
    trip.favourable = Math.max(trip.favourable, trip.gross + openProfit(position, best * unit));
    trip.adverse = Math.min(trip.adverse, trip.gross + openProfit(position, worst * unit));
  }

  /** `onEnd` is called between the part of the fill that closes and the part that opens. */
  take(fills: FillLog, row: number, onEnd: (trip: RoundTrip, exitUs: number) => void): void {
    const figure = (place: number): number => fills.figure(row, place);
    this.#noteRange(figure(HIGH), figure(LOW));
    const [atUs, change, value] = [figure(AT_US), figure(CHANGE), figure(VALUE)];
    const [fee, tax] = [figure(FEE), figure(TAX)];
    const qty = Math.abs(change);
    const before = this.#position;
    const after = applyFill(before, change, value);
    this.#position = after;
    const held = Math.max(0, -Math.sign(change) * before.qty);
    const closed = Math.min(held, qty);
    const closedValue = partOf(value, closed, qty);
    const closedFee = partOf(fee, closed, qty);
    const closedTax = partOf(tax, closed, qty);
    if (closed > 0) {
      this.#trip.gross += after.realised - before.realised;
      this.#trip.exitValue += closedValue;
      this.#charge(closedFee, closedTax);
      if (closed === held) onEnd(this, atUs);
    }
    if (closed === qty) return;
    if (before.qty === 0 || closed > 0) this.#trip = begun(atUs, after.qty > 0);
    this.#trip.qty += qty - closed;
    this.#trip.qtyMax = Math.max(this.#trip.qtyMax, Math.abs(after.qty));
    this.#trip.entryValue += value - closedValue;
    this.#charge(fee - closedFee, tax - closedTax);
  }

  closeAtMark({ high, low }: HighLow): void {
    this.#noteRange(high, low);
    const { unitValue } = this.#instrument;
    this.#trip.exitValue += Math.abs(this.#position.qty) * unitValue;
    this.#trip.gross += openProfit(this.#position, unitValue);
  }

  asTrade(strategy: number, exitUs: number, isOpen: boolean) {
    const { entryUs, isLong, qty, qtyMax, entryValue, exitValue, gross, fee, tax, fills } = this.#trip;
    const { adverse, favourable } = this.#trip;
    return {
      strategy,
      instrument: this.#instrument.contract.index,
      direction: isLong ? ('long' as const) : ('short' as const),
      entryUs: tsUs(entryUs),
      exitUs: tsUs(exitUs),
      /** All that was bought (long) or sold (short) on the way. */
      qty,
      qtyMax,
      /** Money of all entries and of all exits; divided by `qty` and the value of a point they are the average prices. */
      entryValue: money(entryValue),
      exitValue: money(exitValue),
      /** Before costs. */
      grossProfit: money(gross),
      fee: money(fee),
      tax: money(tax),
      netProfit: money(gross - fee - tax),
      /** Worst and best open profit at a trade of the market while it was held, before costs; zero or less, zero or more. */
      adverse: money(Math.min(adverse, gross)),
      favourable: money(Math.max(favourable, gross)),
      fills,
      /** The run ended before it was closed: its exit is the last price, and nothing was paid for it. */
      isOpen,
    };
  }

  #charge(fee: number, tax: number): void {
    this.#trip.fee += fee;
    this.#trip.tax += tax;
    this.#trip.fills += 1;
  }
}

const FIGURES = 16;
/** Fills that lie side by side. */
const CHUNK = 64;
const [AT_US, DECIDED_US, INSTRUMENT, CHANGE, PRICE, VALUE, FEE, TAX] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const [CLAUSE, MID_TWICE, DECIDED_MID_TWICE, POSITION, TAG] = [8, 9, 10, 11, 12] as const;
/** Range of the market since the fill before, and the place of the day in the run. */
const [HIGH, LOW, DAY] = [13, 14, 15] as const;
const SETTLEMENT = FILL_CLAUSES.indexOf('settlement');
/** Added to the clause of a fill with which the broker closed by force. */
const FORCED = FILL_CLAUSES.length;

/** Fills as rows of numbers: a run with a million of them keeps eight bytes a figure. Reading a fill makes its object. */
class FillLog implements Rows<BacktestFill> {
  readonly #chunks: Float64Array[] = [];
  #last = new Float64Array();
  length = 0;
  readonly #strategy: number;

  constructor(strategy: number) {
    this.#strategy = strategy;
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
    const place = (this.length % CHUNK) * FIGURES;
    if (place === 0) this.#chunks.push((this.#last = new Float64Array(CHUNK * FIGURES)));
    this.length += 1;
    const row = this.#last;
    row[place + AT_US] = atUs;
    row[place + DECIDED_US] = order.decidedUs;
    row[place + INSTRUMENT] = contract.index;
    row[place + CHANGE] = signOf(order.side) * fill.qty;
    row[place + PRICE] = fill.price;
    row[place + VALUE] = fill.value;
    row[place + FEE] = fill.fee;
    row[place + TAX] = fill.tax;
    row[place + CLAUSE] = order.origin === 'forced' ? clause + FORCED : clause;
    row[place + MID_TWICE] = clause === SETTLEMENT ? 0 : midTwice;
    row[place + DECIDED_MID_TWICE] = order.decidedMidTwice;
    row[place + POSITION] = entry.qty;
    row[place + TAG] = order.tag;
    row[place + HIGH] = high;
    row[place + LOW] = low;
    row[place + DAY] = day;
  }

  figure(row: number, figure: number): number {
    return this.#chunks[Math.floor(row / CHUNK)]?.[(row % CHUNK) * FIGURES + figure] ?? 0;
  }

  at(index: number): BacktestFill | undefined {
    const row = index < 0 ? this.length + index : index;
    if (row < 0 || row >= this.length) return undefined;
    return fillOf((figure) => this.figure(row, figure), this.#strategy);
  }

  *[Symbol.iterator](): Iterator<BacktestFill> {
    for (let index = 0; index < this.length; index += 1) {
      const fill = this.at(index);
      if (fill !== undefined) yield fill;
    }
  }
}

export type BacktestFill = Readonly<ReturnType<typeof fillOf>>;

function fillOf(figure: (place: number) => number, strategy: number) {
  const place = figure(CLAUSE) % FORCED;
  const clause = FILL_CLAUSES[place];
  assert(clause !== undefined, 'a fill has its clause');
  return {
    /** Time of the execution; we receive it later. */
    tsUs: tsUs(figure(AT_US)),
    decidedUs: tsUs(figure(DECIDED_US)),
    /** Place in `BacktestResult.instruments`. */
    instrument: figure(INSTRUMENT),
    /** Place in `BacktestResult.strategies`. */
    strategy,
    side: figure(CHANGE) > 0 ? ('buy' as const) : ('sell' as const),
    qty: Math.abs(figure(CHANGE)),
    priceTicks: figure(PRICE),
    value: money(figure(VALUE)),
    fee: money(figure(FEE)),
    tax: money(figure(TAX)),
    liquidity: liquidityOf(clause),
    /** `forced`: the broker closed a position that the margin no longer carried. `settled`: an expired contract was paid out. */
    cause: causeOf(place, figure(CLAUSE) >= FORCED),
    /** Bid plus ask, that is twice the middle, when it was executed and when its order was decided; 0 where no side was known. */
    midTwice: figure(MID_TWICE),
    decidedMidTwice: figure(DECIDED_MID_TWICE),
    positionAfter: figure(POSITION),
    /** Rule of the fill model that filled it at this price. */
    clause,
    /** Number of its order at the venue, unique within the run; 0 where no order was sent. */
    orderNo: figure(TAG),
  };
}

const causeOf = (clause: number, isForced: boolean) =>
  clause === SETTLEMENT ? 'settled' : isForced ? 'forced' : 'order';
