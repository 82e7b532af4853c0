/** The trading day and its phase, and the broker's state as read last. */
import { assert } from '../../domain/assert.ts';
import type { BrokerAccount } from '../../domain/broker-order.ts';
import {
  type ReplaceableCalendar,
  nextPhaseChange,
  phaseAt,
  type SessionPhase,
  surelyBegunUs,
  tradingDayAt,
} from '../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../domain/civil-date.ts';
import { type TsUs, tsUs } from '../../domain/units.ts';
import type { AccountNow } from '../ports/outbound.ts';
import type { EventContext } from '../state/event-context.ts';

/** The account: as it was read last, or, where reads are free, as it is now. */
class AccountReads {
  readonly #context: EventContext;
  readonly #now: AccountNow | undefined;
  #figures: BrokerAccount | undefined = undefined;
  #readUs = -Infinity;

  constructor(context: EventContext, now: AccountNow | undefined) {
    this.#context = context;
    this.#now = now;
  }

  get figures(): BrokerAccount | undefined {
    return this.#now === undefined ? this.#figures : this.#now.figures();
  }

  /** -Infinity when there was none since the start. */
  get readUs(): number {
    return this.#now === undefined ? this.#readUs : this.#context.nowUs;
  }

  /** Calls that were sent before are in the figures, answered or not; null where they are read. */
  get arrivedUs(): number | null {
    return this.#now === undefined ? null : this.#now.arrivedUs;
  }

  take(figures: BrokerAccount, startedUs: TsUs): void {
    if (startedUs < this.#readUs) return;
    this.#figures = figures;
    this.#readUs = startedUs;
  }

  /** A new process: earlier reads are too old to use. */
  restart(): void {
    this.#figures = undefined;
    this.#readUs = -Infinity;
  }
}

export class SessionState {
  readonly account: AccountReads;
  readonly calendar: ReplaceableCalendar;
  readonly #context: EventContext;
  /** The phase holds until this moment: one comparison an event. */
  phaseUntilUs = -Infinity;
  phase: SessionPhase = 'closed';
  boot = 0;
  clockSkewUs = 0;
  /** Wall clock minus market time after the wall clock was set; 0 while they agree. */
  clockStepUs = 0;
  /** Start of the last complete scan of the in-day book; -Infinity when there was none since the start. */
  ordersReadUs = -Infinity;
  triggersReadUs = -Infinity;
  /** The day is over, and orders ended with it unseen: a broker whose midnight comes later may still have them. */
  hasUnprovenEnds = false;
  #day: TradingDay | null = null;
  /** When trading of the day begins; -Infinity before the session started, and where trading has no phases. */
  #opensUs = -Infinity;

  constructor(calendar: ReplaceableCalendar, context: EventContext, accountNow?: AccountNow) {
    this.calendar = calendar;
    this.#context = context;
    this.account = new AccountReads(context, accountNow);
  }

  /** Null until the session started. */
  get day(): TradingDay | null {
    return this.#day;
  }

  tradingDay(): TradingDay {
    return this.#day ?? tradingDayAt(this.calendar, this.#context.nowUs);
  }

  /** Local midnight after the trading day has passed. */
  isDayOver(): boolean {
    return this.#day !== null && tradingDayAt(this.calendar, this.#context.nowUs) > this.#day;
  }

  /** An in-day book read before trading begins, on a weekend or in the night, may still show the day before (rulings, 6). */
  mayShowDayBefore(readUs: TsUs): boolean {
    return readUs < this.#opensUs;
  }

  /** Read when the broker too had begun this day. */
  isSurelyToday(readUs: number): boolean {
    return this.#day !== null && readUs >= surelyBegunUs(this.calendar, this.#day);
  }

  begin(day: TradingDay): void {
    this.#day = day;
    this.hasUnprovenEnds = false;
    const [opening] = this.calendar.phases;
    this.#opensUs =
      opening === undefined ? -Infinity : momentOf(day, opening.fromUs, this.calendar.utcOffsetMinutes);
  }

  restart(boot: number): void {
    this.boot = boot;
    this.clockStepUs = 0;
    this.ordersReadUs = -Infinity;
    this.triggersReadUs = -Infinity;
    this.account.restart();
  }

  setClockBack(): void {
    this.phaseUntilUs = -Infinity;
  }

  /** The calendar is another one: the next event asks it. */
  recheckPhase(): void {
    this.phaseUntilUs = Math.min(this.phaseUntilUs, this.#context.nowUs);
  }

  /** Moves to the current phase; null when it has not changed. */
  advancePhase(at: TsUs): SessionPhase | null {
    const isFirst = this.phaseUntilUs === -Infinity;
    const phase = phaseAt(this.calendar, at);
    this.phaseUntilUs = tsUs(nextPhaseChange(this.calendar, at));
    assert(this.phaseUntilUs > at, 'a phase ends in the future');
    if (phase === this.phase && !isFirst) return null;
    this.phase = phase;
    return phase;
  }
}
