/** The venue of a run: order entry, trigger book and margin monitor of the simulator over the markets of the day. */
import type { BrokerOrder, CallOutcome } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { CEILING_NONE, type Contract, type PriceBand } from '../../domain/contract.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import type { EngineSettings } from '../../domain/settings.ts';
import { type TsUs, durationUs, priceHundredths, priceTicks } from '../../domain/units.ts';
import type {
  ApprovedCancel,
  ApprovedModify,
  ApprovedOrder,
  CancelToSend,
  ModifyToSend,
  OrderToSend,
} from '../../engine/ports/approved.ts';
import type { CallAnswer } from '../../engine/ports/engine-event.ts';
import { MarginMonitor } from '../../venue/margin-monitor.ts';
import {
  type OrderOrigin,
  type PlaceLimit,
  type PlaceTrigger,
  type Refusal,
  refusal,
} from '../../venue/venue-command.ts';
import { TriggerBook } from '../../venue/triggers/trigger-book.ts';
import { type Listing, Outbox } from '../../venue/venue-event.ts';
import type { Exchange, FillSink } from '../../venue/exchange/exchange.ts';
import { type VenueContext, placeRefusal } from '../../venue/orders/order-checks.ts';
import { OrderEntry, type OrderFill, type OrderListener } from '../../venue/orders/order-entry.ts';
import type { OrderSender, VenueOrder } from '../../venue/orders/venue-order.ts';
import { DEFAULT_RULES } from '../../venue/venue-options.ts';
import type { BacktestPlan } from '../backtest-plan.ts';
import { BrokerBooks, bracketOf, outcomeOf } from './broker-books.ts';
import type { JournalDigest } from './journal-digest.ts';
import { type VirtualClock, timeOf } from './virtual-time.ts';
import { ACCOUNT, type RunAccount } from './run-account.ts';
import { RunMargin } from './run-margin.ts';

export type VenuePlan = Pick<
  BacktestPlan,
  'costs' | 'margin' | 'moneyScale' | 'isMarginRuleOn' | 'fill' | 'latency' | 'seed'
> & {
  readonly settings: Pick<EngineSettings, 'marketOrders'> & {
    readonly risk: Pick<EngineSettings['risk'], 'drawdownMax'>;
  };
};

export type DelayedCall = OrderSender &
  (
    | { readonly call: 'place'; readonly sent: ApprovedOrder }
    | { readonly call: 'modify'; readonly sent: ApprovedModify }
    | { readonly call: 'cancel'; readonly sent: ApprovedCancel }
  );

/** Latencies are the run's: a command that arrives here is final at once, and may change price and quantity together. */
const RULES = { ...DEFAULT_RULES, gatewayDelay: durationUs(0), changeOfBoth: 'replace' } as const;
const NO_BAND: PriceBand = {
  ceiling: priceTicks(CEILING_NONE),
  floor: priceTicks(0),
  reference: priceHundredths(0),
};

export interface VenueNews {
  changed(rows: readonly BrokerOrder[]): void;
  triggers(): void;
}

export class RunVenue implements VenueContext, OrderListener {
  fills = 0;
  phase: SessionPhase = 'closed';
  isClosed = true;
  readonly #plan: VenuePlan;
  readonly #clock: VirtualClock;
  readonly #account: RunAccount;
  readonly #digest: JournalDigest;
  readonly #news: VenueNews;
  readonly #entry: OrderEntry;
  /** See a trade or a quote of the tape before our orders meet it. */
  readonly triggers: TriggerBook;
  readonly books: BrokerBooks;
  readonly margin: RunMargin;
  readonly #monitor: MarginMonitor;
  readonly #acceptsMarketOrders: boolean;
  readonly #exitsStartNextBar: boolean;
  #hasGtc = false;

