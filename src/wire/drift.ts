/** Where the broker's messages deviate from the contract but can still be read (notes, 1): counted deviations, and numbers as texts. */
export interface DriftCounter {
  /** `place` is the message and field, `trade.matchQtty`; `deviation` is a constant text. */
  count(place: string, deviation: string): void;
}

/** Counts nothing. */
export const IGNORE_DRIFT: DriftCounter = { count: () => {} };

interface Drift {
  readonly place: string;
  readonly deviation: string;
  readonly times: number;
}

/** Places come from our field names, so there are few; the limit keeps a broken service from filling the memory. */
const KINDS_MAX = 1_000;

/** Counts each kind of deviation and reports its first occurrence. */
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

/** Numbers that arrive as texts: `"3"`, `"1198.7"`, `"2.30745319E8"` (notes, 1). */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** The number that a text spells, else undefined. Blanks around it are ignored. */
export function numberFromText(text: string): number | undefined {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}
