/**
 * Makes bars of ticks, by the same rules as strategies get theirs: bars lie on a grid from midnight, none crosses a change of
 * phase or of day, the opening print belongs to the first continuous bar and the closing print has one of its own.
 */
import { assert } from '../../domain/assert.ts';
import { barBounds, type BarSpec } from '../../domain/bars.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { type DurationUs, tsUs } from '../../domain/units.ts';
import { allocateTable, copyTable, sliceTable } from './row-table.ts';
import type { TickGap, TickRows } from './tick-columns.ts';
import { BAR_LAYOUT, BAR_PHASES, type BarRows, barsOf, tableOfBars } from './bar-file.ts';

const FIRST_BARS = 256;

export class TickBars {
  readonly #calendar: TradingCalendar;
  readonly #every: DurationUs | null;
  readonly #tradesMax: number;
  readonly #volumeMax: number;
  #gaps: readonly TickGap[] = [];
  #bars: BarRows = barsOf(allocateTable(BAR_LAYOUT, FIRST_BARS));
  #closed = 0;
  /** When the open bar ends by time; no bar is open before the first trade. */
  #endUs = -Infinity;
  #isOpen = false;

  constructor(spec: BarSpec, calendar: TradingCalendar) {
    this.#calendar = calendar;
    this.#every = 'every' in spec ? spec.every : null;
    this.#tradesMax = 'everyTicks' in spec ? spec.everyTicks : Infinity;
    this.#volumeMax = 'everyVolume' in spec ? spec.everyVolume : Infinity;
    assert(
      Math.min(this.#every ?? Infinity, this.#tradesMax, this.#volumeMax) >= 1,
      'a bar has a whole, positive size',
    );
  }

  /** Adds the next stretch of ticks, with the gaps of the file it is from. */
  add(part: TickRows, gaps: readonly TickGap[]): void {
    this.#gaps = gaps;
    const { rows, tsUs: times, priceTicks, qty } = part;
    for (let i = 0; i < rows; i += 1) {
      const size = qty[i] ?? 0;
      if (size > 0) this.#add(times[i] ?? 0, priceTicks[i] ?? 0, size);
    }
  }

  /** All bars; the last one is closed as it is. */
  end(): BarRows {
    if (this.#isOpen) this.#close(this.#endUs);
    return barsOf(sliceTable(tableOfBars(this.#bars), 0, this.#closed));
  }

  #add(at: number, price: number, size: number): void {
    if (this.#isOpen && at >= this.#endUs) this.#close(this.#endUs);
    if (!this.#isOpen) this.#open(at, price);
    const bars = this.#bars;
    const bar = this.#closed;
    if (price > (bars.high[bar] ?? 0)) bars.high[bar] = price;
    if (price < (bars.low[bar] ?? 0)) bars.low[bar] = price;
    bars.close[bar] = price;
    const volume = (bars.volume[bar] ?? 0) + size;
    const trades = (bars.trades[bar] ?? 0) + 1;
    bars.volume[bar] = volume;
    bars.trades[bar] = trades;
    if (trades >= this.#tradesMax || volume >= this.#volumeMax) this.#close(at);
  }

  #open(at: number, price: number): void {
    if (this.#closed === this.#bars.rows) this.#grow();
    const bounds = barBounds(this.#calendar, tsUs(at), this.#every);
    const bars = this.#bars;
    const bar = this.#closed;
    bars.startUs[bar] = bounds.startUs;
    bars.open[bar] = price;
    bars.high[bar] = price;
    bars.low[bar] = price;
    bars.phase[bar] = BAR_PHASES.indexOf(bounds.phase);
    this.#endUs = bounds.endUs;
    this.#isOpen = true;
  }

  #close(endUs: number): void {
    const bars = this.#bars;
    const bar = this.#closed;
    const startUs = bars.startUs[bar] ?? 0;
    bars.endUs[bar] = endUs;
    bars.complete[bar] = this.#touchesGap(startUs, endUs) ? 0 : 1;
    this.#closed += 1;
    this.#isOpen = false;
  }

  /** The trades that a gap swallowed may belong to the bar in which it began, or to the one in which it ended. */
  #touchesGap(startUs: number, endUs: number): boolean {
    return this.#gaps.some(({ fromUs, toUs }) => startUs <= toUs && endUs > fromUs);
  }

  #grow(): void {
    const before = tableOfBars(this.#bars);
    const grown = allocateTable(BAR_LAYOUT, 2 * before.rows);
    copyTable(grown, 0, before, 0, before.rows);
    this.#bars = barsOf(grown);
  }
}
