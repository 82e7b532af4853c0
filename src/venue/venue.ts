/** The exchange and the broker's back office behind it, as one pure machine: commands and time in, events out. */
import { assert } from '../domain/assert.ts';
import { assertCalendar, type SessionPhase, sessionOnOrBefore, tradingDayAt } from '../domain/calendar.ts';
import { type TradingDay, tradingDay } from '../domain/civil-date.ts';
import type { Contract } from '../domain/contract.ts';
import { type AccountId, accountId, type BrokerOrderNo, type OrderCode } from '../domain/ids.ts';
import { type TsUs, tsUs } from '../domain/units.ts';
import type { AccountFigures, PositionFigures } from './account-figures.ts';
import { type AccountContext, accountFigures, positionFigures } from './account-view.ts';
import type { ContractBoard } from './contract-board.ts';
import type { ContractBook } from './contract-book.ts';
import { DayCycle } from './day-cycle.ts';
import { EntryGate } from './entry-gate.ts';
import { LadderBook } from './ladder-book.ts';
import { Ledger } from './ledger.ts';
import { type DeskAnswer, isRefusal, OrderDesk } from './order-desk.ts';
import { Outbox } from './outbox.ts';
import { refusal } from './refusals.ts';
import { EMPTY_STREET, type Street } from './street.ts';
import { SyntheticMarket } from './synthetic-market.ts';
import { TapeBook } from './tape-book.ts';
import { TradingFloor } from './trading-floor.ts';
import type {
  CancelOrder,
  CashOutcome,
  ChangeOrder,
  CommandOutcome,
  PlaceLimit,
  Refusal,
} from './venue-command.ts';
import type { Listing, VenueEvent, VenueOrder } from './venue-event.ts';
import { DEFAULT_RULES, type TapePrint, type VenueOptions, type VenueRules } from './venue-options.ts';
import type { VenueState } from './venue-state.ts';

export class Venue {
  readonly #options: VenueOptions;
  readonly #rules: VenueRules;
  readonly #outbox = new Outbox();
  readonly #ledger: Ledger;
  readonly #floor: TradingFloor;
  readonly #desk: OrderDesk;
  readonly #gate: EntryGate;
  readonly #street: Street;
  readonly #cycle: DayCycle;
  #nowUs: TsUs;

