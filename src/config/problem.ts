/** One mistake in a configuration: its place, what was expected, what it was, and a hint. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `strategies[0].params.fast`; empty for the file as a whole. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
}

export type CheckResult<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** `config/paper.yaml:12:7 strategies[0].params.fast: expected a whole number, was "ten"`, and the hint. */
export function formatProblem(problem: Problem): string {
  const where = `${problem.file}:${problem.line}:${problem.column}`;
  const path = problem.path === '' ? '' : ` ${problem.path}:`;
  const hint = problem.hint === '' ? '' : ` (${problem.hint})`;
  return `${where}${path} expected ${problem.expected}, was ${problem.received}${hint}`;
}

/** The known word that `word` probably misspells. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(word);
  const begun = known.filter((each) => isBeginning(word, each) || lettersOf(each) === letters);
  if (begun.length === 1) return begun[0];
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

export function meantHint(word: string, known: readonly string[], otherwise = ''): string {
  const name = nearest(word, known);
  return name === undefined ? otherwise : `did you mean ${name}?`;
}

/** For a path that leads nowhere: the name next to it that it probably misspells. */
export function meantPath(path: string, otherwise = ''): string {
  const dir = dirname(path);
  const isGone = !existsSync(path) && existsSync(dir);
  const name = isGone ? nearest(basename(path), readdirSync(dir)) : undefined;
  return name === undefined ? otherwise : `did you mean ${join(dir, name)}?`;
}

/** `maxPosition` has those of `positionMax`. */
const lettersOf = (name: string): string => name.toLowerCase().split('').toSorted().join('');

const BEGINNING_MIN = 3;

/** `always` means `always_open`, `monday` means `mon`. */
const isBeginning = (word: string, candidate: string): boolean =>
  Math.min(word.length, candidate.length) >= BEGINNING_MIN &&
  (candidate.toLowerCase().startsWith(word.toLowerCase()) ||
    word.toLowerCase().startsWith(candidate.toLowerCase()));

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
