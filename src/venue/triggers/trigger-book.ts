/** The life of orders that wait. One that a trade triggers is sent once its match is over, through the same gate as any order. */
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { priceTicks, type TsUs } from '../../domain/units.ts';
import { TriggerRows } from './trigger-rows.ts';
import {
  type CancelTrigger,
  type ChangeTrigger,
  exitPrices,
  isRefusal,
  type PlaceTrigger,
  refusal,
  type Refusal,
} from '../venue-command.ts';
import type { Outbox, TriggerReport } from '../venue-event.ts';
import {
  entryRefusal,
  placeRefusal,
  priceRefusal,
  triggerOrderRefusal,
  type VenueContext,
} from '../orders/order-checks.ts';
import type { OrderEntry } from '../orders/order-entry.ts';
import type { OrderSender, VenueOrder } from '../orders/venue-order.ts';
import {
  hasFixedTrigger,
  isPending,
  stepTrigger,
  stopTrigger,
  trailingTrigger,
  type TriggerOrder,
  triggerReport,
  type VenueTrigger,
  waitingOrder,
} from './trigger.ts';
import type { VenueRules } from '../venue-options.ts';
import { marketLimit } from '../../domain/contract.ts';
import { opposite } from '../../domain/order.ts';

export type TriggerAnswer = TriggerReport | Refusal;
type TriggerBookState = ReturnType<TriggerRows['exportState']>;

export class TriggerBook {
  readonly #rules: VenueRules;
  readonly #venue: VenueContext;
  readonly #entry: OrderEntry;
  readonly rows: TriggerRows;
  /** Triggered: to be sent once the match is over. */
  #due: TriggerOrder[] = [];
  /** Trailing stops that followed the market. */
  readonly #moved = new Set<TriggerOrder>();
  /** The latest stop-loss of each bracket of today, by its parent's key; its partner is the take-profit. */
  readonly #stopLosses = new Map<string, TriggerOrder>();
  /** New exits that no trade reaches before `release`. */
  readonly #heldBack = new Set<TriggerOrder>();

