/** `orders`, `positions`, `pnl`, `journal`: read the journal, also while the daemon runs. */
import type { Command } from 'commander';
import {
  journalLines,
  journalView,
  type OrderRow,
  ordersView,
  type PnlRow,
  pnlView,
  type PositionRow,
  positionsView,
  type SessionHead,
  type StateQuery,
  type StateView,
  verifyJournal,
} from '../../host/state/read-state.ts';
import { formatTime } from '../../domain/civil-date.ts';
import { shortOrderId } from '../../domain/ids.ts';
import { tsUs } from '../../domain/units.ts';
import { formatAverage, formatCount, formatNumber, sumsOf } from '../../text/numbers.ts';
import { formatRows, SCREEN_WIDTH, wrapText } from '../../text/table.ts';
import { type CliContext, EXIT, jsonText, wrongUsage } from '../cli-io.ts';
import { statusIfRuns } from '../control/control-commands.ts';
import { writeFileSync } from 'node:fs';
import type { JournalTable } from '../../daemon/inspect/export-journal.ts';
import { countAboveZero, example, refuse, sessionDay, stateCommand, stateOf } from '../options.ts';

interface StateFlags extends StateQuery {
  readonly json?: boolean;
  readonly kind?: readonly string[];
}

interface StateCommand<Row> {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly view: (flags: StateFlags) => StateView<Row>;
  readonly text: (flags: StateFlags) => string | Promise<string>;
  readonly lastByDefault: number | null;
}

/** Returns `orders`, which gets subcommands elsewhere. */
export function addStateCommands(program: Command, context: CliContext) {
  const orders = addStateCommand(program, context, {
    name: 'orders',
    description: 'list the orders of a session with their status',
    example: 'tickwright orders --strategy ema-front --last 20',
    view: (flags) => ordersView(flags),
    text: (flags) => ordersTable(ordersView(flags, true)),
    lastByDefault: 50,
  });
  addStateCommand(program, context, {
    name: 'positions',
    description: 'list the positions of each strategy; last price, result and stop while the daemon runs',
    example: 'tickwright positions --json',
    view: (flags) => positionsView(flags),
    text: async (flags) => positionsTable(positionsView(flags, true)) + (await holdingsText(flags)),
    lastByDefault: null,
  });
  addStateCommand(program, context, {
    name: 'pnl',
    description: 'show profit and loss of each strategy, with fees and tax',
    example: 'tickwright pnl --session 2026-03-04 --state var/replay-2026-03-04',
    view: pnlView,
    text: (flags) => pnlTable(pnlView(flags)),
    lastByDefault: null,
  });
  const journal = addStateCommand(program, context, {
    name: 'journal',
    description: 'show journal entries, newest last',
    example:
      'tickwright journal --kind alert --kind denied --last 100\n  tickwright journal --order 01000042',
    view: ({ kind = null, ...query }) => journalView(query, kind),
    text: journalText,
    lastByDefault: 50,
  })
    .option('--kind <kind>', 'entries of this kind only; repeatable', listOption)
    .option('--order <id>', 'one order only, from its proposal to its end, by the id that tables show');
  addJournalCommands(journal, context);
  return orders;
}

const KIND = /^[a-z_]+$/;

function listOption(text: string, before: readonly string[] | undefined): readonly string[] {
  return KIND.test(text) ? [...(before ?? []), text] : refuse('a kind like alert or order_status', text);
}

function addStateCommand<Row>(program: Command, { io }: CliContext, look: StateCommand<Row>): Command {
  return stateCommand(program, look.name, look.description, example(look.example))
    .option('--session <day>', 'trading day (the latest)', sessionDay)
    .option('--strategy <id>', 'this strategy only')
    .option(
      '--last <n>',
      `number of newest rows${look.lastByDefault === null ? '' : ` (${look.lastByDefault})`}`,
      countAboveZero,
    )
    .option('--json', 'print JSON, with whole VND and microseconds')
    .action(async (given: Omit<StateFlags, 'state'> & { readonly state?: string }) => {
      const limit = look.lastByDefault === null ? {} : { last: look.lastByDefault };
      const flags: StateFlags = { ...limit, ...given, state: stateOf(given) };
      io.out(flags.json === true ? jsonText(look.view(flags)) : await look.text(flags));
    });
}

/** An empty answer may come from a misspelled kind, so it lists the kinds there are. */
function journalText({ kind, ...query }: StateFlags): string {
  const view = journalLines(query, kind ?? null);
  if (view.rows.length > 0 || kind === undefined) return journalTable(view);
  const { last: _last, ...all } = query;
  const { rows } = journalView(all, null);
  const written = [...new Set(rows.map((row) => row.kind))].toSorted().join(', ');
  return `${journalTable(view)}no ${kind.join(' and no ')} in it; its kinds are ${written}\n`;
}