  /**
   * Starts at `options.startUs`. With `state`, carries on from it: a day that ended in between is settled without further
   * trading, resting orders of today stand in the book again in their order.
   */
  constructor(options: VenueOptions, state?: VenueState) {
    assertCalendar(options.calendar);
    this.#options = options;
    this.#rules = { ...DEFAULT_RULES, ...options.rules };
    this.#nowUs = options.startUs;
    const day = sessionOnOrBefore(options.calendar, tradingDayAt(options.calendar, options.startUs));
    this.#ledger = new Ledger(options.spec, options.costs, this.#outbox);
    this.#floor = new TradingFloor(options, this.#rules, day, this.#outbox, (listing) =>
      this.#newBook(listing),
    );
    this.#gate = new EntryGate(this.#ledger, this.#floor);
    this.#desk = new OrderDesk(options, this.#rules, this.#surroundings(), this.#ledger, this.#outbox);
    this.#street =
      options.market.kind === 'synthetic' ? new SyntheticMarket(options, options.market.seed) : EMPTY_STREET;
    this.#cycle = new DayCycle({
      options,
      floor: this.#floor,
      desk: this.#desk,
      ledger: this.#ledger,
      street: this.#street,
      outbox: this.#outbox,
    });
    this.#openAccounts(state);
    if (state === undefined) {
      this.#cycle.begin(day, this.#nowUs);
    } else {
      this.#floor.resumeDay(state.contracts, tradingDay(state.day), this.#nowUs);
      this.#desk.restore(state);
      this.#cycle.resume(day, this.#nowUs);
    }
  }

  get nowUs(): TsUs {
    return this.#nowUs;
  }
  get day(): TradingDay {
    return this.#floor.day;
  }
  get phase(): SessionPhase {
    return this.#cycle.phase;
  }

  /** What came of starting: the day, the phase, first books, and what a restart settled. Read once. */
  startEvents(): readonly VenueEvent[] {
    return this.#outbox.take();
  }

  /** The next moment at which something happens by itself: for the caller's timer. */
  nextDueUs(): TsUs {
    return tsUs(
      Math.max(this.#nowUs, Math.min(this.#cycle.nextEdgeUs, this.#desk.nextDueUs, this.#street.nextUs)),
    );
  }

  /** Lets the market live until `toUs`, inclusive. Events are the same however the span is split. */
  advance(toUs: TsUs): readonly VenueEvent[] {
    this.#advance(toUs);
    return this.#outbox.take();
  }

  /** One recorded trade (tape market only). Feed prints before time is advanced past them. */
  print(print: TapePrint): readonly VenueEvent[] {
    this.#advance(tsUs(Math.max(this.#nowUs, print.tsUs)));
    const book = this.#floor.book(print.orderCode);
    assert(book instanceof TapeBook, 'a print belongs to the contract of the tape');
    book.print(print, this.#nowUs);
    book.publish(this.#nowUs);
    return this.#outbox.take();
  }

  /** Commands act at `nowUs`: advance first. The answer shows the order as it was sent, the events what came of it. */
  place(command: PlaceLimit): CommandOutcome {
    const refused = this.#gate.placeRefusal(command, this.phase, this.#context()) ?? this.#repeated(command);
    return this.#outcome(refused ?? this.#desk.place(command));
  }

  change(command: ChangeOrder): CommandOutcome {
    return this.#outcome(this.#desk.change(command));
  }

  cancel(command: CancelOrder): CommandOutcome {
    return this.#outcome(this.#desk.cancel(command));
  }

  deposit(id: AccountId, amount: number): CashOutcome {
    return this.#transfer(id, amount, 1);
  }

  withdraw(id: AccountId, amount: number): CashOutcome {
    return this.#transfer(id, amount, -1);
  }

  contracts(): readonly Contract[] {
    return this.#floor.books().map((book) => book.listing.contract);
  }

  /** Everything the price list shows of one contract; undefined when it is not listed. */
  board(code: OrderCode): ContractBoard | undefined {
    return this.#floor.board(code);
  }

  /** Today's orders of an account, in order of entry. */
  orders(id: AccountId): readonly VenueOrder[] {
    return this.#desk.orders(id);
  }

  order(id: AccountId, orderNo: BrokerOrderNo): VenueOrder | undefined {
    return this.#desk.order(id, orderNo);
  }

  /** What the account holds or traded today. */
  positions(id: AccountId): readonly PositionFigures[] {
    const account = this.#ledger.account(id);
    return account === undefined ? [] : positionFigures(account, this.#context());
  }

  account(id: AccountId): AccountFigures | undefined {
    const account = this.#ledger.account(id);
    return account === undefined ? undefined : accountFigures(account, this.#context());
  }

  exportState(): VenueState {
    return {
      version: 1,
      atUs: this.#nowUs,
      day: this.#floor.day,
      accounts: this.#ledger.exportState(),
      contracts: this.#floor.exportState(),
      ...this.#desk.exportState(),
    };
  }

  #advance(toUs: TsUs): void {
    assert(toUs >= this.#nowUs, 'time does not run backwards');
    for (let due = this.nextDueUs(); due <= toUs; due = this.nextDueUs()) {
      this.#nowUs = due;
      // At one moment: first the session, then commands that arrive, then the street.
      if (this.#cycle.nextEdgeUs <= due) this.#cycle.runEdge(due);
      else if (this.#desk.nextDueUs <= due) this.#arrivals();
      else this.#street.step();
    }
    this.#nowUs = toUs;
  }

  #arrivals(): void {
    if (this.#desk.nextDueUs > this.#nowUs) return;
    this.#desk.runDue(this.#nowUs);
    for (const book of this.#floor.books()) book.publish(this.#nowUs);
  }

  #outcome(answer: DeskAnswer): CommandOutcome {
    this.#arrivals();
    const events = this.#outbox.take();
    if (isRefusal(answer)) return { status: 'refused', refusal: answer, events };
    return { status: 'accepted', order: answer, events };
  }

  #repeated({ accountId: id, refId }: PlaceLimit): Refusal | null {
    if (this.#rules.repeatedRefId === 'accept' || refId === null) return null;
    return this.#desk.hasRefId(id, refId) ? refusal(-6004) : null;
  }

  #transfer(id: AccountId, amount: number, sign: 1 | -1): CashOutcome {
    const refused = this.#transferRefusal(id, amount, sign);
    if (refused !== null) return { status: 'refused', refusal: refused, events: [] };
    this.#ledger.transfer(id, sign * amount, this.#nowUs);
    return { status: 'accepted', events: this.#outbox.take() };
  }

  #transferRefusal(id: AccountId, amount: number, sign: 1 | -1): Refusal | null {
    const figures = this.account(id);
    if (figures === undefined) return refusal(-6001);
    if (!Number.isSafeInteger(amount) || amount <= 0) return refusal(-6019, 'Invalid amount');
    return sign === -1 && amount > figures.withdrawable
      ? refusal(-6012, 'Not enough money to withdraw')
      : null;
  }

  #newBook(listing: Listing): ContractBook {
    const { market } = this.#options;
    return market.kind === 'tape' && market.orderCode === listing.contract.orderCode
      ? new TapeBook(listing, this.#outbox, this.#desk)
      : new LadderBook(listing, this.#outbox, this.#desk);
  }

  #surroundings(): ConstructorParameters<typeof OrderDesk>[2] {
    // Read when asked: the desk is made before the day begins.
    const now = (): TsUs => this.#nowUs;
    const day = (): TradingDay => this.#floor.day;
    const phase = (): SessionPhase => this.#cycle.phase;
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
      book: (code) => this.#floor.book(code),
      riskRefusal: (command) => this.#gate.riskRefusal(command, this.#context()),
    };
  }

  #context(): AccountContext {
    return {
      terms: { spec: this.#options.spec, costs: this.#options.costs, day: this.#floor.day },
      rules: this.#rules,
      mark: (code) => this.#floor.mark(code),
      working: (account) => this.#desk.working(account.accountId),
    };
  }

  #openAccounts(state: VenueState | undefined): void {
    for (const known of state?.accounts ?? []) this.#ledger.restore(known);
    for (const { accountId: id, subAccountId, cash } of this.#options.accounts) {
      if (this.#ledger.account(accountId(id)) === undefined) this.#ledger.open(id, subAccountId, cash);
    }
  }
}
