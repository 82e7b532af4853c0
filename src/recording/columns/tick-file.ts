/** Files of ticks: `ticks/<symbol>/<day>.arrow`. */
import { allocateTable, copyTable, type RowTable, type TableTotals } from './row-table.ts';
import { readMeta, readTables, type TableKind, writeTable } from './arrow-file.ts';
import {
  isQuotes,
  parseTickMeta,
  tickLayout,
  rowTableOf,
  type TickColumns,
  type TickMeta,
  type TickRows,
  ticksOf,
} from './tick-columns.ts';

const TICK_FILE: TableKind<TickMeta> = {
  what: 'a file of ticks',
  parse: parseTickMeta,
  layout: ({ depth }) => tickLayout(depth),
};

export type TickTotals = TableTotals & Pick<TickMeta, 'trades' | 'volume'>;

/** Writes `parts` in their order; all but the last have as many rows as fit a part. */
export function writeColumns(
  path: string,
  depth: number,
  parts: Iterable<TickRows>,
  describe: (totals: TickTotals) => TickMeta,
): TickMeta {
  let [trades, volume] = [0, 0];
  const tables = function* (): Generator<RowTable> {
    for (const part of parts) {
      const traded = tradedIn(part);
      trades += traded.trades;
      volume += traded.volume;
      yield rowTableOf(part);
    }
  };
  return writeTable(path, tickLayout(depth), tables(), (totals) => describe({ ...totals, trades, volume }));
}

function tradedIn({ rows, qty }: TickRows) {
  let [trades, volume] = [0, 0];
  for (let i = 0; i < rows; i += 1) {
    const size = qty[i] ?? 0;
    volume += size;
    if (size > 0) trades += 1;
  }
  return { trades, volume };
}

/** All ticks of the file. A file of one part, which is any ordinary day, is not copied. */
export function readColumns(path: string): TickColumns {
  const parts = [...readParts(path)];
  const [first] = parts;
  if (first === undefined) {
    const meta = readTickMeta(path);
    return { meta, ...ticksOf(allocateTable(tickLayout(meta.depth), 0), isQuotes(meta)) };
  }
  if (parts.length === 1) return first;
  const { meta } = first;
  const all = allocateTable(tickLayout(meta.depth), meta.rows, 'shared');
  let at = 0;
  for (const part of parts) {
    copyTable(all, at, rowTableOf(part), 0, part.rows);
    at += part.rows;
  }
  return { meta, ...ticksOf(all, isQuotes(meta)) };
}

export function* readParts(path: string): Generator<TickColumns> {
  for (const { meta, table } of readTables(path, TICK_FILE))
    yield { meta, ...ticksOf(table, isQuotes(meta)) };
}

export const readTickMeta = (path: string): TickMeta => readMeta(path, TICK_FILE);
