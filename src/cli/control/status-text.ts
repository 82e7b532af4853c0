/** `tickwright status` in words and units; `--json` gives the same facts as data. */
import type { DaemonStatus } from '../../app/live/daemon-control.ts';
import { comparedText } from '../../app/live/holdings.ts';
import { US_PER_MS } from '../../domain/units.ts';
import { formatSpan } from '../../text/durations.ts';
import { formatCompared, formatCount, formatNumber, formatSigned } from '../../text/numbers.ts';
import { formatRows, pad, SCREEN_WIDTH, wrapText } from '../../text/table.ts';

const LABEL_WIDTH = 8;
const TEXT_WIDTH = SCREEN_WIDTH - LABEL_WIDTH - 2;

export function statusText(status: DaemonStatus): string {
  const { engine, line } = status;
  const session = [
    status.session ?? noSessionText(status),
    ...(line === null ? [] : [line.phase, line.time]),
  ];
  const facts: readonly (readonly [string, string])[] = [
    ['mode', status.mode === 'live' ? 'live: REAL MONEY' : status.mode],
    ['state', status.stateDir],
    ...(status.program === null ? [] : [['program', status.program] as const]),
    ...silenceFact(status),
    ['session', session.join(', ').replaceAll('_', ' ')],
    ...(status.calendar === null ? [] : [['calendar', status.calendar] as const]),
    ['entries', entriesText(status)],
    ['prices', pricesText(status)],
    ['token', tokenText(status)],
    ...alertFacts(status),
    ...(engine === null ? [] : engineFacts(engine, status.compared)),
  ];
  const blank = ' '.repeat(LABEL_WIDTH + 2);
  const head = facts.map(
    ([label, text]) => `${pad(label, LABEL_WIDTH)}  ${wrapText(text, TEXT_WIDTH).join(`\n${blank}`)}\n`,
  );
  return `${head.join('')}${engine === null ? '' : `\n${strategiesTable(engine)}\n`}`;
}

const noSessionText = ({ degraded }: Pick<DaemonStatus, 'degraded'>): string =>
  degraded === null ? 'none open' : `none open: ${degraded}`;

function silenceFact({ engineSilentMs: ms }: DaemonStatus): readonly (readonly [string, string])[] {
  if (ms === null) return [];
  const age = formatSpan(ms * US_PER_MS);
  return [
    ['engine', `does NOT answer for ${age}: its figures are as old; tickwright halt works all the same`],
  ];
}

function entriesText({ halted, halt }: DaemonStatus): string {
  if (halted === null) return 'allowed, as far as limits and risk allow them';
  return `HALTED until tickwright resume: ${halted}${halt.text === '' ? '' : `; ${halt.text}`}`;
}

function pricesText({ stream: { state, isStale, attempts } }: DaemonStatus): string {
  if (state === 'live') return isStale ? 'NONE come, though the stream is connected' : 'live';
  const tries = attempts === 0 ? '' : `, ${formatCount(attempts, 'attempt')} so far`;
  return `${state.replaceAll('_', ' ')}${tries}`;
}

function alertFacts({ alerts: { channels, unseen } }: DaemonStatus): readonly (readonly [string, string])[] {
  if (channels.length === 0) return [];
  const states = channels.map(({ id, trouble, waiting }) => {
    const rest = waiting === 0 ? '' : `, ${formatCount(waiting, 'message')} waiting`;
    return `${id} ${trouble === null ? 'delivers' : `does NOT deliver: ${trouble}`}${rest}`;
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

type Engine = NonNullable<DaemonStatus['engine']>;

function engineFacts(
  engine: Engine,
  { positions, money }: DaemonStatus['compared'],
): readonly (readonly [string, string])[] {
  const { dayPnl, fee, tax, unproven, procedure, orders, counts } = engine;
  const unknown = orders.filter(({ status }) => UNRESOLVED.has(status)).length;
  const open = formatCount(orders.length, 'open order');
  return [
    ['result', `${formatSigned(dayPnl)} VND today, after ${formatNumber(fee + tax)} of fees and tax`],
    [
      'books',
      unproven === null
        ? `our positions are the broker’s${comparedText(positions)}`
        : `NOT proven: ${unproven}`,
    ],
    ...moneyFact(engine.money, comparedText(money)),
    ['orders', unknown === 0 ? open : `${open}, ${unknown} of them without a known outcome`],
    ['today', DAY_COUNTS.map(([name, key]) => formatCount(counts[key], name)).join(', ')],
    ...(procedure === '' ? [] : [['doing', procedure] as const]),
  ];
}

function moneyFact({ state, figures }: Engine['money'], at: string): readonly (readonly [string, string])[] {
  if (state === 'off') return [];
  if (state === 'unread') return [['money', 'not yet compared with the broker’s']];
  const compared = figures.map(({ what }) => what).join(', ');
  if (state === 'agreed') return [['money', `the broker’s to the VND${at}: ${compared}`]];
  const rows = figures.filter(({ ours, broker }) => ours !== broker).map(formatCompared);
  return [['money', `DIFFERS from the broker’s${at}: ${rows.join('; ')}`]];
}

const UNRESOLVED: ReadonlySet<string> = new Set(['unknown', 'presumed_absent', 'expired_unproven']);

const DAY_COUNTS = [
  ['order', 'orders'],
  ['fill', 'fills'],
  ['denial', 'denials'],
  ['rejection', 'rejections'],
  ['gap', 'gaps'],
] as const;

type StrategyEntry = Engine['strategies'][number];

const strategiesTable = ({ strategies }: Engine): string =>
  formatRows(strategies, {
    strategy: ({ id }) => id,
    position: ({ positions }) => {
      const held = positions.filter(({ qty }) => qty !== 0);
      return held.length === 0
        ? 'flat'
        : held.map(({ orderCode, qty }) => `${formatSigned(qty)} ${orderCode}`).join(', ');
    },
    'open orders': ({ openOrders }) => formatNumber(openOrders),
    fills: ({ fills }) => formatNumber(fills),
    'day VND': ({ dayPnl }) => formatSigned(dayPnl),
    state: stateOf,
  });

function stateOf({ id, stopped, halted }: StrategyEntry): string {
  if (stopped !== null) return `stopped: ${stopped}`;
  return halted === null ? 'runs' : `entries off until tickwright resume --strategy ${id}: ${halted}`;
}
