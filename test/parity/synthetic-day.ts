/** Recorded days that never were: a seeded walk of prices with crosses at both auctions, bursts, jumps and prints on every edge of the session. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../src/venue/market/random.ts';

/** Seconds of the day: continuous trading from and to, and the moments of both crosses. */
const MORNING = [32_400, 41_400] as const;
const AFTERNOON = [46_800, 52_200] as const;
const CLOSE = 53_100;

export interface SyntheticOptions {
  /** `2026-03-04_vn30f2603.csv`. */
  readonly name: string;
  /** Ticks a day on top of the walk: below zero falls. */
  readonly drift?: number;
  /** Ticks of the opening cross. */
  readonly start?: number;
  /** Without a closing cross the day is settled at an average of its last trades. */
  readonly hasClose?: boolean;
}

const START = 19_500;
const DIVISOR = 10;

/** Text of the file, oldest first, for readers of tapes. */
function drawTape(seed: number, { drift = 0, start = START, hasClose = true }: SyntheticOptions): string {
  const random = new Random(seed);
  const lines = ['Time,Price,Volume,Side'];
  const print = (second: number, price: number, side: string): void => {
    const qty = 1 + random.below(random.chance(900) ? 6 : 60);
    lines.push(`${clock(second)},${(price / DIVISOR).toFixed(1)},${qty},${side}`);
  };
  const cross = (second: number, price: number): void => {
    const side = random.chance(600) ? '-' : random.chance(500) ? 'M' : 'B';
    for (let left = 1 + random.below(12); left > 0; left -= 1) print(second, price, side);
  };
  let middle = start;
  const burst = (second: number): void => {
    if (random.chance(12)) middle += random.below(61) - 30;
    for (let left = 1 + random.below(7); left > 0; left -= 1) {
      middle += random.below(3) - 1;
      const side = random.chance(30) ? '-' : random.chance(500) ? 'M' : 'B';
      print(second, middle + (side === 'M' ? 1 : 0), side);
    }
  };
  /** As no exchange prints: outside trading hours. */
  const stray = (from: number, to: number): void => {
    for (let second = from; second < to; second += 1 + random.below(to - from)) print(second, middle, 'M');
  };
  if (random.chance(300)) stray(MORNING[0] - 600, MORNING[0]);
  cross(MORNING[0], middle);
  const seconds = MORNING[1] - MORNING[0] + AFTERNOON[1] - AFTERNOON[0];
  for (const [from, to] of [MORNING, AFTERNOON]) {
    if (from === AFTERNOON[0] && random.chance(300)) stray(MORNING[1], from);
    for (let second = from; second < to; second += 1) {
      const isEdge = second === from || second === to - 1;
      const fell =
        Math.trunc(((second - from) * drift) / seconds) - Math.trunc(((second - from - 1) * drift) / seconds);
      middle += fell;
      if (random.chance(isEdge ? 700 : 90)) burst(second);
    }
  }
  if (random.chance(300)) stray(AFTERNOON[1], CLOSE);
  if (hasClose) cross(CLOSE, middle + random.below(11) - 5);
  return lines.join('\n');
}

const clock = (second: number): string =>
  [Math.floor(second / 3_600), Math.floor(second / 60) % 60, second % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');

/** Writes a drawn day to a folder of its own while `use` runs. */
export const withTape = <T>(
  seed: number,
  options: SyntheticOptions,
  use: (path: string) => Promise<T>,
): Promise<T> => withFile(options.name, drawTape(seed, options), use);

export async function withFile<T>(name: string, text: string, use: (path: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'parity-'));
  try {
    const path = join(dir, name);
    writeFileSync(path, text);
    return await use(path);
  } finally {
    rmSync(dir, { recursive: true });
  }
}
