/** The parts of a venue put together, and their time. Its face is `venue.ts`. */
import { assert } from '../domain/assert.ts';
import { assertCalendar, sessionOnOrBefore, type SessionPhase, tradingDayAt } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import {
  type AccountId,
  accountId,
  type BrokerOrderKey,
  type BrokerOrderNo,
  type OrderCode,
} from '../domain/ids.ts';
import { money, priceTicks, qty, type TsUs, tsUs } from '../domain/units.ts';
import { type AccountContext, accountFigures, marginView } from './account/account-figures.ts';
import { riskRefusal } from './account/margin.ts';
import { LedgerMargin, MarginMonitor } from './margin-monitor.ts';
import { Ledger } from './account/ledger.ts';
import { DayCycle } from './day-cycle.ts';
import type { ContractBook } from './exchange/contract-book.ts';
import { LadderBook } from './exchange/ladder-book.ts';
import { TapeBook } from './exchange/tape-book.ts';
import { TradingFloor } from './trading-floor.ts';
import { type BackgroundFlow, NO_BACKGROUND_FLOW, SyntheticMarket } from './market/synthetic-market.ts';
import { type CheckSurroundings, placeRefusal } from './orders/order-checks.ts';
import {
  type EntrySurroundings,
  OrderEntry,
  type OrderFill,
  type OrderListener,
} from './orders/order-entry.ts';
import { type OrderSender, reportOf, sentNow, type VenueOrder } from './orders/venue-order.ts';
import { TriggerBook, type TriggerSurroundings } from './triggers/trigger-book.ts';
import { type PlaceLimit, refusal, type Refusal } from './venue-command.ts';
import { type Listing, type OrderOrigin, Outbox } from './venue-event.ts';
import { DEFAULT_RULES, type VenueOptions, type VenueRules } from './venue-options.ts';
import type { VenueState } from './venue-state.ts';

export class Machine implements EntrySurroundings, TriggerSurroundings, CheckSurroundings, OrderListener {
  readonly options: VenueOptions;
  readonly rules: VenueRules;
  readonly outbox = new Outbox();
  readonly ledger: Ledger;
  readonly floor: TradingFloor;
  readonly entry: OrderEntry;
  readonly triggers: TriggerBook;
  readonly cycle: DayCycle;
  readonly #background: BackgroundFlow;
  readonly #margin: MarginMonitor;
  #nowUs: TsUs;
  #phaseSeen: SessionPhase = 'closed';

  constructor(options: VenueOptions, state: VenueState | undefined) {
    assertCalendar(options.calendar);
    this.options = options;
    this.rules = { ...DEFAULT_RULES, ...options.rules };
    this.#nowUs = options.startUs;
    const day = sessionOnOrBefore(options.calendar, tradingDayAt(options.calendar, options.startUs));
    const { outbox } = this;
    this.ledger = new Ledger(options.spec, options.costs, outbox);
    this.floor = new TradingFloor(options, this.rules, day, outbox, (listing) => this.#newBook(listing));
    this.entry = new OrderEntry(options.costs, this.rules, this, this);
    this.triggers = new TriggerBook(this.rules, this, outbox);
    this.#background =
      options.market.kind === 'synthetic'
        ? new SyntheticMarket(options, options.market.seed)
        : NO_BACKGROUND_FLOW;
    const { ledger, floor, entry, triggers } = this;
    this.cycle = new DayCycle({
      options,
      floor,
      entry,
      triggers,
      ledger,
      background: this.#background,
      outbox,
    });
    this.#margin = new MarginMonitor({
      entry,
      books: new LedgerMargin(ledger, outbox, () => this.context()),
      phase: () => this.phase,
      listing: (code) => this.listing(code),
    });
    this.#openAccounts(state);
    if (state === undefined) this.cycle.begin(day, this.#nowUs);
    else this.#resume(state, day);
    this.settle();
  }

  get nowUs(): TsUs {
    return this.#nowUs;
  }

  get phase(): SessionPhase {
    return this.cycle.phase;
  }

