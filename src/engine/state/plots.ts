/** The latest values that strategies publish for people. No decision reads them, and no journal holds them. */
import type { InstrumentIndex, StrategyIndex, TsUs } from '../../domain/units.ts';

export interface PlotValue {
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
  readonly name: string;
  readonly tsUs: TsUs;
  /** Ticks, with fractions. */
  readonly value: number;
}

/** Of one strategy and contract; further names are left out. */
const NAMES_MAX = 8;
const NAME_LENGTH_MAX = 24;

export class Plots {
  readonly #rows = new Map<number, Map<string, PlotValue>>();

  get all(): readonly PlotValue[] {
    return [...this.#rows.values()].flatMap((row) => [...row.values()]);
  }

  set({ strategy, instrument, name, tsUs, value }: PlotValue): void {
    if (!Number.isFinite(value)) return;
    const place = (strategy + 1) * 1_000 + instrument;
    let row = this.#rows.get(place);
    if (row === undefined) {
      row = new Map();
      this.#rows.set(place, row);
    }
    const short = name.slice(0, NAME_LENGTH_MAX);
    if (row.size < NAMES_MAX || row.has(short))
      row.set(short, { strategy, instrument, name: short, tsUs, value });
  }
}