  constructor(
    plan: VenuePlan,
    clock: VirtualClock,
    account: RunAccount,
    tape: JournalDigest,
    news: VenueNews,
  ) {
    this.#plan = plan;
    this.#clock = clock;
    this.#account = account;
    this.#digest = tape;
    this.#news = news;
    this.#acceptsMarketOrders = plan.settings.marketOrders === true;
    this.#exitsStartNextBar = plan.fill.on === 'bars' && plan.fill.exitsFrom === 'next_bar';
    this.#entry = new OrderEntry(plan.costs, RULES, this, this);
    const stopLossSlipTicks = this.#acceptsMarketOrders ? CEILING_NONE : RULES.stopLossSlipTicks;
    const outbox = new Outbox();
    this.triggers = new TriggerBook({ ...RULES, stopLossSlipTicks }, this, this.#entry, outbox);
    this.books = new BrokerBooks(this.#entry.store, outbox, account, this);
    this.margin = new RunMargin(plan.margin, account, this.#entry.store, plan.moneyScale);
    this.#monitor = new MarginMonitor(this.#entry, this.margin, this);
  }

  get sink(): FillSink<VenueOrder> {
    return this.#entry;
  }

  /** When margin is measured next; infinite while nothing moves. */
  get marginUs(): number {
    return this.#monitor.nextUs;
  }

  /** After the markets of the day were opened. */
  openDay(day: TradingDay, bands: ReadonlyMap<number, PriceBand>): void {
    this.isClosed = false;
    this.#account.openDay(day);
    for (const { contract, exchange } of this.#account.instruments)
      this.setBand(contract, exchange === null ? null : (bands.get(contract.index) ?? NO_BAND));
    this.margin.openDay();
    this.triggers.beginDay();
    this.noticeMargin();
  }

  /** The band of a contract whose reference is known from its first trade on; null where it is not traded. */
  setBand(contract: Contract, band: PriceBand | null): void {
    const takesMarketOrders = this.#acceptsMarketOrders;
    this.#account.mark(contract.orderCode).listing =
      band === null ? null : { contract, band, takesMarketOrders };
  }

  setPhase(phase: SessionPhase, atUs: number): void {
    this.phase = phase;
    this.noticeMargin();
    if (phase === 'continuous' && this.#hasGtc) {
      // Their rows of last evening say that they cannot be canceled.
      for (const order of this.#entry.store.open(ACCOUNT)) if (order.isGtc) this.books.mark(order);
      this.report();
    }
    for (const { exchange } of this.#account.instruments) exchange?.setPhase(phase, atUs);
  }

  /** Orders of days before rest again in the markets of this one; an order that waits for its leg has been in none. */
  restoreResting(): void {
    for (const order of this.#entry.store.open(ACCOUNT).filter(({ isInBook }) => isInBook))
      this.book(order.orderCode)?.enter(order);
    this.report();
  }

  answerTo(call: DelayedCall): CallAnswer {
    const { clientOrderId } = call.sent;
    if (call.call === 'place')
      return { call: 'place', callId: clientOrderId, clientOrderId, outcome: this.#placed(call.sent, call) };
    const { callId } = call.sent;
    const outcome = call.call === 'modify' ? this.#modified(call.sent) : this.#canceled(call.sent);
    return { call: call.call, callId, clientOrderId, outcome };
  }

  /** An accepted order enters its market with the next `report`. */
  #placed(order: OrderToSend, sender: OrderSender): CallOutcome {
    const { clientOrderId: refId, orderCode, side, limitPrice, qty, trigger } = order;
    const isGtc = order.timeInForce === 'gtc';
    if (isGtc) this.#hasGtc = true;
    const command = { accountId: ACCOUNT, orderCode, side, limitPrice, qty, refId, isGtc };
    if (trigger === null) return this.#enter(command, 'plain', sender);
    switch (trigger.kind) {
      case 'bracket':
        return this.#enter({ ...command, bracket: bracketOf(side, limitPrice, trigger) }, 'bracket', sender);
      case 'stop': {
        const { kind, triggerPrice, triggerWhen } = trigger;
        return this.#wait({ ...command, kind, triggerPrice, triggerWhen }, sender.owner);
      }
      case 'trailing_stop': {
        const { kind, activationPrice, trailingOffset: offset } = trigger;
        return this.#wait({ ...command, kind, activationPrice, offset }, sender.owner);
      }
      case 'arbitrage':
        return this.#enter({ ...command, leg: trigger.legCode }, 'arbitrage', sender);
    }
  }

  #modified({ orderNo, orderKey, limitPrice, qty, triggerPrice }: ModifyToSend): CallOutcome {
    if (orderKey !== null && triggerPrice !== null)
      return outcomeOf(this.triggers.change({ accountId: ACCOUNT, orderKey, triggerPrice }));
    return outcomeOf(this.#entry.change({ accountId: ACCOUNT, orderNo, limitPrice, qty }));
  }

  #canceled({ orderNo, orderKey }: CancelToSend): CallOutcome {
    if (orderKey !== null) return outcomeOf(this.triggers.cancel({ accountId: ACCOUNT, orderKey }));
    return outcomeOf(this.#entry.cancel({ accountId: ACCOUNT, orderNo }));
  }

  #enter(command: PlaceLimit, origin: OrderOrigin, sender: OrderSender): CallOutcome {
    return outcomeOf(placeRefusal(command, this) ?? this.#entry.place(command, origin, sender));
  }

  #wait(command: PlaceTrigger, owner: number): CallOutcome {
    const outcome = outcomeOf(this.triggers.place(command, owner));
    this.books.readTriggers();
    return outcome;
  }

  get isWatching(): boolean {
    return this.books.isWatching;
  }

  /** Something happened in a row that `report` has to follow up. */
  get hasChanges(): boolean {
    return this.books.hasChanges || (this.isWatching && this.triggers.hasNews);
  }

  /** Runs arrivals and triggers after a call or a row, then reports every change. */
  report(): void {
    const { nowUs } = this;
    while (this.triggers.hasNews || this.#entry.nextDueUs <= nowUs) {
      if (this.triggers.hasNews) this.triggers.sendDue(nowUs);
      else this.#entry.runDue(nowUs);
    }
    this.#reportTriggers();
    const rows = this.books.drainChanged();
    if (rows.length === 0) return;
    this.#news.changed(rows);
    this.noticeMargin();
    this.#clock.wakeAt(this.#monitor.nextUs);
  }

  /** The day is over: every order ends, and shows in the next scan. */
  expire(): void {
    this.isClosed = true;
    this.triggers.expireAll(this.nowUs);
    this.#reportTriggers();
    this.#entry.expireAll(this.nowUs);
  }

  /** While a position is held the broker measures margin on each whole second of continuous trading. */
  noticeMargin(): void {
    if (this.margin.isWatched && this.phase === 'continuous') this.#monitor.notice(this.nowUs);
  }

  /** Prices may bring a position below maintenance margin: each row is checked. */
  get isMarginWatched(): boolean {
    return this.margin.isMaintained && this.margin.isExposed;
  }

  /** A row went by while `isMarginWatched`. */
  watchMargin(): void {
    this.noticeMargin();
    this.#clock.wakeAt(this.#monitor.nextUs);
  }

  runMargin(): void {
    this.#monitor.run(this.nowUs);
    this.report();
    // Maintenance margin waits for the next row.
    if (this.#plan.margin !== 'cash') this.noticeMargin();
  }

  /** The answer to a call says that its order was accepted, and where. */
  onChange(order: VenueOrder, _at: TsUs, change: 'accepted' | 'entered' | 'other'): void {
    const isAnswered = change === 'entered' && !order.modified && order.source === 'user';
    if (change !== 'accepted' && !isAnswered) this.books.mark(order);
  }

  onFill(order: VenueOrder, fill: OrderFill, at: TsUs): void {
    const instrument = this.#account.mark(order.orderCode);
    this.fills += 1;
    this.#account.execute(order, fill, instrument, at);
    if (order.bracket !== null || this.isWatching) {
      this.triggers.onFill(order, fill.price, fill.qty, at);
      if (this.#exitsStartNextBar && order.bracket !== null) this.triggers.holdBack(order, at);
      const isFlat = this.#account.netOf(instrument.contract.index) === 0;
      if (isFlat) this.triggers.endExits(ACCOUNT, order.orderCode, at);
      this.books.readTriggers();
    }
    const signed = order.side === 'buy' ? fill.qty : -fill.qty;
    this.#digest.addExecution(at, instrument.contract.index, order.owner, signed, fill.price);
    this.books.mark(order);
  }

  #reportTriggers(): void {
    if (this.books.consumeTriggerChange()) this.#news.triggers();
  }

  // The part of `VenueContext` that order entry, triggers and checks ask for.

  get nowUs(): TsUs {
    return timeOf(this.#clock.nowUs);
  }

  get day(): TradingDay {
    return this.#account.day;
  }

  listing(code: OrderCode): Listing | undefined {
    return this.#account.find(code)?.listing ?? undefined;
  }

  book(code: OrderCode): Exchange<VenueOrder> | undefined {
    const instrument = this.#account.find(code);
    return instrument === undefined || instrument.listing === null
      ? undefined
      : (instrument.exchange ?? undefined);
  }

  midTwice(code: OrderCode): number {
    return this.#account.mark(code).midTwice;
  }

  unknownRefusal(_id: AccountId, code: OrderCode): Refusal | null {
    return this.listing(code) === undefined ? refusal(-6003) : null;
  }

  riskRefusal(command: PlaceLimit): Refusal | null {
    return this.margin.refusal(command);
  }
}
