/** One order of ours, or one adopted from the broker's book: its known state and its open calls. */
import { type BrokerTriggerKind, ScanEvidence } from '../../domain/broker-order.ts';
import { type CoverOrder, type CoverRole, sentRole, waitingRole } from '../../domain/cover.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import {
  type FillQuality,
  type OrderStatus,
  type Side,
  TERMINAL_STATUSES,
  type Trigger,
  type TriggerWhen,
  waitsInTriggerBook,
} from '../../domain/order.ts';
import {
  type InstrumentIndex,
  type Money,
  money,
  type PriceTicks,
  priceTicks,
  type Qty,
  qty,
  type StrategyIndex,
  type TsUs,
} from '../../domain/units.ts';
import type { ModifyToSend, OrderToSend, Purpose } from '../ports/approved.ts';
import type { OrderUpdate, WorkingOrder } from '../ports/strategy-port.ts';
import type { Denial } from '../ports/denial.ts';

/** A modify or cancel that the book has not confirmed. */
export interface OpenCall {
  readonly callId: ClientOrderId;
  readonly answer: 'none' | 'accepted' | 'unknown';
  /** Scans after the answer that show no trace of the call. */
  readonly evidence: ScanEvidence;
}

/** A modify, with the terms that it asks for. */
type OpenModify = OpenCall & Pick<ModifyToSend, 'qty' | 'limitPrice' | 'triggerPrice'>;

/** Facts that most orders never have: open calls, evidence for and against them, interventions of the broker or a person. */
export class OrderExtras {
  openModify: OpenModify | null = null;
  openCancel: OpenCall | null = null;
  /** A cancel asked for before the order has a number, by its call id. */
  queuedCancel: ClientOrderId | null = null;
  /** Complete scans that did not show the order, while it should be in the book. */
  absence: ScanEvidence | null = null;
  /** Start of the scan that proved its absence. */
  absentUs = Infinity;
  /** Its owner or a person has canceled it and the order that it sends, until a row is newer than the refusal of the cancel. */
  isCancelRequested = false;
  /** The engine withdraws it until it is over, with the order that it sends, unless that protects a position. */
  isWithdrawn = false;
  /** When the cancel was refused, not sent or proven lost; Infinity: it was none of these. */
  cancelFailedUs = Infinity;
  /** Its last cancel never left: the broker has refused nothing. */
  isCancelUnsent = false;
  /** Scans that show the order at work though a cancel left; null without one. It may still arrive until they are enough. */
  lostCancel: ScanEvidence | null = null;
  /** When it was last withdrawn because it is larger than the position it closes; -Infinity: never. */
  oversizedUs = -Infinity;
  /** When its quantity was last raised, and the quantity before. */
  grownUs = -Infinity;
  grownFrom: Qty = qty(0);
  /** Another order has its number, because the broker's numbers restarted: no call may name it by the number. */
  isNumberLost = false;
  /** Its row contradicts itself or the order as placed. */
  isContradicted = false;
  /** A person's answer where the broker's books were in doubt. */
  resolvedAs: 'absent' | 'live' | null = null;
  /** Matters already alerted; null while there are none. */
  reported: Set<string> | null = null;
}

const NO_EXTRAS: Readonly<OrderExtras> = new OrderExtras();

/** Trigger of a waiting order and the order that it sends; also kept on the order that was sent. */
export class TriggerState {
  /** Kind and trigger as the trigger book shows them; null for an order at the exchange. */
  kind: BrokerTriggerKind | null = null;
  /** Of an inactive trailing stop its activation price, and the direction in which the price reaches that. */
  price: PriceTicks | null = null;
  when: TriggerWhen | null = null;
  /** Trigger price as we asked for it; null where that is not known. */
  placedPrice: PriceTicks | null = null;
  /** When the scan began that showed it waiting last. */
  waitedUs = -Infinity;
  /** Contracts of the orders it sent when it triggered, or that the exits of a bracket cover, as far as they are known. */
  sentQty: Qty = qty(0);
  /** The other half of a bracket: only one of them is ever sent, so the half that was found second exposes nothing. */
  partner: ManagedOrder | null = null;
  isSecondHalf = false;

