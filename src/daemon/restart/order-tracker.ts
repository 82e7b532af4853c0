/** Orders of a session, as its journal knew them last: the next session meets their rows and answers again. */
import type { CallOutcome } from '../../domain/broker-order.ts';
import type { Contract } from '../../domain/contract.ts';
import type { ClientOrderId, OrderCode } from '../../domain/ids.ts';
import { hasProvenEnd, type OrderStatus, TERMINAL_STATUSES, waitsInTriggerBook } from '../../domain/order.ts';
import { instrumentIndex, money, OPERATOR_INDEX, qty, type StrategyIndex } from '../../domain/units.ts';
import type { OrderToSend } from '../../engine/ports/approved.ts';
import { NO_PRICE } from '../../engine/orders/managed-order.ts';
import type { CarriedOrder } from '../../engine/ports/engine-event.ts';
import type { EntryOf, JournalEntry } from '../../engine/ports/journal-entry.ts';

type KnownOrder = { -readonly [Key in keyof CarriedOrder]: CarriedOrder[Key] };
/** Terms of a change that the book has not confirmed. */
type KnownTerms = Pick<CarriedOrder, 'qty' | 'limitPrice'>;

export class OrderTracker {
  readonly #known = new Map<ClientOrderId, KnownOrder>();
  readonly #requested = new Map<ClientOrderId, KnownTerms>();
  /** Contracts of orders that were found in the book. */
  readonly #codes = new Map<ClientOrderId, OrderCode>();
  /** Stops that the engine asked for, not a strategy. */
  readonly #protective = new Set<ClientOrderId>();
  /** Cancels were asked for; true: by the engine, which repeats them. Others end with a refusal, and with a change of the order. */
  readonly #withdrawn = new Map<ClientOrderId, boolean>();
  /** Left unproven by the session before: forgotten once positions agree. */
  readonly #fromBefore = new Set<ClientOrderId>();
  /** Orders at the exchange outlive their day. */
  #isEndless = false;
  /** Positions have agreed: nothing that the session before left has filled unseen. */
  #havePositionsAgreed = false;

  /** A session that restarts meets the orders of its day in each book. */
  begin(orders: readonly CarriedOrder[], isRestarted: boolean, isEndless = false): void {
    this.#isEndless = isEndless;
    for (const { isWithdrawn, ...order } of orders) {
      const { clientOrderId: id, status, row } = order;
      if (isWithdrawn === true) this.#withdrawn.set(id, true);
      // The row of one that waited may never be read in this session.
      if (row !== undefined) this.#known.set(id, { ...order, status: 'pending_trigger' });
      else if (isRestarted) this.#known.set(id, order);
      else if (!hasProvenEnd(status) || order.owesExits === true) {
        this.#known.set(id, order);
        this.#fromBefore.add(id);
      }
    }
  }

  add(entry: JournalEntry): void {
    const { kind } = entry;
    if (kind === 'proposal') this.#onProposal(entry);
    else if (kind === 'place') this.place(entry.order, entry.isLost);
    else if (kind === 'order_adopted') {
      this.#codes.set(entry.clientOrderId, entry.order.orderCode);
      this.#known.set(entry.clientOrderId, this.#adopted(entry));
    } else if (kind === 'order_waiting') this.#onWaiting(entry);
    else if (kind === 'position_agreed') this.#onPositionsAgreed();
    else if (kind === 'modify') this.#requested.set(entry.modify.clientOrderId, entry.modify);
    else if (kind === 'outcome' || kind === 'order_status') this.#onProgress(entry);
    else if (kind === 'fill' || kind === 'fill_correction') this.#onProgress(entry);
  }

  place(order: OrderToSend, isLost = false): void {
    const { clientOrderId: id } = order;
    this.#known.set(id, placed(order, isLost, this.#protective.has(id)));
  }

