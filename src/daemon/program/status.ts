/** The state of a daemon and its health: as data, and in words and units, as the command line, a chat and the end of a run show it. */
import { resolve } from 'node:path';
import { coverageDaysLeft, phaseAt, tradingDayAt } from '../../domain/calendar.ts';
import { momentOf } from '../../domain/civil-date.ts';
import { seconds, US_PER_MS, US_PER_SECOND } from '../../domain/units.ts';
import type { EngineSnapshot } from '../../engine/engine-snapshot.ts';
import { withTimeout, systemClock } from '../../host/system-clock.ts';
import { formatShownTime } from '../../text/dates.ts';
import { formatSpan } from '../../text/durations.ts';
import { formatCount, formatNumber, formatSigned, positionText } from '../../text/numbers.ts';
import { formatRows, pad, SCREEN_WIDTH, wrapText } from '../../text/table.ts';
import type { Daemon } from '../daemon.ts';
import { calendarEnd } from '../inspect/calendar-view.ts';
import { jobsText } from '../schedule.ts';
import { bookFacts, comparisons, type Fact, holdings } from '../session/holdings.ts';
import type { CockpitState } from '../../operator/cockpit/cockpit-model.ts';
import type { Health } from '../../operator/control-server.ts';
import { oneLine } from '../../operator/terminal.ts';

export type StatusContent = ReturnType<typeof statusContent>;

export function statusContent(daemon: Daemon, view: EngineSnapshot) {
  const token = daemon.edge.tokens.current();
  const { utcOffsetMinutes } = daemon.config.calendar;
  const now = daemon.clock.nowUs();
  const day = daemon.sessionDay === undefined ? now : momentOf(daemon.sessionDay, 0, utcOffsetMinutes);
  return {
    /** With the date where it is not that of the session. */
    time: formatShownTime(now, day, utcOffsetMinutes),
    phase: view.phase,
    stream: view.stream,
    positions: view.contracts.map(({ orderCode, ours }) => ({ orderCode, qty: ours })),
    dayPnl: view.dayPnl,
    openOrders: view.orders.length,
    tokenLeftMs: token === undefined ? null : (token.expiresAt - systemClock.nowUs()) / US_PER_MS,
    /** Reason why entries are off, or null. */
    halted: daemon.halt.reason ?? view.halted,
    unproven: view.unproven,
    money: view.money.state,
    procedure: view.procedure,
  };
}

export const statusOf = (daemon: Daemon) => ({
  mode: daemon.config.mode,
  /** Absolute: the reader may be in another folder. */
  stateDir: resolve(daemon.config.stateDir),
  /** The program on disk is not the one that runs, in words, or null. */
  program: daemon.programProblem,
  session: daemon.sessionDay ?? null,
  /** Why no engine runs though one should, or null. */
  degraded: daemon.cycle.degraded,
  /** That the calendar ends soon, or has ended, in words, or null. */
  calendar: calendarEnd(daemon.config.calendar, tradingDayAt(daemon.config.calendar, daemon.clock.nowUs())),
  halted: daemon.halt.reason,
  /** Why no entry may go now, the worst first; limits and risk aside. */
  blocked: problemsFor('entries', daemon),
  halt: daemon.haltEnforcer.progress,
  /** Null until the engine has answered once. */
  line: daemon.lastView === undefined ? null : statusContent(daemon, daemon.lastView),
  stream: daemon.edge.stream.status(),
  tokenExchanges: daemon.edge.tokens.budget,
  jobs: daemon.jobs,
  isOtpAwaited: daemon.otpInbox.isWaiting,
  alerts: daemon.alerting.state,
  engine: daemon.lastView ?? null,
  /** Positions in words, with entry, last price, result and stop. */
  held:
    daemon.lastView === undefined
      ? []
      : holdings(daemon.lastView, daemon.edge.table.contracts).map((line) => daemon.named(line)),
  contractNames: Object.fromEntries(
    daemon.edge.table.contracts.map(({ orderCode }) => [orderCode, daemon.named(orderCode)]),
  ),
  compared:
    daemon.lastView === undefined
      ? { positions: null, money: null }
      : comparisons(daemon.lastView, daemon.config.calendar.utcOffsetMinutes, daemon.clock.nowUs()),
  /** So long the engine has not answered and `engine` is old; null while it answers, or does not run. */
  engineSilentMs:
    engineHealth(daemon).state === 'hung'
      ? Math.floor((systemClock.nowUs() - daemon.viewedUs) / US_PER_MS)
      : null,
  /** Contracts as listed last; null between two sessions. */
  strategies: daemon.cycle.session?.strategies.present.configured ?? null,
});

