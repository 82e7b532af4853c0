/** The trading day and its phase, the broker's state as read last, and the reads of it that are under way. */
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
import type { ReadFailed, ReadKind } from '../ports/engine-event.ts';
import type { AccountNow, Reports } from '../ports/outbound.ts';
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
  readonly #calendar: ReplaceableCalendar;
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
    this.#calendar = calendar;
    this.#context = context;
    this.account = new AccountReads(context, accountNow);
  }

  /** Null until the session started. */
  get day(): TradingDay | null {
    return this.#day;
  }

  tradingDay(): TradingDay {
    return this.#day ?? tradingDayAt(this.#calendar, this.#context.nowUs);
  }

  /** Local midnight after the trading day has passed. */
  isDayOver(): boolean {
    return this.#day !== null && tradingDayAt(this.#calendar, this.#context.nowUs) > this.#day;
  }

  /** An in-day book read before trading begins, on a weekend or in the night, may still show the day before (rulings, 6). */
  mayShowDayBefore(readUs: number): boolean {
    return readUs < this.#opensUs;
  }

  /** Read when the broker too had begun this day. */
  isSurelyToday(readUs: number): boolean {
    return this.#day !== null && readUs >= surelyBegunUs(this.#calendar, this.#day);
  }

  begin(day: TradingDay): void {
    this.#day = day;
    this.hasUnprovenEnds = false;
    const [opening] = this.#calendar.phases;
    this.#opensUs =
      opening === undefined ? -Infinity : momentOf(day, opening.fromUs, this.#calendar.utcOffsetMinutes);
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
    if (!this.isDayOver()) this.hasUnprovenEnds = false;
  }

  /** The calendar is another one: the next event asks it. */
  recheckPhase(): void {
    this.phaseUntilUs = Math.min(this.phaseUntilUs, this.#context.nowUs);
  }

  /** Moves to the current phase; null when it has not changed. */
  advancePhase(at: TsUs): SessionPhase | null {
    const isFirst = this.phaseUntilUs === -Infinity;
    const phase = phaseAt(this.#calendar, at);
    this.phaseUntilUs = tsUs(nextPhaseChange(this.#calendar, at));
    assert(this.phaseUntilUs > at, 'a phase ends in the future');
    if (phase === this.phase && !isFirst) return null;
    this.phase = phase;
    return phase;
  }
}

/** A missing answer does not hold a later request for longer than this. */
const ANSWER_US_MAX = 30_000_000;
/** Failed reads of one kind in a row before an alert. */
const ALERT_AFTER_FAILURES = 5;

/** Reads, merged: one that is asked for twice before it answers is sent once. */
export class ReadRequests {
  readonly #context: EventContext;
  readonly #reports: Reports;
  /** When the read that waits was asked for. */
  readonly #requested = new Map<ReadKind, number>();
  /** When it was asked for again meanwhile: a read that began earlier does not show that moment. */
  readonly #requestedAgain = new Map<ReadKind, number>();
  /** Failed reads in a row. */
  readonly #failures = new Map<ReadKind, number>();
  #pace: 'fast' | 'slow' | null = null;
  /** Reads that began earlier belong to the engine before this one, which had other orders and another day. */
  #sinceUs = -Infinity;

  constructor(context: EventContext, reports: Reports) {
    this.#context = context;
    this.#reports = reports;
  }

  request(what: ReadKind): void {
    const now = this.#context.nowUs;
    if (now - (this.#requested.get(what) ?? -Infinity) < ANSWER_US_MAX) {
      this.#requestedAgain.set(what, now);
      return;
    }
    this.#requested.set(what, now);
    this.#reports.read(what);
  }

  /**
   * A request that was made since the read began is carried out now. `startedUs` absent: the read began no earlier than it was asked for.
   * False for a read that began before this engine.
   */
  onArrived(what: ReadKind, startedUs = this.#requested.get(what) ?? Infinity): boolean {
    if (startedUs < this.#sinceUs) return false;
    if (this.#failures.size > 0) this.#failures.delete(what);
    const again = this.#requestedAgain.get(what) ?? -Infinity;
    this.#requested.delete(what);
    this.#requestedAgain.delete(what);
    if (startedUs < again) this.request(what);
    return true;
  }

  /** Alerts when reads keep failing. */
  onFailed({ what, reason }: ReadFailed): void {
    this.#requested.delete(what);
    this.#requestedAgain.delete(what);
    const count = (this.#failures.get(what) ?? 0) + 1;
    this.#failures.set(what, count);
    if (count !== ALERT_AFTER_FAILURES) return;
    const text = `${what} could not be read ${count} times in a row: ${reason}`;
    this.#context.alert(null, 'warning', 'reads_failing', text);
  }

  setPace(pace: 'fast' | 'slow'): void {
    if (this.#pace === pace) return;
    this.#pace = pace;
    this.#reports.pollPace(pace);
  }

  /** Earlier requests get no answer that counts. */
  restart(sinceUs = this.#sinceUs): void {
    this.#sinceUs = sinceUs;
    this.#requested.clear();
    this.#requestedAgain.clear();
    this.#failures.clear();
    this.#pace = null;
  }
}