  #onProposal({ by, strategy, proposal }: EntryOf<'proposal'>): void {
    if (proposal.do === 'submit') {
      if (by === 'system' && proposal.intent.kind === 'stop') this.#protective.add(proposal.clientOrderId);
      return;
    }
    const id = proposal.do === 'cancel' ? proposal.clientOrderId : proposal.change.clientOrderId;
    const order = this.#known.get(id);
    // A strategy reaches its own orders alone.
    if (order === undefined || (by === 'strategy' && order.strategy !== strategy)) return;
    if (proposal.do === 'cancel')
      this.#withdrawn.set(id, proposal.isWithdrawal === true || this.#withdrawn.get(id) === true);
    else this.#dropRequest(id);
  }

  #dropRequest(id: ClientOrderId): void {
    if (this.#withdrawn.get(id) === false) this.#withdrawn.delete(id);
  }

  /** Protective orders are withdrawn again where they have to be. */
  #marked(order: CarriedOrder): CarriedOrder {
    const isWithdrawn = order.purpose === 'entry' && this.#withdrawn.has(order.clientOrderId);
    return isWithdrawn ? { ...order, isWithdrawn } : order;
  }

  /** An answer that the engine may not have read: its own row says the same later. */
  onAnswer({
    call,
    clientOrderId,
    outcome,
  }: Pick<EntryOf<'outcome'>, 'call' | 'clientOrderId' | 'outcome'>): void {
    const order = this.#known.get(clientOrderId);
    if (order === undefined || order.row !== undefined || call !== 'place') return;
    if (outcome.status === 'accepted') {
      order.orderNo = outcome.orderNo;
      order.orderKey = outcome.orderKey;
    } else if (order.status === 'submitted') order.status = outcome.status;
  }

  /** True for the session before: its numbers may be other orders' by now. */
  isFromBefore(id: ClientOrderId): boolean {
    return this.#fromBefore.has(id);
  }

  /** Orders that waited at the broker, those that the in-day book may still show, and those without an answer, oldest first. */
  carriedOver(contracts: readonly Contract[]): readonly CarriedOrder[] {
    const left: CarriedOrder[] = [];
    for (const order of this.#known.values()) {
      const { clientOrderId: id, row, orderNo, status, owesExits } = order;
      if (hasProvenEnd(status) && (row !== undefined || orderNo === null)) continue;
      const marked = this.#marked(order);
      if (row !== undefined) {
        left.push(marked);
        continue;
      }
      const code = this.#codes.get(id);
      const instrument =
        code === undefined ? order.instrument : contracts.find(({ orderCode }) => orderCode === code)?.index;
      if (instrument === undefined) continue;
      const owes = owesExits === true ? { owesExits: this.#shownQty(id) < 2 * order.filledQty } : {};
      left.push({ ...marked, instrument, ...owes });
    }
    return left;
  }

  /** Entries that ended without a number: refused, not sent, or proven absent. */
  neverPlaced(): readonly CarriedOrder[] {
    return [...this.#known.values()].filter(
      ({ orderNo, status, purpose }) => orderNo === null && purpose === 'entry' && hasProvenEnd(status),
    );
  }

  mayEnter(owner: StrategyIndex): boolean {
    return [...this.#known.values()].some(
      ({ strategy, purpose, status }) => strategy === owner && purpose === 'entry' && !hasProvenEnd(status),
    );
  }

  /** Contracts of both halves of a bracket's exits. */
  #shownQty(bracket: ClientOrderId): number {
    let total = 0;
    for (const { parent, row } of this.#known.values())
      if (parent === bracket && row !== undefined) total += row.qty;
    return total;
  }

  #onWaiting({ kind: _kind, cause: _cause, tsUs: _tsUs, ...waiting }: EntryOf<'order_waiting'>): void {
    const { clientOrderId: id, strategy, row } = waiting;
    const known = this.#known.get(id);
    this.#fromBefore.delete(id);
    this.#known.set(id, {
      ...NOTHING_FILLED,
      ...waiting,
      strategy: strategy ?? OPERATOR_INDEX,
      side: row.side,
      qty: row.qty,
      limitPrice: row.limitPrice ?? row.triggerPrice ?? NO_PRICE,
      trigger: null,
      orderNo: row.orderNo,
      orderKey: row.orderKey,
      status: known?.status ?? 'pending_trigger',
    });
  }

  #onPositionsAgreed(): void {
    this.#havePositionsAgreed = true;
    for (const id of this.#fromBefore) {
      const order = this.#known.get(id);
      if (order !== undefined && this.#mayWork(order)) continue;
      this.#known.delete(id);
      this.#fromBefore.delete(id);
    }
    for (const [id, { status, row }] of this.#known)
      if (row !== undefined && status === 'expired_unproven') this.#known.delete(id);
  }

  /** The engine looks for it, and journals its end. One with a number is over with its day, where days end. */
  #mayWork({ status, orderNo, trigger }: KnownOrder): boolean {
    if (TERMINAL_STATUSES.has(status)) return false;
    return orderNo === null || waitsInTriggerBook(trigger) || this.#isEndless;
  }

  /** A stop that the books of a new day do not show may have sent its order before the old one ended. */
  #statusOf({ event, to }: EntryOf<'order_status'>): OrderStatus {
    return event === 'seen_gone' && !this.#havePositionsAgreed ? 'expired_unproven' : to;
  }

  #onProgress(entry: EntryOf<'outcome' | 'order_status' | 'fill' | 'fill_correction'>): void {
    if (entry.kind === 'outcome' && entry.call === 'cancel' && isRefused(entry.outcome))
      this.#dropRequest(entry.clientOrderId);
    const order = this.#known.get(entry.clientOrderId);
    if (order === undefined) return;
    if (order.row !== undefined) {
      if (entry.kind === 'order_status') order.status = this.#statusOf(entry);
      return;
    }
    switch (entry.kind) {
      case 'outcome':
        return this.onAnswer(entry);
      case 'order_status':
        order.status = entry.to;
        order.orderNo ??= entry.orderNo;
        if (entry.event === 'modify_confirmed') this.#endChange(order);
        return;
      case 'fill':
        order.orderNo = entry.orderNo;
        order.filledQty = entry.cumQty;
        order.filledValue = entry.cumValue;
        order.fillQuality = entry.quality;
        order.fee = money(order.fee + entry.fee);
        order.tax = money(order.tax + entry.tax);
        return;
      case 'fill_correction':
        order.filledValue = entry.cumValue;
        order.fillQuality = entry.quality;
        order.tax = money(order.tax + entry.tax);
    }
  }

  #endChange(order: KnownOrder): void {
    const terms = this.#requested.get(order.clientOrderId);
    // Somebody else changed it: the journal has no terms of that.
    if (terms === undefined) return;
    order.qty = terms.qty;
    order.limitPrice = terms.limitPrice;
  }

  #adopted({ clientOrderId, order: row, parent, strategy }: EntryOf<'order_adopted'>): KnownOrder {
    const sender = parent === undefined ? undefined : this.#known.get(parent);
    return {
      ...NOTHING_FILLED,
      clientOrderId,
      strategy: strategy ?? OPERATOR_INDEX,
      parent: parent ?? null,
      purpose: sender?.purpose ?? 'entry',
      isProtective: false,
      instrument: UNLISTED,
      side: row.side,
      qty: row.qty,
      limitPrice: row.limitPrice ?? NO_PRICE,
      trigger: null,
      orderNo: row.orderNo,
      orderKey: row.orderKey,
      status: 'accepted',
    };
  }
}

const isRefused = ({ status }: CallOutcome): boolean => status === 'rejected' || status === 'not_sent';

/** Index of a contract whose code is not looked up yet. */
const UNLISTED = instrumentIndex(0);

const NOTHING_FILLED = {
  filledQty: qty(0),
  filledValue: money(0),
  fillQuality: 'exact',
  fee: money(0),
  tax: money(0),
} as const;

function placed(order: OrderToSend, isLost: boolean, isProtective: boolean): KnownOrder {
  const { clientOrderId, strategy, purpose, instrument, side, limitPrice, trigger } = order;
  return {
    ...NOTHING_FILLED,
    clientOrderId,
    strategy,
    parent: null,
    purpose,
    isProtective,
    instrument,
    side,
    qty: order.qty,
    limitPrice,
    // Its leg is a contract of this session's table, and no decision uses it.
    trigger: trigger?.kind === 'arbitrage' ? null : trigger,
    orderNo: null,
    orderKey: null,
    status: isLost ? 'not_sent' : 'submitted',
    ...(trigger?.kind === 'bracket' ? { owesExits: true } : {}),
  };
}
