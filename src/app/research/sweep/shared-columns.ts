/** All ticks of a sweep, read once, on memory that every thread sees: posting them copies nothing. */
import { allocateTable, copyTable } from '../../../recording/columns/row-table.ts';
import { tableOf, tickLayout, type TickRows, ticksOf } from '../../../recording/columns/tick-columns.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import { rowReader } from '../backtest/read-rows.ts';
import type { SourceDay } from '../backtest/source-days.ts';

/** By `columnKey`. */
export type SharedColumns = ReadonlyMap<string, TickRows>;

/** A file of bars holds many days. */
export const columnKey = ({ path, day, code }: SourceDay): string => `${path} ${day} ${code}`;

/** The days that are played, and the one before them, whose close is their first reference price. */
export function readSharedColumns(backtest: Backtest): SharedColumns {
  const { sources } = backtest;
  const [first] = sources.days;
  const before = sources.all.findLast(({ day }) => first !== undefined && day < first)?.day;
  const wanted = sources.all.filter(({ day }) => day === before || (first !== undefined && day >= first));
  const read = rowReader(backtest);
  return new Map(wanted.map((source) => [columnKey(source), shared(read(source))]));
}

/** As they come from a file of ticks they are shared already; what is made of bars is not. */
function shared(rows: TickRows): TickRows {
  const { tsUs, priceTicks, qty, side, book } = rows;
  if (tsUs.buffer instanceof SharedArrayBuffer) return { rows: rows.rows, tsUs, priceTicks, qty, side, book };
  const table = allocateTable(tickLayout(book?.depth ?? 0), rows.rows, 'shared');
  copyTable(table, 0, tableOf(rows), 0, rows.rows);
  return ticksOf(table);
}
