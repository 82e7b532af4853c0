/** Commands on orders, fills, and the way to the exchange, in order of time: a change or cancel is decided there, and a fill may win. */
import { assert } from '../../domain/assert.ts';
import { ratesOf, valueOf } from '../../domain/contract.ts';
import { type Costs, type CostSchedule, orderCosts, roundedCosts } from '../../domain/costs.ts';
import type { OrderCode } from '../../domain/ids.ts';
import { type DurationUs, priceTicks, type TsUs } from '../../domain/units.ts';
import type { BookFills, OrderBook } from '../exchange/contract-book.ts';
import type { FillSink } from '../exchange/exchange.ts';
import { type FillClause, liquidityOf } from '../exchange/fill-models.ts';
import {
  type CancelOrder,
  type ChangeOrder,
  type OrderOrigin,
  type PlaceLimit,
  refusal,
  type Refusal,
} from '../venue-command.ts';
import type { VenueRules } from '../venue-options.ts';
import {
  cancelRefusal,
  changeRefusal,
  editRefusal,
  entryRefusal,
  type VenueContext,
} from './order-checks.ts';
import {
  OrderStore,
  type OrderSender,
  type OrderState,
  type PendingChange,
  type VenueOrder,
} from './venue-order.ts';

/** One execution, added to its order before it is reported. */
export interface OrderFill {
  readonly price: number;
  readonly qty: number;
  readonly value: number;
  /** Charged for this fill: the difference to the order's charge before it. */
  readonly fee: number;
  readonly tax: number;
  readonly clause: FillClause | null;
}

export interface OrderListener {
  onFill(order: VenueOrder, fill: OrderFill, at: TsUs): void;
  /** `accepted`: on its way to the exchange; `entered`: about to enter its book; else any other change of a field. */
  onChange(order: VenueOrder, at: TsUs, change: 'accepted' | 'entered' | 'other'): void;
}

type EntryRules = Pick<VenueRules, 'changeOfBoth'> & { readonly gatewayDelay: DurationUs };
type EntryState = Readonly<ReturnType<OrderEntry['exportState']>>;

interface InFlight {
  readonly order: VenueOrder;
  readonly pending: PendingChange;
}

export class OrderEntry implements BookFills, FillSink<VenueOrder> {
  readonly #costs: CostSchedule;
  readonly #rules: EntryRules;
  readonly #venue: VenueContext;
  readonly #listener: OrderListener;
  readonly store = new OrderStore();
  /** In order of time: the delay is the same for all. */
  #inFlight: InFlight[] = [];
  #priority = 0;
  #sentNo = 0;

  constructor(costs: CostSchedule, rules: EntryRules, venue: VenueContext, listener: OrderListener) {
    this.#costs = costs;
    this.#rules = rules;
    this.#venue = venue;
    this.#listener = listener;
  }

  /** When the next command arrives at the exchange. */
  get nextDueUs(): number {
    return this.#inFlight[0]?.pending.dueUs ?? Infinity;
  }

  /** Account, contract, values and margin of `command` were checked. */
  place(command: PlaceLimit, origin: OrderOrigin, sender: OrderSender): VenueOrder {
    const { day, nowUs } = this.#venue;
    const order = this.store.add(command, origin, sender, day, nowUs);
    if (order.leg === null) this.#sendPlain(order, 'place');
    else order.pending = { kind: 'leg', filledQty: 0 };
    this.#listener.onChange(order, nowUs, 'accepted');
    return order;
  }