  constructor(trigger: Trigger | null, side: Side) {
    if (trigger?.kind !== 'stop' && trigger?.kind !== 'trailing_stop') return;
    const isStop = trigger.kind === 'stop';
    this.kind = trigger.kind;
    this.price = isStop ? trigger.triggerPrice : trigger.activationPrice;
    this.placedPrice = this.price;
    this.when = isStop ? trigger.triggerWhen : side === 'sell' ? 'at_or_above' : 'at_or_below';
  }
}

const NO_TRIGGER: Readonly<TriggerState> = new TriggerState(null, 'buy');

/** Limit price of a trigger order whose row has neither limit nor trigger. */
export const NO_PRICE = priceTicks(1);

export type OrderTerms = Pick<
  OrderToSend,
  | 'clientOrderId'
  | 'strategy'
  | 'purpose'
  | 'instrument'
  | 'orderCode'
  | 'side'
  | 'qty'
  | 'limitPrice'
  | 'trigger'
>;

/** Statuses of an order that one of the broker's books shows. */
const IN_A_BOOK: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'accepted',
  'partially_filled',
  'pending_trigger',
  'pending_modify',
  'pending_cancel',
]);

export class ManagedOrder {
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly purpose: Purpose;
  readonly instrument: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly side: Side;
  isAdopted = false;
  createdUs: TsUs;
  /** As it was placed; null for a limit order, and for an order found in the trigger book. */
  readonly trigger: Trigger | null;
  /** It rests, or will rest, in the trigger book, not at the exchange. */
  readonly isTriggerOrder: boolean;
  /** The order that sent or brought this one. */
  readonly parent: ClientOrderId | null;
  /** A stop that the engine placed and manages: its strategy neither sees nor reaches it. */
  isProtective = false;
  qty: Qty;
  limitPrice: PriceTicks;
  /** Changed by `become` alone. */
  status: OrderStatus = 'submitted';
  isFinal = false;
  orderNo: BrokerOrderNo | null = null;
  orderKey: BrokerOrderKey | null = null;
  /** The reference in its row of the in-day book: our id, or that of its sender; null when it has none. */
  refId: ClientOrderId | null;
  filledQty: Qty = qty(0);
  filledValue: Money = money(0);
  fillQuality: FillQuality = 'exact';
  fee: Money = money(0);
  tax: Money = money(0);
  canCancel = true;
  canModify = true;
  /** The broker's words for a refusal that no update has carried yet, empty when none. */
  reason = '';
  /** When the scan began from which the row was last taken. */
  rowUs = -Infinity;
  /** Calls about it that have no answer yet. */
  unanswered = 0;
  /** The engine placed it. Its strategy sees it, and can neither change nor cancel it. */
  isOfSystem = false;
  /** An earlier version of the strategy placed it, and the present one did not ask for it. */
  isLeftBehind = false;
  /** Good till canceled where orders end with the day. */
  isGtc = false;
  /** It waited already when the day began: it may have ended overnight unseen. */
  isCarriedOver = false;
  /** Shared by all orders without one: written through `writableExtras`. */
  extras: Readonly<OrderExtras> = NO_EXTRAS;
  /** Shared by all orders without one: written through `writableTrigger`. */
  triggerState: Readonly<TriggerState> = NO_TRIGGER;

  constructor(
    terms: OrderTerms,
    createdUs: TsUs,
    parent: ClientOrderId | null = null,
    isWaiting = waitsInTriggerBook(terms.trigger),
  ) {
    this.clientOrderId = terms.clientOrderId;
    this.strategy = terms.strategy;
    this.purpose = terms.purpose;
    this.instrument = terms.instrument;
    this.orderCode = terms.orderCode;
    this.side = terms.side;
    this.qty = terms.qty;
    this.limitPrice = terms.limitPrice;
    this.trigger = terms.trigger;
    this.createdUs = createdUs;
    this.parent = parent;
    this.isTriggerOrder = isWaiting;
    this.refId = parent === null ? terms.clientOrderId : null;
    if (isWaiting) this.triggerState = new TriggerState(terms.trigger, terms.side);
  }