const ordersTable = (view: StateView<OrderRow>): string =>
  tableOf(view, view.rows, 'no orders', {
    time: ({ tsUs: at }) => timeOf(view, at).slice(0, 8),
    order: ({ clientOrderId }) => shortOrderId(clientOrderId),
    strategy: ({ strategy }) => strategy,
    contract: ({ orderCode }) => orderCode,
    side: ({ side }) => side,
    filled: ({ filledQty, qty }) => `${filledQty} of ${qty}`,
    limit: ({ limitPoints }) => limitPoints ?? 'market',
    average: ({ avgPoints }) => pointsOf(avgPoints),
    status: ({ status }) => status.replaceAll('_', ' '),
    '': whyText,
  });

/** The broker's number only while its own book may have to be checked. */
const whyText = ({ status, orderNo, detail }: OrderRow): string => {
  const number = FINAL.has(status) || orderNo === null ? [] : [`no. ${orderNo} at the broker`];
  return [...number, ...(detail === '' ? [] : [detail])].join(': ');
};

const FINAL = new Set<string>(['filled', 'canceled', 'denied', 'rejected', 'expired', 'not_sent']);

const positionsTable = (view: StateView<PositionRow>): string =>
  tableOf(view, view.rows, 'flat: no positions', {
    strategy: ({ strategy }) => strategy,
    contract: ({ orderCode }) => orderCode,
    qty: ({ qty }) => (qty > 0 ? `+${qty}` : String(qty)),
    average: ({ avgPoints }) => pointsOf(avgPoints),
    'realised VND': ({ realised }) => formatNumber(realised),
  });

/** Positions as the running daemon knows them; of a session that is named the journal says all. */
async function holdingsText({ state, session }: StateFlags): Promise<string> {
  if (session !== undefined) return '';
  const status = await statusIfRuns(state);
  if (status === null || status.engine === null || status.engineSilentMs !== null)
    return 'Last prices, open results and stops are not known: no engine answers.\n';
  return status.held.map((line) => `${wrapText(line, SCREEN_WIDTH).join('\n')}\n`).join('');
}

function pnlTable(view: StateView<PnlRow>): string {
  const figures = [
    ...(['orders', 'fills', 'filledQty', 'denied', 'rejected', 'refusedChanges'] as const),
    ...(['realised', 'fee', 'tax', 'net'] as const),
  ];
  const total = { strategy: 'all', ...sumsOf(view.rows, figures) };
  const shown = view.rows.length > 1 ? [...view.rows, total] : view.rows;
  const table = tableOf(view, shown, 'nothing traded', {
    strategy: ({ strategy }) => strategy,
    orders: ({ orders }) => String(orders),
    fills: ({ fills }) => String(fills),
    qty: ({ filledQty }) => String(filledQty),
    denied: ({ denied }) => String(denied),
    rejected: ({ rejected }) => String(rejected),
    realised: ({ realised }) => formatNumber(realised),
    fee: ({ fee }) => formatNumber(fee),
    tax: ({ tax }) => formatNumber(tax),
    'net VND': ({ net }) => formatNumber(net),
  });
  const { refusedChanges: refused } = total;
  const changes =
    refused === 0
      ? ''
      : `The broker refused ${formatCount(refused, 'change or cancel', 'changes or cancels')}.\n`;
  return `${table}${changes}Realised alone. The result of the day, with open positions: tickwright status.\n`;
}

const journalTable = (view: ReturnType<typeof journalLines>): string =>
  tableOf(view, view.rows, 'nothing written', {
    id: ({ id }) => String(id),
    time: ({ time }) => time,
    strategy: ({ strategy }) => strategy,
    entry: ({ word }) => word,
    '': ({ text }) => text,
  });

function tableOf<Row>(
  { session, utcOffsetMinutes }: SessionHead,
  rows: readonly Row[],
  none: string,
  columns: Readonly<Record<string, (row: Row) => string>>,
): string {
  const heading = `session ${session}, times ${utcOffsetMinutes === null ? 'in UTC' : 'of the exchange'}\n`;
  return `${heading}${rows.length === 0 ? none : formatRows(rows, columns)}\n`;
}

const timeOf = ({ utcOffsetMinutes }: SessionHead, at: number): string =>
  formatTime(tsUs(at), utcOffsetMinutes ?? 0);

const pointsOf = (points: number | null): string => (points === null ? '' : formatAverage(points));

