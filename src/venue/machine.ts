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
import { EntryGate } from './orders/entry-gate.ts';
import { LadderBook } from './exchange/ladder-book.ts';
import { Ledger } from './account/ledger.ts';
import { OrderEntry } from './orders/order-entry.ts';
import { Outbox } from './outbox.ts';
import { NO_BACKGROUND_FLOW, type BackgroundFlow } from './market/background-flow.ts';
import { MarginMonitor } from './account/margin-monitor.ts';
import { surroundingsOf } from './surroundings.ts';
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
  readonly gate: EntryGate;
  readonly desk: OrderEntry;
  readonly conditions: ConditionDesk;
  readonly cycle: DayCycle;
  readonly #street: BackgroundFlow;
  readonly #surveillance: MarginMonitor;
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
    this.gate = new EntryGate(this.ledger, this.floor);
    const around = surroundingsOf(this);
    this.desk = new OrderEntry(options, this.rules, around, this.ledger, outbox);
    this.conditions = new ConditionDesk(this.rules, around, outbox);
    this.#street =
      options.market.kind === 'synthetic'
        ? new SyntheticMarket(options, options.market.seed)
        : NO_BACKGROUND_FLOW;
    const { ledger, floor, desk, conditions } = this;
    this.cycle = new DayCycle({ options, floor, desk, conditions, ledger, street: this.#street, outbox });
    const phase = (): SessionPhase => this.phase;
    const context = (): AccountContext => this.context();
    this.#surveillance = new MarginMonitor({ ledger, floor, desk, outbox, phase, context });
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
    const { cycle, desk } = this;
    return Math.min(cycle.nextEdgeUs, desk.nextDueUs, this.#surveillance.nextUs, this.#street.nextUs);
  }

  advance(toUs: TsUs): void {
    assert(toUs >= this.#nowUs, 'time does not run backwards');
    for (let due = this.nextDueUs(); due <= toUs; due = this.nextDueUs()) {
      this.#nowUs = tsUs(Math.max(this.#nowUs, due));
      // At one moment: first the session, then commands that arrive, then the broker's look at margin, then the street.
      if (this.cycle.nextEdgeUs <= due) this.cycle.runEdge(this.#nowUs);
      else if (this.desk.nextDueUs <= due) this.#arrive();
      else if (this.#surveillance.nextUs <= due) this.#surveillance.run(this.#nowUs);
      else this.#street.step();
      this.settle();
    }
    this.#nowUs = toUs;
  }

  /** Lets follow what a command, a trade or the clock has caused at this moment: arrivals, triggers, and their arrivals. */
  settle(): void {
    const { desk, conditions } = this;
    while (conditions.hasNews || desk.nextDueUs <= this.#nowUs) {
      if (conditions.hasNews) conditions.react(this.#nowUs);
      else this.#arrive();
    }
    const begins = this.phase !== this.#phaseSeen;
    this.#phaseSeen = this.phase;
    if (conditions.takeTraded() || begins) this.noticeMargin();
  }

  /** Money or positions moved without a trade. */
  noticeMargin(): void {
    this.#surveillance.notice(this.#nowUs);
  }

  context(): AccountContext {
    return {
      terms: { spec: this.options.spec, costs: this.options.costs, day: this.floor.day },
      rules: this.rules,
      mark: (code) => this.floor.mark(code),
      working: (account) => this.desk.working(account.accountId),
    };
  }

  #arrive(): void {
    this.desk.runDue(this.#nowUs);
    for (const book of this.floor.books()) book.publish(this.#nowUs);
  }

  #resume(state: VenueState, day: TradingDay): void {
    this.floor.resumeDay(state, this.#nowUs);
    this.desk.restore(state);
    this.conditions.restore(state);
    this.cycle.resume(day, this.#nowUs);
  }

  #newBook(listing: Listing): ContractBook {
    const { market } = this.options;
    const { orderCode } = listing.contract;
    const watch = this.conditions.watchOf(orderCode);
    return market.kind === 'tape' && market.orderCode === orderCode
      ? new TapeBook(listing, this.outbox, this.desk, watch)
      : new LadderBook(listing, this.outbox, this.desk, watch);
  }

  #openAccounts(state: VenueState | undefined): void {
    for (const known of state?.accounts ?? []) this.ledger.restore(known);
    for (const { accountId: id, subAccountId, cash } of this.options.accounts) {
      if (this.ledger.account(accountId(id)) === undefined) this.ledger.open(id, subAccountId, cash);
    }
  }
}
