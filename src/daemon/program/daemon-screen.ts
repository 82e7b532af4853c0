/** The daemon's display: banner, a line for each event, a status line, and the summary at the end. */
import { formatTimeOfDay } from '../../text/dates.ts';
import { formatDuration, formatMinutes } from '../../text/durations.ts';
import { formatCount, formatNumber, formatSigned, positionText } from '../../text/numbers.ts';
import { pad, SCREEN_WIDTH, widthOf, wrapText } from '../../text/table.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { Contract } from '../../domain/contract.ts';
import { seconds, tsUs, US_PER_MS, US_PER_SECOND } from '../../domain/units.ts';
import { type EngineSnapshot, limitsOf } from '../../engine/engine-snapshot.ts';
import { createNaming, entryLine, type Naming } from '../../operator/entry-line.ts';
import { createLog, type Log } from '../../operator/log.ts';
import { redactAccount, redactText, type Secrets } from '../../operator/redact.ts';
import { createPaint, isColourWanted, oneLine, type Paint, PLAIN } from '../../operator/terminal.ts';
import type { BrokerAddress } from '../edge/broker-address.ts';
import { withTimeout, systemClock, systemTimers } from '../../host/system-clock.ts';
import { packageVersion } from '../../host/program-files.ts';
import type { RunPlan } from '../../host/run-plan.ts';
import type { Daemon } from '../daemon.ts';
import { comparisons } from '../session/holdings.ts';
import { type StatusContent, statusContent, statusOf, summaryText } from './status.ts';
import type { StrategyNames } from '../../domain/ids.ts';

const STATUS_EVERY_MS = 1_000;

