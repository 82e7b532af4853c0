/**
 * Samples of a run, a row a moment, as columns. At most `ROWS_MAX` rows stay: those with the least and the most equity of each stretch, and
 * the last one of each day, so that a picture keeps its outline. Figures that need every sample are followed by `DrawdownWatch`.
 */
import { assert } from '../../domain/assert.ts';
import type { PlotSink, PlotValue } from '../../engine/ports/outbound.ts';

/** One value a moment, in time order, as columns. */
export type Samples = Readonly<Record<'tsUs' | 'values', Float64Array>>;

const ROWS_MAX = 100_000;
/** Many contracts have many columns. */
const CELLS_MAX = 20_000_000;
/** Rows that stay of a stretch: the least and the most. */
const KEPT = 2;

/** Last price at each sample, and the range of the trades since the one before; 0 where nothing was traded. */
export class PriceColumns {
  readonly last: number[];
  readonly first: number[];
  readonly high: number[];
  readonly low: number[];

  constructor(column: () => number[]) {
    this.last = column();
    this.first = column();
    this.high = column();
    this.low = column();
  }

  push(last: number, first: number, high: number, low: number): void {
    this.last.push(last);
    this.first.push(first);
    this.high.push(high);
    this.low.push(low);
  }

  /** The row goes: its trades belong to the next one. */
  join(row: number): void {
    const [first = 0, high = 0, low = 0] = [this.first[row], this.high[row], this.low[row]];
    if (high === 0) return;
    const next = row + 1;
    const [nextHigh = 0, nextLow = 0] = [this.high[next], this.low[next]];
    this.first[next] = first;
    this.high[next] = Math.max(high, nextHigh);
    this.low[next] = nextHigh > 0 ? Math.min(low, nextLow) : low;
  }

  ranges() {
    const { first, high, low } = this;
    return { first: Float64Array.from(first), high: Float64Array.from(high), low: Float64Array.from(low) };
  }
}

export class SampleTable {
  readonly #tsUs: number[] = [];
  readonly #equity: number[] = [];
  readonly #isDayEnd: number[] = [];
  readonly #columns: number[][] = [this.#tsUs, this.#equity, this.#isDayEnd];
  readonly #prices: PriceColumns[] = [];
  /** Samples that make one row; rows are thinned where it is above 1. */
  #stride = 1;
  /** First row that was not thinned. */
  #tail = 0;
  #rowsMax = ROWS_MAX;
  #times: Float64Array | null = null;

  /** To be pushed to before each `end`; its rows before are zeros. */
  column(): number[] {
    const column = this.#tsUs.map(() => 0);
    this.#columns.push(column);
    return column;
  }

  prices(): PriceColumns {
    const prices = new PriceColumns(() => this.column());
    this.#prices.push(prices);
    this.#rowsMax = Math.min(ROWS_MAX, Math.floor(CELLS_MAX / this.#columns.length));
    return prices;
  }

