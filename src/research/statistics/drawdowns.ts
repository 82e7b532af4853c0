/** Falls of an equity curve from its peaks. */

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
