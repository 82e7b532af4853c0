/** Exchange and accounts on market time, stored on disk. For an answer the venue is brought up to now, asked, and committed. */
import { dayAt, type TradingDay } from '../../domain/civil-date.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import type { Contract, ContractSpec } from '../../domain/contract.ts';
import { type AccountId, brokerOrderNo, type OrderCode, orderCode } from '../../domain/ids.ts';
import { type DurationUs, durationUs, milliseconds, seconds, type TsUs, tsUs } from '../../domain/units.ts';
import type { AccountFigures, PositionFigures } from '../../venue/account/account-figures.ts';
import type { ContractBoard } from '../../venue/venue-contracts.ts';
import type { MarketMessage, OrderReport, VenueEvent } from '../../venue/venue-event.ts';
import type { VenueOptions } from '../../venue/venue-options.ts';
import { Venue, type VenueState } from '../../venue/venue.ts';
import type { VenueMemory } from '../state/state-store.ts';
import type { MarketClock } from '../time/market-clock.ts';
import type { PassedFrame } from '../simulator-options.ts';
import type { OpenedMarket } from './open-market.ts';

interface BrokerageParts {
  readonly memory: VenueMemory;
  readonly market: MarketClock;
  /** Real time, for the pace of writing. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly venue: Omit<VenueOptions, 'startUs'>;
  /** Recorded prints, or null when the market makes its own. */
  readonly prints: OpenedMarket['prints'];
  readonly startUs?: TsUs | undefined;
}

/** Shortest pause between two wake-ups: bounds the work at high speeds. */
const PAUSE_MIN: DurationUs = milliseconds(5);
/** Longest pause, so that a changed system clock is noticed. */
const PAUSE_MAX: DurationUs = seconds(1);
/** Prices alone are written this often; orders and money at once. */
const PRICES_EVERY: DurationUs = seconds(1);
/** After a longer sleep of the machine the market restarts from its memory instead of simulating the gap. */
const SLEEP_MAX: DurationUs = seconds(60);

export class Brokerage {
  readonly #parts: BrokerageParts;
  readonly #memory: VenueMemory;
  readonly #frameListeners: ((frame: PassedFrame) => void)[] = [];
  readonly #eventListeners: ((event: VenueEvent) => void)[] = [];
  readonly #dueListeners: ((dueUs: number) => void)[] = [];
  #venue: Venue;
  #stopTimer: CancelTimer = () => {};
  #pending: VenueEvent[] = [];
  #passed: PassedFrame[] = [];
  #ordersChanged = false;
  #pricesChanged = false;
  #savedUs: TsUs;
  #livedUs: TsUs;
  #closed = false;

  constructor(parts: BrokerageParts) {
    this.#parts = parts;
    this.#memory = parts.memory;
    this.#savedUs = parts.clock.nowUs();
    this.#livedUs = this.#savedUs;
    this.#venue = this.#open(this.#memory.load());
  }

  /** Terms of a contract: the same for all that are listed. */
  get spec(): ContractSpec {
    return this.#parts.venue.spec;
  }

  /** Frames of another market, in place of the venue's own messages. */
  onFrame(listener: (frame: PassedFrame) => void): void {
    this.#frameListeners.push(listener);
  }

  /** All events of the venue. A listener must not act on the venue before it has returned. */
  onEvent(listener: (event: VenueEvent) => void): void {
    this.#eventListeners.push(listener);
  }

  /** Each time the market has done its work: when it has more, in market time; Infinity for never. */
  onDue(listener: (dueUs: number) => void): void {
    this.#dueListeners.push(listener);
  }

  /** Market time runs at its speed to `at` and waits there (`MarketClock.runTo`). */
  runTo(at: TsUs | null): void {
    this.#parts.market.runTo(at);
    this.#live();
  }

