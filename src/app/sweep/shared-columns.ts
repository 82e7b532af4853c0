/** All ticks of a sweep, read once, on memory that every thread sees: posting them copies nothing. */
import type { TickRows } from '../../recording/columns/tick-columns.ts';
import { readColumns } from '../../recording/columns/tick-file.ts';
import type { Backtest } from '../backtest/load-backtest.ts';

/** By path of the file. */
export type SharedColumns = ReadonlyMap<string, TickRows>;

/** The days that are played, and the one before them, whose close is their first reference price. */
export function readSharedColumns({ sources }: Backtest): SharedColumns {
  const [first] = sources.days;
  const before = sources.all.findLast(({ day }) => first !== undefined && day < first)?.day;
  const wanted = sources.all.filter(({ day }) => day === before || (first !== undefined && day >= first));
  return new Map(
    wanted.map(({ path }) => {
      const { rows, tsUs, priceTicks, qty, side, book } = readColumns(path);
      return [path, { rows, tsUs, priceTicks, qty, side, book }];
    }),
  );
}
