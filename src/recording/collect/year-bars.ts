/** The bars of one symbol and year while they are collected, each with the line it came from. */
import { BAR_LAYOUT, type BarRows, barsOf } from '../bars/bar-columns.ts';
import { allocateTable, type Layout, type RowTable } from '../columns/row-table.ts';
import type { SpillFile } from './spill-file.ts';
import { TimedRows } from './timed-rows.ts';

const LINED: Layout = [...BAR_LAYOUT, { name: 'line', kind: 'whole' }];

export interface LinedBars extends BarRows {
  readonly line: Int32Array;
}

export interface CollectedBar {
  readonly startUs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly phase: number;
  readonly line: number;
}

export class YearBars {
  readonly symbol: string;
  readonly year: number;
  readonly #rows: TimedRows;
  #tail: LinedBars = linedOf(allocateTable(LINED, 0));

  constructor(
    of: { readonly symbol: string; readonly year: number },
    spillFile: SpillFile,
    onGrow: () => void,
  ) {
    this.symbol = of.symbol;
    this.year = of.year;
    this.#rows = new TimedRows({
      layout: LINED,
      spillFile,
      onGrow,
      onTail: (tail) => {
        this.#tail = linedOf(tail);
      },
    });
  }

  get capacity(): number {
    return this.#rows.capacity;
  }

  push(bar: CollectedBar): void {
    const i = this.#rows.next();
    const tail = this.#tail;
    tail.startUs[i] = bar.startUs;
    tail.open[i] = bar.open;
    tail.high[i] = bar.high;
    tail.low[i] = bar.low;
    tail.close[i] = bar.close;
    tail.volume[i] = bar.volume;
    tail.phase[i] = bar.phase;
    tail.complete[i] = 1;
    tail.line[i] = bar.line;
  }

  spill(): void {
    this.#rows.spill();
  }

  /** In the order of time, in parts; may be asked for again. */
  *inOrder(): Generator<LinedBars> {
    for (const part of this.#rows.inOrder()) yield linedOf(part);
  }
}

function linedOf({ rows, columns }: RowTable): LinedBars {
  const line = columns[BAR_LAYOUT.length];
  if (!(line instanceof Int32Array)) throw new Error('Invariant: these bars have lines');
  return { ...barsOf({ rows, columns: columns.slice(0, -1) }), line };
}