  change(command: ChangeOrder): VenueOrder | Refusal {
    const { accountId, orderNo, limitPrice, qty } = command;
    const order = this.store.find(accountId, orderNo);
    const listing = order === undefined ? undefined : this.#venue.listing(order.orderCode);
    if (order === undefined || listing === undefined) return refusal(-6003);
    const { phase, nowUs } = this.#venue;
    const refused = changeRefusal(order, command, listing, phase, this.#rules.changeOfBoth === 'replace');
    if (refused !== null) return refused;
    const more = qty - order.qty;
    if (more > 0) {
      const { orderCode, side, refId } = order;
      const noMargin = this.#venue.riskRefusal({ accountId, orderCode, side, refId, limitPrice, qty: more });
      if (noMargin !== null) return noMargin;
    }
    if (order.pending?.kind === 'leg') {
      order.price = limitPrice;
      order.qty = qty;
      this.#sendIfCovered(order, order.pending.filledQty);
    } else {
      const dueUs = this.#dueUs();
      this.#send(order, { kind: 'change', dueUs, sentNo: this.#sentNo, limitPrice, qty });
    }
    this.#listener.onChange(order, nowUs, 'other');
    return order;
  }

  cancel({ accountId, orderNo }: CancelOrder): VenueOrder | Refusal {
    const order = this.store.find(accountId, orderNo);
    if (order === undefined) return refusal(-6003);
    const { phase, nowUs } = this.#venue;
    const refused = cancelRefusal(order, phase);
    if (refused !== null) return refused;
    // At the gateway it goes at once.
    if (order.isAtGateway) this.#end(order, false, '', nowUs);
    else {
      this.#sendPlain(order, 'cancel');
      this.#listener.onChange(order, nowUs, 'other');
    }
    return order;
  }

  runDue(at: TsUs): void {
    while (this.nextDueUs <= at) {
      const arrived = this.#inFlight.shift();
      assert(arrived !== undefined, 'something is due');
      // A later command took its place, or the order ended on the way.
      if (arrived.order.pending === arrived.pending) this.#arrive(arrived.order, arrived.pending, at);
    }
  }

  onFill(tag: number, price: number, qty: number): void {
    this.fill(this.store.byTag(tag), price, qty, null);
  }

  fill(order: VenueOrder, price: number, qty: number, clause: FillClause | null): void {
    const at = this.#venue.nowUs;
    assert(qty > 0 && qty <= order.leavesQty, 'no more is filled than is left');
    const listing = this.#venue.listing(order.orderCode);
    assert(listing !== undefined, 'an order that fills is of a listed contract');
    const value = valueOf(listing.contract.spec, priceTicks(price), qty);
    order.filledQty += qty;
    order.filledValue += value;
    const costs = this.#charge(order, qty, value, clause, ratesOf(listing.contract.spec, this.#costs));
    const fill = { price, qty, value, fee: costs.fee - order.fee, tax: costs.tax - order.tax, clause };
    order.fee = costs.fee;
    order.tax = costs.tax;
    if (order.leavesQty === 0) {
      if (order.pending !== null) order.reason = refusal(-8004).text;
      order.pending = null;
      this.store.onClosed(order);
    }
    this.#listener.onFill(order, fill, at);
    for (const other of this.store.open(order.accountId)) {
      if (other.leg !== order.orderCode || other.pending?.kind !== 'leg') continue;
      this.#sendIfCovered(other, other.pending.filledQty + qty);
      this.#listener.onChange(other, at, 'other');
    }
  }

  /** Everything that is charged for the order, its latest fill included. */
  #charge(
    order: VenueOrder,
    qty: number,
    value: number,
    clause: FillClause | null,
    rates: CostSchedule,
  ): Costs {
    const { day } = this.#venue;
    const isMaker = clause !== null && liquidityOf(clause) === 'maker';
    if (isMaker) order.makerValue += value;
    if (rates.rounding?.per === 'fill') {
      const fill = { side: order.side, filledQty: qty, filledValue: value, makerValue: isMaker ? value : 0 };
      const { fee, tax } = roundedCosts(rates, rates.rounding, day, fill);
      order.fillFees += fee;
      order.fillTaxes += tax;
    }
    return orderCosts(rates, day, order);
  }

  /** Day orders end after the close. */
  expireAll(at: TsUs): void {
    for (const order of this.store.all()) if (order.isOpen && !order.isGtc) this.#end(order, true, '', at);
  }

  endContract(code: OrderCode, at: TsUs): void {
    const book = this.#venue.book(code);
    for (const order of this.store.all()) {
      const isOver = order.orderCode === code || (order.leg === code && order.pending?.kind === 'leg');
      if (!isOver || !order.isOpen) continue;
      if (order.isInBook) book?.remove(order);
      this.#end(order, true, refusal(-6033).text, at);
    }
  }

  beginDay(): void {
    this.store.beginDay();
    this.#inFlight = [];
  }

