/**
 * Drift: where the broker's words deviate from the contract and can still be read. Lenient at the edge means that it is
 * read; counted means that it is known (notes, section 1).
 */
export interface DriftCounter {
  /** `place` is the message and field, `trade.matchQtty`; `deviation` says how it differs, in a few constant words. */
  count(place: string, deviation: string): void;
}

/** For those who have no use for it. */
export const IGNORE_DRIFT: DriftCounter = { count: () => {} };

export interface Drift {
  readonly place: string;
  readonly deviation: string;
  readonly times: number;
}

/** Places come from field names of ours, so there are few; a service gone mad must not fill the memory all the same. */
const KINDS_MAX = 1_000;

/** Counts each kind of deviation, and tells of each kind once. */
export class DriftLog implements DriftCounter {
  readonly #onFirst: (place: string, deviation: string) => void;
  readonly #drifts = new Map<string, { readonly place: string; readonly deviation: string; times: number }>();

  constructor(onFirst: (place: string, deviation: string) => void = () => {}) {
    this.#onFirst = onFirst;
  }

  count(place: string, deviation: string): void {
    const key = `${place}: ${deviation}`;
    const known = this.#drifts.get(key);
    if (known !== undefined) {
      known.times += 1;
      return;
    }
    if (this.#drifts.size >= KINDS_MAX) return;
    this.#drifts.set(key, { place, deviation, times: 1 });
    this.#onFirst(place, deviation);
  }

  /** In the order in which they were first seen. */
  get all(): readonly Drift[] {
    return [...this.#drifts.values()].map((drift) => ({ ...drift }));
  }
}
