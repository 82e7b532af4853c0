/** The parts of a venue put together, and the time they live in. What may be asked of it is in `venue.ts`. */
import { assert } from '../domain/assert.ts';
import { assertCalendar, type SessionPhase, sessionOnOrBefore, tradingDayAt } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import { accountId } from '../domain/ids.ts';
import { type TsUs, tsUs } from '../domain/units.ts';
import type { AccountContext } from './account/account-view.ts';
import { ConditionDesk } from './conditions/condition-desk.ts';
import type { ContractBook } from './exchange/contract-book.ts';
import { DayCycle } from './day-cycle.ts';
import { LadderBook } from './exchange/ladder-book.ts';
import { Ledger } from './account/ledger.ts';
import { OrderEntry } from './orders/order-entry.ts';
import { Outbox } from './outbox.ts';
import { NO_BACKGROUND_FLOW, type BackgroundFlow } from './market/background-flow.ts';
import { LedgerMargin } from './account/ledger-margin.ts';
import { MarginMonitor } from './account/margin-monitor.ts';
import { orderReporter, type Surroundings, surroundingsOf } from './surroundings.ts';
import { SyntheticMarket } from './market/synthetic-market.ts';
import { TapeBook } from './exchange/tape-book.ts';
import { TradingFloor } from './exchange/trading-floor.ts';
import type { Listing } from './venue-event.ts';
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
  readonly conditions: ConditionDesk;
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
    this.conditions = new ConditionDesk(this.rules, this.around, outbox);
    this.#background =
      options.market.kind === 'synthetic'
        ? new SyntheticMarket(options, options.market.seed)
        : NO_BACKGROUND_FLOW;
    const { ledger, floor, entry, conditions } = this;
    this.cycle = new DayCycle({
      options,
      floor,
      entry,
      conditions,
      ledger,
      background: this.#background,
      outbox,
    });
    this.#margin = new MarginMonitor({
      entry,
      books: new LedgerMargin(ledger, outbox, () => this.context()),
      rule: this.rules.forcedClose,
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
      // At one moment: first the session, then commands that arrive, then the broker's look at margin, then the street.
      if (this.cycle.nextEdgeUs <= due) this.cycle.runEdge(this.#nowUs);
      else if (this.entry.nextDueUs <= due) this.#arrive();
      else if (this.#margin.nextUs <= due) this.#margin.run(this.#nowUs);
      else this.#background.step();
      this.settle();
    }
    this.#nowUs = toUs;
  }

  /** Lets follow what a command, a trade or the clock has caused at this moment: arrivals, triggers, and their arrivals. */
  settle(): void {
    const { entry, conditions } = this;
    while (conditions.hasNews || entry.nextDueUs <= this.#nowUs) {
      if (conditions.hasNews) conditions.react(this.#nowUs);
      else this.#arrive();
    }
    const begins = this.phase !== this.#phaseSeen;
    this.#phaseSeen = this.phase;
    if (conditions.takeTraded() || begins) this.noticeMargin();
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
    this.conditions.restore(state);
    this.cycle.resume(day, this.#nowUs);
  }

  #newBook(listing: Listing): ContractBook {
    const { market } = this.options;
    const { orderCode } = listing.contract;
    const watch = this.conditions.watchOf(orderCode);
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
