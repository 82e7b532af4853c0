/** Cost of a small backtest besides its work: start, imports, a year of daily bars, and its report. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Candidate } from './rounds.ts';

const BARS = 255;
const MAIN = join(import.meta.dirname, '../../src/cli/main.js');
const DAY_MS = 86_400_000;

/** Closes of the year, as its file has them. */
export const YEAR_CLOSES: readonly number[] = Array.from({ length: BARS }, (_, i) =>
  Number((100 + 10 * Math.sin(i / 9)).toFixed(2)),
);

/** Writes a year of daily bars and the configuration of a backtest over them, which ends with `rest`; returns its path. */
export function yearFile(scratch: string, name: string, rest: string): string {
  const rows = YEAR_CLOSES.map((price, i) => {
    const day = new Date(Date.UTC(2024, 0, 1) + i * DAY_MS).toISOString().slice(0, 10);
    const close = price.toFixed(2);
    return `${day},${close},${close},${close},${close},1000\n`;
  });
  writeFileSync(join(scratch, 'year.csv'), `time,open,high,low,close,volume\n${rows.join('')}`);
  const file = join(scratch, name);
  writeFileSync(
    file,
    `market: { contracts: { X: { tick: 0.01 } } }
capital: 100000
state: ${resolve(scratch)}
data: { bars: [{ file: year.csv, symbol: X, every: 1d }] }
${rest}
`,
  );
  return file;
}

export function startCandidates(scratch: string): readonly Candidate[] {
  const file = yearFile(
    scratch,
    'year.yaml',
    'strategies: [{ id: ema, strategy: ema-cross, symbols: [X], overnight: true, params: { slow: 1000 } }]',
  );
  return [
    { name: 'node -e 0', run: () => nodeNs(['-e', '0']) },
    { name: 'tickwright backtest --help', run: () => nodeNs([MAIN, 'backtest', '--help']) },
    {
      name: `tickwright backtest, ${BARS} daily bars and their report`,
      run: () => nodeNs([MAIN, 'backtest', file]),
    },
  ];
}

function nodeNs(args: readonly string[]): number {
  const begun = process.hrtime.bigint();
  execFileSync(process.execPath, args, { stdio: 'ignore' });
  return Number(process.hrtime.bigint() - begun);
}
