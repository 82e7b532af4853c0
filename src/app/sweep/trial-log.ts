/**
 * Finished trials, one line each, appended as they finish: what a sweep that was killed goes on from. A last line that was cut
 * off counts as not there. The name of the file holds the fingerprint, so that results of another file or build are never mixed in.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialFigures } from '../../backtest/research/trial-figures.ts';

interface Line {
  readonly key: string;
  readonly figures: TrialFigures;
}

const NAME_LENGTH = 12;

export class TrialLog {
  readonly path: string;
  readonly #known = new Map<string, TrialFigures>();

  constructor(dir: string, fingerprint: string, isFresh: boolean) {
    mkdirSync(dir, { recursive: true });
    this.path = join(dir, `trials-${fingerprint.slice(0, NAME_LENGTH)}.jsonl`);
    if (isFresh) rmSync(this.path, { force: true });
    if (existsSync(this.path)) this.#read();
  }

  get(key: string): TrialFigures | undefined {
    return this.#known.get(key);
  }

  /** Of all sweeps of this backtest so far. */
  entries(): Iterable<readonly [string, TrialFigures]> {
    return this.#known.entries();
  }

  add(key: string, figures: TrialFigures): void {
    const line: Line = { key, figures };
    appendFileSync(this.path, `${JSON.stringify(line)}\n`);
    this.#known.set(key, figures);
  }

  #read(): void {
    const text = readFileSync(this.path);
    const whole = text.lastIndexOf('\n') + 1;
    if (whole < text.length) truncateSync(this.path, whole);
    for (const line of text.toString('utf8', 0, whole).split('\n')) {
      if (line === '') continue;
      const { key, figures }: Line = JSON.parse(line);
      this.#known.set(key, figures);
    }
  }
}
