/** The daemon's display: banner, a line for each event, a status line, and the summary at the end. */
import { formatTimeOfDay } from '../../text/dates.ts';
import { formatNumber } from '../../text/numbers.ts';
import { SCREEN_WIDTH, widthOf, wrapText } from '../../text/table.ts';
import type { StrategyNames } from '../../domain/strategy-names.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { formatTime } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import { failureOf } from '../../domain/failure.ts';
import { seconds, US_PER_MS, US_PER_SECOND } from '../../domain/units.ts';
import { limitsOf } from '../../engine/risk/limit-uses.ts';
import type { EngineSnapshot } from '../../engine/engine-snapshot.ts';
import { banner, type BannerContent } from '../../operator/banner.ts';
import { entryLine } from '../../operator/entry-line.ts';
import { createLog, type Log } from '../../operator/log.ts';
import { createNaming, type Naming } from '../../operator/naming.ts';
import type { Secrets } from '../../operator/redact.ts';
import { type StatusContent, statusLine } from '../../operator/status-line.ts';
import { type SessionSummary, type SummaryStrategy, summaryText } from '../../operator/summary.ts';
import { createPaint, isColourWanted, type Paint } from '../../operator/terminal.ts';
import type { BrokerAddress } from '../edge/broker-address.ts';
import { inTime, systemClock, systemTimers } from '../../host/system-clock.ts';
import { packageVersion } from '../../host/program-files.ts';
import type { RunPlan } from '../../host/run-plan.ts';
import type { Daemon } from '../daemon.ts';
import { bookFacts, comparisons } from '../session/holdings.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/order.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import { FOLDED_KINDS, foldSession, type StrategyAccount } from '../../journal/fold-session.ts';

export interface DaemonScreen extends Log {
  /** Shows the banner and the status line of this daemon; returns how to stop. */
  watch(daemon: Daemon, controlUrl: string, cockpit: string | null): () => void;
  summary(daemon: Daemon): Promise<void>;
}

const STATUS_EVERY_MS = 1_000;

/** `secrets` are never written to the log, whatever field they are in. */
export function createDaemonScreen(
  plan: RunPlan,
  names: StrategyNames,
  jsonLogs: boolean,
  secrets: Secrets,
): DaemonScreen {
  let table: { readonly contracts: readonly Contract[] } = { contracts: [] };
  const { config } = plan;
  const naming = createNaming(names, {
    contracts: () => table.contracts,
    calendar: config.calendar,
    stateDir: config.stateDir,
  });
  const isColour = isColourWanted(process.stdout.isTTY, process.env) && !jsonLogs;
  const paint = createPaint(isColour);
  const out: Log = jsonLogs
    ? createLog({ destination: process.stdout, secrets, naming })
    : textLog(naming, paint, secrets);
  return {
    ...out,
    watch(daemon, controlUrl, cockpit) {
      table = daemon.edge.table;
      out.block(banner(bannerContent(plan, daemon.options.address, controlUrl), paint));
      if (cockpit !== null) out.note(cockpit);
      return showStatus(daemon, out, paint);
    },
    async summary(daemon) {
      const failure = failureOf(() => daemon.journal.flush());
      if (failure !== null) return out.note(`no summary: the journal could not be written: ${failure}`);
      const summary = await sessionSummary(daemon);
      if (summary === undefined) return out.note('no summary: no session is open');
      out.block(`\n${daemon.named(summaryText(summary, paint))}`);
    },
  };
}

const write = (text: string): void => void process.stdout.write(`${text}\n`);

/** Secrets are taken out of each line: messages of the broker and errors may quote our requests. */
function textLog(naming: Naming, paint: Paint, secrets: Secrets): Log {
  const line = (text: string): void => write(screenLines(secrets.hide(text)));
  return {
    note: (text) => line(paint.dim(`· ${text}`)),
    entry: (entry) => {
      const text = entryLine(entry, naming, paint);
      if (text !== null) line(text);
    },
    block: (text) => write(secrets.hide(`${text}\n`)),
    status: (text) => line(text),
  };
}

const MORE = '    ';

/** A terminal gets lines that fit it; a file gets one line for each event. */
function screenLines(text: string): string {
  const { isTTY, columns } = process.stdout;
  if (!isTTY || widthOf(text) <= columns) return text;
  return wrapText(text, Math.max(SCREEN_WIDTH / 2, columns - MORE.length)).join(`\n${MORE}`);
}

/** The view is refreshed every second, for the control API; the line is written as often as configured. */
function showStatus(daemon: Daemon, out: Log, paint: Paint): () => void {
  let shownAt = 0;
  const everyMs = daemon.config.operator.statusEvery / US_PER_MS;
  const show = async (): Promise<void> => {
    const view = await daemon.refreshView();
    const now = systemClock.nowUs() / US_PER_MS;
    if (view === undefined || now - shownAt < everyMs) return;
    shownAt = now;
    const status = statusContent(daemon, view);
    out.status(daemon.named(statusLine(status, paint)), status);
  };
  const timer = setInterval(() => void show(), STATUS_EVERY_MS);
  return () => clearInterval(timer);
}

