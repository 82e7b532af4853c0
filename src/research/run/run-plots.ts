/** The lines that strategies draw: of each stretch between two samples the last value, of a long run fewer (`SampleTable`). */
import type { PlotSink, PlotValue } from '../../engine/ports/outbound.ts';
import type { ResultPlot } from '../backtest-result.ts';
import { SampleTable } from './sample-table.ts';

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
