/** Alerts that the machine's clock was set, that the machine slept, and that the calendar ends. */
import type { CancelTimer, Clock, Timers } from '../domain/clock.ts';
import { seconds, US_PER_MINUTE, US_PER_SECOND } from '../domain/units.ts';
import type { AlertSeverity } from '../engine/ports/journal-entry.ts';
import { FOLLOWED_STEP_US_MAX, SLEW_MS, type SystemClock } from '../host/system-clock.ts';
import { daysKnown, type TradingCalendar, tradingDayAt } from '../domain/calendar.ts';
import { dayNumber } from '../domain/civil-date.ts';
import type { JournalStore } from '../journal/journal-store.ts';
import { calendarEnd } from './inspect/calendar-view.ts';

export interface ClockWatchOptions {
  readonly clock: Pick<SystemClock, 'nowUs' | 'stepUs' | 'slept'>;
  readonly timers: Timers;
  /** The session that gets the steps; another one knows nothing of earlier steps. */
  readonly session: () => object | undefined;
  /** Zero: wall clock and market time agree again. */
  readonly onStep: (stepUs: number) => void;
  /** The wall clock was set, or the machine slept: timers that count by either are wrong. */
  readonly onSet: () => void;
  readonly alert: (severity: AlertSeverity, code: string, text: string) => void;
}

const CHECK_EVERY = seconds(1);
/** A further step that is reported again. */
const CHANGE_US_MIN = US_PER_SECOND;

export function watchClock({ clock, timers, session, onStep, onSet, alert }: ClockWatchOptions): CancelTimer {
  let { slept } = clock;
  let alerted: { readonly session: object | undefined; readonly stepUs: number } = {
    session: undefined,
    stepUs: 0,
  };
  let noticedUs = 0;
  let cancel = timers.after(CHECK_EVERY, look);

  function look(): void {
    cancel = timers.after(CHECK_EVERY, look);
    clock.nowUs();
    if (clock.slept > slept || Math.abs(clock.stepUs - noticedUs) > CHANGE_US_MIN) onSet();
    if (clock.slept > slept) {
      const span = `${Math.round((clock.slept - slept) / US_PER_SECOND)} s`;
      alert(
        'warning',
        'standby',
        `the machine slept for ${span}: prices and timers of that time were missed`,
      );
    }
    slept = clock.slept;
    const { stepUs } = clock;
    const isFollowed = Math.abs(stepUs) <= FOLLOWED_STEP_US_MAX;
    if (isFollowed && Math.abs(stepUs) > Math.abs(noticedUs) + CHANGE_US_MIN) {
      const by = `${Math.abs(stepUs) / US_PER_SECOND} s ${stepUs > 0 ? 'ahead' : 'back'}`;
      const takes = Math.ceil((Math.abs(stepUs) * SLEW_MS) / US_PER_MINUTE);
      alert('warning', 'clock_set', `the clock of this machine was set ${by}: followed within ${takes} min`);
    }
    noticedUs = stepUs;
    alertStep(isFollowed ? 0 : stepUs);
  }

  function alertStep(stepUs: number): void {
    const to = session();
    const knownUs = alerted.session === to ? alerted.stepUs : 0;
    if (to === undefined || Math.abs(stepUs - knownUs) < CHANGE_US_MIN) return;
    alerted = { session: to, stepUs };
    onStep(stepUs);
  }

  return () => cancel();
}

const DAILY_FROM = 7;
const ALERTED_COUNTER = 'calendar_alerted';

interface CalendarWatch extends Pick<ClockWatchOptions, 'alert'> {
  readonly calendar: TradingCalendar;
  readonly clock: Clock;
  readonly counters: Pick<JournalStore, 'counter' | 'keepCounter'>;
}

/** Alerts once from 30 days before the end, each day from a week before and after it. To be called every few minutes. */
export function checkCalendar({ calendar, clock, counters, alert }: CalendarWatch): void {
  const today = tradingDayAt(calendar, clock.nowUs());
  const text = calendarEnd(calendar, today);
  if (text === null) return;
  const left = daysKnown(calendar, today);
  const last = counters.counter(ALERTED_COUNTER, calendar.validTo);
  const isDue = last === 0 || (left <= DAILY_FROM && last !== dayNumber(today));
  if (!isDue) return;
  counters.keepCounter(ALERTED_COUNTER, calendar.validTo, dayNumber(today));
  if (left < 0) alert('critical', 'calendar_ended', text);
  else alert('warning', 'calendar_ends', text);
}
