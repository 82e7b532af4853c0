/** The counter of the venue in process: takes calls in, hands orders to their markets, books what is executed. */
import { assert } from '../../domain/assert.ts';
import type { BrokerOrder, CallOutcome } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { PriceBand } from '../../domain/contract.ts';
import { accountId, type BrokerOrderNo } from '../../domain/ids.ts';
import type { Trigger } from '../../domain/order.ts';
import { priceTicks } from '../../domain/units.ts';
import type { CancelToSend, ModifyToSend, OrderToSend } from '../../engine/ports/approved.ts';
import type { Bracket } from '../../venue/conditions/bracket.ts';
import { bracketRefusal } from '../../venue/conditions/condition-checks.ts';
import { refusal as venueRefusal } from '../../venue/orders/refusals.ts';
import { type ChildOrder, ConditionCounter } from './condition-counter.ts';
import type { Exchange, FillSink } from '../../venue/exchange/exchange.ts';
import type { FillClause } from '../../venue/exchange/fill-clause.ts';
import { VenueOrder, type VenueOrderTerms } from './venue-order.ts';
import type { Account } from './account.ts';
import { executionOf } from './execution-of.ts';
import { orderRow } from './order-row.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { DayCosts } from './strategy-ledger.ts';
import { GONE, refused, VenueGate } from './venue-gate.ts';
import { type Decided, userOrder } from './user-order.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Hears of what a call or a row did to orders. */
export interface VenueNews {
  /** Rows as the book shows them now. */
  changed(rows: readonly BrokerOrder[]): void;
  /** Something in the conditional book. */
  conditionsChanged(): void;
}

export interface VenueDeskParts {
  readonly clock: VirtualClock;
  readonly account: Account;
  readonly instruments: readonly RunInstrument[];
  readonly news: VenueNews;
  /** Executions, in order, for the hash of the run. */
  readonly note: (...numbers: readonly number[]) => void;
}

export class VenueDesk implements FillSink<VenueOrder> {
  /** Orders that wait at the broker. */
  readonly conditions: ConditionCounter;
  readonly #parts: VenueDeskParts;
  readonly #gate: VenueGate;
  readonly #open = new Map<BrokerOrderNo, VenueOrder>();
  /** Ended since the last walk over the book: it shows them once more. */
  #ended: VenueOrder[] = [];
  #untold: VenueOrder[] = [];
  #costs: DayCosts | null = null;
  #fills = 0;

  constructor(parts: VenueDeskParts) {
    const gate = new VenueGate(parts.instruments);
    this.#parts = parts;
    this.#gate = gate;
    this.conditions = new ConditionCounter({
      clock: parts.clock,
      phase: () => gate.phase,
      listing: (code) => gate.listing(code),
      takeNo: () => gate.takeNo(),
      takeKey: () => gate.takeKey(),
      refusalOf: ({ orderCode, limitPrice }) => {
        const no = gate.refusalOf(gate.instrumentOf(orderCode)?.contract.index ?? -1, limitPrice);
        return no === null ? null : venueRefusal(-6024, no.text);
      },
    });
  }

  get fills(): number {
    return this.#fills;
  }

  get openOrders(): Iterable<VenueOrder> {
    return this.#open.values();
  }

  openDay(costs: DayCosts, bands: ReadonlyMap<number, PriceBand>): void {
    this.#costs = costs;
    this.#gate.bands = bands;
    this.conditions.openDay(costs.day);
  }

  setPhase(phase: SessionPhase): void {
    this.#gate.phase = phase;
  }

  /** Orders of days before stand again in the markets of this one. */
  standAgain(): void {
    for (const order of this.#open.values()) this.#exchangeOf(order)?.enter(order);
    this.tell();
  }

  place(order: OrderToSend, decided: Decided): CallOutcome {
    if (order.trigger !== null) return this.#placeTrigger(order, order.trigger, decided);
    return this.#gate.refusalOf(order.instrument, order.limitPrice) ?? this.#accept(order, null, decided);
  }

  /** An order that waits here, or one that brings exits: that one is to be entered like any other. */
  #placeTrigger(order: OrderToSend, trigger: Trigger, decided: Decided): CallOutcome {
    const { instrument, limitPrice, orderCode } = order;
    if (trigger.kind !== 'bracket') return this.conditions.place(order);
    const listing = this.#gate.listing(orderCode);
    const no = this.#gate.refusalOf(instrument, limitPrice);
    if (no !== null || listing === undefined) return no ?? GONE;
    const { stopLossPrice, takeProfitPrice } = trigger;
    const bracket = { stopLossPrice, takeProfitPrice };
    const wrong = bracketRefusal({ ...order, accountId: ACCOUNT, refId: null, bracket }, listing);
    if (wrong !== null) return refused(String(wrong.code), wrong.text);
    return this.#accept(order, bracket, decided);
  }

