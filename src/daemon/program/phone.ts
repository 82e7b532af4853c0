/** Commands and views of a phone: the same handlers as those of the command line. */
import { isAuction, phaseAt } from '../../domain/calendar.ts';
import type { Contract } from '../../domain/contract.ts';
import { OPERATOR, shortOrderId } from '../../domain/ids.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { EngineSnapshot, StrategyEntry } from '../../engine/engine-snapshot.ts';
import type { RemoteOptions, RemoteView } from '../../operator/channels/remote-control.ts';
import { createNaming, lineOf } from '../../operator/entry-line.ts';
import { formatLocalSecond } from '../../text/dates.ts';
import { formatCount, formatNumber, formatSigned } from '../../text/numbers.ts';
import { systemClock, wallClock } from '../../host/system-clock.ts';
import { acceptedText, execute, type RunActions } from '../daemon-commands.ts';
import type { DaemonCockpit } from './daemon-cockpit.ts';
import type { Daemon } from '../daemon.ts';
import {
  type DaemonStatus,
  healthProblem,
  resultText,
  silenceFact,
  statusFacts,
  statusOf,
} from './status.ts';
import { holdings, listedPoints, restingText } from '../session/holdings.ts';

const NO_ENGINE = 'no session is open';
const ORDERS_MAX = 30;
const TRADES_MAX = 20;

export function listenToPhones(
  daemon: Daemon,
  run: RunActions,
  cockpit: Pick<DaemonCockpit, 'link' | 'dayText'>,
): void {
  const { secrets } = daemon.options.address;
  const remote: RemoteOptions = {
    clock: systemClock,
    wallClock,
    // The view of the last second: an engine that hangs must not keep the answer back.
    show: (view) => {
      daemon.alerting.acknowledge();
      if (view === 'daily') return cockpit.dayText();
      if (view === 'trades') return daemon.named(tradesOf(daemon));
      if (view === 'balance') return balanceOf(daemon);
      return daemon.named(phoneView(view, statusOf(daemon), daemon.edge.table.contracts));
    },
    state: (strategy) => stateOf(daemon, strategy),
    accepted: (strategy) => acceptedText(daemon.lastView, strategy),
    link: () => cockpit.link('steer'),
    command: (name, body) => execute(daemon, name, body, run),
    isAuction: () => isAuction(phaseAt(daemon.config.calendar, daemon.clock.nowUs())),
    isStrategy: (name) => daemon.names.all.includes(name),
    isOtpAwaited: () => daemon.otpInbox.isWaiting,
    news: () => daemon.alerting.state.counts.critical + daemon.halts,
    // A broker that refuses a password may quote it.
    journal: (by, text, outcome) =>
      daemon.append({ kind: 'remote_command', by, text, outcome: secrets.hide(outcome) }),
  };
  daemon.alerting.listen(remote, () => healthProblem(daemon));
}

function phoneView(
  view: Exclude<RemoteView, 'daily' | 'trades' | 'balance'>,
  status: DaemonStatus,
  contracts: readonly Contract[],
): string {
  const { engine } = status;
  if (view === 'status') return statusLines(status).join('\n');
  if (engine === null) return status.session === null ? NO_ENGINE : 'the engine has not answered yet';
  const lines = {
    positions: () => listed(status.held, 'flat: nothing is held'),
    orders: () => listed(ordersOf(engine, contracts), 'no open orders'),
    pnl: () => pnlLines(engine).join('\n'),
    strategies: () => listed(engine.strategies.map(strategyLine), 'no strategies'),
  };
  const silence = silenceFact(status).map(([label, text]) => `${label}: ${text}\n`);
  return [...silence, lines[view]()].join('');
}

const strategyLine = (each: StrategyEntry): string =>
  `${each.id}: ${whyOff(each) ?? 'runs'}, ${formatCount(each.openOrders, 'open order')}`;

const whyOff = ({ stopped, halted }: StrategyEntry): string | null =>
  stopped !== null ? `stopped: ${stopped}` : halted === null ? null : `entries off: ${halted}`;

