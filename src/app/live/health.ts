/** Whether engine, prices, journal, broker and reconciliation are all well: stricter than being ready to trade. */
import { phaseAt } from '../../domain/calendar.ts';
import { seconds } from '../../domain/units.ts';
import { systemClock } from '../host/system-clock.ts';
import type { Daemon } from './daemon.ts';

/** The engine is asked each second. */
const VIEW_AGE_MAX = seconds(20);

/** In words, or null. A halt by a person is no failure; outside trading hours prices and a token may be missing. */
export function healthProblem(daemon: Daemon): string | null {
  const { journal, edge, clockProblem, lastView: view, sessionDay, viewedUs, config, clock } = daemon;
  if (journal.isFailing) return 'the journal cannot be written';
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
  return view.money.state === 'differs' ? 'money differs from the broker’s' : null;
}
