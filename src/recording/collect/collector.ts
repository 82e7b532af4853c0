/** Many collections of rows at once, in memory that does not grow with the file. */
import { SpillFile } from './spill-file.ts';

/** Memory is held for so many rows; more go to the disk, the largest collection first. */
const ROWS_IN_MEMORY_MAX = 1 << 22;

/** What is collected under one key. */
export interface Held {
  /** Rows for which memory is held. */
  readonly capacity: number;
  spill(): void;
}

export type CreateHeld<T> = (spillFile: SpillFile, onGrow: () => void) => T;

export class Collector<T extends Held> {
  readonly #spillFile: SpillFile;
  readonly #held = new Map<string, T>();

  /** `dir` is where rows wait that do not fit. */
  constructor(dir: string) {
    this.#spillFile = new SpillFile(dir);
  }

  /** In the order of their keys. */
  get all(): readonly T[] {
    return [...this.#held.keys()].toSorted().flatMap((key) => this.#held.get(key) ?? []);
  }

  at(key: string, create: CreateHeld<T>): T {
    let held = this.#held.get(key);
    if (held === undefined) {
      held = create(this.#spillFile, () => this.#makeRoom());
      this.#held.set(key, held);
    }
    return held;
  }

  close(): void {
    this.#spillFile.close();
    this.#held.clear();
  }

  #makeRoom(): void {
    const all = [...this.#held.values()];
    const rows = all.reduce((sum, { capacity }) => sum + capacity, 0);
    if (rows > ROWS_IN_MEMORY_MAX) all.toSorted((a, b) => b.capacity - a.capacity)[0]?.spill();
  }
}
