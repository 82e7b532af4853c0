/** `journal export`: orders, fills or decisions of sessions as one table for spreadsheets and data frames. */
import { type Contract, shownCode } from '../../domain/contract.ts';
import type { EntryKind, JournalEntry } from '../../engine/ports/journal-entry.ts';
import type { JournalReader, SessionRow, StoredEntry } from '../../journal/journal-reader.ts';
import { exportRecords } from '../../recording/export/export-file.ts';
import type { RecordTable } from '../../recording/export/export-table.ts';
import { formatLocalTime, formatUtcOffset } from '../../text/dates.ts';
import { storedConfig } from '../host/catalog.ts';
import { readOrders } from './read-orders.ts';
import { inSession, openJournal } from './read-state.ts';

export type JournalTable = 'orders' | 'fills' | 'decisions';

type Row = Readonly<Record<string, string | number | null>>;

interface Scene {
  readonly session: string;
  readonly entries: readonly StoredEntry[];
  readonly contracts: readonly Contract[];
  readonly time: (us: number) => string;
}

/** Columns with numbers; all others are text. */
const NUMBERS: ReadonlySet<string> = new Set([
  'qty',
  'limit_points',
  'filled_qty',
  'average_points',
  'price_points',
  'value_vnd',
  'fee_vnd',
  'tax_vnd',
  'id',
]);

const COLUMNS: Readonly<Record<JournalTable, readonly string[]>> = {
  orders: words(
    'session time strategy client_order_id order_no contract side qty limit_points filled_qty average_points status detail',
  ),
  fills: words(
    'session time strategy client_order_id order_no contract side qty price_points value_vnd fee_vnd tax_vnd quality kind',
  ),
  decisions: words('session time id strategy kind client_order_id facts'),
};

/** Entries that say what was asked for, allowed, sent and answered, and by whom. */
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

export interface ExportedJournal {
  readonly out: string;
  readonly rows: number;
  readonly sessions: number;
}

/** `session` undefined takes the latest. Throws `NothingThere` without a journal or without this session in it. */
export async function exportJournal(
  state: string,
  { session, all }: { readonly session: string | undefined; readonly all: boolean },
  table: JournalTable,
  out: string,
): Promise<ExportedJournal> {
  const days = all
    ? allDays(state, ROWS[table])
    : [inSession(state, session, (read, found) => ROWS[table](sceneOf(read, found)))];
  const rows = days.flat();
  const names = COLUMNS[table];
  const fields: RecordTable['fields'] = names.map((name) => ({
    name,
    kind: NUMBERS.has(name) ? 'number' : 'text',
  }));
  await exportRecords(out, { fields, rows: rows.map((row) => names.map((name) => row[name] ?? null)) });
  return { out, rows: rows.length, sessions: days.length };
}

function allDays(state: string, rowsOf: RowsOf): readonly (readonly Row[])[] {
  const opened = openJournal(state);
  try {
    return opened.read
      .sessions()
      .filter(({ day }) => opened.read.archived(day)?.sha256 !== null)
      .map((found) => rowsOf(sceneOf(opened.of(found.day), found)));
  } finally {
    opened.close();
  }
}

function sceneOf(read: JournalReader, { day, configuration }: SessionRow): Scene {
  const loaded = storedConfig(configuration);
  const offset = loaded.ok ? loaded.config.calendar.utcOffsetMinutes : 0;
  return {
    session: day,
    entries: read.entries({ session: day }),
    contracts: read.contracts(day),
    time: (us) => `${formatLocalTime(us, offset)}${formatUtcOffset(offset)}`,
  };
}

type RowsOf = (scene: Scene) => readonly Row[];

const ROWS: Readonly<Record<JournalTable, RowsOf>> = {
  orders: ({ session, entries, contracts, time }) =>
    readOrders(entries, contracts).map((order) => ({
      session,
      time: time(order.tsUs),
      strategy: order.strategy,
      client_order_id: order.clientOrderId,
      order_no: order.orderNo,
      contract: order.orderCode,
      side: order.side,
      qty: order.qty,
      limit_points: order.limitPoints === null ? null : Number(order.limitPoints),
      filled_qty: order.filledQty,
      average_points: order.avgPoints,
      status: order.status,
      detail: order.detail,
    })),
  fills: (scene) => scene.entries.flatMap((stored) => fillRows(stored, scene)),
  decisions: ({ session, entries, time }) =>
    entries
      .filter(({ entry }) => DECISIONS.includes(entry.kind))
      .map(({ id, strategyName, entry }) => {
        const { cause: _cause, strategy: _strategy, tsUs, kind, ...facts } = entry;
        return {
          session,
          time: time(tsUs),
          id,
          strategy: strategyName,
          kind,
          client_order_id: 'clientOrderId' in entry ? entry.clientOrderId : null,
          facts: JSON.stringify(facts),
        };
      }),
};

/** A correction changes money alone: `value_vnd` and `tax_vnd` are what it adds. */
function fillRows({ strategyName, entry }: StoredEntry, { session, contracts, time }: Scene): readonly Row[] {
  if (entry.kind !== 'fill' && entry.kind !== 'fill_correction') return [];
  const contract = contracts[entry.instrument];
  return [
    {
      session,
      time: time(entry.tsUs),
      strategy: strategyName,
      client_order_id: entry.clientOrderId,
      order_no: entry.orderNo,
      contract: shownCode(contracts, entry.instrument),
      side: entry.side,
      value_vnd: entry.value,
      tax_vnd: entry.tax,
      quality: entry.quality,
      kind: entry.kind,
      ...(entry.kind === 'fill'
        ? { qty: entry.qty, fee_vnd: entry.fee, price_points: pointsOf(entry, contract) }
        : {}),
    },
  ];
}

const pointsOf = (
  { value, qty }: Extract<JournalEntry, { kind: 'fill' }>,
  contract: Contract | undefined,
): number | null => (contract === undefined ? null : value / qty / contract.spec.moneyPerHundredth / 100);

function words(text: string): readonly string[] {
  return text.split(' ');
}
