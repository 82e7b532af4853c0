/**
 * Users' orders at the broker: what may be asked of them, what fills make of them, and what the in-day book shows. The way of a
 * command to the exchange is in `order-route.ts`.
 */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { orderCosts } from '../../domain/costs.ts';
import { valueOf } from '../../domain/contract.ts';
import { type AccountId, brokerOrderKey, brokerOrderNo, type OrderCode } from '../../domain/ids.ts';
import { money, priceTicks, qty, type TsUs } from '../../domain/units.ts';
import type { BookFills } from '../exchange/contract-book.ts';
import type { FillClause } from '../exchange/fill-clause.ts';
import type { Ledger } from '../account/ledger.ts';
import { isInBook, isOpen, leavesOf, type LiveOrder, orderState } from './live-order.ts';
import type { WorkingQty } from '../account/margin.ts';
import { cancelRefusal, changeRefusal } from './order-checks.ts';
import { OrderRoute, type RouteSurroundings } from './order-route.ts';
import { OrderJournal } from './order-journal.ts';
import { OrderStore } from './order-store.ts';
import type { Outbox } from '../outbox.ts';
import { refusal } from './refusals.ts';
import type { CancelOrder, ChangeOrder, PlaceLimit, Refusal } from '../venue-command.ts';
import type { OrderOrigin, VenueOrder } from '../venue-event.ts';
import type { VenueOptions, VenueRules } from '../venue-options.ts';
import type { VenueState } from '../venue-state.ts';

/** What the desk asks of the venue around it. */
export interface DeskSurroundings extends RouteSurroundings {
  readonly day: TradingDay;
  /** Has the account margin and room for this much more? */
  riskRefusal(command: PlaceLimit): Refusal | null;
  /** An order filled: what waits for that hears of it. */
  filled(order: LiveOrder, quantity: number, at: TsUs): void;
}

export type DeskState = Pick<VenueState, 'orders' | 'orderNoNext' | 'orderKeyNext' | 'commandsSent'>;

export type DeskAnswer = VenueOrder | Refusal;

export class OrderEntry implements BookFills {
  readonly #options: VenueOptions;
  readonly #rules: VenueRules;
  readonly #around: DeskSurroundings;
  readonly #ledger: Ledger;
  readonly #outbox: Outbox;
  readonly #store = new OrderStore();
  readonly #scribe: OrderJournal;
  readonly #route: OrderRoute;

  constructor(
    options: VenueOptions,
    rules: VenueRules,
    around: DeskSurroundings,
    ledger: Ledger,
    outbox: Outbox,
  ) {
    this.#options = options;
    this.#rules = rules;
    this.#around = around;
    this.#ledger = ledger;
    this.#outbox = outbox;
    this.#scribe = new OrderJournal(this.#store, outbox, () => around.phase);
    this.#route = new OrderRoute(around, this.#scribe, rules.gatewayDelay);
  }

  /** `command` was checked by the gate: account, contract, values, margin. */
  place(command: PlaceLimit, origin: OrderOrigin): VenueOrder {
    const order = this.#store.add(command, origin, this.#around.day, this.#around.nowUs);
    this.#route.send(order, { kind: 'place', ...this.#route.next() });
    return this.#scribe.shown(order);
  }

