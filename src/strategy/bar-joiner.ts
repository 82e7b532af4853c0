/** Bars out of recorded bars: as they are, or several as one. None is ever cut. */
import { assert } from '../domain/assert.ts';
import { type BarBounds, barBounds, type BarSpec } from '../domain/bars.ts';
import type { TradingCalendar } from '../domain/calendar.ts';
import type { RecordedBar } from '../domain/ticks.ts';
import {
  type InstrumentIndex,
  type PriceTicks,
  type TsUs,
  tsUs,
  US_PER_DAY,
  US_PER_HOUR,
  US_PER_MINUTE,
  US_PER_SECOND,
} from '../domain/units.ts';
import type { Bar } from './ticks.ts';

interface OpenBar {
  readonly instrument: InstrumentIndex;
  readonly bounds: BarBounds;
  readonly open: PriceTicks;
  high: PriceTicks;
  low: PriceTicks;
  close: PriceTicks;
  volume: number;
  readonly isWhole: boolean;
}

export class BarJoiner {
  /** When the open bar ends by time; infinite while none is open. */
  endUs = Infinity;
  readonly #spec: BarSpec;
  readonly #calendar: TradingCalendar;
  readonly #seenFromUs: number;
  #open: OpenBar | null = null;
  #before: BarBounds | null = null;

  /** Joined bars that begin before `seenFromUs` are not complete. */
  constructor(spec: BarSpec, calendar: TradingCalendar, seenFromUs: number) {
    this.#spec = spec;
    this.#calendar = calendar;
    this.#seenFromUs = seenFromUs;
  }

  /** Adds a bar that is over; returns the joined one if it is full with it. */
  add(instrument: InstrumentIndex, bar: RecordedBar, close: PriceTicks): Bar | null {
    const open = (this.#open ??= this.#begin(instrument, bar));
    if (bar.endUs > this.endUs)
      throw new Error(
        `${this.#mismatch(bar)}: they do not lie on its grid from midnight, so one would be cut in two`,
      );
    if (bar.high > open.high) open.high = bar.high;
    if (bar.low < open.low) open.low = bar.low;
    open.close = close;
    open.volume += bar.volume;
    const isFull = 'everyVolume' in this.#spec && open.volume >= this.#spec.everyVolume;
    return isFull ? this.#close(bar.endUs) : null;
  }

  /** The open bar, if its time has passed at `now`. */
  closeDue(now: TsUs): Bar | null {
    return now < this.endUs ? null : this.#close(tsUs(this.endUs));
  }

  #begin(instrument: InstrumentIndex, bar: RecordedBar): OpenBar {
    const { open, high, low } = bar;
    const bounds = this.#boundsOf(bar);
    this.endUs = bounds.endUs;
    return {
      instrument,
      bounds,
      open,
      high,
      low,
      close: open,
      volume: 0,
      isWhole: this.#isWhole(bounds, bar),
    };
  }

  #boundsOf(bar: RecordedBar): BarBounds {
    const spec = this.#spec;
    const around = barBounds(this.#calendar, bar.startUs, null);
    if ('everyVolume' in spec) return { ...around, endUs: tsUs(Math.max(around.endUs, bar.endUs)) };
    if ('everyTicks' in spec)
      throw new Error(`the data are bars of ${lengthText(bar.every)}: they have no single trades to count`);
    const { every } = spec;
    if (every === bar.every) return { ...around, endUs: bar.endUs };
    if (every % bar.every !== 0 || every > US_PER_DAY)
      throw new Error(`${this.#mismatch(bar)}: expected that length, or a multiple of it up to a day`);
    const bounds = barBounds(this.#calendar, bar.startUs, every);
    // A bar of the data may hold an auction, and with it the change of a phase.
    return bounds.endUs === bounds.sessionEndUs && bar.endUs > bounds.endUs
      ? { ...bounds, endUs: bar.endUs }
      : bounds;
  }

  /** A bar of the data holds all its trades, whenever the strategy began. */
  #isWhole({ startUs }: BarBounds, { every }: RecordedBar): boolean {
    const isAsItIs = 'every' in this.#spec && this.#spec.every === every;
    return isAsItIs || startUs >= this.#seenFromUs;
  }

  #mismatch({ every }: RecordedBar): string {
    const wanted = 'every' in this.#spec ? ` of ${lengthText(this.#spec.every)}` : '';
    return `the data are bars of ${lengthText(every)}, bars${wanted} cannot be made of them`;
  }

  #close(endUs: TsUs): Bar {
    const open = this.#open;
    assert(open !== null, 'only an open bar can be closed');
    const { bounds } = open;

    const made: Bar = {
      kind: 'bar',
      instrument: open.instrument,
      startUs: bounds.startUs,
      endUs,
      open: open.open,
      high: open.high,
      low: open.low,
      close: open.close,
      volume: open.volume,
      trades: 0,
      phase: bounds.phase,
      complete: open.isWhole,
      fresh: true,
      skipped: this.#skippedBefore(bounds),
    };
    this.#before = { ...bounds, endUs };
    this.#open = null;
    this.endUs = Infinity;
    return made;
  }

  #skippedBefore(bounds: BarBounds): number {
    const [spec, before] = [this.#spec, this.#before];
    if (!('every' in spec) || before === null || before.sessionEndUs !== bounds.sessionEndUs) return 0;
    return Math.round((bounds.startUs - before.endUs) / spec.every);
  }
}

const LENGTHS = [
  [US_PER_DAY, 'd'],
  [US_PER_HOUR, 'h'],
  [US_PER_MINUTE, 'm'],
] as const;

function lengthText(us: number): string {
  const [unit, letter] = LENGTHS.find(([each]) => us % each === 0) ?? [US_PER_SECOND, 's'];
  return `${us / unit}${letter}`;
}
