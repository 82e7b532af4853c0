/** The lines that strategies draw: of each stretch between two samples the last value, so that no strategy fills the memory. */
import type { PlotSink, PlotValue } from '../../engine/ports/outbound.ts';
import type { ResultPlot } from '../backtest-result.ts';
import { Series } from './series.ts';

/** Of one strategy and contract; further names are left out. */
const LINES_MAX = 8;

class Line {
  readonly strategy: number;
  readonly instrument: number;
  readonly name: string;
  readonly #values = new Series();
  #stretch = -1;
  #lastUs = 0;
  #last = 0;

  constructor({ strategy, instrument, name }: PlotValue) {
    this.strategy = strategy;
    this.instrument = instrument;
    this.name = name;
  }

  add(stretch: number, atUs: number, value: number): void {
    if (stretch !== this.#stretch) this.end();
    this.#stretch = stretch;
    this.#lastUs = atUs;
    this.#last = value;
  }

  end(): void {
    if (this.#stretch >= 0) this.#values.push(this.#lastUs, this.#last);
    this.#stretch = -1;
  }

  get result(): ResultPlot {
    const { instrument, name } = this;
    return { instrument, name, values: this.#values.samples() };
  }
}

export class RunPlots implements PlotSink {
  readonly #everyUs: number;
  /** By strategy and contract. */
  readonly #lines = new Map<number, Line[]>();

  constructor(everyUs: number) {
    this.#everyUs = everyUs;
  }

  plot(value: PlotValue): void {
    this.#lineOf(value)?.add(Math.floor(value.tsUs / this.#everyUs), value.tsUs, value.value);
  }

  of(strategy: number): readonly ResultPlot[] {
    const lines = [...this.#lines.values()].flat().filter((line) => line.strategy === strategy);
    for (const line of lines) line.end();
    return lines.map(({ result }) => result);
  }

  #lineOf(value: PlotValue): Line | undefined {
    const place = (value.strategy + 1) * 1_000 + value.instrument;
    let lines = this.#lines.get(place);
    if (lines === undefined) {
      lines = [];
      this.#lines.set(place, lines);
    }
    for (const line of lines) if (line.name === value.name) return line;
    // Each day's engine has names of its own.
    if (lines.length >= LINES_MAX) return undefined;
    const line = new Line(value);
    lines.push(line);
    return line;
  }
}
