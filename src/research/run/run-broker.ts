/** The broker of a run: the ports where live has REST, and the venue behind them. */
import type { BrokerAccount, BrokerOrder, CallOutcome } from '../../domain/broker-order.ts';
import { type Seq, type TsUs, durationUs, priceHundredths, priceTicks } from '../../domain/units.ts';
import type {
  ApprovedCancel,
  ApprovedModify,
  ApprovedOrder,
  CancelToSend,
  ModifyToSend,
  OrderToSend,
} from '../../engine/ports/approved.ts';
import type {
  BookRows,
  CallAnswer,
  EngineEvent,
  OrderNews,
  ReferenceRow,
  ReadKind,
} from '../../engine/ports/engine-event.ts';
import type { AccountNow, Gateway, Reports } from '../../engine/ports/outbound.ts';
import { sentNow, type OrderSender, type VenueOrder } from '../../venue/orders/venue-order.ts';
import type { JournalDigest } from './journal-digest.ts';
import { type RunAccount, ACCOUNT } from './run-account.ts';
import { DelayLine, ReadPace, type VirtualClock, seqOf, timeOf } from './virtual-time.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { CEILING_NONE, type Contract, type PriceBand } from '../../domain/contract.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import type { EngineSettings } from '../../domain/settings.ts';
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
import type { Exchange } from '../../venue/exchange/exchange.ts';
import { type VenueContext, placeRefusal } from '../../venue/orders/order-checks.ts';
import { OrderEntry, type OrderFill, type OrderListener } from '../../venue/orders/order-entry.ts';
import { DEFAULT_RULES } from '../../venue/venue-options.ts';
import type { BacktestPlan } from '../backtest-plan.ts';
import { BrokerBooks, bracketOf, outcomeOf } from './broker-books.ts';
import { RunMargin } from './run-margin.ts';

/** An event before it has its place in the sequence. */
type UnnumberedEvent = EngineEvent & { seq: Seq; tsUs: TsUs };

const SCANS_A_SECOND = 2;
/** A start asks several times. */
const POSITION_READS_A_SECOND = 8;
const [NO_SEQ, NO_TIME] = [seqOf(0), timeOf(0)];

type VenuePlan = Pick<
  BacktestPlan,
  'costs' | 'margin' | 'moneyScale' | 'isMarginRuleOn' | 'fill' | 'latency' | 'seed'
> & {
  readonly settings: Pick<EngineSettings, 'marketOrders'> & {
    readonly risk: Pick<EngineSettings['risk'], 'drawdownMax'>;
  };
};

type DelayedCall = OrderSender &
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

/** Calls and answers take their time, and none overtakes another. */
export class RunBroker implements Gateway, Reports, AccountNow {
  readonly reportsOnce = true;
  readonly accountNow: AccountNow | undefined;
  readonly venue: RunVenue;
  orders = 0;
  /** The day's references, as they become known. */
  references: readonly ReferenceRow[] = [];
  readonly #plan: VenuePlan;
  readonly #clock: VirtualClock;
  readonly #account: RunAccount;
  readonly #calls: DelayLine<DelayedCall>;
  readonly #answers: DelayLine<UnnumberedEvent>;
  readonly #scans = new ReadPace(SCANS_A_SECOND);
  readonly #positions = new ReadPace(POSITION_READS_A_SECOND);
  /** To the call that arrives now, until it is reported with its changes. */
  #answer: CallAnswer | null = null;

  constructor(plan: VenuePlan, clock: VirtualClock, account: RunAccount, digest: JournalDigest) {
    const { latency, seed, settings } = plan;
    this.#plan = plan;
    this.#clock = clock;
    this.#account = account;
    this.#calls = new DelayLine(latency.order, seed);
    this.#answers = new DelayLine(latency.report, seed + 1);
    // A limit follows the account: it is read from time to time.
    this.accountNow = settings.risk.drawdownMax === undefined ? this : undefined;
    this.venue = new RunVenue(plan, clock, account, digest, this);
  }

