/** Seeded noise: the same seed breaks the same messages in the same way. */

const JUNK: readonly unknown[] = [
  null,
  '',
  ' ',
  0,
  -0,
  -1,
  0.5,
  1e21,
  -1e300,
  5e-324,
  2 ** 53,
  true,
  [],
  {},
  [null],
  { symbol: {} },
  '1E5',
  '1e999',
  'NaN',
  'MTL (1198)',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  'é',
  'x'.repeat(5_000),
  '<html></html>',
];

const SHARDS: readonly string[] = [
  '|',
  '||',
  '{',
  '}',
  '[',
  '"',
  '\\',
  ',',
  ':',
  '+',
  ' ',
  '\n',
  '\u0000',
  '\ufeff',
  'null',
  '1e999',
  '-',
  '.',
  'd|',
  's|21|',
  'tk',
  '{"a":'.repeat(200),
  '\ud800',
];

export class Noise {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Mulberry32: 0 up to, not including, 1. */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  isHit(chance: number): boolean {
    return this.unit() < chance;
  }

  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /** One to four cuts, each with something else in its place. */
  brokenText(text: string): string {
    let broken = text;
    for (let left = 1 + this.below(4); left > 0; left -= 1) {
      const at = this.below(broken.length + 1);
      const cut = this.isHit(0.7) ? this.below(4) : this.below(broken.length);
      broken = broken.slice(0, at) + this.#shard(broken) + broken.slice(at + cut);
    }
    return broken;
  }

  /** A right message with anything in the place of some of its values; now and then no JSON at all. */
  brokenJson(text: string): string {
    const json = JSON.stringify(this.#turn(JSON.parse(text), 0)) ?? '';
    return this.isHit(0.15) ? this.brokenText(json) : json;
  }

  #shard(text: string): string {
    if (this.isHit(0.3)) return '';
    if (this.isHit(0.3)) {
      const from = this.below(text.length + 1);
      return text.slice(from, from + this.below(20));
    }
    return this.isHit(0.2) ? String.fromCharCode(this.below(0xffff)) : this.pick(SHARDS);
  }

  #turn(value: unknown, depth: number): unknown {
    if (depth > 0 && this.isHit(0.08)) return this.pick(JUNK);
    if (Array.isArray(value)) {
      const rows = value.map((entry: unknown) => this.#turn(entry, depth + 1));
      return this.isHit(0.1) ? [...rows, this.pick(JUNK)] : rows;
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(() => !this.isHit(0.04));
    return Object.fromEntries(entries.map(([key, entry]) => [key, this.#turn(entry, depth + 1)]));
  }
}
