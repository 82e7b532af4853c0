/**
 * The life of users' orders: checked by the broker, on the way through its gateway, in the book, filled, changed, cancelled,
 * expired. What the exchange decides is decided when a command arrives there, so a cancel can lose against a fill.
 */
import { assert } from '../domain/assert.ts';
import type { SessionPhase } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import { orderCosts } from '../domain/costs.ts';
import { valueOf } from '../domain/contract.ts';
import { type AccountId, brokerOrderKey, brokerOrderNo, type OrderCode } from '../domain/ids.ts';
import { money, priceTicks, qty, type TsUs } from '../domain/units.ts';
import type { ContractBook, FillSink } from './contract-book.ts';
import type { Ledger } from './ledger.ts';
import {
  isInBook,
  isOpen,
  leavesOf,
  type LiveOrder,
  orderState,
  type Pending,
  snapshotOf,
} from './live-order.ts';
import type { WorkingQty } from './margin.ts';
import { cancelRefusal, changeRefusal, editRefusal, entryRefusal } from './order-checks.ts';
import { OrderStore } from './order-store.ts';
import type { Outbox } from './outbox.ts';
import { refusal } from './refusals.ts';
import type { CancelOrder, ChangeOrder, PlaceLimit, Refusal } from './venue-command.ts';
import type { OrderOrigin, VenueOrder } from './venue-event.ts';
import type { VenueOptions, VenueRules } from './venue-options.ts';
import type { VenueState } from './venue-state.ts';

/** What the desk asks of the venue around it. */
export interface DeskSurroundings {
  readonly nowUs: TsUs;
  readonly day: TradingDay;
  readonly phase: SessionPhase;
  book(code: OrderCode): ContractBook | undefined;
  /** Has the account margin and room for this much more? */
  riskRefusal(command: PlaceLimit): Refusal | null;
}

export type DeskState = Pick<VenueState, 'orders' | 'orderNoNext' | 'orderKeyNext' | 'commandsSent'>;

export type DeskAnswer = VenueOrder | Refusal;

export const isRefusal = (answer: DeskAnswer): answer is Refusal => 'code' in answer;

interface InFlight {
  readonly order: LiveOrder;
  readonly pending: Pending;
}