  get nextUs(): number {
    const reads = Math.min(this.#scans.nextUs, this.#positions.nextUs);
    return Math.min(this.#calls.nextUs, this.#answers.nextUs, reads, this.venue.monitor.nextUs);
  }

  submit(order: ApprovedOrder): void {
    this.orders += 1;
    const decidedMidTwice = this.#account.instruments[order.instrument]?.midTwice ?? 0;
    const { strategy: owner } = order;
    const decidedUs = this.#clock.nowUs;
    this.#call({ call: 'place', sent: order, owner, triggerPrice: null, decidedUs, decidedMidTwice });
  }

  modify(modify: ApprovedModify): void {
    this.#call({ call: 'modify', sent: modify, ...sentNow(this.#clock.nowUs) });
  }

  cancel(cancel: ApprovedCancel): void {
    this.#call({ call: 'cancel', sent: cancel, ...sentNow(this.#clock.nowUs) });
  }

  read(what: ReadKind): void {
    if (what === 'book') return this.#request(this.#scans);
    if (what === 'triggers') return this.triggers();
    if (what === 'positions') {
      this.#request(this.#positions);
      return this.#sendDuePositions();
    }
    const head = { seq: NO_SEQ, tsUs: NO_TIME };
    if (what === 'reference') this.#send({ kind: 'reference', ...head, rows: this.references });
    else if (what === 'account' && this.accountNow === undefined)
      this.#send({ kind: 'account_snapshot', ...head, startedUs: this.#nowUs, account: this.figures() });
    // The table of contracts was sent with the beginning of the day.
  }

  pollPace(): void {
    // Fills are reported at once: there is no pace to set.
  }

  /** As the broker shows the account; with buying power without end where it alone asks for margin. */
  figures(): BrokerAccount {
    return this.venue.margin.accountFigures(this.#plan.isMarginRuleOn ? null : Number.MAX_SAFE_INTEGER);
  }

  get arrivedUs(): number {
    return this.#calls.first?.decidedUs ?? Infinity;
  }

  /** Does due work, and takes the next due answer to the engine; null when there is none. */
  step(nowUs: number): UnnumberedEvent | null {
    while (this.#calls.nextUs <= nowUs) {
      const call = this.#calls.take();
      if (call === undefined) break;
      this.#answer = this.venue.answerTo(call);
      this.venue.report();
      if (this.#answer !== null) this.#sendReport(null);
    }
    if (this.#scans.nextUs <= nowUs && this.#isReadDue(this.#scans, nowUs))
      this.#sendScan({ list: 'orders', orders: this.venue.books.scan() });
    if (this.#positions.nextUs <= nowUs) this.#sendDuePositions();
    if (this.venue.monitor.nextUs <= nowUs) this.venue.runMargin();
    return this.#answers.nextUs <= nowUs ? (this.#answers.take() ?? null) : null;
  }

  /** To be called when the book of the day that ended is to be shown once more. */
  scanAt(atUs: number): void {
    this.#scans.requestAt(atUs);
    this.#clock.wakeAt(atUs);
  }

  #call(call: DelayedCall): void {
    if (this.#calls.nextUs === Infinity && this.#answers.nextUs === Infinity)
      this.venue.books.forgetReported();
    this.#calls.send(this.#clock.nowUs, call);
    this.#clock.wakeAt(this.#calls.nextUs);
  }

  changed(rows: readonly BrokerOrder[]): void {
    const account = this.accountNow === undefined ? this.figures() : null;
    this.#sendReport({ startedUs: this.#nowUs, rows, account });
  }

  #sendReport(news: OrderNews | null): void {
    const answer = this.#answer;
    this.#answer = null;
    this.#send({ kind: 'execution_report', seq: NO_SEQ, tsUs: NO_TIME, answer, news });
  }

  #sendScan(rows: BookRows): void {
    const head = { seq: NO_SEQ, tsUs: NO_TIME, startedUs: this.#nowUs, complete: true };
    this.#send({ kind: 'book_snapshot', ...rows, ...head });
  }

  /** The whole trigger book: only the whole of it proves whose a new row is. */
  triggers(): void {
    // They may show the order that the call has placed.
    if (this.#answer !== null) this.#sendReport(null);
    this.#sendScan({ list: 'triggers', orders: this.venue.books.scanTriggers() });
  }

  #sendDuePositions(): void {
    if (!this.#isReadDue(this.#positions, this.#clock.nowUs)) return;
    const startedUs = this.#nowUs;
    const positions = this.#account.positions();
    this.#send({ kind: 'position_snapshot', seq: NO_SEQ, tsUs: NO_TIME, startedUs, positions });
  }

  #send(answer: UnnumberedEvent): void {
    this.#answers.send(this.#clock.nowUs, answer);
    this.#clock.wakeAt(this.#answers.nextUs);
  }

  #request(pace: ReadPace): void {
    pace.request(this.#clock.nowUs);
    this.#clock.wakeAt(pace.nextUs);
  }

  /** Reads of the whole account wait while some market keeps its fills to itself. */
  #isReadDue(pace: ReadPace, nowUs: number): boolean {
    if (pace.nextUs > nowUs) return false;
    let silentUntilUs = -Infinity;
    for (const { exchange } of this.#account.instruments)
      if (exchange !== null && exchange.silentUntilUs > silentUntilUs) ({ silentUntilUs } = exchange);
    if (silentUntilUs <= nowUs) return pace.consumeDue(nowUs);
    pace.requestAt(silentUntilUs);
    return false;
  }

  get #nowUs(): TsUs {
    return timeOf(this.#clock.nowUs);
  }
}

/** The venue of a run: order entry, trigger book and margin monitor of the simulator over the markets of the day. */
export class RunVenue implements VenueContext, OrderListener {
  fills = 0;
  phase: SessionPhase = 'closed';
  isClosed = true;
  readonly #plan: VenuePlan;
  readonly #clock: VirtualClock;
  readonly #account: RunAccount;
  readonly #digest: JournalDigest;
  readonly #broker: RunBroker;
  readonly entry: OrderEntry;
  /** See a trade or a quote of the tape before our orders meet it. */
  readonly triggers: TriggerBook;
  readonly books: BrokerBooks;
  readonly margin: RunMargin;
  readonly monitor: MarginMonitor;
  readonly #acceptsMarketOrders: boolean;
  readonly #exitsStartNextBar: boolean;
  #hasGtc = false;
  /** An order that waits, or one with exits, was placed in this run: until then nothing asks for changes of the trigger book. */
  #hasTriggers = false;

  constructor(
    plan: VenuePlan,
    clock: VirtualClock,
    account: RunAccount,
    digest: JournalDigest,
    broker: RunBroker,
  ) {
    this.#plan = plan;
    this.#clock = clock;
    this.#account = account;
    this.#digest = digest;
    this.#broker = broker;
    this.#acceptsMarketOrders = plan.settings.marketOrders === true;
    this.#exitsStartNextBar = plan.fill.on === 'bars' && plan.fill.exitsFrom === 'next_bar';
    this.entry = new OrderEntry(plan.costs, RULES, this, this);
    const stopLossSlipTicks = this.#acceptsMarketOrders ? CEILING_NONE : RULES.stopLossSlipTicks;
    const outbox = new Outbox();
    this.triggers = new TriggerBook({ ...RULES, stopLossSlipTicks }, this, this.entry, outbox);
    this.books = new BrokerBooks(this.entry.store, outbox, account, this);
    this.margin = new RunMargin(plan.margin, account, this.entry.store, plan.moneyScale);
    this.monitor = new MarginMonitor(this.entry, this.margin, this);
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
      for (const order of this.entry.store.open(ACCOUNT)) if (order.isGtc) this.books.mark(order);
      this.report();
    }
    for (const { exchange } of this.#account.instruments) exchange?.setPhase(phase, atUs);
  }

  /** Orders of days before rest again in the markets of this one; an order that waits for its leg has been in none. */
  restoreResting(): void {
    for (const order of this.entry.store.open(ACCOUNT).filter(({ isInBook }) => isInBook))
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
    this.#hasTriggers = true;
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
    return outcomeOf(this.entry.change({ accountId: ACCOUNT, orderNo, limitPrice, qty }));
  }

  #canceled({ orderNo, orderKey }: CancelToSend): CallOutcome {
    if (orderKey !== null) return outcomeOf(this.triggers.cancel({ accountId: ACCOUNT, orderKey }));
    return outcomeOf(this.entry.cancel({ accountId: ACCOUNT, orderNo }));
  }

  #enter(command: PlaceLimit, origin: OrderOrigin, sender: OrderSender): CallOutcome {
    return outcomeOf(placeRefusal(command, this) ?? this.entry.place(command, origin, sender));
  }

  #wait(command: PlaceTrigger, owner: number): CallOutcome {
    const outcome = outcomeOf(this.triggers.place(command, owner));
    this.books.readTriggers();
    return outcome;
  }

  /** Something happened in a row that `report` has to follow up. */
  get hasChanges(): boolean {
    return this.books.hasChanges || (this.books.isWatching && this.triggers.hasNews);
  }

  /** Runs arrivals and triggers after a call or a row, then reports every change. */
  report(): void {
    const { nowUs } = this;
    for (;;) {
      if (this.#hasTriggers && this.triggers.hasNews) this.triggers.sendDue(nowUs);
      else if (this.entry.nextDueUs <= nowUs) this.entry.runDue(nowUs);
      else break;
    }
    if (this.#hasTriggers) this.#reportTriggers();
    const rows = this.books.drainChanged();
    if (rows.length === 0) return;
    this.#broker.changed(rows);
    this.noticeMargin();
    this.#clock.wakeAt(this.monitor.nextUs);
  }

  /** The day is over: every order ends, and shows in the next scan. */
  expire(): void {
    this.isClosed = true;
    this.triggers.expireAll(this.nowUs);
    this.#reportTriggers();
    this.entry.expireAll(this.nowUs);
  }

  /** While a position is held the broker measures margin on each whole second of continuous trading. */
  noticeMargin(): void {
    if (this.margin.isWatched && this.phase === 'continuous') this.monitor.notice(this.nowUs);
  }

  /** Prices may bring a position below maintenance margin: each row is checked. */
  get isMarginWatched(): boolean {
    return this.margin.isMaintained && this.margin.isExposed;
  }

  /** A row went by while `isMarginWatched`. */
  watchMargin(): void {
    this.noticeMargin();
    this.#clock.wakeAt(this.monitor.nextUs);
  }

  runMargin(): void {
    this.monitor.run(this.nowUs);
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
    if (order.bracket !== null || this.books.isWatching) {
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
    if (this.books.consumeTriggerChange()) this.#broker.triggers();
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
