/** `journal verify` proves that the journal is whole; `journal export` and `journal report` write tables and a page of it. */
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { JournalTable } from '../../daemon/inspect/export-journal.ts';
import { verifyJournal } from '../../host/state/read-state.ts';
import { formatCount, formatNumber } from '../../text/numbers.ts';
import { formatRows } from '../../text/table.ts';
import { refuse, sessionDay } from '../argument-values.ts';
import { type CliContext, EXIT, jsonText, wrongUsage } from '../cli-io.ts';
import { example, stateCommand, stateOf } from '../state-option.ts';

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

export function addJournalCommands(journal: Command, { io, finish }: CliContext): void {
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
    .argument('<table>', 'orders, fills or decisions', journalTable)
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

function journalTable(text: string): JournalTable {
  const table = TABLES.find((each) => each === text);
  return table ?? refuse(TABLES.join(', '), text);
}

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