export type DaemonStatus = Readonly<ReturnType<typeof statusOf>>;

export function statusFacts(status: DaemonStatus): readonly Fact[] {
  const { engine, line } = status;
  const session = [
    status.session ?? (status.degraded === null ? 'none open' : `none open: ${status.degraded}`),
    ...(line === null ? [] : [line.phase, line.time]),
  ];
  return [
    ['mode', status.mode === 'live' ? 'live: REAL MONEY' : status.mode],
    ['state', status.stateDir],
    ...(status.program === null ? [] : [['program', status.program] as const]),
    ...silenceFact(status),
    ['session', session.join(', ').replaceAll('_', ' ')],
    ...(status.calendar === null ? [] : [['calendar', status.calendar] as const]),
    ['entries', entriesText(status)],
    ['prices', pricesText(status)],
    ['token', tokenText(status)],
    ['jobs', jobsText(status.jobs)],
    ...alertFacts(status),
    ...(engine === null ? [] : engineFacts(engine, status.compared)),
  ];
}

export function silenceFact({ engineSilentMs: ms }: DaemonStatus): readonly Fact[] {
  if (ms === null) return [];
  const age = formatSpan(ms * US_PER_MS);
  return [['engine', `does NOT answer for ${age}: its figures are as old; tickwright halt still works`]];
}

function entriesText({ halted, halt, blocked }: DaemonStatus): string {
  if (halted === null)
    return blocked.length === 0
      ? 'allowed, as far as limits and risk allow them'
      : `BLOCKED: ${blocked.join('; ')}`;
  return `HALTED until tickwright resume: ${halted}${halt.text === '' ? '' : `; ${halt.text}`}`;
}

function pricesText({ stream: { state, isStale, attempts } }: DaemonStatus): string {
  if (state === 'live') return isStale ? 'NONE come, though the stream is connected' : 'live';
  const tries = attempts === 0 ? '' : `, ${formatCount(attempts, 'attempt')} so far`;
  return `${state.replaceAll('_', ' ')}${tries}`;
}

function alertFacts({ alerts: { channels, unseen } }: DaemonStatus): readonly Fact[] {
  if (channels.length === 0) return [];
  const states = channels.map(({ id, isTried, trouble, waiting }) => {
    const queued = waiting === 0 ? '' : `, ${formatCount(waiting, 'message')} waiting`;
    const state = isTried ? 'delivers' : 'not tried since the start';
    return `${id} ${trouble === null ? state : `does NOT deliver: ${trouble}`}${queued}`;
  });
  const open =
    unseen === 0 ? [] : [`${formatCount(unseen, 'critical alert')} not acknowledged: tickwright seen`];
  return [['alerts', [...states, ...open].join('; ')]];
}

function tokenText({ line, tokenExchanges: { used, allowed }, isOtpAwaited }: DaemonStatus): string {
  const question = isOtpAwaited ? '; a one-time password is AWAITED: tickwright otp' : '';
  const budget = `${used} of ${allowed} exchanges of the day used${question}`;
  if (line === null) return budget;
  const { tokenLeftMs: left } = line;
  if (left === null) return `none, ${budget}`;
  return left <= 0 ? `ended, ${budget}` : `${formatSpan(left * US_PER_MS)} left, ${budget}`;
}

