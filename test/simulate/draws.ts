/** Draws of one seed: the same seed gives the same world. */
export class Draws {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0;
    for (let i = 0; i < 4; i += 1) this.unit();
  }

  /** From 0 up to 1 (mulberry32). */
  unit(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  chance(probability: number): boolean {
    return probability > 0 && this.unit() < probability;
  }

  /** Whole, both ends included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.unit() * (to - from + 1));
  }

  between(from: number, to: number): number {
    return from + this.unit() * (to - from);
  }

  /** Mostly short, sometimes up to the longest: as latencies are. */
  skewed(shortest: number, longest: number): number {
    return shortest * (longest / shortest) ** (this.unit() ** 3);
  }

  pick<const T extends readonly [unknown, ...unknown[]]>(from: T): T[number] {
    return from[Math.floor(this.unit() * from.length)];
  }

  /** A generator of its own, so that one part's draws do not shift another's. */
  fork(): Draws {
    return new Draws(this.whole(1, 2 ** 31));
  }
}
