/**
 * Bars as the rows a run plays: each bar is four trades, its open, its two extremes and its close, at the beginning, after a third,
 * after two thirds and in the last microsecond of its stretch. Strategies make the same bars of them again, and a market on bars
 * knows by the row where in a bar it is: row 4n is the open of bar n.
 */
import { allocateRows, type TickRows } from '../recording/columns/tick-columns.ts';
import { ROWS_PER_BAR } from '../venue/exchange/bar-exchange.ts';
import type { BarPath } from '../venue/exchange/fill-models.ts';

/** Bars of one contract on one day; each ends after it began, and begins when the one before has ended or later. */
export interface DayBars {
  readonly rows: number;
  readonly startUs: ArrayLike<number>;
  readonly endUs: ArrayLike<number>;
  readonly open: ArrayLike<number>;
  readonly high: ArrayLike<number>;
  readonly low: ArrayLike<number>;
  readonly close: ArrayLike<number>;
  /** Whole lots. */
  readonly volume: ArrayLike<number>;
}

export function barTicks(bars: DayBars, path: BarPath): TickRows {
  const ticks = allocateRows(0, ROWS_PER_BAR * bars.rows, 'shared');
  for (let bar = 0; bar < bars.rows; bar += 1) writeBar(ticks, bars, bar, path);
  return ticks;
}

function writeBar(ticks: TickRows, bars: DayBars, bar: number, path: BarPath): void {
  const [open, close] = [bars.open[bar] ?? 0, bars.close[bar] ?? 0];
  const [high, low] = [bars.high[bar] ?? 0, bars.low[bar] ?? 0];
  const isHighFirst = highComesFirst(path, open, high, low);
  const [start, end] = [bars.startUs[bar] ?? 0, bars.endUs[bar] ?? 0];
  const third = Math.floor((end - start) / 3);
  const row = ROWS_PER_BAR * bar;
  const prices = [open, isHighFirst ? high : low, isHighFirst ? low : high, close];
  const times = [start, start + third, start + 2 * third, Math.max(start, end - 1)];
  const parts = volumeParts(bars.volume[bar] ?? 0);
  for (let i = 0; i < ROWS_PER_BAR; i += 1) {
    ticks.tsUs[row + i] = times[i] ?? 0;
    ticks.priceTicks[row + i] = prices[i] ?? 0;
    ticks.qty[row + i] = parts[i] ?? 0;
  }
}

/** The extreme that is worse for a position is not known here: the nearer one is shown first, and the exchange turns them round. */
function highComesFirst(path: BarPath, open: number, high: number, low: number): boolean {
  if (path === 'high_first') return true;
  if (path === 'low_first') return false;
  return high - open < open - low;
}

/** A trade has a lot at least, so a bar of less volume than four lots shows four. */
function volumeParts(volume: number): readonly number[] {
  const each = Math.max(1, Math.floor(volume / ROWS_PER_BAR));
  return [Math.max(1, volume - 3 * each), each, each, each];
}
