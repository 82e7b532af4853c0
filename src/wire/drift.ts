/** Where the broker's messages deviate from the contract but can still be read (notes, 1): each kind of deviation, and numbers as texts. */
export interface DriftCounter {
  /** `place` is the message and field, `trade.matchQtty`; `deviation` is a constant text. */
  count(place: string, deviation: string): void;
}

/** Takes no note. */
export const IGNORE_DRIFT: DriftCounter = { count: () => {} };

/** Places come from our field names, so there are few; the limit keeps a broken service from filling the memory. */
const KINDS_MAX = 1_000;

/** Reports the first occurrence of each kind of deviation. */
export class DriftLog implements DriftCounter {
  /** Each kind once, in the order in which they were first seen. */
  readonly all: Readonly<Record<'place' | 'deviation', string>>[] = [];
  readonly #kinds = new Set<string>();
  readonly #onFirst: (place: string, deviation: string) => void;

  constructor(onFirst: (place: string, deviation: string) => void = () => {}) {
    this.#onFirst = onFirst;
  }

  count(place: string, deviation: string): void {
    const kind = `${place}: ${deviation}`;
    if (this.#kinds.has(kind) || this.#kinds.size >= KINDS_MAX) return;
    this.#kinds.add(kind);
    this.all.push({ place, deviation });
    this.#onFirst(place, deviation);
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
