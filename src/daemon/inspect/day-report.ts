/** The report of one trading day as a page without a network: results, orders, fills, incidents, limits and the days ahead. */
import { loadReportAssets, renderReport } from '../../research/report/render-report.ts';
import type { ReportFigure, ReportModel, ReportTable } from '../../research/report/report-model.ts';
import type { Config } from '../../config/config.ts';
import { withAliases } from '../../domain/contract-code.ts';
import { dayClose, isSession } from '../../domain/calendar.ts';
import { addDays, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { avgPoints, type Contract, shownCode, valueAtHundredths } from '../../domain/contract.ts';
import { isFateUnknown, signOf } from '../../domain/order.ts';
import { openProfit } from '../../domain/position.ts';
import type { AccountSnapshot, PositionSnapshot, ReferencePrices } from '../../engine/ports/engine-event.ts';
import { AFTER_CLOSE_US } from '../../engine/positions/money-reconciler.ts';
import { foldSession, sessionResult, type StrategyAccount } from '../../journal/fold-session.ts';
import type { JournalReader, SessionRow, StoredEntry } from '../../journal/journal-reader.ts';
import { formatLocalTime } from '../../text/dates.ts';
import { formatAverage, formatNumber, formatSigned } from '../../text/numbers.ts';
import { aheadFindings } from './doctor.ts';
import { configOf, inSession, pnlRow, readOrders } from '../../host/state/read-state.ts';

/** More rows than this are in the journal alone. */
const ROWS_MAX = 500;
/** Until the next session, at most. */
const DAYS_AHEAD_MAX = 30;

/** Throws `NotFoundError` without a journal or without this session in it; undefined takes the latest. */
export const dayReport = (stateDir: string, session: string | undefined): { day: string; html: string } =>
  inSession(stateDir, session, (read, found) => ({ day: found.day, html: dayReportOf(read, found).html }));

/** The same in a few lines, of the latest session. */
export const dayText = (stateDir: string): string =>
  inSession(stateDir, undefined, (read, row) => `trading day ${row.day}\n${dayReportOf(read, row).text}`);

/** `text`: the summary in a few lines. `phases`: of the same rows, in their order. */
export function dayReportOf(read: JournalReader, session: SessionRow) {
  const entries = read.entries({ session: session.day });
  const model = modelOf(read, session, entries);
  const html = renderReport(model, loadReportAssets());
  const calendar = configOf(session.configuration)?.calendar;
  const named = (text: string): string =>
    calendar === undefined ? text : withAliases(text, calendar, tradingDay(session.day));
  const phases = entries.flatMap(({ entry }) => (entry.kind === 'phase' ? [entry.phase] : []));
  return { html: named(html), text: named(summaryText(model)), phases };
}

const WARNINGS_MAX = 5;

function summaryText({ headlines, tables, warnings }: ReportModel): string {
  const rowsOf = (title: string) => tables.find((table) => table.title === title)?.rows ?? [];
  return [
    ...headlines.map(([name, text]) => `${name}: ${text}`),
    ...rowsOf(STRATEGIES).map(([id, result]) => `${id}: ${signedOrUnknown(Number(result))} VND`),
    ...warnings.slice(0, WARNINGS_MAX),
    ...(warnings.length > WARNINGS_MAX ? [`and ${warnings.length - WARNINGS_MAX} more warnings`] : []),
    ...rowsOf(AHEAD).map(([what, text]) => `${what}: ${text}`),
  ].join('\n');
}

type DayContent = ReturnType<typeof contentOf>;

const RESULT = 'Result of the day';
const STRATEGIES = 'Strategies';
const AHEAD = 'Ahead';

function contentOf(read: JournalReader, { day, configuration }: SessionRow, entries: readonly StoredEntry[]) {
  /** Null where it cannot be read any more. */
  const config = configOf(configuration);
  const offset = config?.calendar.utcOffsetMinutes ?? 0;
  const accounts = foldSession(entries);
  const contracts = read.contracts(day);
  const books = comparedBooks(read, tradingDay(day), entries, config);
  const results = resultsOf(accounts, entries, contracts, books);
  const time = (us: number): string => formatLocalTime(us, offset).slice(11, 19);
  return { day, config, entries, contracts, accounts, results, time, books };
}

function modelOf(read: JournalReader, session: SessionRow, entries: readonly StoredEntry[]): ReportModel {
  const content = contentOf(read, session, entries);
  const { day, config } = content;
  return {
    title: `Trading day ${day}`,
    subtitle:
      config === null ? 'its configuration cannot be read any more' : `${config.mode}, ${config.file}`,
    moneyDigits: 0,
    headlines: headlinesOf(content),
    tables: TABLES.map((table) => table(content)).filter(({ rows }) => rows.length > 0),
    warnings: warningsOf(entries),
    provenance: [
      ['configuration', session.configuration],
      ['times', config?.calendar.timeZone ?? 'UTC'],
      ['rows of the journal', `SHA-256 ${read.hash(day)}`],
    ],
    run: null,
  };
}

const sum = <T>(all: readonly T[], of: (each: T) => number): number =>
  all.reduce((total, each) => total + of(each), 0);

const numberOrUnknown = (value: string | number) => (Number.isNaN(value) ? 'not known' : value);
const signedOrUnknown = (vnd: number): string => (Number.isNaN(vnd) ? 'not known' : formatSigned(vnd));

/** `result` is what the daily loss limit counts (rulings, 37); `earlier` was won by the reference price. NaN: a price is not known. */
function resultsOf(
  accounts: readonly StrategyAccount[],
  entries: readonly StoredEntry[],
  contracts: readonly Contract[],
  { positions, reference }: ReturnType<typeof comparedBooks>,
) {
  const carried = foldSession(
    entries.filter(({ entry }) => entry.kind === 'position_event' && entry.event === 'carried_over'),
  );
  const last = new Map(positions?.positions.map((row) => [row.orderCode, row.lastPrice]));
  const begin = new Map(reference?.rows.map((row) => [contracts[row.instrument]?.orderCode, row.reference]));
  const profit = (account: StrategyAccount | undefined, prices: typeof last | typeof begin): number =>
    sum(account?.positions ?? [], ({ instrument, position }) => {
      const contract = contracts[instrument];
      const price = contract && prices.get(contract.orderCode);
      return price ? openProfit(position, valueAtHundredths(contract.spec, price, 1)) : NaN;
    });
  return accounts.map((account) => {
    const row = pnlRow(account);
    const open = profit(account, last);
    const before = carried.find(({ strategy }) => strategy === account.strategy);
    const earlier = profit(before, begin);
    return { ...row, open, earlier, result: row.net + open - earlier };
  });
}

function headlinesOf(content: DayContent): readonly ReportFigure[] {
  const { accounts, results, entries, time } = content;
  const { money, positions, account } = content.books;
  const at = (us: number | undefined): string => comparedAt(content, us);
  const costs = sum(accounts, ({ fee, tax }) => fee + tax);
  return [
    ...heldFigure(content),
    [
      RESULT,
      signedOrUnknown(sum(results, ({ result }) => result)),
      'VND, realised and open, less fees and tax: the limit on the daily loss counts it',
    ],
    [
      'Realised after costs',
      formatSigned(sum(results, ({ net }) => net)),
      'VND, as tickwright pnl; the open result is not in it',
    ],
    ...openFigure(content, at(positions?.startedUs)),
    ...(account === undefined || account.account.fee === null || account.account.tax === null
      ? []
      : ([
          [
            `${RESULT} by the broker`,
            formatSigned(account.account.profit - account.account.fee - account.account.tax),
            `VND, its profit of the day less fees and tax, at ${time(account.startedUs)}`,
          ],
        ] as const)),
    ['Fees and tax', formatNumber(costs), 'VND, charged on the fills of the day'],
    ['Orders', formatNumber(sum(accounts, ({ orders }) => orders)), 'sent to the broker'],
    ['Contracts traded', formatNumber(sum(accounts, ({ filledQty }) => filledQty)), 'over all fills'],
    [
      'Books',
      `money ${at(money?.tsUs)}${money === undefined || money.verdict === 'agreed' ? '' : ` (${money.verdict})`}; positions ${at(positions?.startedUs)}`,
      'with the broker’s',
    ],
    ['Incidents', formatNumber(entries.filter(isIncident).length), 'warnings and critical alerts'],
  ];
}

/** Open positions, and whether an order at the broker would close them; empty without a position. */
function heldFigure({ accounts, contracts, entries }: DayContent): readonly ReportFigure[] {
  const phase = entries.findLast(({ entry: { kind } }) => kind === 'phase')?.entry;
  const waiting = readOrders(entries, contracts).filter(({ status }) => status === 'pending_trigger');
  const held = accounts.flatMap(({ strategy, positions }) =>
    positions.map(({ instrument, position: { qty, openValue } }) => {
      const code = shownCode(contracts, instrument);
      const side = qty > 0 ? 'sell' : 'buy';
      const key = `${strategy} ${code} ${side}`;
      const stops = waiting.filter((each) => `${each.strategy} ${each.orderCode} ${each.side}` === key);
      const cover = stops.map((each) => `, a trigger order waits to ${side} ${each.qty}`).join('');
      const entry = priceText(contracts[instrument], openValue, qty);
      return `${strategy} ${formatSigned(qty)} ${code} from ${entry}${cover || ', NO stop of its own at the broker'}`;
    }),
  );
  const name = phase?.kind === 'phase' && phase.phase === 'closed' ? 'Held overnight' : 'Held';
  return held.length === 0 ? [] : [[name, held.join('; '), 'by our books']];
}

function openFigure({ accounts, results }: DayContent, compared: string): readonly ReportFigure[] {
  const text = signedOrUnknown(sum(results, ({ open }) => open));
  const note = `VND, since entry, at the broker’s last price; positions ${compared}`;
  return accounts.every(({ positions }) => positions.length === 0) ? [] : [['Open result', text, note]];
}

const isIncident = ({ entry }: StoredEntry): boolean => entry.kind === 'alert' && entry.severity !== 'info';

/** Critical alerts, each text once and no order that was found or resolved since, and a day that ended with entries off. */
function warningsOf(entries: readonly StoredEntry[]): readonly string[] {
  const texts = new Set<string>();
  const absent = new Map<string, string>();
  let halted: string | null = null;
  for (const { entry } of entries) {
    if (entry.kind === 'alert' && entry.severity === 'critical') {
      const text = `${entry.code}: ${entry.text}`;
      if (entry.code === 'order_presumed_absent') absent.set(entry.about ?? '', text);
      texts.add(text);
    }
    if (entry.kind === 'halt' && entry.strategy === null) halted = entry.halted ? entry.reason : null;
    if (entry.kind === 'order_status' && !isFateUnknown(entry.to))
      texts.delete(absent.get(entry.clientOrderId) ?? '');
  }
  const off = halted === null ? [] : [`Entries are off until tickwright resume: ${halted}`];
  return [...off, ...[...texts].slice(0, ROWS_MAX)];
}

/** Figures of `resultsOf` by the titles of their columns. */
const STRATEGY_COLUMNS = {
  strategy: 'strategy',
  'result of the day': 'result',
  'realised after costs': 'net',
  open: 'open',
  'won on earlier days': 'earlier',
  realised: 'realised',
  fees: 'fee',
  tax: 'tax',
  orders: 'orders',
  fills: 'fills',
  contracts: 'filledQty',
  denied: 'denied',
  rejected: 'rejected',
  'refused changes or cancels': 'refusedChanges',
} as const;

const strategyTable = ({ results }: DayContent): ReportTable => ({
  title: STRATEGIES,
  note: 'VND. Result of the day = realised after costs + open - won on earlier days (until the reference price of the day).',
  columns: Object.keys(STRATEGY_COLUMNS),
  rows: results.map((row) => Object.values(STRATEGY_COLUMNS).map((name) => numberOrUnknown(row[name]))),
});

/** The last reads of the day that our books were held against; -Infinity without a fill. */
function comparedBooks(
  read: JournalReader,
  day: TradingDay,
  entries: readonly StoredEntry[],
  config: Config | null,
) {
  const money = entries.findLast(({ entry }) => entry.kind === 'money_checked')?.entry;
  const positions = read.lastInput<PositionSnapshot>(day, 'position_snapshot');
  const closeUs = config === null ? undefined : dayClose(config.calendar, day);
  // The night settles the broker's money of the day.
  const account = read.lastInput<AccountSnapshot>(
    day,
    'account_snapshot',
    (closeUs ?? Infinity) + AFTER_CLOSE_US,
  );
  const lastFill = entries.findLast(({ entry }) => entry.kind === 'fill');
  return {
    money: money?.kind === 'money_checked' ? money : undefined,
    positions,
    account,
    reference: read.lastInput<ReferencePrices>(day, 'reference'),
    lastFillUs: lastFill?.entry.tsUs ?? -Infinity,
  };
}

/** Time of a read of the broker's state, and whether it came too early. */
const comparedAt = ({ books: { lastFillUs }, time }: DayContent, us: number | undefined): string =>
  us === undefined
    ? 'not compared'
    : `compared ${us < lastFillUs ? 'BEFORE the last fill, ' : ''}at ${time(us)}`;

const COMPARED_COLUMNS = ['ours', 'broker', 'difference'] as const;

function moneyTable(content: DayContent): ReportTable {
  const { money } = content.books;
  return {
    title: 'Our money against the broker’s',
    note: `VND, ${comparedAt(content, money?.tsUs)}: ${money?.verdict ?? ''}.`,
    columns: ['figure', ...COMPARED_COLUMNS],
    rows: (money?.figures ?? []).map(({ what, ours, broker }) => [what, ours, broker, broker - ours]),
  };
}

function heldTable(content: DayContent): ReportTable {
  const { books, accounts, contracts } = content;
  const { positions } = books;
  const held = new Map<string, { ours: number; broker: number }>();
  const of = (code: string) => held.get(code) ?? { ours: 0, broker: 0 };
  for (const { instrument, position } of accounts.flatMap((account) => account.positions)) {
    const code = shownCode(contracts, instrument);
    held.set(code, { ...of(code), ours: of(code).ours + position.qty });
  }
  for (const { orderCode, qty } of positions?.positions ?? [])
    held.set(orderCode, { ...of(orderCode), broker: of(orderCode).broker + qty });
  const rows = [...held].filter(([, { ours, broker }]) => ours !== 0 || broker !== 0);
  return {
    title: 'Our positions against the broker’s',
    note: `The broker’s, ${comparedAt(content, positions?.startedUs)}.`,
    columns: ['contract', ...COMPARED_COLUMNS],
    rows: (positions ? rows : []).map(([code, { ours, broker }]) => [code, ours, broker, broker - ours]),
  };
}

function limitTable({ results, entries, config }: DayContent): ReportTable {
  const rows: (readonly (string | number)[])[] = [];
  const add = (name: string, used: number, limit: number): void => {
    const part = Math.round((used / limit) * 100);
    rows.push([name, numberOrUnknown(used), limit, Number.isFinite(part) ? `${part} %` : '–']);
  };
  const lossOf = (id: string | null): number => {
    const own = results.filter(({ strategy }) => id === null || strategy === id);
    const accepted = entries.findLast(
      ({ entry, strategyName }) =>
        entry.kind === 'alert' && entry.code === 'loss_accepted' && strategyName === id,
    );
    const base = accepted?.entry.kind === 'alert' ? (accepted.entry.loss ?? 0) : 0;
    return Math.max(0, 0 - sum(own, ({ result }) => result) - base);
  };
  if (config !== null) {
    add('loss of the account, VND', lossOf(null), config.engine.risk.dailyLossMax);
    const largest = largestPositions(entries);
    for (const { id, risk } of config.engine.strategies) {
      add(`loss of ${id}, VND`, lossOf(id), risk.dailyLossMax);
      add(`largest position of ${id}`, largest.get(id) ?? 0, risk.positionMax);
    }
  }
  return {
    title: 'Use of limits',
    note: 'Losses are those of the result of the day, less what a resume has accepted.',
    columns: ['limit', 'used', 'of', ''],
    rows,
  };
}

/** By strategy, over all contracts and moments of the day. */
function largestPositions(entries: readonly StoredEntry[]): ReadonlyMap<string, number> {
  const largest = new Map<string, number>();
  const held = new Map<string, number>();
  for (const { entry, strategyName } of entries) {
    if (entry.kind !== 'fill' && entry.kind !== 'position_event') continue;
    if (strategyName === null) continue;
    const change = entry.kind === 'fill' ? signOf(entry.side) * entry.qty : entry.qty;
    const key = `${strategyName} ${entry.instrument}`;
    const now = (held.get(key) ?? 0) + change;
    held.set(key, now);
    largest.set(strategyName, Math.max(largest.get(strategyName) ?? 0, Math.abs(now)));
  }
  return largest;
}

function incidentTable({ entries, time }: DayContent): ReportTable {
  const rows = entries
    .filter(isIncident)
    .flatMap(({ entry, strategyName }) =>
      entry.kind === 'alert'
        ? [[time(entry.tsUs), entry.severity, strategyName ?? '', `${entry.code}: ${entry.text}`]]
        : [],
    );
  return {
    title: 'Incidents',
    ...newest(rows),
    columns: ['time', 'severity', 'strategy', 'text'],
    isText: true,
  };
}

function orderTable({ entries, contracts, time }: DayContent): ReportTable {
  const orders = readOrders(entries, contracts);
  const denied = orders.filter(({ status }) => status === 'denied').length;
  const rows = orders.map((order) => [
    time(order.tsUs),
    order.strategy,
    order.orderCode,
    `${order.side} ${order.qty}${order.limitPoints === null ? '' : ` at ${order.limitPoints}`}`,
    `${order.status.replaceAll('_', ' ')}, ${order.filledQty} filled`,
    order.detail,
  ]);
  const table = newest(rows);
  return {
    title: 'Orders',
    ...table,
    note: `${denied === 0 ? '' : `${formatNumber(denied)} of ${formatNumber(rows.length)} were denied by risk and not sent. `}${table.note}`.trim(),
    columns: ['time', 'strategy', 'contract', 'order', 'status', 'because'],
    isText: true,
  };
}

function fillTable({ entries, contracts, time }: DayContent): ReportTable {
  const rows = entries.flatMap(({ entry, strategyName }) => {
    if (entry.kind !== 'fill') return [];
    const { tsUs, instrument, side, qty, value, fee, tax } = entry;
    const code = shownCode(contracts, instrument);
    const price = priceText(contracts[instrument], value, qty);
    return [[time(tsUs), strategyName ?? '', code, `${side} ${qty}`, price, value, fee, tax]];
  });
  return {
    title: 'Fills',
    ...newest(rows),
    columns: ['time', 'strategy', 'contract', 'side', 'price', 'value, VND', 'fee', 'tax'],
  };
}

const priceText = (contract: Contract | undefined, value: number, qty: number): string =>
  contract === undefined ? '' : formatAverage(avgPoints(contract.spec, value, qty));

function tradeTable({ entries, contracts, time }: DayContent): ReportTable {
  const rows = sessionResult(entries).trades.map((trade) => {
    const { strategy, instrument, side, qty, openedUs, closedUs, entryValue, exitValue, net } = trade;
    const [entry, exit] = [entryValue, exitValue].map((value) =>
      priceText(contracts[instrument], value, qty),
    );
    const code = shownCode(contracts, instrument);
    return [time(openedUs), time(closedUs), strategy, code, `${side} ${qty}`, `${entry} → ${exit}`, net];
  });
  return {
    title: 'Closed trades',
    ...newest(rows),
    columns: ['from', 'to', 'strategy', 'contract', 'side', 'entry → exit', 'net, VND'],
  };
}

function newest<Row>(rows: readonly Row[]): { readonly note: string; readonly rows: readonly Row[] } {
  const more = rows.length - ROWS_MAX;
  if (more <= 0) return { note: '', rows };
  return { note: `${formatNumber(more)} earlier rows are in the journal.`, rows: rows.slice(-ROWS_MAX) };
}

function aheadTable({ day, config }: DayContent): ReportTable {
  const rows: (readonly string[])[] = [];
  if (config !== null) {
    const { exchangeCalendar: calendar } = config;
    const days = Array.from({ length: DAYS_AHEAD_MAX }, (_, i) => addDays(tradingDay(day), i + 1));
    const next = days.find((each) => isSession(calendar, each));
    rows.push(['next session', next ?? 'none that the calendar knows']);
    rows.push(...aheadFindings(config, tradingDay(day)).map(({ what, text }) => [what, text]));
  }
  return { title: AHEAD, note: '', columns: ['', ''], rows, isText: true };
}

const TABLES = [
  strategyTable,
  moneyTable,
  heldTable,
  limitTable,
  incidentTable,
  tradeTable,
  orderTable,
  fillTable,
  aheadTable,
];
