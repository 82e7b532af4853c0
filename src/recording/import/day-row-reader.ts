/** The base of imports whose rows belong to days of ticks. */
import { dayAt } from '../../domain/civil-date.ts';
import { tsUs, US_PER_MINUTE } from '../../domain/units.ts';
import { DayTicks } from '../collect/day-ticks.ts';
import { RowReader, type RowSource } from './import-table.ts';

/** Zones differ by whole quarters of an hour, so a local day begins with one. */
const QUARTER_US = 15 * US_PER_MINUTE;

interface RowShape {
  /** Levels of the book a side. */
  readonly depth: number;
  /** Rows tell of single orders. */
  readonly isByOrder?: boolean;
}

export abstract class DayRowReader extends RowReader<DayTicks> {
  readonly #shape: RowShape;
  #ticks: DayTicks | undefined = undefined;
  #quarter = NaN;

  constructor(source: RowSource<DayTicks>, shape: RowShape) {
    super(source);
    this.#shape = shape;
  }

  protected ticksAt(symbol: string, at: number): DayTicks {
    const quarter = Math.floor(at / QUARTER_US);
    if (this.#ticks !== undefined && quarter === this.#quarter && symbol === this.#ticks.symbol) {
      return this.#ticks;
    }
    const { options, collector } = this.source;
    const start = quarter * QUARTER_US;
    const day = dayAt(tsUs(start), options.zone.offsetAtMoment(start));
    this.#quarter = quarter;
    this.#ticks = collector.at(
      `${symbol} ${day}`,
      (spillFile, onGrow) => new DayTicks({ symbol, day, ...this.#shape }, spillFile, onGrow),
    );
    return this.#ticks;
  }
}