  nextDueUs(): number {
    const { cycle, entry } = this;
    return Math.min(cycle.nextEdgeUs, entry.nextDueUs, this.#margin.nextUs, this.#background.nextUs);
  }

  advance(toUs: TsUs): void {
    assert(toUs >= this.#nowUs, 'time does not run backwards');
    for (let due = this.nextDueUs(); due <= toUs; due = this.nextDueUs()) {
      this.#nowUs = tsUs(Math.max(this.#nowUs, due));
      // At one moment: first the session, then commands that arrive, then the broker's look at margin, then background flow.
      if (this.cycle.nextEdgeUs <= due) this.cycle.runEdge(this.#nowUs);
      else if (this.entry.nextDueUs <= due) this.#arrive();
      else if (this.#margin.nextUs <= due) this.#margin.run(this.#nowUs);
      else this.#background.step();
      this.settle();
    }
    this.#nowUs = toUs;
  }

  /** Runs the consequences of a command, a trade or the clock at this moment: arrivals, triggers, and their arrivals. */
  settle(): void {
    const { entry, triggers } = this;
    while (triggers.hasNews || entry.nextDueUs <= this.#nowUs) {
      if (triggers.hasNews) triggers.react(this.#nowUs);
      else this.#arrive();
    }
    const begins = this.phase !== this.#phaseSeen;
    this.#phaseSeen = this.phase;
    if (triggers.takeTraded() || begins) this.noticeMargin();
  }

  /** Money or positions moved without a trade. */
  noticeMargin(): void {
    this.#margin.notice(this.#nowUs);
  }

  context(): AccountContext {
    return {
      terms: { spec: this.options.spec, costs: this.options.costs, day: this.floor.day },
      rules: this.rules,
      mark: (code) => this.floor.mark(code),
      working: (account) => this.entry.working(account.accountId),
    };
  }

  #arrive(): void {
    this.entry.runDue(this.#nowUs);
    for (const book of this.floor.books()) book.publish(this.#nowUs);
  }

  #resume(state: VenueState, day: TradingDay): void {
    this.floor.resumeDay(state, this.#nowUs);
    this.entry.restore(state, (order) => this.floor.book(order.orderCode)?.stand(order));
    this.triggers.restore(state);
    this.cycle.resume(day, this.#nowUs);
  }

  #newBook(listing: Listing): ContractBook {
    const { market } = this.options;
    const { orderCode } = listing.contract;
    const watch = this.triggers.watchOf(orderCode);
    return market.kind === 'tape' && market.orderCode === orderCode
      ? new TapeBook(listing, this.outbox, this.entry, watch)
      : new LadderBook(listing, this.outbox, this.entry, watch);
  }

  #openAccounts(state: VenueState | undefined): void {
    for (const known of state?.accounts ?? []) this.ledger.restore(known);
    for (const { accountId: id, subAccountId, cash } of this.options.accounts) {
      if (this.ledger.account(accountId(id)) === undefined) this.ledger.open(id, subAccountId, cash);
    }
  }

  // Order entry, triggers and checks ask the venue around them for these.

  get day(): TradingDay {
    return this.floor.day;
  }
  get isClosed(): boolean {
    return this.floor.isClosed;
  }

  book(code: OrderCode): ContractBook | undefined {
    return this.floor.book(code);
  }

  listing(code: OrderCode): Listing | undefined {
    return this.floor.book(code)?.listing;
  }

  unknownRefusal(id: AccountId, code: OrderCode): Refusal | null {
    if (this.ledger.account(id) === undefined) return refusal(-6001);
    const { validTo } = this.options.calendar;
    if (this.day > validTo) return refusal(-6022, `The calendar of trading days ends on ${validTo}`);
    if (this.floor.book(code) !== undefined) return null;
    return refusal(this.floor.hasExpired(code) ? -6033 : -6003);
  }

  riskRefusal(command: PlaceLimit): Refusal | null {
    const account = this.ledger.account(command.accountId);
    if (account === undefined) return refusal(-6001);
    const context = this.context();
    return riskRefusal(command, marginView(account, context), this.rules, () =>
      accountFigures(account, context),
    );
  }

  takeKey(): BrokerOrderKey {
    return this.entry.takeKey();
  }

  send(
    command: PlaceLimit,
    origin: OrderOrigin,
    sender: Pick<OrderSender, 'owner' | 'triggerPrice'>,
  ): BrokerOrderNo | Refusal {
    const refused = placeRefusal(command, this);
    if (refused !== null) return refused;
    return this.entry.place(command, origin, { ...sentNow(this.#nowUs), ...sender }).orderNo;
  }

  // Each change of an order is reported as its whole row.

  onAccepted(order: VenueOrder, at: TsUs): void {
    this.#tell(order, at);
  }

  onEntered(order: VenueOrder, at: TsUs): void {
    this.#tell(order, at);
  }

  onChange(order: VenueOrder, at: TsUs): void {
    this.#tell(order, at);
  }

  onFill(order: VenueOrder, { price, qty: filled, value, tax, clause }: OrderFill, at: TsUs): void {
    const { accountId: id, orderCode, side } = order;
    this.ledger.bookFill({ accountId: id, orderCode, side, qty: filled, value, tax }, this.day, at);
    this.outbox.emit({
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
    this.#tell(order, at);
    this.triggers.onFill(order, price, filled, at);
    if (this.ledger.netOf(id, orderCode) === 0) this.triggers.endExits(id, orderCode, at);
    // On a tape our own fills are not trades of the market.
    this.noticeMargin();
  }

  #tell(order: VenueOrder, at: TsUs): void {
    this.outbox.emit({ kind: 'order', tsUs: at, order: reportOf(order, this.phase) });
  }
}