function bannerContent(plan: RunPlan, address: BrokerAddress, controlUrl: string): BannerContent {
  const { config, tape, remarks } = plan;
  const { risk } = config.engine;
  const { speed } = config.simulator;
  const isPaper = config.mode === 'paper';
  const pace = config.broker.requestsPerSecond * (isPaper ? Math.max(1, speed) : 1);
  const market = tape === null ? `seed ${config.simulator.seed}` : `the tape of ${tape.day}`;
  return {
    name: 'Tickwright',
    version: packageVersion(),
    mode: config.mode,
    broker: isPaper ? `simulated, ${market}, ${address.restUrl}` : address.restUrl,
    account: address.subAccountId,
    stateDir: config.stateDir,
    sessionHours: `${config.calendar.name}: ${formatPhases(config.calendar)} (${config.calendar.timeZone})`,
    clock: isPaper && speed !== 1 ? `market time at ${speed} times real time` : 'real time',
    pace: `at most ${pace} requests a second`,
    controlUrl,
    strategies: config.strategies,
    risk: [
      { what: 'order', limit: `${risk.orderQtyMax} contracts` },
      ...limitsOf(risk).map(({ limit, unit, max }) => ({
        what: limit.replaceAll('_', ' '),
        limit: `${formatNumber(max)} ${unit === 'orders' || unit === 'messages' ? '' : unit}`.trimEnd(),
      })),
      { what: 'collar', limit: `${risk.collarPercent} %` },
      { what: 'data age', limit: `${risk.dataAgeMax / US_PER_SECOND} s` },
      { what: 'margin use', limit: `${risk.marginUsePercent} %` },
    ],
    remarks: [...remarks, ...config.live.assume.map((what) => `assumed of the broker: ${what}`)],
  };
}

export function statusContent(daemon: Daemon, view: EngineSnapshot): StatusContent {
  const token = daemon.edge.tokens.current();
  return {
    time: formatTime(daemon.clock.nowUs(), daemon.config.calendar.utcOffsetMinutes).slice(0, 8),
    phase: view.phase,
    stream: view.stream,
    positions: view.contracts.map(({ orderCode, ours }) => ({ orderCode, qty: ours })),
    dayPnl: view.dayPnl,
    openOrders: view.orders.length,
    tokenLeftMs: token === undefined ? null : (token.expiresAt - systemClock.nowUs()) / US_PER_MS,
    halted: daemon.halt.reason ?? view.halted,
    unproven: view.unproven,
    money: view.money.state,
    procedure: view.procedure,
  };
}

/** `08:45-09:00 opening auction, 09:00-11:30 continuous, ...`; breaks are left out. */
const formatPhases = ({ phases }: TradingCalendar): string =>
  phases
    .filter(({ phase }) => phase !== 'break')
    .map(
      ({ phase, fromUs, toUs }) =>
        `${formatTimeOfDay(fromUs)}-${formatTimeOfDay(toUs)} ${phase.replaceAll('_', ' ')}`,
    )
    .join(', ');

// The summary of a session: results of each strategy from the journal, and how our books compare with the broker's.

/** An engine that has not answered by then is not awaited: only the rows of the journal are shown. */
const ANSWER_MAX = seconds(10);
const POLL_EVERY = seconds(0.25);
const POLLS_MAX = 20;
const UNRESOLVED: ReadonlySet<OrderStatus> = new Set([
  'submitted',
  'unknown',
  'presumed_absent',
  'expired_unproven',
]);

const SUMMED_KINDS = [...FOLDED_KINDS, 'position_agreed', 'alert'] as const;

export async function sessionSummary(daemon: Daemon): Promise<SessionSummary | undefined> {
  const session = daemon.sessionDay;
  if (session === undefined) return undefined;
  const view = await comparedView(daemon);
  const entries = daemon.journal.read.entries({ session, kinds: SUMMED_KINDS });
  return {
    session,
    strategies: foldSession(entries).map((account) => resultOf(account, view)),
    books:
      view === undefined ? [] : bookFacts(view, comparisons(view, daemon.config.calendar.utcOffsetMinutes)),
    unresolved: unresolvedOrders(entries),
    alerts: entries.filter(({ entry }) => entry.kind === 'alert' && entry.severity !== 'info').length,
  };
}

/** Books that were not compared since the last fill are read once more, for a few seconds. */
async function comparedView(daemon: Daemon): Promise<EngineSnapshot | undefined> {
  for (let polls = 1; ; polls += 1) {
    const view = await inTime(daemon.refreshView(), ANSWER_MAX);
    if (view === undefined || polls === POLLS_MAX || isCompared(view)) return view;
    for (const what of ['book', 'account', 'positions'] as const) daemon.edge.reports.read(what);
    await new Promise<void>((resolve) => systemTimers.after(POLL_EVERY, resolve));
  }
}

function isCompared(view: EngineSnapshot): boolean {
  const { positions, money } = comparisons(view, 0);
  return positions?.isStale === false && (view.money.state === 'off' || money?.isStale === false);
}

/** Open positions are worth the last prices that the engine knows. */
function resultOf(account: StrategyAccount, view: EngineSnapshot | undefined): SummaryStrategy {
  if (view === undefined) return { ...account, open: null, net: null };
  const { realised, fee, tax } = account;
  const held = view.strategies.find(({ id }) => id === account.strategy)?.positions ?? [];
  const open = held.reduce((total, position) => total + position.open, 0);
  return { ...account, open, net: realised + open - fee - tax };
}

/** Orders whose end is not known. Positions that agree explain those that the day before left unproven. */
export function unresolvedOrders(entries: readonly { readonly entry: JournalEntry }[]): number {
  const statuses = new Map<ClientOrderId, OrderStatus>();
  for (const { entry } of entries) {
    if (entry.kind === 'order_status') statuses.set(entry.clientOrderId, entry.to);
    if (entry.kind !== 'position_agreed') continue;
    for (const [id, status] of statuses) if (status === 'expired_unproven') statuses.delete(id);
  }
  return [...statuses.values()].filter((status) => UNRESOLVED.has(status)).length;
}
