/**
 * Appends one line for each finished trial; a sweep that was killed resumes from it. A last line that was cut off is ignored. The
 * name of the file contains the fingerprint, so that results of another file or build are never mixed in.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from '../../../domain/parsed.ts';
import type { TrialFigures } from '../../../backtest/research/trials.ts';

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

  /** Trials of all sweeps of this backtest so far. */
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
    const lines = text.toString('utf8', 0, whole).split('\n');
    for (const [i, line] of lines.slice(0, -1).entries()) {
      const found = finishedTrial(line);
      if (found === undefined) {
        throw new Error(
          `${this.path}:${i + 1}: expected a finished trial, was ${shown(line)} (--fresh begins anew)`,
        );
      }
      this.#known.set(found.key, found.figures);
    }
  }
}

/** A broken line before the last one is no torn write: the file was edited, or its disk is bad. */
function finishedTrial(line: string): Line | undefined {
  try {
    const read: unknown = JSON.parse(line);
    const isOne = typeof read === 'object' && read !== null && 'key' in read && 'figures' in read;
    return isOne ? (read as Line) : undefined; // oxlint-disable-line typescript/no-unsafe-type-assertion -- written by `add`
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
