/** Ticks of many symbols and days at once, in memory that does not grow with the file. */
import type { TradingDay } from '../../domain/civil-date.ts';
import { DayTicks } from './day-ticks.ts';
import { SpillFile } from './spill-file.ts';

/** Memory is held for so many rows; more go to the disk, the largest day first. */
const ROWS_IN_MEMORY_MAX = 1 << 22;

export class TickCollector {
  readonly #depth: number;
  readonly #spillFile: SpillFile;
  readonly #days = new Map<string, DayTicks>();

  /** `dir` is where rows wait that do not fit. */
  constructor(dir: string, depth: number) {
    this.#depth = depth;
    this.#spillFile = new SpillFile(dir);
  }

  /** By symbol, then by day. */
  get days(): readonly DayTicks[] {
    return [...this.#days.keys()].toSorted().flatMap((key) => this.#days.get(key) ?? []);
  }

  day(symbol: string, day: TradingDay): DayTicks {
    const key = `${symbol} ${day}`;
    let ticks = this.#days.get(key);
    if (ticks === undefined) {
      ticks = new DayTicks({ symbol, day, depth: this.#depth }, this.#spillFile, () => this.#makeRoom());
      this.#days.set(key, ticks);
    }
    return ticks;
  }

  close(): void {
    this.#spillFile.close();
    this.#days.clear();
  }

  #makeRoom(): void {
    const days = [...this.#days.values()];
    const held = days.reduce((rows, { capacity }) => rows + capacity, 0);
    if (held > ROWS_IN_MEMORY_MAX) days.toSorted((a, b) => b.capacity - a.capacity)[0]?.spill();
  }
}