function engineFacts(engine: EngineSnapshot, compared: DaemonStatus['compared']): readonly Fact[] {
  const { procedure, orders, counts } = engine;
  const unknown = orders.filter(({ isInDoubt }) => isInDoubt).length;
  const open = formatCount(orders.length, 'open order');
  return [
    ['result', resultText(engine)],
    ...bookFacts(engine, compared),
    ['orders', unknown === 0 ? open : `${open}, ${unknown} of them without a known outcome`],
    ['today', DAY_COUNTS.map(([name, key, many]) => formatCount(counts[key], name, many)).join(', ')],
    ...(procedure === '' ? [] : [['doing', procedure] as const]),
  ];
}

/** As the page, the chat and the report have it, and as the limit on the daily loss counts. */
export const resultText = ({ dayPnl, fee, tax }: Pick<EngineSnapshot, 'dayPnl' | 'fee' | 'tax'>): string =>
  `${formatSigned(dayPnl)} VND, realised and open, after ${formatNumber(fee + tax)} of fees and tax`;

const DAY_COUNTS = [
  ['order', 'orders'],
  ['fill', 'fills'],
  ['denial', 'denials'],
  ['rejection', 'rejections'],
  ['refused change or cancel', 'refusedChanges', 'refused changes or cancels'],
  ['gap', 'gaps'],
] as const;

const LABEL_WIDTH = 8;
const TEXT_WIDTH = SCREEN_WIDTH - LABEL_WIDTH - 2;

export function statusText(status: DaemonStatus, facts = statusFacts(status)): string {
  const { engine } = status;
  const blank = ' '.repeat(LABEL_WIDTH + 2);
  const head = facts.map(
    ([label, text]) =>
      `${pad(label, LABEL_WIDTH)}  ${wrapText(oneLine(text), TEXT_WIDTH).join(`\n${blank}`)}\n`,
  );
  return `${head.join('')}${engine === null ? '' : `\n${strategiesTable(engine, status.contractNames)}\n`}`;
}

/** At the end of a run: what came of it, and no longer what it may do. */
export function summaryText(status: DaemonStatus): string {
  const { engine, session, compared } = status;
  // The daemon is about to end.
  const books = engine === null ? [] : engineFacts({ ...engine, procedure: '' }, compared);
  return statusText(status, [['session', session ?? 'none was open'], ...silenceFact(status), ...books]);
}

type Engine = NonNullable<DaemonStatus['engine']>;
type StrategyStatus = Engine['strategies'][number];

const strategiesTable = ({ strategies }: Engine, names: DaemonStatus['contractNames']): string =>
  formatRows(strategies, {
    strategy: ({ id }) => oneLine(id),
    position: ({ positions }) =>
      positionText(
        positions.map(({ orderCode, qty }) => ({ orderCode: names[orderCode] ?? orderCode, qty })),
      ) || 'flat',
    'open orders': ({ openOrders }) => formatNumber(openOrders),
    fills: ({ fills }) => formatNumber(fills),
    'day VND': ({ dayPnl }) => formatSigned(dayPnl),
    state: (each) => oneLine(nakedText(each) + stateOf(each)),
  });

function stateOf({ id, stopped, halted }: StrategyStatus): string {
  if (stopped !== null) return `stopped: ${stopped}`;
  return halted === null ? 'runs' : `entries off until tickwright resume --strategy ${id}: ${halted}`;
}

/** How many contracts should have a stop at the broker and have none; empty for none. */
function nakedText({ positions }: StrategyStatus): string {
  const naked = positions.reduce((sum, { uncoveredQty }) => sum + uncoveredQty, 0);
  return naked === 0 ? '' : `${naked} WITHOUT A STOP; `;
}

// Health: whether the parts of the daemon answer, and what is wrong with it, for each who asks.

/** The engine is asked each second. */
const VIEW_AGE_MAX = seconds(20);

