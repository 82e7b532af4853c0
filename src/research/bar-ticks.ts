/**
 * Bars as the rows a run plays: each bar is four prices, its open, its two extremes and its close, at the beginning, after a third,
 * after two thirds and in the last microsecond of its stretch. A market on bars knows by the row where in a bar it is: row 4n is
 * the open of bar n. Strategies see a bar when it is complete; the path is for fills alone.
 */
import type { DurationUs, InstrumentIndex, PriceTicks, Qty, Seq, TsUs } from '../domain/units.ts';
import type { BarTick } from '../domain/ticks.ts';
import { assert } from '../domain/assert.ts';
import type { BarRows } from '../recording/columns/bar-file.ts';
import { allocateRows, type TickRows } from '../recording/columns/tick-file.ts';
import { ROWS_PER_BAR } from '../venue/exchange/bar-exchange.ts';
import type { BarPath } from '../venue/exchange/fill-models.ts';

type BarColumn = 'startUs' | 'endUs' | 'open' | 'high' | 'low' | 'close' | 'volume';

/** Bars of one contract on one day; each ends after it began, and begins when the one before has ended or later. */
export type DayBars = Pick<BarRows, 'rows'> & Readonly<Record<BarColumn, ArrayLike<number>>>;

export function barTicks(bars: DayBars, everyUs: number, path: BarPath): TickRows {
  const rows = allocateRows(0, ROWS_PER_BAR * bars.rows, 'shared');
  const volume = new Float64Array(new SharedArrayBuffer(bars.rows * Float64Array.BYTES_PER_ELEMENT));
  for (let bar = 0; bar < bars.rows; bar += 1) {
    writePath(rows, bars, bar, path);
    volume[bar] = bars.volume[bar] ?? 0;
  }
  return { ...rows, bars: { everyUs, volume } };
}

function writePath(rows: TickRows, bars: DayBars, bar: number, path: BarPath): void {
  const first = ROWS_PER_BAR * bar;
  const start = bars.startUs[bar] ?? 0;
  // Where clocks were set forward, the next bar begins sooner.
  const end = Math.min(bars.endUs[bar] ?? 0, bars.startUs[bar + 1] ?? Infinity);
  const [open, high] = [bars.open[bar] ?? 0, bars.high[bar] ?? 0];
  const [low, close] = [bars.low[bar] ?? 0, bars.close[bar] ?? 0];
  const isHighFirst = highComesFirst(path, open, high, low);
  rows.priceTicks.set(isHighFirst ? [open, high, low, close] : [open, low, high, close], first);
  rows.tsUs.set(pathTimes(start, end), first);
  // A price of the path is a trade, whatever its size.
  rows.qty.fill(1, first, first + ROWS_PER_BAR);
}

function pathTimes(start: number, end: number): readonly number[] {
  const third = Math.floor((end - start) / 3);
  return [start, start + third, start + 2 * third, Math.max(start, end - 1)];
}

/** Ends each bar with the session it lies in, at `endOf` its start: a file's last bar of a day may be shorter than the others. */
export function endWithSession({ rows, tsUs, bars }: TickRows, endOf: (startUs: number) => number): void {
  if (bars === null) return;
  for (let row = 0; row < rows; row += ROWS_PER_BAR) {
    const start = tsUs[row] ?? 0;
    const end = endOf(start);
    if ((tsUs[row + ROWS_PER_BAR - 1] ?? 0) >= end) tsUs.set(pathTimes(start, end), row);
  }
}

/** The bar whose last row is `row`, with its last trade; the numbers were checked when the columns were written. */
export function barTickOf(
  seq: number,
  instrument: InstrumentIndex,
  { tsUs, priceTicks, bars }: TickRows,
  row: number,
  totalVolume: number,
): BarTick {
  assert(bars !== null && row % ROWS_PER_BAR === ROWS_PER_BAR - 1, 'a bar ends with its last row');
  const first = row - ROWS_PER_BAR + 1;
  const [one = 0, other = 0] = [priceTicks[first + 1], priceTicks[first + 2]];
  const at = tsUs[row] ?? 0;
  const volume = bars.volume[first / ROWS_PER_BAR] ?? 0;
  /* oxlint-disable typescript/no-unsafe-type-assertion -- checked columns */
  return {
    kind: 'trade',
    seq: seq as Seq,
    tsUs: at as TsUs,
    instrument,
    price: (priceTicks[row] ?? 0) as PriceTicks,
    qty: Math.max(1, volume) as Qty,
    totalVolume,
    bar: {
      every: bars.everyUs as DurationUs,
      startUs: (tsUs[first] ?? 0) as TsUs,
      endUs: (at + 1) as TsUs,
      open: (priceTicks[first] ?? 0) as PriceTicks,
      high: Math.max(one, other) as PriceTicks,
      low: Math.min(one, other) as PriceTicks,
      volume,
    },
  };
  /* oxlint-enable typescript/no-unsafe-type-assertion */
}

/** The extreme that is worse for a position is not known here: the nearer one is shown first, and the exchange turns them round. */
function highComesFirst(path: BarPath, open: number, high: number, low: number): boolean {
  if (path === 'high_first') return true;
  if (path === 'low_first') return false;
  return high - open < open - low;
}