  /** The row is complete. */
  end(atUs: number, equity: number, isDayEnd: boolean): void {
    this.#tsUs.push(atUs);
    this.#equity.push(equity);
    this.#isDayEnd.push(isDayEnd ? 1 : 0);
    const { length } = this.#tsUs;
    if (isDayEnd)
      for (const column of this.#columns) assert(column.length === length, 'each column has a value a row');
    if (this.#stride > 1 && (isDayEnd || length - this.#tail > KEPT * this.#stride))
      this.#thin(this.#tail, KEPT * this.#stride);
    if (this.#tsUs.length > this.#rowsMax) {
      this.#stride *= 2;
      this.#thin(0, 2 * KEPT);
      // Ends of days stay, be they as many as they may.
      this.#rowsMax = Math.max(this.#rowsMax, 2 * this.#tsUs.length);
    }
    if (isDayEnd) this.#tail = this.#tsUs.length;
  }

  get equity(): Samples {
    return this.samplesOf(this.#equity);
  }

  /** After the run. */
  samplesOf(column: readonly number[]): Samples {
    this.#times ??= Float64Array.from(this.#tsUs);
    return { tsUs: this.#times, values: Float64Array.from(column) };
  }

  /** Keeps `KEPT` rows of each stretch of this many, from `from` on, and the last one. */
  #thin(from: number, stretch: number): void {
    const last = this.#tsUs.length - 1;
    let kept = from;
    for (let first = from; first < last;) {
      let end = Math.min(last, first + stretch);
      // A stretch ends with its day.
      for (let row = first; row < end; row += 1) if (this.#isDayEnd[row] === 1) end = row + 1;
      const [least, most] = this.#extremes(first, end);
      for (let row = first; row < end; row += 1) {
        if (row === least || row === most || this.#isDayEnd[row] === 1) {
          this.#move(row, kept);
          kept += 1;
        } else for (const prices of this.#prices) prices.join(row);
      }
      first = end;
    }
    this.#move(last, kept);
    this.#tail = kept;
    for (const column of this.#columns) column.length = kept + 1;
  }

  #extremes(first: number, end: number): readonly [least: number, most: number] {
    const equity = this.#equity;
    let [least, most] = [first, first];
    for (let row = first; row < end; row += 1) {
      if ((equity[row] ?? 0) < (equity[least] ?? 0)) least = row;
      if ((equity[row] ?? 0) > (equity[most] ?? 0)) most = row;
    }
    return [least, most];
  }

  #move(row: number, to: number): void {
    if (row !== to) for (const column of this.#columns) column[to] = column[row] ?? 0;
  }
}

/** A line that a strategy draws over the candles: at most one value between two samples of equity, the last one. */
export interface ResultPlot {
  /** Place in `BacktestResult.instruments`. */
  readonly instrument: number;
  readonly name: string;
  /** Ticks, with fractions. */
  readonly values: Samples;
}

/** Lines a strategy and contract; further names are left out. */
const LINES_MAX = 8;

class PlotBuffer {
  readonly of: Pick<PlotValue, 'strategy' | 'instrument' | 'name'>;
  readonly #table = new SampleTable();
  readonly #everyUs: number;
  #stretch = -1;
  #lastUs = 0;
  #last = 0;

  constructor({ strategy, instrument, name }: PlotValue, everyUs: number) {
    this.#everyUs = everyUs;
    this.of = { strategy, instrument, name };
  }

  add(atUs: number, value: number): void {
    const stretch = Math.floor(atUs / this.#everyUs);
    if (stretch !== this.#stretch) this.#end();
    this.#stretch = stretch;
    this.#lastUs = atUs;
    this.#last = value;
  }

  #end(): void {
    if (this.#stretch < 0) return;
    this.#table.end(this.#lastUs, this.#last, false);
    this.#stretch = -1;
  }

  result(): ResultPlot {
    const { instrument, name } = this.of;
    this.#end();
    return { instrument, name, values: this.#table.equity };
  }
}

export class RunPlots implements PlotSink {
  readonly #everyUs: number;
  /** By strategy and contract. */
  readonly #lines = new Map<number, PlotBuffer[]>();

  constructor(everyUs: number) {
    this.#everyUs = everyUs;
  }

  plot(value: PlotValue): void {
    this.#lineOf(value)?.add(value.tsUs, value.value);
  }

  of(strategy: number): readonly ResultPlot[] {
    const lines = [...this.#lines.values()].flat().filter(({ of }) => of.strategy === strategy);
    return lines.map((line) => line.result());
  }

  #lineOf(value: PlotValue): PlotBuffer | undefined {
    const place = (value.strategy + 1) * 1_000 + value.instrument;
    const lines = this.#lines.get(place) ?? [];
    const known = lines.find(({ of }) => of.name === value.name);
    // Each day's engine has names of its own.
    if (known !== undefined || lines.length >= LINES_MAX) return known;
    const line = new PlotBuffer(value, this.#everyUs);
    this.#lines.set(place, [...lines, line]);
    return line;
  }
}

// Falls of an equity curve from its peaks.

export interface Drawdown {
  /** Money between the peak and the trough; zero or more. */
  readonly depth: number;
  /** `depth` / equity at the peak; 0 when the peak is not above zero. */
  readonly fraction: number;
  readonly peakUs: number;
  readonly troughUs: number;
  /** When equity was at the peak again; null when it never was. */
  readonly recoveredUs: number | null;
}

export type Drawdowns = ReturnType<DrawdownWatch['end']>;

const WORST_KEPT = 10;

export class DrawdownWatch {
  /** When equity was first at zero or below; null: never. */
  lostUs: number | null = null;
  readonly #from = { peak: 0, peakUs: 0, depth: 0, troughUs: 0 };
  #lastUs = NaN;
  #worst: readonly Drawdown[] = [];
  #fractionMax = 0;
  #longestUs = 0;
  #count = 0;
  #fractionSum = 0;
  #spanUs = 0;

  /** In time order. */
  add(value: number, atUs: number): void {
    const from = this.#from;
    if (value <= 0) this.lostUs ??= atUs;
    if (Number.isNaN(this.#lastUs) || value >= from.peak) {
      this.#close(atUs, true);
      from.peak = value;
      from.peakUs = atUs;
      from.depth = 0;
    } else if (from.peak - value > from.depth) {
      from.depth = from.peak - value;
      from.troughUs = atUs;
    }
    this.#lastUs = atUs;
  }

  /** The run is over: a fall that goes on ends with it. */
  end() {
    this.#close(this.#lastUs, false);
    this.#from.depth = 0;
    return {
      deepest: this.#worst[0] ?? null,
      worst: this.#worst,
      /** The largest `fraction`, which may belong to another one. */
      fractionMax: this.#fractionMax,
      /** Longest time from a peak until equity was there again, or until the end; microseconds. */
      longestUs: this.#longestUs,
      /** Mean of `fraction`, and of the time from the peak until equity was there again or until the end; 0 without any. */
      fractionMean: this.#count === 0 ? 0 : this.#fractionSum / this.#count,
      meanUs: this.#count === 0 ? 0 : this.#spanUs / this.#count,
    };
  }

  #close(atUs: number, recovered: boolean): void {
    const { peak, peakUs, depth, troughUs } = this.#from;
    if (depth === 0) return;
    const fraction = peak > 0 ? depth / peak : 0;
    this.#fractionMax = Math.max(this.#fractionMax, fraction);
    this.#longestUs = Math.max(this.#longestUs, atUs - peakUs);
    this.#count += 1;
    this.#fractionSum += fraction;
    this.#spanUs += atUs - peakUs;
    if (this.#worst.length === WORST_KEPT && depth <= (this.#worst.at(-1)?.depth ?? 0)) return;
    this.#worst = [
      ...this.#worst,
      { depth, fraction, peakUs, troughUs, recoveredUs: recovered ? atUs : null },
    ]
      .toSorted((a, b) => b.depth - a.depth)
      .slice(0, WORST_KEPT);
  }
}
