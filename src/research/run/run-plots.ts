/**
 * The lines that strategies draw: of each stretch between two samples the last value, and of a long run the last value of longer
 * stretches, so that no strategy fills the memory.
 */
import type { PlotSink, PlotValue } from '../../engine/ports/outbound.ts';
import type { ResultPlot } from '../backtest-result.ts';
import { NumberColumn } from './sample-table.ts';

/** Lines a strategy and contract; further names are left out. */
const LINES_MAX = 8;
const VALUES_MAX = 100_000;

class PlotBuffer {
  readonly of: Pick<PlotValue, 'strategy' | 'instrument' | 'name'>;
  readonly #tsUs = new NumberColumn();
  readonly #values = new NumberColumn();
  #everyUs: number;
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
    this.#tsUs.push(this.#lastUs);
    this.#values.push(this.#last);
    this.#stretch = -1;
    if (this.#tsUs.length > VALUES_MAX) this.#thin();
  }

  /** Stretches become twice as long. */
  #thin(): void {
    this.#everyUs *= 2;
    let kept = -1;
    let stretch = -1;
    for (let at = 0; at < this.#tsUs.length; at += 1) {
      const tsUs = this.#tsUs.at(at);
      const now = Math.floor(tsUs / this.#everyUs);
      if (now !== stretch) kept += 1;
      stretch = now;
      this.#tsUs.set(kept, tsUs);
      this.#values.set(kept, this.#values.at(at));
    }
    this.#tsUs.cut(kept + 1);
    this.#values.cut(kept + 1);
  }

  result(): ResultPlot {
    const { instrument, name } = this.of;
    this.#end();
    return { instrument, name, values: { tsUs: this.#tsUs.take(), values: this.#values.take() } };
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