  constructor(rules: VenueRules, venue: VenueContext, entry: OrderEntry, outbox: Outbox) {
    this.#rules = rules;
    this.#venue = venue;
    this.#entry = entry;
    this.rows = new TriggerRows(outbox, (code, bid, ask) => this.#onTouch(code, bid, ask));
  }

  /** Something waits to be sent or reported. */
  get hasNews(): boolean {
    return this.#due.length > 0 || this.#moved.size > 0;
  }

  place(command: PlaceTrigger, owner = 0): TriggerAnswer {
    const { accountId: id, orderCode: code } = command;
    const { isClosed, nowUs } = this.#venue;
    const unknown = this.#venue.unknownRefusal(id, code);
    if (unknown !== null) return unknown;
    const listing = this.#venue.listing(code);
    if (listing === undefined) return refusal(-6003);
    if (isClosed && this.#rules.triggerLife === 'day') return refusal(-6022);
    const refused = triggerOrderRefusal(command, listing) ?? this.#repeated(command);
    if (refused !== null) return refused;
    if (this.rows.waitingOf(id) >= this.#rules.triggersMax) {
      return refusal(-6038, 'Too many conditional orders');
    }
    const row = this.#rowOf(command, owner);
    this.rows.enter(row, nowUs);
    return triggerReport(row);
  }

  change({ accountId: id, orderKey, triggerPrice }: ChangeTrigger): TriggerAnswer {
    const row = this.rows.find(id, orderKey);
    if (row === undefined) return refusal(-6003);
    const listing = this.#venue.listing(row.orderCode);
    if (listing === undefined || !isPending(row) || hasFixedTrigger(row)) {
      return refusal(-6015);
    }
    const refused = priceRefusal(triggerPrice, listing);
    if (refused !== null) return refused;
    if (row.trigger.trailing === null) row.trigger.price = triggerPrice;
    else row.trigger.trailing.activation = triggerPrice;
    if (row.kind === 'exit') row.limitPrice = this.#exitLimit(row, triggerPrice);
    // The new price, like a new order's, counts from the next trade on.
    this.rows.refresh(row.orderCode);
    this.rows.report(row, this.#venue.nowUs);
    return triggerReport(row);
  }

  cancel({ accountId: id, orderKey }: CancelTrigger): TriggerAnswer {
    const row = this.rows.find(id, orderKey);
    if (row === undefined) return refusal(-6003);
    if (!isPending(row)) return refusal(-6014);
    this.rows.end(row, 'canceled', this.#venue.nowUs);
    return triggerReport(row);
  }

  /** A fill of a bracket brings its exits or lets them grow; one cancels the other. After one was sent it gets exits of its own. */
  onFill(parent: BracketParent, price: number, quantity: number, at: TsUs): void {
    if (parent.bracket === null) return;
    const stopLoss = this.#stopLosses.get(parent.orderKey);
    const takeProfit = stopLoss && this.rows.partnerOf(stopLoss);
    if (!stopLoss || !takeProfit || isSentOrDue(stopLoss) || isSentOrDue(takeProfit)) {
      const from = exitPrices(parent.bracket, parent.side, price);
      // Prices as their owner moved them last.
      const low = stopLoss?.trigger.price ?? from.stopLoss;
      const high = takeProfit?.trigger.price ?? from.takeProfit;
      return this.#attach(parent, low, high, quantity, at);
    }
    for (const half of [stopLoss, takeProfit]) {
      if (!isPending(half)) continue;
      half.qty += quantity;
      this.rows.report(half, at);
    }
  }

  /** Exits that a fill has just brought wait until `release`. */
  holdBack({ orderKey, orderCode }: BracketParent, at: TsUs): void {
    for (const row of this.rows.waitingIn(orderCode)) {
      if (row.parentKey !== orderKey || row.placedUs !== at) continue;
      this.rows.suspend(row);
      this.#heldBack.add(row);
    }
    this.rows.refresh(orderCode);
  }

  get hasHeldBack(): boolean {
    return this.#heldBack.size > 0;
  }

  release(code: OrderCode): void {
    for (const row of this.#heldBack) {
      if (row.orderCode !== code) continue;
      this.#heldBack.delete(row);
      if (isPending(row) && row.suspended) this.rows.resume(row);
    }
  }

  /** The account holds nothing in a contract any more: exits have nothing left to close. */
  endExits(id: AccountId, code: OrderCode, at: TsUs): void {
    for (const row of [...this.rows.waitingIn(code), ...this.#heldBack]) {
      if (row.kind === 'exit' && row.accountId === id && row.orderCode === code && isPending(row))
        this.rows.end(row, 'canceled', at, 'The position is closed');
    }
    this.rows.refresh(code);
  }

  /** Sends the orders that the last match triggered, and reports those that it moved. */
  sendDue(at: TsUs): void {
    const due = this.#due;
    this.#due = [];
    // One that the closing price moved has expired by now, and is reported as that.
    for (const row of this.#moved) if (isPending(row) && !row.suspended) this.rows.report(row, at);
    this.#moved.clear();
    for (const row of due) if (isPending(row)) this.#send(row, at);
  }

  expireAll(at: TsUs): void {
    if (this.#rules.triggerLife === 'contract') return;
    for (const row of this.rows.all()) if (isPending(row) && !row.isGtc) this.#expire(row, '', at);
  }

  endContract(code: OrderCode, at: TsUs): void {
    for (const row of this.rows.all()) {
      if (isPending(row) && row.orderCode === code) this.#expire(row, refusal(-6033).text, at);
    }
  }

  beginDay(): void {
    this.rows.beginDay();
    this.#stopLosses.clear();
  }

  reports(id: AccountId): TriggerReport[] {
    return this.rows.of(id).map(triggerReport);
  }

  restore({ triggers, triggerNoNext }: TriggerBookState): void {
    this.rows.restore(triggers, triggerNoNext);
    // Later exits of a parent replace earlier ones.
    for (const row of this.rows.all())
      if (row.parentKey !== null && row.half === 'stop_loss') this.#stopLosses.set(row.parentKey, row);
  }

  #expire(row: TriggerOrder, reason: string, at: TsUs): void {
    this.rows.end(row, 'canceled', at, reason, true);
    this.rows.refresh(row.orderCode);
  }

  /** A trade or a quote at which something happens, in the middle of a match. */
  #onTouch(code: OrderCode, bid: number, ask: number): void {
    const canSend = entryRefusal(this.#venue.phase) === null;
    for (const row of this.rows.waitingIn(code)) {
      const step = stepTrigger(row.trigger, row.trigger.side === 'sell' ? bid : ask);
      if (step === 'moves') this.#moved.add(row);
      // An order that cannot be sent now triggers at the next trade that finds its price.
      if (step !== 'fires' || !canSend) continue;
      this.#due.push(row);
      this.rows.suspend(row);
      const partner = this.rows.partnerOf(row);
      if (partner !== undefined && isPending(partner)) this.rows.suspend(partner);
    }
    this.rows.refresh(code);
  }

  #send(row: TriggerOrder, at: TsUs): void {
    const { accountId, orderCode: code, side, kind, qty, isGtc } = row;
    const partner = this.rows.partnerOf(row);
    const limitPrice = priceTicks(this.#limitOf(row));
    const command = { accountId, orderCode: code, side, limitPrice, qty, refId: null, isGtc };
    const sender: OrderSender = {
      owner: row.owner,
      triggerPrice: row.trigger.price,
      decidedUs: this.#venue.nowUs,
      decidedMidTwice: this.#venue.midTwice?.(code) ?? 0,
    };
    const sent = placeRefusal(command, this.#venue) ?? this.#entry.place(command, kind, sender);
    if (!isRefusal(sent)) {
      row.sentQty = qty;
      row.children = [sent.orderNo];
      this.rows.end(row, 'activated', at);
      if (partner?.suspended === true) this.rows.end(partner, 'canceled', at, 'The other half was triggered');
    } else {
      this.rows.end(row, 'rejected', at, sent.text);
      if (partner?.suspended === true) this.rows.resume(partner);
    }
  }

  /** An exit's price is the broker's to choose: never outside the band. */
  #limitOf(row: TriggerOrder): number {
    const band = this.#venue.listing(row.orderCode)?.band;
    if (row.kind !== 'exit' || band === undefined) return row.limitPrice;
    return Math.min(band.ceiling, Math.max(band.floor, row.limitPrice));
  }

  /** The reference of an order with a trigger is there against doubles (contract, 4.3). */
  #repeated({ accountId: id, refId }: PlaceTrigger): Refusal | null {
    const isKnown = refId !== null && this.rows.of(id).some((row) => row.refId === refId);
    return isKnown ? refusal(-6004) : null;
  }

  #attach(parent: BracketParent, low: number, high: number, quantity: number, at: TsUs): void {
    const stopLoss = this.#exit(parent, 'stop_loss', low, quantity, at);
    const takeProfit = this.#exit(parent, 'take_profit', high, quantity, at);
    stopLoss.partnerKey = takeProfit.orderKey;
    takeProfit.partnerKey = stopLoss.orderKey;
    this.#stopLosses.set(parent.orderKey, stopLoss);
    this.rows.enter(stopLoss, at);
    this.rows.enter(takeProfit, at);
  }

  #exit(
    { side: entered, orderNo: parentOrderNo, orderKey: parentKey, ...parent }: BracketParent,
    half: 'stop_loss' | 'take_profit',
    triggerPrice: number,
    qty: number,
    at: TsUs,
  ): TriggerOrder {
    const { accountId, day, orderCode, owner, isGtc } = parent;
    const side = opposite(entered);
    const falls = (half === 'stop_loss') === (side === 'sell');
    return waitingOrder({
      accountId,
      day,
      orderNo: this.rows.takeNo(),
      orderKey: this.#entry.store.takeKey(),
      refId: null,
      owner,
      orderCode,
      side,
      kind: 'exit',
      half,
      parentOrderNo,
      parentKey,
      isGtc,
      placedUs: at,
      trigger: stopTrigger(side, falls ? 'at_or_below' : 'at_or_above', triggerPrice),
      qty,
      limitPrice: this.#exitLimit({ side, half }, triggerPrice),
    });
  }

  /** The limit of the order an exit sends: a take-profit asks for its price, a stop-loss gives way to be filled. */
  #exitLimit({ side, half }: Pick<TriggerOrder, 'side' | 'half'>, triggerPrice: number): number {
    if (half === 'take_profit') return triggerPrice;
    const slip = this.#rules.stopLossSlipTicks;
    return side === 'sell'
      ? Math.max(marketLimit(side), triggerPrice - slip)
      : Math.min(marketLimit(side), triggerPrice + slip);
  }

  #rowOf(command: PlaceTrigger, owner: number): TriggerOrder {
    const { accountId: id, orderCode, side, qty, limitPrice, refId, kind, isGtc = false } = command;
    return waitingOrder({
      accountId: id,
      day: this.#venue.day,
      orderNo: this.rows.takeNo(),
      orderKey: this.#entry.store.takeKey(),
      refId,
      owner,
      orderCode,
      side,
      kind,
      half: null,
      parentOrderNo: null,
      parentKey: null,
      isGtc,
      placedUs: this.#venue.nowUs,
      trigger: triggerOf(command),
      qty,
      limitPrice,
    });
  }
}

function triggerOf(command: PlaceTrigger): VenueTrigger {
  switch (command.kind) {
    case 'stop':
      return stopTrigger(command.side, command.triggerWhen, command.triggerPrice);
    case 'trailing_stop':
      return trailingTrigger(command.side, command.activationPrice, command.offset);
  }
}

/** The order of the in-day book that exits are made from. */
type BracketParent = Pick<
  VenueOrder,
  'accountId' | 'day' | 'orderNo' | 'orderKey' | 'orderCode' | 'side' | 'bracket' | 'owner' | 'isGtc'
>;

/** Or is about to be. */
const isSentOrDue = ({ status, suspended }: TriggerOrder): boolean =>
  suspended || status === 'activated' || status === 'rejected';
