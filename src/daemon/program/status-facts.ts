/** The state of a daemon in words and units, as the command line and a chat show it. */
import { US_PER_MS } from '../../domain/units.ts';
import type { EngineSnapshot } from '../../engine/engine-snapshot.ts';
import { formatSpan } from '../../text/durations.ts';
import { formatCount, formatNumber, formatSigned } from '../../text/numbers.ts';
import { jobsText } from '../schedule.ts';
import type { DaemonStatus } from './daemon-control.ts';
import { bookFacts, type Fact } from '../session/holdings.ts';

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
  return [
    ['engine', `does NOT answer for ${age}: its figures are as old; tickwright halt works all the same`],
  ];
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
    const rest = waiting === 0 ? '' : `, ${formatCount(waiting, 'message')} waiting`;
    const state = isTried ? 'delivers' : 'not tried since the start';
    return `${id} ${trouble === null ? state : `does NOT deliver: ${trouble}`}${rest}`;
  });
  const open =
    unseen === 0 ? [] : [`${formatCount(unseen, 'critical alert')} not acknowledged: tickwright seen`];
  return [['alerts', [...states, ...open].join('; ')]];
}

function tokenText({ line, tokenExchanges: { used, allowed }, isOtpAwaited }: DaemonStatus): string {
  const asked = isOtpAwaited ? '; a one-time password is AWAITED: tickwright otp' : '';
  const budget = `${used} of ${allowed} exchanges of the day used${asked}`;
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
