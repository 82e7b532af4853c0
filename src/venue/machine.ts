/** The parts of a venue put together, and the time they live in. What may be asked of it is in `venue.ts`. */
import { assert } from '../domain/assert.ts';
import { assertCalendar, type SessionPhase, sessionOnOrBefore, tradingDayAt } from '../domain/calendar.ts';
import { type TradingDay, tradingDay } from '../domain/civil-date.ts';
import { accountId } from '../domain/ids.ts';
import { type TsUs, tsUs } from '../domain/units.ts';
import type { AccountContext } from './account-view.ts';
import type { ContractBook } from './contract-book.ts';
import { DayCycle } from './day-cycle.ts';
import { EntryGate } from './entry-gate.ts';
import { LadderBook } from './ladder-book.ts';
import { Ledger } from './ledger.ts';
import { type DeskSurroundings, OrderDesk } from './order-desk.ts';
import { Outbox } from './outbox.ts';
import { EMPTY_STREET, type Street } from './street.ts';
import { SyntheticMarket } from './synthetic-market.ts';
import { TapeBook } from './tape-book.ts';
import { TradingFloor } from './trading-floor.ts';
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
  readonly desk: OrderDesk;
  readonly cycle: DayCycle;
  readonly #street: Street;
  #nowUs: TsUs;

  constructor(options: VenueOptions, state: VenueState | undefined) {
    assertCalendar(options.calendar);
    this.options = options;
    this.rules = { ...DEFAULT_RULES, ...options.rules };
    this.#nowUs = options.startUs;
    const day = sessionOnOrBefore(options.calendar, tradingDayAt(options.calendar, options.startUs));
    this.ledger = new Ledger(options.spec, options.costs, this.outbox);
    this.floor = new TradingFloor(options, this.rules, day, this.outbox, (listing) => this.#newBook(listing));
    this.gate = new EntryGate(this.ledger, this.floor);
    this.desk = new OrderDesk(options, this.rules, this.#surroundings(), this.ledger, this.outbox);
    this.#street =
      options.market.kind === 'synthetic' ? new SyntheticMarket(options, options.market.seed) : EMPTY_STREET;
    const { outbox, ledger, floor, desk } = this;
    this.cycle = new DayCycle({ options, floor, desk, ledger, street: this.#street, outbox });
    this.#openAccounts(state);
    if (state === undefined) this.cycle.begin(day, this.#nowUs);
    else this.#resume(state, day);
  }

  get nowUs(): TsUs {
    return this.#nowUs;
  }

  nextDueUs(): number {
    return Math.min(this.cycle.nextEdgeUs, this.desk.nextDueUs, this.#street.nextUs);
  }

  advance(toUs: TsUs): void {
    assert(toUs >= this.#nowUs, 'time does not run backwards');
    for (let due = this.nextDueUs(); due <= toUs; due = this.nextDueUs()) {
      this.#nowUs = tsUs(Math.max(this.#nowUs, due));
      // At one moment: first the session, then commands that arrive, then the street.
      if (this.cycle.nextEdgeUs <= due) this.cycle.runEdge(this.#nowUs);
      else if (this.desk.nextDueUs <= due) this.arrivals();
      else this.#street.step();
    }
    this.#nowUs = toUs;
  }

  /** Lets everything that is due arrive at the exchange. */
  arrivals(): void {
    if (this.desk.nextDueUs > this.#nowUs) return;
    this.desk.runDue(this.#nowUs);
    for (const book of this.floor.books()) book.publish(this.#nowUs);
  }

  context(): AccountContext {
    return {
      terms: { spec: this.options.spec, costs: this.options.costs, day: this.floor.day },
      rules: this.rules,
      mark: (code) => this.floor.mark(code),
      working: (account) => this.desk.working(account.accountId),
    };
  }

  #resume(state: VenueState, day: TradingDay): void {
    this.floor.resumeDay(state.contracts, tradingDay(state.day), this.#nowUs);
    this.desk.restore(state);
    this.cycle.resume(day, this.#nowUs);
  }

  #newBook(listing: Listing): ContractBook {
    const { market } = this.options;
    return market.kind === 'tape' && market.orderCode === listing.contract.orderCode
      ? new TapeBook(listing, this.outbox, this.desk)
      : new LadderBook(listing, this.outbox, this.desk);
  }

  #surroundings(): DeskSurroundings {
    // Read when asked: the desk is made before the day begins.
    const now = (): TsUs => this.#nowUs;
    const day = (): TradingDay => this.floor.day;
    const phase = (): SessionPhase => this.cycle.phase;
    return {
      get nowUs() {
        return now();
      },
      get day() {
        return day();
      },
      get phase() {
        return phase();
      },
      book: (code) => this.floor.book(code),
      riskRefusal: (command) => this.gate.riskRefusal(command, this.context()),
    };
  }

  #openAccounts(state: VenueState | undefined): void {
    for (const known of state?.accounts ?? []) this.ledger.restore(known);
    for (const { accountId: id, subAccountId, cash } of this.options.accounts) {
      if (this.ledger.account(accountId(id)) === undefined) this.ledger.open(id, subAccountId, cash);
    }
  }
}
