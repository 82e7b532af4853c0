/** The counter of the venue in process: takes calls in, hands orders to their markets, books what is executed. */
import { assert } from '../../domain/assert.ts';
import type { BrokerOrder, BrokerOrderStatus, CallOutcome } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { PriceBand } from '../../domain/contract.ts';
import { orderCosts } from '../../domain/costs.ts';
import { type BrokerOrderNo, brokerOrderNo } from '../../domain/ids.ts';
import { money, priceTicks, qty, tsUs } from '../../domain/units.ts';
import type { CancelToSend, ModifyToSend, OrderToSend } from '../../engine/ports/approved.ts';
import type { Exchange, FillSink } from '../fill/exchange.ts';
import { type FillClause, liquidityOf } from '../fill/fill-clause.ts';
import { VenueOrder } from '../fill/venue-order.ts';
import type { Account } from './account.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { DayCosts } from './strategy-ledger.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Hears of what a call or a row did to orders. */
export interface VenueNews {
  /** Rows as the book shows them now. */
  changed(rows: readonly BrokerOrder[]): void;
}

export interface VenueDeskParts {
  readonly clock: VirtualClock;
  readonly account: Account;
  readonly instruments: readonly RunInstrument[];
  readonly news: VenueNews;
  /** Executions, in order, for the hash of the run. */
  readonly note: (...numbers: readonly number[]) => void;
}

type Refusal = Extract<CallOutcome, { readonly status: 'rejected' }>;

const refusal = (code: string, text: string): Refusal => ({ status: 'rejected', code, text });

export class VenueDesk implements FillSink {
  readonly #parts: VenueDeskParts;
  readonly #open = new Map<BrokerOrderNo, VenueOrder>();
  /** Ended since the last walk over the book: it shows them once more. */
  #ended: VenueOrder[] = [];
  #untold: VenueOrder[] = [];
  #bands = new Map<number, PriceBand>();
  #costs: DayCosts | null = null;
  #phase: SessionPhase = 'closed';
  #lastNo = 0;
  #fills = 0;

  constructor(parts: VenueDeskParts) {
    this.#parts = parts;
  }

  get fills(): number {
    return this.#fills;
  }

  get openOrders(): Iterable<VenueOrder> {
    return this.#open.values();
  }

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  openDay(costs: DayCosts, bands: Map<number, PriceBand>): void {
    this.#costs = costs;
    this.#bands = bands;
  }

  setPhase(phase: SessionPhase): void {
    this.#phase = phase;
  }

