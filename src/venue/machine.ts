/** The parts of a venue put together, and their time. Its face is `venue.ts`. */
import { assert } from '../domain/assert.ts';
import { assertCalendar, sessionOnOrBefore, type SessionPhase, tradingDayAt } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import { accountId } from '../domain/ids.ts';
import { money, priceTicks, qty, type TsUs, tsUs } from '../domain/units.ts';
import { type AccountContext, accountFigures, marginView } from './account/account-figures.ts';
import { riskRefusal } from './account/margin.ts';
import { LedgerMargin } from './account/ledger-margin.ts';
import { Ledger } from './account/ledger.ts';
import { MarginMonitor } from './margin-monitor.ts';
import { DayCycle } from './day-cycle.ts';
import type { ContractBook } from './exchange/contract-book.ts';
import { LadderBook } from './exchange/ladder-book.ts';
import { TapeBook } from './exchange/tape-book.ts';
import { TradingFloor } from './trading-floor.ts';
import { type BackgroundFlow, NO_BACKGROUND_FLOW, SyntheticMarket } from './market/synthetic-market.ts';
import { type CheckSurroundings, placeRefusal } from './orders/order-checks.ts';
import { type EntrySurroundings, OrderEntry, type OrderListener } from './orders/order-entry.ts';
import { reportOf, sentNow, type VenueOrder } from './orders/venue-order.ts';
import { TriggerBook, type TriggerSurroundings } from './triggers/trigger-book.ts';
import { refusal } from './venue-command.ts';
import { type Listing, Outbox } from './venue-event.ts';
import { DEFAULT_RULES, type VenueOptions, type VenueRules } from './venue-options.ts';
import type { VenueState } from './venue-state.ts';

export class Machine {
  readonly options: VenueOptions;
  readonly rules: VenueRules;
  readonly outbox = new Outbox();
  readonly ledger: Ledger;
  readonly floor: TradingFloor;
  readonly around: Surroundings;
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
    this.around = surroundingsOf(this);
    this.entry = new OrderEntry(options.costs, this.rules, this.around, orderReporter(this));
    this.triggers = new TriggerBook(this.rules, this.around, outbox);
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
      listing: (code) => this.around.listing(code),
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
}

/** The venue as its parts see it, read when asked. */
interface Around {
  readonly nowUs: TsUs;
  readonly phase: SessionPhase;
  readonly outbox: Outbox;
  readonly ledger: Ledger;
  readonly floor: TradingFloor;
  readonly entry: OrderEntry;
  readonly triggers: TriggerBook;
  context(): AccountContext;
  noticeMargin(): void;
}

type Surroundings = EntrySurroundings & TriggerSurroundings & CheckSurroundings;

function surroundingsOf(venue: Around): Surroundings {
  const around: Surroundings = {
    get nowUs() {
      return venue.nowUs;
    },
    get day() {
      return venue.floor.day;
    },
    get phase() {
      return venue.phase;
    },
    get isClosed() {
      return venue.floor.isClosed;
    },
    book: (code) => venue.floor.book(code),
    listing: (code) => venue.floor.book(code)?.listing,
    unknownRefusal(id, code) {
      if (venue.ledger.account(id) === undefined) return refusal(-6001);
      if (venue.floor.book(code) !== undefined) return null;
      return refusal(venue.floor.hasExpired(code) ? -6033 : -6003);
    },
    riskRefusal(command) {
      const account = venue.ledger.account(command.accountId);
      if (account === undefined) return refusal(-6001);
      const context = venue.context();
      return riskRefusal(command, marginView(account, context), context.rules, () =>
        accountFigures(account, context),
      );
    },
    takeKey: () => venue.entry.takeKey(),
    send: (command, origin, sender) =>
      placeRefusal(command, around) ??
      venue.entry.place(command, origin, { ...sentNow(venue.nowUs), ...sender }).orderNo,
  };
  return around;
}

/** Books executions, and reports each change of an order as its whole row. */
function orderReporter(venue: Around): OrderListener {
  const tell = (order: VenueOrder, at: TsUs): void =>
    venue.outbox.emit({ kind: 'order', tsUs: at, order: reportOf(order, venue.phase) });
  return {
    onAccepted: tell,
    onEntered: tell,
    onChange: tell,
    onFill(order, { price, qty: filled, value, tax, clause }, at) {
      const { accountId, orderCode, side } = order;
      const { day } = venue.floor;
      venue.ledger.bookFill({ accountId, orderCode, side, qty: filled, value, tax }, day, at);
      venue.outbox.emit({
        kind: 'fill',
        tsUs: at,
        accountId,
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
      tell(order, at);
      venue.triggers.onFill(order, filled, at);
      // On a tape our own fills are not trades of the market.
      venue.noticeMargin();
    },
  };
}