/** Where a problem is reported: the dead man's switch, the page, and the answer whether entries may go. */
type Reader = 'health' | 'page' | 'entries';

const ALL: readonly Reader[] = ['health', 'page', 'entries'];
const PAGE: readonly Reader[] = ['page'];
const SHOWN: readonly Reader[] = ['health', 'page'];
const ENTRIES: readonly Reader[] = ['entries'];

/** In words, the worst first. A halt by a person is no failure; outside trading hours prices and a token may be missing. */
export function problemsFor(reader: Reader, daemon: Daemon): readonly string[] {
  const { halt, journal, cycle, sessionDay, clockProblem, lastView: view, edge } = daemon;
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
    [cycle.degraded, ALL],
    [calendarProblem(daemon), ALL],
    [!hasSession && 'no session is open', inHours],
    [isSilent && 'the engine does not answer', ALL],
    [clockProblem, hasSession ? ALL : PAGE],
    [state !== 'live' && `the price stream is ${state.replaceAll('_', ' ')}`, inHours],
    [state === 'live' && isStale && 'no prices come', inHours],
    [cycle.session?.inbox.isBehind === true && 'the engine is behind the prices: entries wait', ENTRIES],
    [edge.tokens.current() === undefined && 'there is no token', isOpen ? SHOWN : []],
    [hasSession && view === undefined && 'the engine has not answered yet', inHours],
    [view?.unproven && `positions are not proven: ${view.unproven}`, proof],
    [view?.stopsUnproven && `stops are not proven: ${view.stopsUnproven}`, proof],
    [view?.money.state === 'differs' && 'money differs from the broker’s', isOpen ? SHOWN : PAGE],
    [isMute && 'no channel delivers: messages reach nobody', SHOWN],
    [daemon.lastProgramProblem, PAGE],
    ...channels.map(
      ({ id, trouble }) => [trouble !== null && `the channel ${id} fails: ${trouble}`, PAGE] as const,
    ),
  ];
  return rows.flatMap(([problem, readers]) => (problem && readers.includes(reader) ? [problem] : []));
}

export const healthProblem = (daemon: Daemon): string | null => problemsFor('health', daemon)[0] ?? null;

function calendarProblem({ config: { calendar }, clock }: Daemon): string | null {
  const today = tradingDayAt(calendar, clock.nowUs());
  return coverageDaysLeft(calendar, today) < 0 ? calendarEnd(calendar, today) : null;
}

/** An engine that takes longer for an answer has hung or has very much to do. */
const ANSWER_MAX = seconds(3);

/** Asks the engine thread; the main thread answers by answering. Without a session no engine is needed, unless one was lost. */
export async function healthOf(daemon: Daemon): Promise<Health> {
  if (daemon.journal.isFailing) return { ok: false, reason: 'the disk refuses rows of the journal' };
  if (daemon.cycle.degraded !== null) return { ok: false, reason: daemon.cycle.degraded };
  if (daemon.sessionDay === undefined) return { ok: true, reason: '' };
  if (engineHealth(daemon).state === 'hung') {
    const silentS = Math.floor((systemClock.nowUs() - daemon.viewedUs) / US_PER_SECOND);
    return { ok: false, reason: `the engine has not answered for ${silentS} s` };
  }
  const answered = daemon.refreshView().then(() => true);
  if (await withTimeout(answered, ANSWER_MAX)) return { ok: true, reason: '' };
  return { ok: false, reason: `the engine has not answered for ${ANSWER_MAX / US_PER_SECOND} s` };
}

/** The view comes each second; an engine that computes for longer has hung or is overloaded. */
const VIEW_EVERY_MAX = seconds(4);

export function engineHealth({ sessionDay, viewedUs, lastView }: Daemon): CockpitState['engine'] {
  if (sessionDay === undefined || lastView === undefined) return { state: 'none' };
  const isLate = systemClock.nowUs() - viewedUs > VIEW_EVERY_MAX;
  return { state: isLate ? 'hung' : 'running' };
}