/** Positions and open orders that a command is about, as of the last second. */
function stateOf(daemon: Daemon, id: string | null): string {
  const engine = daemon.lastView;
  const { contracts } = daemon.edge.table;
  if (engine === undefined) return `${NO_ENGINE}: what is held is not known.`;
  const owners = engine.strategies.filter((each) => id === null || each.id === id);
  const own = holdings({ ...engine, strategies: owners }, contracts).map((line) => daemon.named(line));
  const orders = owners.reduce((sum, { openOrders }) => sum + openOrders, 0);
  return `Now: ${own.join('; ') || 'nothing is held'}; ${formatCount(orders, 'open order')}${restingText(engine, contracts, id)}.`;
}

function tradesOf({ journal, sessionDay: session, names, config, edge }: Daemon): string {
  if (session === undefined) return NO_ENGINE;
  const naming = createNaming(names, { contracts: () => edge.table.contracts, calendar: config.calendar });
  const fills = journal.read.entries({ session, kinds: ['fill'], last: TRADES_MAX });
  const lines = fills.map(
    ({ entry, strategyName }) =>
      `${naming.time(entry.tsUs)} ${strategyName ?? OPERATOR}: ${lineOf(entry, naming)?.text ?? ''}`,
  );
  return [`trading day ${session}`, listed(lines, 'no trades')].join('\n');
}

function balanceOf({ lastAccount, config }: Daemon): string {
  if (lastAccount === null) return 'the account was not read yet';
  const { account, startedUs } = lastAccount;
  const { fee, tax } = account;
  const figures: readonly (readonly [string, number | null])[] = [
    ['net asset value', account.netAssetValue],
    ['cash', account.cash],
    ['may be withdrawn', account.withdrawable],
    ['free for new positions', account.buyingPower],
    ['required for margin, loss and costs of the day', account.requiredMargin],
    ['profit of the day before costs', account.profit],
    ['result of the day', fee === null || tax === null ? null : account.profit - fee - tax],
  ];
  const known = figures.flatMap(([name, vnd]) => (vnd === null ? [] : [`${name}: ${formatNumber(vnd)} VND`]));
  // With the day: over a weekend they are old.
  const time = formatLocalSecond(startedUs, config.calendar.utcOffsetMinutes);
  return [...known, `the broker’s figures at ${time}`].join('\n');
}

const listed = (lines: readonly string[], none: string): string =>
  lines.length === 0 ? none : lines.join('\n');

function statusLines(status: DaemonStatus): readonly string[] {
  const { engine, held } = status;
  return [
    ...statusFacts(status).map(([label, text]) => `${label}: ${text}`),
    ...(engine?.strategies ?? []).flatMap((each) => {
      const why = whyOff(each);
      return why === null ? [] : [`${each.id}: ${why}`];
    }),
    ...(engine === null ? [NO_ENGINE] : held.length === 0 ? ['flat'] : held),
  ];
}

function ordersOf({ orders, strategies }: EngineSnapshot, contracts: readonly Contract[]): readonly string[] {
  const lines = orders.slice(0, ORDERS_MAX).map((order) => {
    const owner = strategies.find(({ strategy }) => strategy === order.strategy)?.id ?? OPERATOR;
    const points = (ticks: PriceTicks): string => listedPoints(contracts, order.orderCode, ticks);
    const trigger = order.triggerPrice === null ? '' : `, trigger ${points(order.triggerPrice)}`;
    const filled = order.filledQty === 0 ? '' : `, ${order.filledQty} filled`;
    return `${shortOrderId(order.clientOrderId)} ${owner}: ${order.side} ${order.qty} ${order.orderCode} at ${points(order.limitPrice)}${trigger}, ${order.status.replaceAll('_', ' ')}${filled}`;
  });
  return orders.length > ORDERS_MAX ? [...lines, `and ${orders.length - ORDERS_MAX} more`] : lines;
}

const pnlLines = (engine: EngineSnapshot): readonly string[] => [
  `trading day ${engine.tradingDay ?? 'not begun'}: ${resultText(engine)}`,
  ...engine.strategies.map(
    (each) => `${each.id}: ${formatSigned(each.dayPnl)} VND, ${formatCount(each.fills, 'fill')}`,
  ),
];