  /** For alerts, which are read without a table next to them: `sell 2 41I1GC000 (H.12345600002000017)`. */
  describe(id: string = this.clientOrderId): string {
    return `${this.side} ${this.qty} ${this.orderCode} (${id})`;
  }

  writableExtras(): OrderExtras {
    if (this.extras === NO_EXTRAS) this.extras = new OrderExtras();
    return this.extras;
  }

  writableTrigger(): TriggerState {
    if (this.triggerState === NO_TRIGGER) this.triggerState = new TriggerState(null, this.side);
    return this.triggerState;
  }

  become(status: OrderStatus): void {
    this.status = status;
    this.isFinal = TERMINAL_STATUSES.has(status);
    if (!this.isFinal || this.extras === NO_EXTRAS) return;
    // Open and queued calls of a final order no longer matter.
    const extras = this.writableExtras();
    extras.openModify = null;
    extras.openCancel = null;
    extras.queuedCancel = null;
    extras.absence = null;
  }

  /** A scan shows it, or an answer names it. */
  clearAbsence(): void {
    if (this.extras.absence !== null) this.writableExtras().absence = null;
  }

  /** It waited when the day began, and no scan of the trigger book has shown it since. */
  get isUnseen(): boolean {
    return this.isCarriedOver && this.isTriggerOrder && !this.isFinal && this.rowUs === -Infinity;
  }

  /** The broker accepted it, and the last complete scan of its book shows it or came before it: its absence is not proven. */
  get isInBook(): boolean {
    return IN_A_BOOK.has(this.status) && this.extras.absence === null && !this.extras.isContradicted;
  }

  /** The broker may have it, or have filled it, and no scan shows it: a person may have to resolve it. */
  get isLost(): boolean {
    const isExpected = IN_A_BOOK.has(this.status) && this.extras.absence !== null;
    return isExpected || this.status === 'unknown' || this.status === 'presumed_absent';
  }

  /** No number yet, and not final: the look-up searches the book for it. */
  get isUnresolved(): boolean {
    return this.orderNo === null && !this.isFinal;
  }

  /** It has the number or key that a cancel names, and the book does not forbid a cancel. */
  get canBeCanceled(): boolean {
    if (this.orderNo === null || this.isFinal || this.extras.isNumberLost) return false;
    return this.isTriggerOrder ? this.orderKey !== null && this.status !== 'triggering' : this.canCancel;
  }

