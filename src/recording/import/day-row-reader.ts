/** The base of imports whose rows belong to days of ticks. */
import { dayAt } from '../../domain/civil-date.ts';
import { tsUs, US_PER_MINUTE } from '../../domain/units.ts';
import { DayTicks } from '../collect/day-ticks.ts';
import { RowReader, type RowSource } from './import-table.ts';

/** Zones differ by whole quarters of an hour, so a local day begins with one. */
const QUARTER_US = 15 * US_PER_MINUTE;

export abstract class DayRowReader extends RowReader<DayTicks> {
  readonly #depth: number;
  #ticks: DayTicks | undefined = undefined;
  #quarter = NaN;

  /** `depth`: levels of the book a side. */
  constructor(source: RowSource<DayTicks>, depth: number) {
    super(source);
    this.#depth = depth;
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
      (spillFile, onGrow) => new DayTicks({ symbol, day, depth: this.#depth }, spillFile, onGrow),
    );
    return this.#ticks;
  }
}