// `journal verify` proves that the journal is whole; `journal export` and `journal report` write tables and a page of it.

interface ExportFlags {
  readonly state?: string;
  readonly session?: string;
  readonly all?: boolean;
  readonly out: string;
  readonly json?: boolean;
}

const TABLES: readonly JournalTable[] = ['orders', 'fills', 'decisions'];

const EXPORT_HELP = `
Columns:
  orders     session time strategy client_order_id order_no contract side qty
             limit_points filled_qty average_points status detail
  fills      session time strategy client_order_id order_no contract side qty
             price_points value_vnd fee_vnd tax_vnd quality kind
  decisions  session time id strategy kind client_order_id facts (as JSON)
Times are the exchange's, money is VND. A text that a spreadsheet would compute
has an apostrophe before it. A correction of a fill adds to its money.

Examples:
  tickwright journal export fills --out fills.csv
  tickwright journal export orders --all --out orders.csv
`;

const REPORT_HELP = `
The daemon writes it by itself after the close, next to the backups of the
journal: backups/report-2026-03-04.html in the state directory.

Example:
  tickwright journal report --session 2026-03-04 --out day.html
`;

function addJournalCommands(journal: Command, { io, finish }: CliContext): void {
  const help = `\nExit code 1 when a fault is found.\n${example('tickwright journal verify')}`;
  stateCommand(journal, 'verify', 'check that no row of the journal was changed, moved or lost', help)
    .option('--json', 'print JSON')
    .action(({ json, ...flags }: Pick<ExportFlags, 'state' | 'json'>) => {
      const check = verifyJournal(stateOf(flags));
      io.out(json === true ? jsonText(check) : verifyText(check));
      if (check.faults.length > 0) finish(EXIT.failed);
    });
  addExport(journal, { io, finish });
  addReport(journal, { io, finish });
}

function addReport(journal: Command, { io }: CliContext): void {
  stateCommand(journal, 'report', 'write the report of a trading day as one page of HTML', REPORT_HELP)
    .requiredOption('--out <file>', 'file to write')
    .option('--session <day>', 'trading day, as 2026-03-04 (the latest)', sessionDay)
    .action(async ({ session, out, ...flags }: Pick<ExportFlags, 'state' | 'session' | 'out'>) => {
      const { dayReport } = await import('../../daemon/inspect/day-report.ts');
      const { day, html } = dayReport(stateOf(flags), session);
      writeFileSync(out, html);
      io.out(`${out}: the report of ${day}\n`);
    });
}

function addExport(journal: Command, { io }: CliContext): void {
  stateCommand(journal, 'export', 'write orders, fills or decisions as CSV', EXPORT_HELP)
    .argument('<table>', 'orders, fills or decisions', tableNamed)
    .requiredOption('--out <file>', 'file to write', csvPlace)
    .option('--session <day>', 'trading day, as 2026-03-04 (the latest)', sessionDay)
    .option('--all', 'all sessions in one table')
    .option('--json', 'print JSON')
    .action(async (table: JournalTable, { json, all, session, out, ...flags }: ExportFlags) => {
      if (all === true && session !== undefined) throw wrongUsage('expected --session or --all, was both');
      const { exportJournal } = await import('../../daemon/inspect/export-journal.ts');
      const exported = exportJournal(stateOf(flags), { session, all: all === true }, table, out);
      const { rows, sessions } = exported;
      const text = `${out}: ${formatCount(rows, 'row')} of ${formatCount(sessions, 'session')}\n`;
      io.out(json === true ? jsonText(exported) : text);
    });
}

const csvPlace = (text: string): string =>
  text.endsWith('.csv') ? text : refuse('a file that ends with .csv', text);

const tableNamed = (text: string): JournalTable =>
  TABLES.find((each) => each === text) ?? refuse(TABLES.join(', '), text);

function verifyText({ sessions, faults }: ReturnType<typeof verifyJournal>): string {
  const table = formatRows(sessions, {
    session: ({ session }) => session,
    inputs: ({ inputs }) => formatNumber(inputs),
    entries: ({ entries }) => formatNumber(entries),
    rows: ({ isArchived }) => (isArchived ? 'in the archive' : 'in the journal'),
    'last hashes': ({ ends }) => ends,
  });
  const found = faults.map(({ session, text }) => `FAIL  ${session ?? 'journal'}: ${text}\n`).join('');
  const wayOn =
    'The rows are not as Tickwright wrote them. Stop the daemon, compare positions and orders with the broker, and take the newest ' +
    'backup that this command finds whole.\n';
  return `${table}\n${found === '' ? 'Every row follows from the row before it.\n' : `${found}${wayOn}`}`;
}
