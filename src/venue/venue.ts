/** The exchange and the broker's back office behind it, as one pure machine: commands and time in, events out. */
import { assert } from '../domain/assert.ts';
import { assertCalendar, sessionOnOrBefore, type SessionPhase, tradingDayAt } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import type { Contract } from '../domain/contract.ts';
import { type AccountId, accountId, type BrokerOrderNo, type OrderCode } from '../domain/ids.ts';
import { money, priceTicks, qty, type TsUs, tsUs } from '../domain/units.ts';
import {
  type AccountContext,
  type AccountFigures,
  accountFigures,
  type ClosedPosition,
  closedPositionsOf,
  riskRefusal,
  type Mark,
  type PositionFigures,
  positionFigures,
} from './account/account-figures.ts';
import { contractFees, Ledger, NO_FEES } from './account/ledger.ts';
import { type WorkingQty } from './account/margin.ts';
import { DayCycle } from './day-cycle.ts';
import type { ContractBook } from './exchange/contract-book.ts';
import { LadderBook } from './exchange/ladder-book.ts';
import { TapeBook } from './exchange/tape-book.ts';
import { LedgerMargin, MarginMonitor } from './margin-monitor.ts';
import { SyntheticMarket } from './market/synthetic-market.ts';
import { placeRefusal, type VenueContext } from './orders/order-checks.ts';
import { OrderEntry, type OrderFill, type OrderListener } from './orders/order-entry.ts';
import { orderReport, sentNow, type VenueOrder } from './orders/venue-order.ts';
import { type ContractBoard, VenueContracts } from './venue-contracts.ts';
import { type TriggerAnswer, TriggerBook } from './triggers/trigger-book.ts';
import {
  type CancelOrder,
  type CancelTrigger,
  type ChangeOrder,
  type ChangeTrigger,
  isRefusal,
  type OrderOrigin,
  type PlaceLimit,
  type PlaceTrigger,
  refusal,
  type Refusal,
} from './venue-command.ts';
import {
  type CashOutcome,
  type CommandOutcome,
  type Listing,
  type OrderReport,
  Outbox,
  type TriggerOutcome,
  type TriggerReport,
  type VenueEvent,
  type VenueOutcome,
} from './venue-event.ts';
import { DEFAULT_RULES, type TapePrint, type VenueOptions, type VenueRules } from './venue-options.ts';

/** Its memory as plain JSON data: the part that survives a restart. The background's book is no part of it. */
export type VenueState = Readonly<ReturnType<Venue['exportState']>>;

export class Venue implements VenueContext, OrderListener, AccountContext {
  readonly #options: VenueOptions;
  readonly rules: VenueRules;
  readonly #outbox = new Outbox();
  readonly #ledger: Ledger;
  readonly #contracts: VenueContracts;
  readonly #entry: OrderEntry;
  readonly #triggers: TriggerBook;
  readonly #cycle: DayCycle;
  readonly #background: SyntheticMarket;
  readonly #margin: MarginMonitor;
  #nowUs: TsUs;
  #phaseSeen: SessionPhase = 'closed';