  /** The broker's own order, which closes a position. */
  placeForced(order: Pick<VenueOrderTerms, 'strategy' | 'side' | 'qty'>, of: RunInstrument): void {
    const { orderCode, index } = of.contract;
    const band = this.#gate.listing(orderCode)?.band;
    if (band === undefined) return;
    const price = order.side === 'sell' ? Math.max(1, band.floor) : band.ceiling;
    if (this.#gate.refusalOf(index, price) !== null) return;
    const names = { source: 'forced', orderNo: this.#gate.takeNo(), triggerPrice: null } as const;
    const forced = this.#addOwn({ ...order, ...names, price }, of);
    this.#mark(forced);
    of.exchange?.enter(forced);
  }

  /** An order that was accepted meets its market. */
  enter(orderNo: BrokerOrderNo): void {
    const order = this.#open.get(orderNo);
    assert(order !== undefined, 'an accepted order is open');
    this.#exchangeOf(order)?.enter(order);
    this.#endFilled(order);
    this.tell();
  }

  modify({
    orderNo,
    limitPrice,
    qty: total,
  }: Pick<ModifyToSend, 'orderNo' | 'limitPrice' | 'qty'>): CallOutcome {
    const order = this.#open.get(orderNo);
    const no = this.#gate.refusalOfChange(order, limitPrice, total);
    if (no !== null || order === undefined) return no ?? GONE;
    const exchange = this.#exchangeOf(order);
    const isLess = limitPrice === order.price && total < order.qty;
    if (!isLess) exchange?.remove(order);
    order.price = limitPrice;
    order.qty = total;
    if (isLess) exchange?.decrease(order);
    else exchange?.enter(order);
    this.#mark(order);
    this.#endFilled(order);
    return { status: 'accepted', orderNo, orderKey: order.orderKey };
  }

  cancel({ orderNo }: Pick<CancelToSend, 'orderNo'>): CallOutcome {
    const order = this.#open.get(orderNo);
    const no = this.#gate.refusalOfCancel(order);
    if (no !== null || order === undefined) return no ?? GONE;
    this.#exchangeOf(order)?.remove(order);
    this.#end(order);
    return { status: 'accepted', orderNo, orderKey: order.orderKey };
  }

  onFill(order: VenueOrder, price: number, filled: number, clause: FillClause): void {
    const { account, instruments, clock, note } = this.#parts;
    const instrument = instruments[order.instrument];
    const costs = this.#costs;
    assert(
      instrument !== undefined && costs !== null,
      'an order is of a listed contract, on a day that is open',
    );
    const execution = executionOf(order, price, filled, clause, instrument, costs, clock.nowUs);
    this.#fills += 1;
    account.execute(order.strategy, instrument, execution, costs);
    this.conditions.filled(order, filled);
    note(clock.nowUs, order.instrument, order.strategy, order.side === 'buy' ? filled : -filled, price);
    this.#mark(order);
  }

  /** A trade of the tape, before it meets our orders: what waits here looks at it first. */
  traded(instrument: number, price: number): void {
    const code = this.#parts.instruments[instrument]?.contract.orderCode;
    if (code !== undefined) this.conditions.traded(code, price);
  }

  /**
   * Sends what was triggered, then says what became of orders since it was last asked; to be called after each row that may have
   * filled or triggered something.
   */
  tell(): void {
    const { conditions } = this;
    while (conditions.hasNews) for (const child of conditions.takeChildren()) this.#enterChild(child);
    this.#tellConditions();
    if (this.#untold.length === 0) return;
    const changed = this.#untold;
    this.#untold = [];
    for (const order of changed) {
      this.#endFilled(order);
      order.isUntold = false;
    }
    this.#parts.news.changed(changed.map((order) => orderRow(order, this.#gate.phase)));
  }

  #tellConditions(): void {
    if (this.conditions.takeChanged()) this.#parts.news.conditionsChanged();
  }

  get isUntold(): boolean {
    return this.#untold.length > 0 || (this.conditions.isWatching && this.conditions.hasNews);
  }

  /** Every open order, and those that ended since the last walk. */
  walk(): readonly BrokerOrder[] {
    const rows = [...this.#ended, ...this.#open.values()].map((order) => orderRow(order, this.#gate.phase));
    this.#ended = [];
    return rows;
  }

  /** The day is over: what is open dies, and shows as it stood in the last walk. */
  expire(): void {
    this.conditions.expire();
    this.#tellConditions();
    for (const order of this.#open.values()) {
      order.isOpen = false;
      order.isExpired = true;
      this.#ended.push(order);
    }
    this.#open.clear();
  }

  #accept(order: OrderToSend, bracket: Bracket | null, decided: Decided): CallOutcome {
    const orderNo = this.#gate.takeNo();
    const orderKey = bracket === null ? null : this.#gate.takeKey();
    this.#open.set(orderNo, userOrder(order, { orderNo, orderKey, bracket }, decided));
    return { status: 'accepted', orderNo, orderKey };
  }

  /** The broker sends it: it is here at once. */
  #enterChild({ orderCode, limitPrice, ...child }: ChildOrder): void {
    const of = this.#gate.instrumentOf(orderCode);
    assert(of !== undefined, 'a condition sends orders of a listed contract');
    const order = this.#addOwn({ ...child, price: priceTicks(limitPrice), source: 'system' }, of);
    this.#mark(order);
    of.exchange?.enter(order);
  }

  #addOwn(
    own: Omit<VenueOrderTerms, keyof typeof NO_NAMES | keyof Decided | 'instrument' | 'orderCode'>,
    { contract, midTwice }: RunInstrument,
  ): VenueOrder {
    const { index: instrument, orderCode } = contract;
    const { nowUs: decidedUs } = this.#parts.clock;
    return this.#add({ ...own, ...NO_NAMES, instrument, orderCode, decidedUs, decidedMidTwice: midTwice });
  }

  #add(terms: VenueOrderTerms): VenueOrder {
    const order = new VenueOrder(terms);
    this.#open.set(order.orderNo, order);
    return order;
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

  #exchangeOf(order: VenueOrder): Exchange<VenueOrder> | null {
    return this.#parts.instruments[order.instrument]?.exchange ?? null;
  }
}

/** The broker's own orders have no id, no key and no exits. */
const NO_NAMES = { clientOrderId: null, orderKey: null, bracket: null };
const ACCOUNT = accountId('BACKTEST');