  /** Of the orders only those of `orderNos`, when it is given. */
  exportState(orderNos?: Iterable<string>) {
    const orders =
      orderNos === undefined
        ? this.store.all()
        : Array.from(orderNos, (orderNo) => this.store.byTag(Number(orderNo)));
    return {
      orderNoNext: this.store.nextNo,
      orderKeyNext: this.store.nextKey,
      /** Orders those that arrive at one moment. */
      commandsSent: this.#sentNo,
      orders: Array.from(orders, (order): OrderState => Object.assign({}, order)),
    };
  }

  restore(state: EntryState, putBack: (order: VenueOrder) => void): void {
    const open = this.store.restore(state.orders, state.orderNoNext, state.orderKeyNext);
    this.#sentNo = state.commandsSent;
    for (const order of this.store.all()) this.#priority = Math.max(this.#priority, order.priority);
    for (const order of open) {
      const { pending } = order;
      if (pending !== null && pending.kind !== 'leg') this.#inFlight.push({ order, pending });
      if (order.isInBook) putBack(order);
    }
    this.#inFlight.sort((a, b) => a.pending.dueUs - b.pending.dueUs || a.pending.sentNo - b.pending.sentNo);
  }

  #dueUs(): number {
    this.#sentNo += 1;
    return this.#venue.nowUs + this.#rules.gatewayDelay;
  }

  /** Sends an arbitrage order whole, once its leg has filled as much as it asks for. */
  #sendIfCovered(order: VenueOrder, filledQty: number): void {
    if (filledQty >= order.qty) this.#sendPlain(order, 'place');
    else order.pending = { kind: 'leg', filledQty };
  }

  #sendPlain(order: VenueOrder, kind: 'place' | 'cancel'): void {
    const dueUs = this.#dueUs();
    this.#send(order, { kind, dueUs, sentNo: this.#sentNo });
  }

  #send(order: VenueOrder, pending: PendingChange): void {
    order.pending = pending;
    order.reason = '';
    this.#inFlight.push({ order, pending });
  }

  #arrive(order: VenueOrder, pending: PendingChange, at: TsUs): void {
    const { phase } = this.#venue;
    const book = this.#venue.book(order.orderCode);
    order.pending = null;
    if (book === undefined) return this.#end(order, false, refusal(-6033).text, at);
    switch (pending.kind) {
      case 'place': {
        const late = entryRefusal(phase);
        return late === null ? this.#enter(order, book, at) : this.#end(order, false, late.text, at);
      }
      case 'change':
        return this.#applyChange(order, pending, book, at);
      case 'cancel': {
        const late = editRefusal(phase);
        if (late !== null) return this.#refuseChange(order, late.text, at);
        book.remove(order);
        return this.#end(order, false, '', at);
      }
    }
  }

  #applyChange(
    order: VenueOrder,
    change: PendingChange & { kind: 'change' },
    book: OrderBook,
    at: TsUs,
  ): void {
    const late = editRefusal(this.#venue.phase);
    if (late !== null) return this.#refuseChange(order, late.text, at);
    if (change.qty <= order.filledQty) return this.#refuseChange(order, refusal(-6019).text, at);
    order.modified = true;
    const keepsPlace = change.limitPrice === order.price && change.qty <= order.qty;
    if (!keepsPlace) book.remove(order);
    order.price = change.limitPrice;
    order.qty = change.qty;
    if (!keepsPlace) return this.#enter(order, book, at);
    book.decrease(order);
    this.#listener.onChange(order, at, 'other');
  }

  #enter(order: VenueOrder, book: OrderBook, at: TsUs): void {
    this.#priority += 1;
    order.priority = this.#priority;
    this.#listener.onChange(order, at, 'entered');
    book.enter(order, at);
  }

  /** The exchange refused a change or cancel: the order stays unchanged. */
  #refuseChange(order: VenueOrder, reason: string, at: TsUs): void {
    order.reason = reason;
    this.#listener.onChange(order, at, 'other');
  }

  /** Canceled, refused on arrival, or expired. */
  #end(order: VenueOrder, expired: boolean, reason: string, at: TsUs): void {
    order.pending = null;
    order.canceledUs = at;
    order.expired = expired;
    order.reason = reason;
    this.store.onClosed(order);
    this.#listener.onChange(order, at, 'other');
  }
}
