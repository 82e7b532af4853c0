/** Health: whether the parts of the daemon answer, and what is wrong with it, for each who asks. */
import { daysKnown, phaseAt, tradingDayAt } from '../../domain/calendar.ts';
import { seconds, US_PER_SECOND } from '../../domain/units.ts';
import type { CockpitState } from '../../operator/cockpit/cockpit-model.ts';
import type { Health } from '../../operator/control-server.ts';
import { calendarEnd } from '../inspect/calendar-view.ts';
import { inTime, systemClock } from '../../host/system-clock.ts';
import type { Daemon } from '../daemon.ts';

/** The engine is asked each second. */
const VIEW_AGE_MAX = seconds(20);

/** Where a problem is reported: the dead man's switch, the page, and the answer whether entries may go. */
type Reader = 'health' | 'page' | 'entries';

const ALL: readonly Reader[] = ['health', 'page', 'entries'];
const PAGE: readonly Reader[] = ['page'];
const ENTRIES: readonly Reader[] = ['entries'];

/** In words, the worst first. A halt by a person is no failure; outside trading hours prices and a token may be missing. */
export function problemsFor(reader: Reader, daemon: Daemon): readonly string[] {
  const { halt, journal, degraded, sessionDay, clockProblem, lastView: view, edge } = daemon;
  const { channels } = daemon.alerting.state;
  const isMute = channels.length > 0 && channels.every(({ trouble }) => trouble !== null);
  const { state, isStale } = edge.stream.status();
  const isOpen = phaseAt(daemon.config.calendar, daemon.clock.nowUs()) !== 'closed';
  const hasSession = sessionDay !== undefined;
  const isSilent = hasSession && systemClock.nowUs() - daemon.viewedUs > VIEW_AGE_MAX;
  const inHours = isOpen ? ALL : ENTRIES;
  const proof: readonly Reader[] = isOpen ? ALL : ['page', 'entries'];
  const rows: readonly (readonly [problem: string | false | null | undefined, readonly Reader[]])[] = [
    [halt.reason !== null && `entries are off until tickwright resume: ${halt.reason}`, ENTRIES],
    [journal.isFailing && 'the journal cannot be written', ALL],
    [degraded, ALL],
    [calendarProblem(daemon), ALL],
    [!hasSession && 'no session is open', inHours],
    [isSilent && 'the engine does not answer', ALL],
    [clockProblem, hasSession ? ALL : PAGE],
    [state !== 'live' && `the price stream is ${state.replaceAll('_', ' ')}`, inHours],
    [state === 'live' && isStale && 'no prices come', inHours],
    [
      daemon.cycle.session?.inbox.isBehind === true && 'the engine is behind the prices: entries wait',
      ENTRIES,
    ],
    [edge.tokens.current() === undefined && 'there is no token', isOpen ? ['health', 'page'] : []],
    [hasSession && view === undefined && 'the engine has not answered yet', inHours],
    [view?.unproven && `positions are not proven: ${view.unproven}`, proof],
    [view?.stopsUnproven && `stops are not proven: ${view.stopsUnproven}`, proof],
    [
      view?.money.state === 'differs' && 'money differs from the broker’s',
      isOpen ? ['health', 'page'] : PAGE,
    ],
    [isMute && 'no channel delivers: messages reach nobody', ['health', 'page']],
    [daemon.lastProgramProblem, PAGE],
    ...channels.map(
      ({ id, trouble }) => [trouble !== null && `the channel ${id} fails: ${trouble}`, PAGE] as const,
    ),
  ];
  return rows.flatMap(([problem, readers]) => (problem && readers.includes(reader) ? [problem] : []));
}

/** The worst of them, or null. */
export const healthProblem = (daemon: Daemon): string | null => problemsFor('health', daemon)[0] ?? null;

function calendarProblem({ config: { calendar }, clock }: Daemon): string | null {
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
  if (engineHealth(daemon).state === 'hung') {
    const silentS = Math.floor((systemClock.nowUs() - daemon.viewedUs) / US_PER_SECOND);
    return { ok: false, reason: `the engine has not answered for ${silentS} s` };
  }
  const answered = daemon.refreshView().then(() => true);
  if (await inTime(answered, ANSWER_MAX)) return { ok: true, reason: '' };
  return { ok: false, reason: `the engine has not answered for ${ANSWER_MAX / US_PER_SECOND} s` };
}

/** The view comes each second; an engine that computes for longer has hung or is overloaded. */
const VIEW_EVERY_MAX = seconds(4);

export function engineHealth({ sessionDay, viewedUs, lastView }: Daemon): CockpitState['engine'] {
  if (sessionDay === undefined || lastView === undefined) return { state: 'none' };
  const isLate = systemClock.nowUs() - viewedUs > VIEW_EVERY_MAX;
  return { state: isLate ? 'hung' : 'running' };
}