  change(command: ChangeOrder): DeskAnswer {
    const order = this.#store.find(command.accountId, command.orderNo);
    const book = order === undefined ? undefined : this.#around.book(order.orderCode);
    if (order === undefined || book === undefined) return refusal(-6003);
    const bothAllowed = this.#rules.changeOfBoth === 'replace';
    const refused = changeRefusal(order, command, book.listing, this.#around.phase, bothAllowed);
    if (refused !== null) return refused;
    const more = command.qty - order.qty;
    if (more > 0) {
      const { accountId, orderCode, side, refId } = order;
      const { limitPrice } = command;
      const grown = { accountId, orderCode, side, refId, limitPrice, qty: more };
      const noMargin = this.#around.riskRefusal(grown);
      if (noMargin !== null) return noMargin;
    }
    const { limitPrice, qty: total } = command;
    this.#route.send(order, { kind: 'change', ...this.#route.next(), limitPrice, qty: total });
    return this.#scribe.shown(order);
  }

  cancel(command: CancelOrder): DeskAnswer {
    const order = this.#store.find(command.accountId, command.orderNo);
    if (order === undefined) return refusal(-6003);
    const refused = cancelRefusal(order, this.#around.phase);
    if (refused !== null) return refused;
    // What still waits at the gateway goes at once.
    if (order.pending?.kind === 'place') this.#scribe.end(order, false, '', this.#around.nowUs);
    else this.#route.send(order, { kind: 'cancel', ...this.#route.next() });
    return this.#scribe.shown(order);
  }

  get nextDueUs(): number {
    return this.#route.nextDueUs;
  }

  /** Lets everything that is due arrive at the exchange. */
  runDue(at: TsUs): void {
    this.#route.runDue(at);
  }

  onFill(tag: number, price: number, quantity: number, clause: FillClause | null, at: TsUs): void {
    const order = this.#store.byTag(tag);
    assert(quantity <= leavesOf(order), 'a fill never exceeds what is left');
    const value = valueOf(this.#options.spec, priceTicks(price), quantity);
    order.filledQty += quantity;
    order.filledValue += value;
    const costs = orderCosts(this.#options.costs, order.day, order.filledQty, order.filledValue);
    const { accountId, orderCode, side } = order;
    this.#ledger.bookFill(
      { accountId, orderCode, side, qty: quantity, value, tax: costs.tax - order.tax },
      order.day,
      at,
    );
    order.fee = costs.fee;
    order.tax = costs.tax;
    if (order.filledQty === order.qty) {
      if (order.pending !== null) order.reason = refusal(-8004).text;
      order.pending = null;
      this.#store.closed(order);
    }
    this.#outbox.emit({
      kind: 'fill',
      tsUs: at,
      accountId,
      orderNo: brokerOrderNo(order.orderNo),
      orderKey: brokerOrderKey(order.orderKey),
      orderCode,
      side,
      price: priceTicks(price),
      qty: qty(quantity),
      filledQty: qty(order.filledQty),
      filledValue: money(order.filledValue),
      clause,
    });
    this.#scribe.tell(order, at);
    this.#around.filled(order, quantity, at);
  }

  /** Day orders end after the close. */
  expireAll(at: TsUs): void {
    for (const order of this.#store.all()) if (isOpen(order)) this.#scribe.end(order, true, '', at);
  }

  /** A contract is listed no more: what works in it ends. */
  endContract(code: OrderCode, at: TsUs): void {
    const book = this.#around.book(code);
    for (const order of this.#store.all()) {
      if (order.orderCode !== code || !isOpen(order)) continue;
      if (isInBook(order)) book?.remove(order.tag, at);
      this.#scribe.end(order, true, refusal(-6033).text, at);
    }
  }

  beginDay(): void {
    this.#store.beginDay();
    this.#route.beginDay();
  }

  /** A key for a conditional order: both kinds share the counter. */
  takeKey(): string {
    return this.#store.numbers.takeKey();
  }

  orders(id: AccountId): VenueOrder[] {
    const own = this.#store.all().filter((order) => order.accountId === id);
    return own.map((order) => this.#scribe.shown(order));
  }

  order(id: AccountId, orderNo: string): VenueOrder | undefined {
    const order = this.#store.find(id, orderNo);
    return order === undefined ? undefined : this.#scribe.shown(order);
  }

  /** An account's orders that still work. */
  open(id: AccountId): LiveOrder[] {
    return this.#store.open(id);
  }

  hasRefId(id: AccountId, refId: string): boolean {
    return this.#store.all().some((order) => order.accountId === id && order.refId === refId);
  }

  working(id: AccountId): Map<OrderCode, WorkingQty> {
    return this.#store.working(id);
  }

  /** Of the orders only those of `orderNos`, when it is given. */
  exportState(orderNos?: Iterable<string>): DeskState {
    const orders = orderNos === undefined ? this.#store.all() : this.#store.named(orderNos);
    return {
      orderNoNext: this.#store.numbers.nextNo,
      orderKeyNext: this.#store.numbers.nextKey,
      commandsSent: this.#route.sentNo,
      orders: orders.map((order) => orderState(order, this.#around.phase)),
    };
  }

  restore(state: DeskState): void {
    const open = this.#store.restore(state.orders, state.orderNoNext, state.orderKeyNext);
    let priority = 0;
    for (const order of this.#store.all()) priority = Math.max(priority, order.priority);
    this.#route.restore(open, state.commandsSent, priority);
  }
}

export const isRefusal = (answer: object): answer is Refusal => 'code' in answer;
