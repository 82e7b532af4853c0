/** Where the service deviates from its contract: read all the same, and counted, each kind by its name (notes, section 1). */
export interface Drift {
  /** `kind` names the place and the deviation, `in-day.matchVolume: text for a number`; never a value. */
  count(kind: string): void;
}

export const NO_DRIFT: Drift = { count: () => undefined };

/** Counts each kind; `onFirst` hears of a kind once. */
export class DriftCounter implements Drift {
  readonly #counts = new Map<string, number>();
  readonly #onFirst: (kind: string) => void;

  constructor(onFirst: (kind: string) => void = () => undefined) {
    this.#onFirst = onFirst;
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  count(kind: string): void {
    const before = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, before + 1);
    if (before === 0) this.#onFirst(kind);
  }
}
