/** The same data as if the future after a moment had never been recorded. */
import { assert } from '../../domain/assert.ts';
import { firstRowAt, rowsBetween, type TickRows } from '../../recording/columns/tick-columns.ts';
import type { BacktestData, BacktestDay } from '../backtest-plan.ts';

export interface CutData {
  readonly data: BacktestData;
  /** Nothing of this moment or after it is in the data. */
  readonly cutUs: number;
}

/** Cuts after about `part` of the rows, 0 to 1. */
export function cutOff(data: BacktestData, part: number): CutData {
  const wanted = Math.floor(data.rows * part);
  let rows = 0;
  for (const [place, day] of data.days.entries()) {
    const opened = data.open(day);
    const today = opened.tapes.reduce((sum, tape) => sum + tape.rows.rows, 0);
    if (rows + today > wanted || place === data.days.length - 1) {
      const cutUs = momentAt(opened, wanted - rows);
      const days = data.days.slice(0, place + 1);
      return { data: { ...data, days, open: (each) => withoutFuture(data.open(each), cutUs) }, cutUs };
    }
    rows += today;
  }
  throw new Error('Invariant: a run has a day');
}

/** Time of the row before which the wanted part of the day's longest tape lies. */
function momentAt({ tapes }: BacktestDay, row: number): number {
  const longest = tapes.toSorted((a, b) => b.rows.rows - a.rows.rows)[0];
  assert(longest !== undefined, 'a day has a tape');
  const { rows } = longest;
  const all = tapes.reduce((sum, tape) => sum + tape.rows.rows, 0);
  const place = Math.floor((row / Math.max(1, all)) * rows.rows);
  return rows.tsUs[Math.min(Math.max(0, place), rows.rows - 1)] ?? 0;
}

const withoutFuture = (day: BacktestDay, cutUs: number): BacktestDay => ({
  ...day,
  tapes: day.tapes.map((tape) => ({ ...tape, rows: rowsBefore(tape.rows, cutUs) })),
});

const rowsBefore = (rows: TickRows, cutUs: number): TickRows => rowsBetween(rows, 0, firstRowAt(rows, cutUs));
