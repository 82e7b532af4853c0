/**
 * Bars as rows of trades: four a bar, its open, its two extremes and its close, in the order in which the model says the prices
 * ran. Strategies see them like any trades, and their own bars of the same length come out as they were. `BarExchange` knows that
 * four rows are one bar.
 */
import type { BarRows } from '../../recording/bars/bar-columns.ts';
import { allocateRows, type TickRows } from '../../recording/columns/tick-columns.ts';
import type { BarPath } from './fill-models.ts';

export const ROWS_A_BAR = 4;
const QTY_MAX = 0x7fff_ffff;

type PlayedColumns = 'rows' | 'startUs' | 'endUs' | 'open' | 'high' | 'low' | 'close' | 'volume';
/** Bars of one contract on one day, in the order of time. */
export type DayBars = Pick<BarRows, PlayedColumns>;

export function barTape(bars: DayBars, path: BarPath): TickRows {
  const tape = allocateRows(0, bars.rows * ROWS_A_BAR, 'shared');
  for (let bar = 0; bar < bars.rows; bar += 1) writeBar(tape, bars, bar, path);
  return tape;
}

function writeBar(tape: TickRows, bars: DayBars, bar: number, path: BarPath): void {
  const [open, high] = [bars.open[bar] ?? 0, bars.high[bar] ?? 0];
  const [low, close] = [bars.low[bar] ?? 0, bars.close[bar] ?? 0];
  const [startUs, endUs] = [bars.startUs[bar] ?? 0, bars.endUs[bar] ?? 0];
  const prices = isHighFirst(path, open, high, low) ? [open, high, low, close] : [open, low, high, close];
  // Every row is a trade, so that nobody overlooks an extreme: a bar of less volume than four lots has four.
  const volume = Math.min(QTY_MAX, bars.volume[bar] ?? 0);
  const share = Math.max(1, Math.floor(volume / ROWS_A_BAR));
  const third = Math.floor((endUs - startUs) / (ROWS_A_BAR - 1));
  for (let place = 0; place < ROWS_A_BAR; place += 1) {
    const row = bar * ROWS_A_BAR + place;
    const isClose = place === ROWS_A_BAR - 1;
    tape.tsUs[row] = isClose ? Math.max(startUs, endUs - 1) : startUs + place * third;
    tape.priceTicks[row] = prices[place] ?? close;
    tape.qty[row] = isClose ? Math.max(1, volume - share * (ROWS_A_BAR - 1)) : share;
  }
}

/** The extreme nearer to the open comes first, of two at the same distance the high. What is worse is for the run to say. */
function isHighFirst(path: BarPath, open: number, high: number, low: number): boolean {
  switch (path) {
    case 'high_first':
      return true;
    case 'low_first':
      return false;
    case 'nearest':
    case 'worst_first':
      return high - open <= open - low;
  }
}