export class OrderDesk implements FillSink {
  readonly #options: VenueOptions;
  readonly #rules: VenueRules;
  readonly #around: DeskSurroundings;
  readonly #ledger: Ledger;
  readonly #outbox: Outbox;
  readonly #store = new OrderStore();
  /** In order of time: the delay is the same for all. */
  #inFlight: InFlight[] = [];
  #priority = 0;
  #sentNo = 0;

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
  }

  /** `check` was made by the venue: account, contract, values, margin. */
  place(command: PlaceLimit, origin: OrderOrigin): VenueOrder {
    const order = this.#store.add(command, origin, this.#around.day, this.#around.nowUs);
    return this.#send(order, { kind: 'place', ...this.#route() });
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
      const noMargin = this.#around.riskRefusal({ ...order, limitPrice: command.limitPrice, qty: more });
      if (noMargin !== null) return noMargin;
    }
    const { limitPrice, qty: total } = command;
    return this.#send(order, { kind: 'change', ...this.#route(), limitPrice, qty: total });
  }

  cancel(command: CancelOrder): DeskAnswer {
    const order = this.#store.find(command.accountId, command.orderNo);
    if (order === undefined) return refusal(-6003);
    const refused = cancelRefusal(order, this.#around.phase);
    if (refused !== null) return refused;
    if (order.pending?.kind !== 'place') return this.#send(order, { kind: 'cancel', ...this.#route() });
    this.#end(order, false, '', this.#around.nowUs);
    return snapshotOf(order, this.#around.phase);
  }

  get nextDueUs(): number {
    return this.#inFlight[0]?.pending.dueUs ?? Number.POSITIVE_INFINITY;
  }

  /** Lets everything that is due arrive at the exchange. */
  runDue(at: TsUs): void {
    while (this.nextDueUs <= at) {
      const arrived = this.#inFlight.shift();
      assert(arrived !== undefined, 'something is due');
      // A later command took its place, or the order ended on the way.
      if (arrived.order.pending !== arrived.pending) continue;
      this.#arrive(arrived, at);
    }
  }

  onFill(tag: number, price: number, quantity: number, at: TsUs): void {
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
    });
    this.#tell(order, at);
  }

  /** Day orders end after the close. */
  expireAll(at: TsUs): void {
    for (const order of this.#store.all()) if (isOpen(order)) this.#end(order, true, '', at);
  }

  beginDay(): void {
    this.#store.beginDay();
    this.#inFlight = [];
  }

  orders(id: AccountId): VenueOrder[] {
    const own = this.#store.all().filter((order) => order.accountId === id);
    return own.map((order) => snapshotOf(order, this.#around.phase));
  }

  order(id: AccountId, orderNo: string): VenueOrder | undefined {
    const order = this.#store.find(id, orderNo);
    return order === undefined ? undefined : snapshotOf(order, this.#around.phase);
  }

  hasRefId(id: AccountId, refId: string): boolean {
    return this.#store.all().some((order) => order.accountId === id && order.refId === refId);
  }

  working(id: AccountId): Map<OrderCode, WorkingQty> {
    return this.#store.working(id);
  }

  exportState(): DeskState {
    return {
      orderNoNext: this.#store.numbers.nextNo,
      orderKeyNext: this.#store.numbers.nextKey,
      commandsSent: this.#sentNo,
      orders: this.#store.all().map((order) => orderState(order, this.#around.phase)),
    };
  }

  restore(state: DeskState): void {
    this.#sentNo = state.commandsSent;
    const open = this.#store.restore(state.orders, state.orderNoNext, state.orderKeyNext);
    for (const order of this.#store.all()) this.#priority = Math.max(this.#priority, order.priority);
    for (const order of open) {
      const { pending } = order;
      if (pending !== null) this.#inFlight.push({ order, pending });
      if (isInBook(order)) this.#around.book(order.orderCode)?.stand(this.#entryOf(order));
    }
    this.#inFlight.sort((a, b) => a.pending.dueUs - b.pending.dueUs || a.pending.sentNo - b.pending.sentNo);
  }

  #send(order: LiveOrder, pending: Pending): VenueOrder {
    order.pending = pending;
    order.reason = '';
    this.#inFlight.push({ order, pending });
    const now = this.#around.nowUs;
    this.#tell(order, now);
    return snapshotOf(order, this.#around.phase);
  }

  #arrive({ order, pending }: InFlight, at: TsUs): void {
    const book = this.#around.book(order.orderCode);
    order.pending = null;
    if (book === undefined) return this.#end(order, false, refusal(-6033).text, at);
    switch (pending.kind) {
      case 'place': {
        const late = entryRefusal(this.#around.phase);
        if (late !== null) return this.#end(order, false, late.text, at);
        return this.#enter(order, book, at);
      }
      case 'change':
        return this.#applyChange(order, pending, book, at);
      case 'cancel': {
        const late = editRefusal(this.#around.phase);
        if (late !== null) return this.#keep(order, late.text, at);
        book.remove(order.tag, at);
        return this.#end(order, false, '', at);
      }
    }
  }

  #applyChange(order: LiveOrder, change: Pending & { kind: 'change' }, book: ContractBook, at: TsUs): void {
    const late = editRefusal(this.#around.phase);
    if (late !== null) return this.#keep(order, late.text, at);
    if (change.qty <= order.filledQty) return this.#keep(order, refusal(-6019).text, at);
    order.modified = true;
    const keepsPlace = change.limitPrice === order.limitPrice && change.qty <= order.qty;
    if (!keepsPlace) book.remove(order.tag, at);
    order.limitPrice = change.limitPrice;
    order.qty = change.qty;
    if (!keepsPlace) return this.#enter(order, book, at);
    book.decrease(order.tag, leavesOf(order), at);
    this.#tell(order, at);
  }

  #enter(order: LiveOrder, book: ContractBook, at: TsUs): void {
    this.#priority += 1;
    order.priority = this.#priority;
    this.#tell(order, at);
    book.enter(this.#entryOf(order), at);
  }

  /** The exchange refused a change or cancel: the order stands as it stood. */
  #keep(order: LiveOrder, reason: string, at: TsUs): void {
    order.reason = reason;
    this.#tell(order, at);
  }

  #end(order: LiveOrder, expired: boolean, reason: string, at: TsUs): void {
    order.pending = null;
    order.canceledUs = at;
    order.expired = expired;
    order.reason = reason;
    this.#store.closed(order);
    this.#tell(order, at);
  }

  #tell(order: LiveOrder, at: TsUs): void {
    this.#outbox.emit({ kind: 'order', tsUs: at, order: snapshotOf(order, this.#around.phase) });
  }

  #entryOf(order: LiveOrder): { tag: number; side: LiveOrder['side']; price: number; qty: number } {
    return { tag: order.tag, side: order.side, price: order.limitPrice, qty: leavesOf(order) };
  }

  /** When a command sent now arrives, and after which others. */
  #route(): { dueUs: number; sentNo: number } {
    this.#sentNo += 1;
    return { dueUs: this.#around.nowUs + this.#rules.gatewayDelay, sentNo: this.#sentNo };
  }
}