  /** Contracts that have filled, or were sent as orders of their own. */
  get #doneQty(): number {
    return this.isTriggerOrder ? this.triggerState.sentQty : this.filledQty;
  }

  get leavesQty(): Qty {
    return this.isFinal ? qty(0) : qty(Math.max(0, this.qty - this.#doneQty));
  }

  get exposedQty(): Qty {
    const { isSecondHalf, partner } = this.triggerState;
    if (this.isFinal || (isSecondHalf && partner?.isFinal === false)) return qty(0);
    return qty(Math.max(0, Math.max(this.qty, this.extras.openModify?.qty ?? 0) - this.#doneQty));
  }

  /** The halves of a bracket have the same. */
  get group(): string | null {
    const { clientOrderId } = this;
    const { partner } = this.triggerState;
    if (partner === null) return null;
    return clientOrderId < partner.clientOrderId ? clientOrderId : partner.clientOrderId;
  }

  /** The broker cancels it by itself, because its other half was sent. */
  get isPartnerSent(): boolean {
    const { partner } = this.triggerState;
    return partner?.status === 'triggering' || partner?.status === 'triggered';
  }

  /** The order that a stop sent is the stop at work; one that a take-profit sent is a limit order that may never fill. */
  get role(): CoverRole {
    if (this.trigger?.kind === 'bracket') return 'entry';
    if (this.isTriggerOrder) return waitingRole(this.side, this.triggerWhen);
    return this.parent === null ? 'exit' : sentRole(this.side, this.triggerWhen);
  }

  get asCover(): CoverOrder {
    const { side, role, group, isProtective } = this;
    return { side, qty: Math.max(this.leavesQty, this.exposedQty), role, group, isProtective };
  }

  get pendingPrice(): PriceTicks | null {
    return this.extras.openModify?.limitPrice ?? null;
  }

  get cancelQueued(): boolean {
    return this.extras.queuedCancel !== null;
  }

  /** A cancel of it is under way, or waits for its number or for the book to allow it. */
  get isBeingCanceled(): boolean {
    return this.status === 'pending_cancel' || this.extras.openCancel !== null || this.cancelQueued;
  }

  get triggerPrice(): PriceTicks | null {
    return this.triggerState.price;
  }

  get triggerWhen(): TriggerWhen | null {
    return this.triggerState.when;
  }

  /** Status to return to when a call fails. */
  get statusBefore(): OrderStatus {
    if (this.extras.openModify !== null) return 'pending_modify';
    if (this.isTriggerOrder) return 'pending_trigger';
    return this.filledQty > 0 ? 'partially_filled' : 'accepted';
  }

  /** With several enlargements since the account was read, the account's figure includes the quantity before the first. */
  grow(now: TsUs, accountReadUs: number): void {
    const extras = this.writableExtras();
    if (extras.grownUs < accountReadUs) extras.grownFrom = this.qty;
    extras.grownUs = now;
  }

  markReported(matter: string): boolean {
    if (this.extras.reported?.has(matter) === true) return false;
    (this.writableExtras().reported ??= new Set()).add(matter);
    return true;
  }

  /** An active trailing stop triggers in the other direction. */
  activateTrail(): void {
    this.writableTrigger().when = this.side === 'sell' ? 'at_or_below' : 'at_or_above';
    if (this.extras.openModify !== null) this.writableExtras().openModify = null;
  }

  /** Restarts the count of scans: earlier times cannot be compared with those to come. */
  setClockBack(at: TsUs): void {
    this.rowUs = Math.min(this.rowUs, at);
    if (this.extras === NO_EXTRAS) return;
    const extras = this.writableExtras();
    extras.grownUs = Math.min(extras.grownUs, at);
    extras.oversizedUs = Math.min(extras.oversizedUs, at);
    if (extras.cancelFailedUs !== Infinity) extras.cancelFailedUs = Math.min(extras.cancelFailedUs, at);
    if (extras.absence !== null) extras.absence = new ScanEvidence(at);
    if (extras.lostCancel !== null) extras.lostCancel = new ScanEvidence(at);
    const { openModify, openCancel } = extras;
    if (openModify !== null) extras.openModify = { ...openModify, evidence: new ScanEvidence(at) };
    if (openCancel !== null) extras.openCancel = { ...openCancel, evidence: new ScanEvidence(at) };
  }

  /** The order as its strategy reads it. Only this view has its age. */
  asWorkingOrder(): WorkingOrder {
    return { ...this.asUpdate(0, 0, null), sinceUs: this.createdUs, isLeftBehind: this.isLeftBehind };
  }

  asUpdate(lastFilledQty: number, lastFilledValue: number, denial: Denial | null): OrderUpdate {
    const update: OrderUpdate = {
      clientOrderId: this.clientOrderId,
      instrument: this.instrument,
      side: this.side,
      status: this.status,
      qty: this.qty,
      limitPrice: this.limitPrice,
      filledQty: this.filledQty,
      filledValue: this.filledValue,
      leavesQty: this.leavesQty,
      lastFilledQty: qty(lastFilledQty),
      lastFilledValue: money(lastFilledValue),
      denial,
      reason: this.reason,
    };
    if (this.parent === null && this.triggerPrice === null) return update;
    return {
      ...update,
      ...(this.parent === null ? {} : { parent: this.parent }),
      ...(this.triggerPrice === null ? {} : { triggerPrice: this.triggerPrice }),
    };
  }
}