/** `secrets` are never written to the log, whatever field they are in. */
export function createDaemonScreen(plan: RunPlan, names: StrategyNames, jsonLogs: boolean, secrets: Secrets) {
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
    /** Shows the banner and the status line of this daemon; returns how to stop. */
    watch(daemon: Daemon, controlUrl: string, cockpit: string | null): () => void {
      table = daemon.edge.table;
      out.block(banner(bannerContent(plan, daemon.options.address, controlUrl), paint));
      if (cockpit !== null) out.note(cockpit);
      return showStatus(daemon, out, paint);
    },
    async summary(daemon: Daemon): Promise<void> {
      await comparedView(daemon);
      out.block(`\n${summaryText(statusOf(daemon))}`);
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
  if (!isTTY || columns === 0 || widthOf(text) <= columns) return text;
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

// The banner: strategies, account and limits. Never prints secrets.

export type BannerContent = ReturnType<typeof bannerContent>;

function bannerContent(plan: RunPlan, address: BrokerAddress, controlUrl: string) {
  const { config, tape, remarks } = plan;
  const { risk } = config.engine;
  const { speed } = config.simulator;
  const isPaper = config.mode === 'paper';
  const pace = config.broker.requestsPerSecond * (isPaper ? Math.max(1, speed) : 1);
  const feed = config.cluster?.feed;
  const own = feed?.role === 'read' ? `prices of feed ${feed.name}` : `seed ${config.simulator.seed}`;
  const late = feed?.role === 'read' ? `, ${formatDuration(feed.delay)} late` : '';
  const market = tape === null ? own : `the tape of ${tape.day}`;
  return {
    name: 'Tickwright',
    version: packageVersion(),
    mode: config.mode,
    broker: isPaper ? `simulated, ${market}, ${address.restUrl}` : address.restUrl,
    /** The banner shows its last three characters. */
    account: address.subAccountId,
    stateDir: config.stateDir,
    sessionHours: `${config.calendar.name}: ${formatPhases(config.calendar)} (${config.calendar.timeZone})`,
    clock: isPaper && speed !== 1 ? `market time at ${speed} times real time` : `real time${late}`,
    pace: `at most ${pace} requests a second`,
    controlUrl,
    strategies: config.strategies.map(({ id, strategy, symbols }) => ({ id, strategy, symbols })),
    risk: [
      { what: 'order', limit: formatCount(risk.orderQtyMax, 'contract') },
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

/** `08:45-09:00 opening auction, 09:00-11:30 continuous, ...`; breaks are left out. */
const formatPhases = ({ phases }: TradingCalendar): string =>
  phases
    .filter(({ phase }) => phase !== 'break')
    .map(
      ({ phase, fromUs, toUs }) =>
        `${formatTimeOfDay(fromUs)}-${formatTimeOfDay(toUs)} ${phase.replaceAll('_', ' ')}`,
    )
    .join(', ');

const LABEL_WIDTH = 10;
const TEXT_WIDTH = SCREEN_WIDTH - LABEL_WIDTH - 4;
/** A blank where no line may break. */
const TIE = '\u00A0';
const ACCOUNT_CHARACTERS_MIN = 5;

export function banner(facts: BannerContent, paint: Paint = PLAIN): string {
  const { account } = facts;
  // A short number would match inside other numbers.
  const isLong = account.length >= ACCOUNT_CHARACTERS_MIN;
  const clean = (text: string): string => {
    const shown = isLong ? text.replaceAll(account, redactAccount(account)) : text;
    return oneLine(redactText(shown));
  };
  const blank = ' '.repeat(LABEL_WIDTH + 4);
  const row = (label: string, text: string, tone = paint.dim): string =>
    `  ${tone(pad(label, LABEL_WIDTH))}  ${wrapText(clean(text), TEXT_WIDTH).join(`\n${blank}`).replaceAll(TIE, ' ')}`.trimEnd();
  const rows = (label: string, texts: readonly string[]): readonly string[] =>
    texts.map((text, i) => row(i === 0 ? label : '', text));
  const mode = facts.mode === 'live' ? paint.red(`${facts.mode} REAL MONEY`) : paint.green(facts.mode);
  return [
    `${paint.bold(`${facts.name} ${facts.version}`)}  ${mode}`,
    row('broker', facts.broker),
    row('account', redactAccount(account)),
    row('state', facts.stateDir),
    row('session', facts.sessionHours),
    row('clock', facts.clock),
    row('pace', facts.pace),
    row('control', withoutCredentials(facts.controlUrl)),
    ...rows('strategies', facts.strategies.length === 0 ? ['none'] : strategyRows(facts.strategies)),
    row('limits', riskText(facts.risk)),
    ...facts.remarks.map((text) => row('note', text, paint.yellow)),
  ].join('\n');
}

function strategyRows(strategies: BannerContent['strategies']): readonly string[] {
  const rows = strategies.map(({ id, strategy, symbols }) => [
    id,
    strategy === id ? '' : `(${strategy})`,
    symbols.join(' + '),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .filter((_, i) => widths[i] !== 0)
      .join('  ')
      .trimEnd(),
  );
}

/** A limit is never broken over two lines. */
const riskText = (risk: BannerContent['risk']): string =>
  risk.map(({ what, limit }) => `${what} ${limit}`.replaceAll(' ', TIE)).join(' | ');

const withoutCredentials = (url: string): string => url.replace(/\/\/[^/@\s]*@/, '//').replace(/[?#].*$/, '');

// The status line.

/** A token that ends sooner is shown, and then as a warning. */
const TOKEN_SHOWN_MS = 2 * 60 * 60_000;
const TOKEN_SHORT_MS = 30 * 60_000;

export function statusLine(facts: StatusContent, paint: Paint = PLAIN): string {
  const pnl = `day ${formatSigned(facts.dayPnl)}`;
  const parts = [
    `${paint.dim(facts.time)} ${facts.phase.replaceAll('_', ' ')}`,
    facts.stream === 'live' ? paint.green('prices live') : paint.red('prices DOWN'),
    positionText(facts.positions) || 'flat',
    facts.dayPnl < 0 ? paint.red(pnl) : pnl,
    formatCount(facts.openOrders, 'order'),
  ];
  if (facts.tokenLeftMs === null || facts.tokenLeftMs < TOKEN_SHOWN_MS)
    parts.push(tokenPart(facts.tokenLeftMs, paint));
  if (facts.procedure !== '') parts.push(paint.yellow(oneLine(facts.procedure)));
  if (facts.unproven !== null) parts.push(paint.yellow(`positions not proven: ${oneLine(facts.unproven)}`));
  if (facts.money === 'differs') parts.push(paint.red('money DIFFERS from the broker’s'));
  if (facts.halted !== null) parts.push(paint.red(`HALTED: ${oneLine(facts.halted)}`));
  return parts.join(' | ');
}

function tokenPart(leftMs: number | null, paint: Paint): string {
  if (leftMs === null) return paint.yellow('no token');
  if (leftMs <= 0) return paint.red('token ended');
  const text = formatMinutes(leftMs * US_PER_MS);
  return leftMs < TOKEN_SHORT_MS ? paint.yellow(`token ${text}`) : `token ${text}`;
}

// The summary at the end.

/** An engine that has not answered by then is not awaited. */
const ANSWER_MAX = seconds(10);
const POLL_EVERY = seconds(0.25);
const POLLS_MAX = 20;

/** Books that were not compared since the last fill are read once more, for a few seconds. */
export async function comparedView(daemon: Daemon): Promise<EngineSnapshot | undefined> {
  for (let polls = 1; ; polls += 1) {
    const view = await withTimeout(daemon.refreshView(), ANSWER_MAX);
    if (view === undefined || polls === POLLS_MAX || isCompared(view)) return view;
    for (const what of ['book', 'account', 'positions'] as const) daemon.edge.reports.read(what);
    await new Promise<void>((resolve) => systemTimers.after(POLL_EVERY, resolve));
  }
}

function isCompared(view: EngineSnapshot): boolean {
  const { positions, money } = comparisons(view, 0, view.lastFillUs ?? tsUs(0));
  return positions?.isStale === false && (view.money.state === 'off' || money?.isStale === false);
}