  /** Orders of days before stand again in the markets of this one. */
  standAgain(): void {
    for (const order of this.#open.values()) this.#exchangeOf(order)?.enter(order);
    this.tell();
  }

  place(order: OrderToSend, decidedUs: number, decidedMidTwice: number): CallOutcome {
    const refused = this.#refusalOf(order);
    if (refused !== null) return refused;
    this.#lastNo += 1;
    const { clientOrderId, strategy, instrument, orderCode, side } = order;
    const placed = new VenueOrder({
      orderNo: brokerOrderNo(String(this.#lastNo)),
      clientOrderId,
      strategy,
      instrument,
      orderCode,
      side,
      qty: order.qty,
      price: order.limitPrice,
      decidedUs,
      decidedMidTwice,
    });
    this.#open.set(placed.orderNo, placed);
    return { status: 'accepted', orderNo: placed.orderNo, orderKey: null };
  }

  /** An order that was accepted meets its market. */
  enter(orderNo: BrokerOrderNo): void {
    const order = this.#open.get(orderNo);
    assert(order !== undefined, 'an accepted order is open');
    this.#exchangeOf(order)?.enter(order);
    this.#endFilled(order);
    this.tell();
  }

  modify({ orderNo, limitPrice, qty: total }: ModifyToSend): CallOutcome {
    const order = this.#open.get(orderNo);
    const refused = this.#refusalOfChange(order) ?? this.#outsideBand(order?.instrument ?? -1, limitPrice);
    if (refused !== null || order === undefined) return refused ?? GONE;
    if (total <= order.filledQty) return refusal('VOLUME', 'the new volume is filled already');
    this.#exchangeOf(order)?.change(order, limitPrice, total);
    order.price = limitPrice;
    order.qty = total;
    this.#mark(order);
    this.#endFilled(order);
    return { status: 'accepted', orderNo, orderKey: null };
  }

  cancel({ orderNo }: CancelToSend): CallOutcome {
    const order = this.#open.get(orderNo);
    const refused = this.#refusalOfChange(order);
    if (refused !== null || order === undefined) return refused ?? GONE;
    this.#exchangeOf(order)?.remove(order);
    this.#end(order);
    return { status: 'accepted', orderNo, orderKey: null };
  }

  onFill(order: VenueOrder, price: number, filled: number, clause: FillClause): void {
    const { account, instruments, clock, note } = this.#parts;
    const instrument = instruments[order.instrument];
    const costs = this.#costs;
    assert(
      instrument !== undefined && costs !== null,
      'an order is of a listed contract, on a day that is open',
    );
    assert(filled > 0 && filled <= order.leavesQty, 'no more is filled than is left');
    const value = price * instrument.unit * filled;
    order.filledQty += filled;
    order.filledValue += value;
    const total = orderCosts(costs.schedule, costs.day, order.filledQty, order.filledValue, order.side);
    const fee = money(total.fee - order.fee);
    const tax = money(total.tax - order.tax);
    order.fee = total.fee;
    order.tax = total.tax;
    this.#fills += 1;
    const execution = {
      tsUs: tsUs(clock.nowUs),
      decidedUs: tsUs(order.decidedUs),
      side: order.side,
      qty: filled,
      priceTicks: price,
      value: money(value),
      fee,
      tax,
      liquidity: liquidityOf(clause),
      clause,
      cause: 'order' as const,
      midTwice: instrument.midTwice,
      decidedMidTwice: order.decidedMidTwice,
    };
    account.execute(order.strategy, instrument, execution, costs);
    note(clock.nowUs, order.instrument, order.strategy, order.side === 'buy' ? filled : -filled, price);
    this.#mark(order);
  }

  /** Says what became of orders since it was last asked; to be called after each row that may have filled something. */
  tell(): void {
    if (this.#untold.length === 0) return;
    const changed = this.#untold;
    this.#untold = [];
    for (const order of changed) {
      order.isUntold = false;
      this.#endFilled(order);
    }
    this.#parts.news.changed(changed.map((order) => this.#rowOf(order)));
  }

  get isUntold(): boolean {
    return this.#untold.length > 0;
  }

  /** Every open order, and those that ended since the last walk. */
  walk(): readonly BrokerOrder[] {
    const rows = [...this.#ended, ...this.#open.values()].map((order) => this.#rowOf(order));
    this.#ended = [];
    return rows;
  }

  /** The day is over: what is open dies, and shows as it stood in the last walk. */
  expire(): void {
    for (const order of this.#open.values()) {
      order.isOpen = false;
      order.isExpired = true;
      this.#ended.push(order);
    }
    this.#open.clear();
  }

  #mark(order: VenueOrder): void {
    if (order.isUntold) return;
    order.isUntold = true;
    this.#untold.push(order);
  }

  #endFilled(order: VenueOrder): void {
    if (order.isOpen && order.leavesQty === 0) this.#end(order);
  }

  #end(order: VenueOrder): void {
    order.isOpen = false;
    this.#open.delete(order.orderNo);
    this.#ended.push(order);
    this.#mark(order);
  }

  #refusalOf({ instrument, limitPrice }: OrderToSend): Refusal | null {
    if (!takesOrders(this.#phase)) return refusal('SESSION', 'the market takes no orders now');
    if (this.#exchangeAt(instrument) === null) return refusal('SYMBOL', 'the contract is not traded today');
    return this.#outsideBand(instrument, limitPrice);
  }

  #refusalOfChange(order: VenueOrder | undefined): Refusal | null {
    if (order === undefined) return GONE;
    return this.#phase === 'continuous'
      ? null
      : refusal('SESSION', 'nothing can be changed or taken back now');
  }

  #outsideBand(instrument: number, price: number): Refusal | null {
    const band = this.#bands.get(instrument);
    const isInside = band === undefined || (price >= band.floor && price <= band.ceiling);
    return isInside ? null : refusal('PRICE', 'the price is outside floor and ceiling');
  }

  #exchangeOf(order: VenueOrder): Exchange | null {
    return this.#exchangeAt(order.instrument);
  }

  #exchangeAt(instrument: number): Exchange | null {
    return this.#parts.instruments[instrument]?.exchange ?? null;
  }

  #rowOf(order: VenueOrder): BrokerOrder {
    const isWorking = order.isOpen && this.#phase === 'continuous';
    return {
      orderNo: order.orderNo,
      orderKey: null,
      refId: order.clientOrderId,
      orderCode: order.orderCode,
      side: order.side,
      qty: qty(order.qty),
      limitPrice: priceTicks(order.price),
      filledQty: qty(order.filledQty),
      filledValue: order.filledQty === 0 ? null : { value: money(order.filledValue), quality: 'exact' },
      status: statusOf(order),
      statusText: '',
      canCancel: isWorking,
      canModify: isWorking,
      source: 'user',
      reason: '',
    };
  }
}

const GONE = refusal('GONE', 'the order is not in the book');

const takesOrders = (phase: SessionPhase): boolean => phase !== 'closed' && phase !== 'break';

function statusOf(order: VenueOrder): BrokerOrderStatus {
  const isCanceled = !order.isOpen && order.leavesQty > 0 && !order.isExpired;
  if (order.filledQty === 0) return isCanceled ? 'canceled' : 'resting';
  return isCanceled ? 'matched_canceled' : 'matched';
}
