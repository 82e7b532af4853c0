/** `journal export`: orders, fills or decisions of sessions as one table for spreadsheets and data frames. */
import { closing } from '../../domain/failure.ts';
import { writeFileSync } from 'node:fs';
import { avgPoints, type Contract, shownCode } from '../../domain/contract.ts';
import type { EntryKind, EntryOf } from '../../engine/ports/journal-entry.ts';
import type { JournalReader, SessionRow } from '../../journal/journal-reader.ts';
import { formatLocalTime, formatUtcOffset } from '../../text/dates.ts';
import { configOf, inSession, journalRow, openJournal, readOrders } from '../../host/state/read-state.ts';
import { csvText, type CsvValue } from '../../text/table.ts';

interface Table {
  readonly head: readonly string[];
  readonly rowsOf: (scene: ExportContext) => readonly (readonly CsvValue[])[];
}

/** Spreadsheets compute a cell that begins like this; the apostrophe makes it text. */
const inert = (cell: CsvValue): CsvValue =>
  typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;

/** One column a key: its title, and its cell of a row. */
const tableOf = <Row>(
  rowsOf: (scene: ExportContext) => readonly Row[],
  columns: Readonly<Record<string, (row: Row, scene: ExportContext) => CsvValue>>,
): Table => ({
  head: ['session', ...Object.keys(columns)],
  rowsOf: (scene) =>
    rowsOf(scene).map((row) => [
      scene.session,
      ...Object.values(columns).map((cell) => inert(cell(row, scene))),
    ]),
});

/** Entries on requests, verdicts, calls and answers, with their authors. */
const DECISIONS: readonly EntryKind[] = [
  'proposal',
  'denied',
  'place',
  'modify',
  'cancel',
  'outcome',
  'command',
  'halt',
  'strategy_started',
  'strategy_changed',
  'strategy_stopped',
  'strategy_fault',
  'position_event',
  'position_mismatch',
  'money_checked',
  'alert',
];

type FillEntry = EntryOf<'fill' | 'fill_correction'>;

const fillsOf = ({ entries }: ExportContext) =>
  entries.flatMap(({ entry, strategyName }) =>
    entry.kind === 'fill' || entry.kind === 'fill_correction' ? [{ entry, strategyName }] : [],
  );

const pointsOf = (entry: FillEntry, contract: Contract | undefined): number | null =>
  entry.kind !== 'fill' || contract === undefined ? null : avgPoints(contract.spec, entry.value, entry.qty);

const TABLES = {
  orders: tableOf(({ entries, contracts }) => readOrders(entries, contracts), {
    time: ({ tsUs }, { time }) => time(tsUs),
    strategy: ({ strategy }) => strategy,
    client_order_id: ({ clientOrderId }) => clientOrderId,
    order_no: ({ orderNo }) => orderNo,
    contract: ({ orderCode }) => orderCode,
    side: ({ side }) => side,
    qty: ({ qty }) => qty,
    limit_points: ({ limitPoints }) => limitPoints && Number(limitPoints),
    filled_qty: ({ filledQty }) => filledQty,
    average_points: ({ avgPoints }) => avgPoints,
    status: ({ status }) => status,
    detail: ({ detail }) => detail,
  }),
  // A correction changes money alone: value and tax are the differences that it adds.
  fills: tableOf(fillsOf, {
    time: ({ entry }, { time }) => time(entry.tsUs),
    strategy: ({ strategyName }) => strategyName,
    client_order_id: ({ entry }) => entry.clientOrderId,
    order_no: ({ entry }) => entry.orderNo,
    contract: ({ entry }, { contracts }) => shownCode(contracts, entry.instrument),
    side: ({ entry }) => entry.side,
    qty: ({ entry }) => (entry.kind === 'fill' ? entry.qty : null),
    price_points: ({ entry }, { contracts }) => pointsOf(entry, contracts[entry.instrument]),
    value_vnd: ({ entry }) => entry.value,
    fee_vnd: ({ entry }) => (entry.kind === 'fill' ? entry.fee : null),
    tax_vnd: ({ entry }) => entry.tax,
    quality: ({ entry }) => entry.quality,
    kind: ({ entry }) => entry.kind,
  }),
  decisions: tableOf(({ entries }) => entries.filter(({ entry }) => DECISIONS.includes(entry.kind)), {
    time: ({ entry }, { time }) => time(entry.tsUs),
    id: ({ id }) => id,
    strategy: ({ strategyName }) => strategyName,
    kind: ({ entry }) => entry.kind,
    client_order_id: ({ entry }) => ('clientOrderId' in entry ? entry.clientOrderId : null),
    facts: (row) => JSON.stringify(journalRow(row).body),
  }),
};

export type JournalTable = keyof typeof TABLES;

/** Excel takes a file without this mark for one in the code page of its machine. */
const UTF8_MARK = '\uFEFF';

/** `session` undefined takes the latest. Throws `NotFoundError` without a journal or without this session in it. */
export function exportJournal(
  state: string,
  { session, all }: { readonly session: string | undefined; readonly all: boolean },
  table: JournalTable,
  out: string,
) {
  const { head, rowsOf } = TABLES[table];
  const days = all
    ? allDays(state, rowsOf)
    : [inSession(state, session, (read, found) => rowsOf(exportContext(read, found)))];
  const rows = days.flat();
  writeFileSync(out, UTF8_MARK + csvText(head, rows));
  return { out, rows: rows.length, sessions: days.length };
}

const allDays = (state: string, rowsOf: Table['rowsOf']) =>
  closing(openJournal(state), ({ read, of }) =>
    read.sessions().map((found) => rowsOf(exportContext(of(found.day), found))),
  );

type ExportContext = ReturnType<typeof exportContext>;

function exportContext(read: JournalReader, { day, configuration }: SessionRow) {
  const offset = configOf(configuration)?.calendar.utcOffsetMinutes ?? 0;
  return {
    session: day,
    entries: read.entries({ session: day }),
    contracts: read.contracts(day),
    time: (us: number): string => `${formatLocalTime(us, offset)}${formatUtcOffset(offset)}`,
  };
}