  /** With `state` it goes on: a day that ended since is settled without trading, and orders of today return to the book in turn. */
  constructor(options: VenueOptions, state?: VenueState) {
    assertCalendar(options.calendar);
    this.#options = options;
    this.rules = { ...DEFAULT_RULES, ...options.rules };
    this.#nowUs = options.startUs;
    const day = sessionOnOrBefore(options.calendar, tradingDayAt(options.calendar, options.startUs));
    const outbox = this.#outbox;
    this.#ledger = new Ledger(outbox);
    this.#contracts = new VenueContracts(options, this.rules, day, outbox, (listing) =>
      this.#newBook(listing),
    );
    this.#entry = new OrderEntry(options.costs, this.rules, this, this);
    this.#triggers = new TriggerBook(this.rules, this, this.#entry, outbox);
    this.#background = new SyntheticMarket(options);
    this.#cycle = new DayCycle({
      options,
      contracts: this.#contracts,
      entry: this.#entry,
      triggers: this.#triggers,
      ledger: this.#ledger,
      background: this.#background,
      outbox,
    });
    const accounts = new LedgerMargin(this.#ledger, outbox, this);
    this.#margin = new MarginMonitor(this.#entry, accounts, this);
    this.#openAccounts(state);
    if (state === undefined) this.#cycle.begin(day, this.#nowUs);
    else this.#resume(state, day);
    this.#settle();
  }

  get nowUs(): TsUs {
    return this.#nowUs;
  }

  get phase(): SessionPhase {
    return this.#cycle.phase;
  }

  /** Messages of the start: the day, the phase, first books, settlements of a restart. Read once. */
  startEvents(): readonly VenueEvent[] {
    return this.#outbox.drain();
  }

  /** The next moment at which something happens by itself: for the caller's timer. */
  nextDueUs(): TsUs {
    return tsUs(Math.max(this.nowUs, this.#dueUs()));
  }

  /** Lets the market live until `toUs`, inclusive. Events are the same however the span is split. */
  advance(toUs: TsUs): readonly VenueEvent[] {
    this.#advance(toUs);
    return this.#outbox.drain();
  }

  /** One recorded trade (tape and feed alone). Feed prints before time is advanced past them. */
  print(print: TapePrint): readonly VenueEvent[] {
    this.#advance(tsUs(Math.max(this.nowUs, print.tsUs)));
    const book = this.#contracts.book(print.orderCode);
    // A feed has contracts that this market does not list, such as one that expired here.
    if (book === undefined) return this.#outbox.drain();
    assert(book instanceof TapeBook, 'a print belongs to the contract of the tape');
    book.print(print, this.nowUs);
    book.publish(this.nowUs);
    this.#settle();
    return this.#outbox.drain();
  }

  /** Commands act at `nowUs`: advance first. The answer shows the order as it was sent, the events its consequences. */
  place(command: PlaceLimit): CommandOutcome {
    const entered = command.bracket === undefined ? 'plain' : 'bracket';
    return this.#place(command, command.leg === undefined ? entered : 'arbitrage');
  }

  change(command: ChangeOrder): CommandOutcome {
    return this.#orderOutcome(this.#entry.change(command));
  }

  cancel(command: CancelOrder): CommandOutcome {
    return this.#orderOutcome(this.#entry.cancel(command));
  }

  placeTrigger(command: PlaceTrigger): TriggerOutcome {
    return this.#triggerOutcome(this.#triggers.place(command));
  }

  changeTrigger(command: ChangeTrigger): TriggerOutcome {
    return this.#triggerOutcome(this.#triggers.change(command));
  }

  cancelTrigger(command: CancelTrigger): TriggerOutcome {
    return this.#triggerOutcome(this.#triggers.cancel(command));
  }

  /** An order through another channel of the broker: it is the account's, and no client knows it. */
  injectOrder(command: PlaceLimit): CommandOutcome {
    return this.#place(command, 'foreign');
  }

  /** Contracts in the account without any order: a correction of the broker, or another channel. At the last price. */
  injectPosition(id: AccountId, code: OrderCode, net: number): CashOutcome {
    const unknown = this.unknownRefusal(id, code);
    const isQty = Number.isSafeInteger(net) && net !== 0 && Math.abs(net) <= this.rules.positionMax;
    if (unknown !== null || !isQty) return this.#cashOutcome(unknown ?? refusal(-6019));
    const size = Math.abs(net);
    const value = size * this.#contracts.mark(code).unitValue;
    const side = net > 0 ? 'buy' : 'sell';
    const order = { accountId: id, orderCode: code, side, owner: 0 } as const;
    this.#ledger.bookFill(order, { qty: size, value, fee: 0, tax: 0 }, NO_FEES, this.nowUs);
    return this.#cashOutcome(null);
  }

  /** The front contract expires at this moment: settled in cash at its mark, its orders ended, the list moved on. */
  rollNow(): CashOutcome {
    // A recording has one contract: without it there is no market left.
    if (this.#options.market.kind === 'tape') return this.#cashOutcome(refusal(-6024));
    this.#cycle.rollFront(this.nowUs);
    this.#settle();
    return this.#cashOutcome(null);
  }

  deposit(id: AccountId, amount: number): CashOutcome {
    return this.#transfer(id, amount, transferRefusal(this.account(id), amount, 'deposit'));
  }

  /** Refused as far as margin holds the money. */
  withdraw(id: AccountId, amount: number): CashOutcome {
    return this.#transfer(id, -amount, transferRefusal(this.account(id), amount, 'withdrawal'));
  }

  contracts(): readonly Contract[] {
    return this.#contracts.books().map((book) => book.listing.contract);
  }

  /** Everything the price list shows of one contract; undefined when it is not listed. */
  board(code: OrderCode): ContractBoard | undefined {
    return this.#contracts.board(code);
  }

  orders(id: AccountId): readonly OrderReport[] {
    const { phase } = this;
    return this.#entry.store.of(id).map((order) => orderReport(order, phase));
  }

  order(id: AccountId, orderNo: BrokerOrderNo): OrderReport | undefined {
    const order = this.#entry.store.find(id, orderNo);
    return order === undefined ? undefined : orderReport(order, this.phase);
  }

  /** The trigger book of an account, in order of entry: waiting orders, and those that ended today. */
  triggers(id: AccountId): readonly TriggerReport[] {
    return this.#triggers.reports(id);
  }

  /** Positions held or traded today. */
  positions(id: AccountId): readonly PositionFigures[] {
    const account = this.#ledger.account(id);
    return account === undefined ? [] : positionFigures(account, this);
  }

  /** Positions closed today, a row a contract and direction. */
  closedPositions(id: AccountId): readonly ClosedPosition[] {
    const account = this.#ledger.account(id);
    return account === undefined ? [] : closedPositionsOf(account, this);
  }

  account(id: AccountId): AccountFigures | undefined {
    const account = this.#ledger.account(id);
    return account === undefined ? undefined : accountFigures(account, this);
  }

  /** State for a restart. A day has many orders: with `orderNos` only those rows, because the others are written already. */
  exportState(orderNos?: Iterable<string>) {
    return {
      atUs: this.nowUs,
      accounts: this.#ledger.exportState(),
      ...this.#contracts.exportState(),
      ...this.#entry.exportState(orderNos),
      ...this.#triggers.rows.exportState(),
    };
  }

  #place(command: PlaceLimit, origin: OrderOrigin): CommandOutcome {
    const refused = placeRefusal(command, this) ?? this.#repeated(command);
    return this.#orderOutcome(refused ?? this.#entry.place(command, origin, sentNow(this.#nowUs)));
  }

  #repeated({ accountId: id, refId }: PlaceLimit): Refusal | null {
    if (this.rules.repeatedRefId === 'accept' || refId === null) return null;
    return this.#entry.store.of(id).some((order) => order.refId === refId) ? refusal(-6004) : null;
  }

  #orderOutcome(answer: VenueOrder | Refusal): CommandOutcome {
    const shown = isRefusal(answer) ? answer : { order: orderReport(answer, this.phase) };
    this.#settle();
    return this.#outcomeOf(shown);
  }

  #triggerOutcome(answer: TriggerAnswer): TriggerOutcome {
    return this.#outcomeOf(isRefusal(answer) ? answer : { trigger: answer });
  }

  #cashOutcome(refused: Refusal | null): CashOutcome {
    if (refused === null) this.#noticeMargin();
    return this.#outcomeOf(refused ?? {});
  }

  #outcomeOf<Shown extends object>(answer: Shown | Refusal): VenueOutcome<Shown> {
    const events = this.#outbox.drain();
    if (isRefusal(answer)) return { status: 'refused', refusal: answer, events };
    return { ...answer, status: 'accepted', events };
  }

  /** Money is moved unless something refuses it. */
  #transfer(id: AccountId, amount: number, refused: Refusal | null): CashOutcome {
    if (refused === null) this.#ledger.transfer(id, amount, this.nowUs);
    return this.#cashOutcome(refused);
  }

  #dueUs(): number {
    const broker = Math.min(this.#entry.nextDueUs, this.#margin.nextUs);
    return Math.min(this.#cycle.nextEdgeUs, broker, this.#background.nextUs);
  }

  #advance(toUs: TsUs): void {
    assert(toUs >= this.#nowUs, 'time does not run backwards');
    for (let due = this.#dueUs(); due <= toUs; due = this.#dueUs()) {
      this.#nowUs = tsUs(Math.max(this.#nowUs, due));
      // At one moment: first the session, then commands that arrive, then the margin monitor, then background flow.
      if (this.#cycle.nextEdgeUs <= due) this.#cycle.runEdge(this.#nowUs);
      else if (this.#entry.nextDueUs <= due) this.#arrive();
      else if (this.#margin.nextUs <= due) this.#margin.run(this.#nowUs);
      else this.#background.step();
      this.#settle();
    }
    this.#nowUs = toUs;
  }

  /** Runs the consequences of a command, a trade or the clock at this moment: arrivals, triggers, and their arrivals. */
  #settle(): void {
    while (this.#triggers.hasNews || this.#entry.nextDueUs <= this.#nowUs) {
      if (this.#triggers.hasNews) this.#triggers.sendDue(this.#nowUs);
      else this.#arrive();
    }
    const begins = this.phase !== this.#phaseSeen;
    this.#phaseSeen = this.phase;
    if (this.#triggers.rows.consumeTraded() || begins) this.#noticeMargin();
  }

  /** Money or positions moved without a trade. */
  #noticeMargin(): void {
    this.#margin.notice(this.#nowUs);
  }

  #arrive(): void {
    this.#entry.runDue(this.#nowUs);
    for (const book of this.#contracts.books()) book.publish(this.#nowUs);
  }

  #resume(state: VenueState, day: TradingDay): void {
    this.#contracts.resumeDay(state, this.#nowUs);
    this.#entry.restore(state, (order) => this.#contracts.book(order.orderCode)?.restore(order));
    this.#triggers.restore(state);
    this.#cycle.resume(day, this.#nowUs);
  }

  #newBook(listing: Listing): ContractBook {
    const { market } = this.#options;
    const { orderCode } = listing.contract;
    const watch = this.#triggers.rows.watchOf(orderCode);
    const isFeed = market.kind === 'feed';
    return isFeed || (market.kind === 'tape' && market.orderCode === orderCode)
      ? new TapeBook(listing, this.#outbox, this.#entry, watch, isFeed)
      : new LadderBook(listing, this.#outbox, this.#entry, watch);
  }

  #openAccounts(state: VenueState | undefined): void {
    for (const known of state?.accounts ?? []) this.#ledger.restore(known);
    for (const { accountId: id, subAccountId, cash } of this.#options.accounts) {
      if (this.#ledger.account(accountId(id)) === undefined) this.#ledger.open(id, subAccountId, cash);
    }
  }

  // The part of `VenueContext` that order entry, triggers and checks ask for.

  get day(): TradingDay {
    return this.#contracts.day;
  }
  get isClosed(): boolean {
    return this.#contracts.isClosed;
  }

  book(code: OrderCode): ContractBook | undefined {
    return this.#contracts.book(code);
  }

  listing(code: OrderCode): Listing | undefined {
    return this.#contracts.book(code)?.listing;
  }

  unknownRefusal(id: AccountId, code: OrderCode): Refusal | null {
    if (this.#ledger.account(id) === undefined) return refusal(-6001);
    const { validTo } = this.#options.calendar;
    if (this.day > validTo) return refusal(-6022, `The calendar of trading days ends on ${validTo}`);
    if (this.#contracts.book(code) !== undefined) return null;
    return refusal(this.#contracts.hasExpired(code) ? -6033 : -6003);
  }

  riskRefusal(command: PlaceLimit): Refusal | null {
    const account = this.#ledger.account(command.accountId);
    if (account === undefined) return refusal(-6001);
    return riskRefusal(command, account, this);
  }

  mark(code: OrderCode): Mark {
    return this.#contracts.mark(code);
  }

  working(id: AccountId): ReadonlyMap<OrderCode, WorkingQty> {
    return this.#entry.store.working(id);
  }

  // Each change of an order is reported as its whole row.

  onChange(order: VenueOrder, at: TsUs): void {
    this.#outbox.emit({ kind: 'order', tsUs: at, order: orderReport(order, this.phase) });
  }

  onFill(order: VenueOrder, fill: OrderFill, at: TsUs): void {
    const { accountId: id, orderCode, side } = order;
    const { price, qty: filled, clause } = fill;
    this.#ledger.bookFill(order, fill, contractFees(this.#options.costs, this.day, filled), at);
    this.#outbox.emit({
      kind: 'fill',
      tsUs: at,
      accountId: id,
      orderNo: order.orderNo,
      orderKey: order.orderKey,
      orderCode,
      side,
      price: priceTicks(price),
      qty: qty(filled),
      filledQty: qty(order.filledQty),
      filledValue: money(order.filledValue),
      clause,
    });
    this.onChange(order, at);
    this.#triggers.onFill(order, price, filled, at);
    if (this.#ledger.netOf(id, orderCode) === 0) this.#triggers.endExits(id, orderCode, at);
    // On a tape our own fills are not trades of the market.
    this.#noticeMargin();
  }
}

/** Largest balance of one account, VND: profits included, sums stay exact. */
const CASH_MAX = 1_000_000_000_000_000;

function transferRefusal(
  figures: AccountFigures | undefined,
  amount: number,
  kind: 'deposit' | 'withdrawal',
): Refusal | null {
  if (figures === undefined) return refusal(-6001);
  if (!Number.isSafeInteger(amount) || amount <= 0) return refusal(-6019, 'Invalid amount');
  if (kind === 'deposit') return figures.cash + amount > CASH_MAX ? refusal(-6019, 'Invalid amount') : null;
  return amount > figures.withdrawable ? refusal(-6012, 'Not enough money to withdraw') : null;
}