  /** Brings the venue up to now, lets it act, commits the changes, and only then returns the answer. */
  act<T extends { readonly events: readonly VenueEvent[] }>(run: (venue: Venue) => T): T {
    this.#catchUp();
    const outcome = run(this.#venue);
    this.#take(outcome.events);
    this.#ordersChanged = true;
    this.#settle();
    this.#schedule();
    return outcome;
  }

  orders(account: AccountId): readonly OrderReport[] {
    return this.read((venue) => venue.orders(account));
  }

  orderNamed(account: AccountId, text: string): OrderReport | undefined {
    const orderNo = text.trim();
    return orderNo === '' ? undefined : this.#venue.order(account, brokerOrderNo(orderNo));
  }

  /** The order code that a client's text may be; the venue decides whether it is listed, expired or unknown. */
  codeNamed(text: string): OrderCode | undefined {
    const code = text.trim();
    return /^\S+$/.test(code) ? orderCode(code) : undefined;
  }

  contractNamed(text: string): Contract | undefined {
    return this.#venue.contracts().find(({ orderCode }) => orderCode === text.trim());
  }

  positions(account: AccountId): readonly PositionFigures[] {
    return this.read((venue) => venue.positions(account));
  }

  account(account: AccountId): AccountFigures | undefined {
    return this.read((venue) => venue.account(account));
  }

  boards(): readonly ContractBoard[] {
    return this.read((venue) => venue.contracts().flatMap(({ orderCode }) => venue.board(orderCode) ?? []));
  }

  /** The venue's present state, without bringing it up to now: for the stream, in the middle of its own messages. */
  boardNow(code: OrderCode): ContractBoard | undefined {
    return this.#venue.board(code);
  }

  nowUs(): TsUs {
    return this.#parts.market.nowUs();
  }

  /** The calendar day of market time, where the exchange is. */
  today(): TradingDay {
    return dayAt(this.nowUs(), this.#parts.venue.calendar.utcOffsetMinutes);
  }

  /** Runs the market by itself: once all listeners are there, and again when held market time was released. */
  wake(): void {
    this.#livedUs = this.#parts.clock.nowUs();
    this.#live();
  }

  close(): void {
    this.#closed = true;
    this.#stopTimer();
    this.#save();
  }

  /** Everything in an answer to a read is committed first, prices too. */
  read<T>(run: (venue: Venue) => T): T {
    this.#catchUp();
    this.#settle();
    if (this.#pricesChanged) this.#save();
    return run(this.#venue);
  }

  #live(): void {
    if (this.#closed) return;
    this.#catchUp();
    this.#settle();
    if (this.#pricesChanged && this.#parts.clock.nowUs() - this.#savedUs >= PRICES_EVERY) this.#save();
    this.#schedule();
  }

  #schedule(): void {
    const { market, timers, prints } = this.#parts;
    this.#stopTimer();
    if (this.#closed || market.held) return;
    const dueUs = Math.min(this.#venue.nextDueUs(), prints?.nextDueUs() ?? Infinity);
    const pause = dueUs === Infinity ? PAUSE_MAX : market.realUntil(tsUs(dueUs));
    // Where market time waits for its client, that bounds the work.
    const pauseMin = market.map.untilUs === undefined ? PAUSE_MIN : 0;
    this.#stopTimer = timers.after(durationUs(Math.min(PAUSE_MAX, Math.max(pauseMin, pause))), () =>
      this.#live(),
    );
    for (const listener of this.#dueListeners) listener(dueUs);
  }

  #catchUp(): void {
    const { market, prints, clock } = this.#parts;
    const asleepUs = clock.nowUs() - this.#livedUs;
    this.#livedUs = clock.nowUs();
    if (market.held) return;
    // A recorded day loses nothing, however long it was held up.
    if (prints === null && asleepUs > SLEEP_MAX) {
      this.#venue = this.#open(this.#venue.exportState());
      return;
    }
    const nowUs = market.nowUs();
    for (let print = prints?.take(nowUs); print !== undefined; print = prints?.take(nowUs)) {
      this.#take(this.#venue.print(print));
      if (print.passed !== undefined) this.#passed.push(print.passed);
    }
    if (nowUs > this.#venue.nowUs) this.#take(this.#venue.advance(nowUs));
  }

  #open(state: VenueState | undefined): Venue {
    const { venue: options, market, startUs = market.nowUs() } = this.#parts;
    const venue = new Venue({ ...options, startUs: state === undefined ? startUs : market.nowUs() }, state);
    // Starting may have settled a day or expired orders: every row is written again.
    const { orders, triggers } = venue.exportState();
    for (const { orderNo } of orders) this.#memory.touch(orderNo);
    for (const { orderNo } of triggers) this.#memory.touchTrigger(orderNo);
    this.#ordersChanged = true;
    this.#take(venue.startEvents());
    return venue;
  }

  #take(events: readonly VenueEvent[]): void {
    for (const event of events) {
      this.#pending.push(event);
      if (isMarketMessage(event)) this.#pricesChanged = true;
      else this.#ordersChanged = true;
      if (event.kind === 'order') this.#memory.touch(event.order.orderNo);
      if (event.kind === 'trigger') this.#memory.touchTrigger(event.trigger.orderNo);
    }
  }

  /** Commits changes of orders and money, then reports them. */
  #settle(): void {
    if (this.#ordersChanged) this.#save();
    for (const event of this.#pending.splice(0)) for (const listener of this.#eventListeners) listener(event);
    for (const frame of this.#passed.splice(0)) for (const listener of this.#frameListeners) listener(frame);
  }

  #save(): void {
    this.#memory.save(this.#venue);
    this.#ordersChanged = false;
    this.#pricesChanged = false;
    this.#savedUs = this.#parts.clock.nowUs();
  }
}

export const isMarketMessage = (event: VenueEvent): event is MarketMessage =>
  event.kind === 'trade' || event.kind === 'book' || event.kind === 'summary';
