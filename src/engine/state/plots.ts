/** The latest values that strategies publish for people. No decision reads them, and no journal holds them. */
import type { PlotSink, PlotValue } from '../ports/outbound.ts';

/** Names a strategy and contract; further names are left out. */
const NAMES_MAX = 8;
const NAME_LENGTH_MAX = 24;

export class Plots {
  readonly #rows = new Map<number, Map<string, PlotValue>>();
  readonly #sink: PlotSink | undefined;

  constructor(sink?: PlotSink) {
    this.#sink = sink;
  }

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
    if (row.size >= NAMES_MAX && !row.has(short)) return;
    const plotted = { strategy, instrument, name: short, tsUs, value };
    row.set(short, plotted);
    this.#sink?.plot(plotted);
  }
}
