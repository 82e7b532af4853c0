/** Two readings of health: whether the parts of the daemon answer, and whether all is well, which is stricter than being ready to trade. */
import { daysKnown, phaseAt, tradingDayAt } from '../../domain/calendar.ts';
import { seconds, US_PER_SECOND } from '../../domain/units.ts';
import type { EngineHealth } from '../../operator/cockpit/cockpit-model.ts';
import type { Health } from '../../operator/control-server.ts';
import { calendarEnd } from '../inspect/calendar-view.ts';
import { inTime, systemClock } from '../../host/system-clock.ts';
import type { Daemon } from '../daemon.ts';

/** The engine is asked each second. */
const VIEW_AGE_MAX = seconds(20);

/** In words, or null. A halt by a person is no failure; outside trading hours prices and a token may be missing. */
export function healthProblem(daemon: Daemon): string | null {
  const {
    journal,
    degraded,
    edge,
    clockProblem,
    lastView: view,
    sessionDay,
    viewedUs,
    config,
    clock,
  } = daemon;
  if (journal.isFailing) return 'the journal cannot be written';
  if (degraded !== null) return degraded;
  const ended = calendarProblem(daemon);
  if (ended !== null) return ended;
  const isOpen = phaseAt(config.calendar, clock.nowUs()) !== 'closed';
  if (sessionDay === undefined) return isOpen ? 'no session is open' : null;
  if (systemClock.nowUs() - viewedUs > VIEW_AGE_MAX) return 'the engine does not answer';
  if (clockProblem !== null) return clockProblem;
  if (!isOpen) return null;
  const { state, isStale } = edge.stream.status();
  if (state !== 'live') return `the price stream is ${state.replaceAll('_', ' ')}`;
  if (isStale) return 'no prices come';
  if (edge.tokens.current() === undefined) return 'there is no token';
  if (view === undefined) return 'the engine has not answered yet';
  if (view.unproven !== null) return `positions are not proven: ${view.unproven}`;
  if (view.stopsUnproven !== null) return `stops are not proven: ${view.stopsUnproven}`;
  return view.money.state === 'differs' ? 'money differs from the broker’s' : null;
}

/** The calendar has ended, in words, or null. */
export function calendarProblem({ config: { calendar }, clock }: Daemon): string | null {
  const today = tradingDayAt(calendar, clock.nowUs());
  return daysKnown(calendar, today) < 0 ? calendarEnd(calendar, today) : null;
}

/** An engine that takes longer for an answer has hung or has very much to do. */
const ANSWER_MAX = seconds(3);

/** Asks the engine thread; the main thread answers by answering. Without a session no engine is needed, unless one was lost. */
export async function healthOf(daemon: Daemon): Promise<Health> {
  if (daemon.journal.isFailing) return { ok: false, reason: 'the disk refuses rows of the journal' };
  if (daemon.degraded !== null) return { ok: false, reason: daemon.degraded };
  if (daemon.sessionDay === undefined) return { ok: true, reason: '' };
  const answered = daemon.refreshView().then(() => true);
  if (await inTime(answered, ANSWER_MAX)) return { ok: true, reason: '' };
  return { ok: false, reason: `the engine has not answered for ${ANSWER_MAX / US_PER_SECOND} s` };
}

/** The view comes each second; an engine that computes for longer has hung or is overloaded. */
const VIEW_EVERY_MAX = seconds(4);

export function engineHealth({ sessionDay, viewedUs, lastView }: Daemon): EngineHealth {
  if (sessionDay === undefined || lastView === undefined) return { state: 'none' };
  const isLate = systemClock.nowUs() - viewedUs > VIEW_EVERY_MAX;
  return { state: isLate ? 'hung' : 'running' };
}
