/**
 * `tickwright/testing`: support for tests of strategies. A run is the backtest of the command line, in a process of its own, so that a
 * strategy that throws, hangs or ends the process fails its test and no other.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A row of a report's CSV file, by column: `fill.side`, `trade.net_profit`; `report/render-tables.ts` makes them. */
export type ReportRow = Readonly<Record<string, string>>;

export interface PlayedBacktest {
  /** As `tickwright backtest FILE --verify` ends: 0 where no strategy failed or cheated. */
  readonly exitCode: number;
  /** Its error output: strategies that failed. */
  readonly errors: string;
  /** Notes of the report: assumptions, and actions of a strategy that its backtest cannot reproduce. */
  readonly notes: readonly string[];
  readonly fills: readonly ReportRow[];
  readonly trades: readonly ReportRow[];
  /** After costs, in the currency of the market. */
  readonly netProfit: number;
}

/** A file next to the test: `new URL('./mine.yaml', import.meta.url)`, or a path. */
export type FilePlace = string | URL;

/** Runs the backtest of a YAML file. Throws where the file or its data cannot be read. */
export function playBacktest(file: FilePlace): PlayedBacktest {
  return inScratch((dir) => played(pathOf(file), dir));
}

export interface ClosesToPlay {
  readonly strategy: FilePlace;
  readonly params?: Readonly<Record<string, unknown>>;
  /** One bar each, in points; it opens where the bar before closed. */
  readonly closes: readonly number[];
  /** Length of a bar: `1h`, `5m`, `1d`. */
  readonly every?: string;
  /** Of the market, in points. */
  readonly tick?: number;
}

/** Runs a strategy over bars that are written in the test; its first leg trades them. */
export function playCloses({
  strategy,
  params = {},
  closes,
  every = '1h',
  tick = 0.01,
}: ClosesToPlay): PlayedBacktest {
  return inScratch((dir) => {
    const minutes = MINUTES[every.slice(-1)];
    if (minutes === undefined) throw new Error(`expected a length of bars like 5m, 1h or 1d, was ${every}`);
    const bars = barsCsv(closes, minutes * Number(every.slice(0, -1)));
    writeFileSync(join(dir, 'bars.csv'), bars);
    const file = join(dir, 'closes.yaml');
    // Each line of JSON is YAML too.
    writeFileSync(
      file,
      JSON.stringify({
        state: dir,
        capital: 1_000_000,
        market: { contracts: { TEST: { tick } } },
        data: { bars: [{ file: 'bars.csv', symbol: 'TEST', every }] },
        strategies: [
          { id: 'tested', strategy: pathOf(strategy), symbols: ['TEST'], overnight: true, params },
        ],
      }),
    );
    return played(file, dir);
  });
}

const MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1_440 };
const MS_PER_MINUTE = 60_000;
const FIRST_MS = Date.UTC(2026, 0, 5);

function barsCsv(closes: readonly number[], minutes: number): string {
  const rows = closes.map((close, i) => {
    const open = closes[i - 1] ?? close;
    const time = new Date(FIRST_MS + i * minutes * MS_PER_MINUTE).toISOString();
    return [time, open, Math.max(open, close), Math.min(open, close), close, 1_000].join(',');
  });
  return `time,open,high,low,close,volume\n${rows.join('\n')}\n`;
}

const pathOf = (place: FilePlace): string => (place instanceof URL ? fileURLToPath(place) : resolve(place));

function inScratch<T>(work: (dir: string) => T): T {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-test-'));
  try {
    return work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

interface Report {
  readonly statistics: { readonly netProfit: number };
  readonly notices: readonly { readonly text: string }[];
}

function played(file: string, dir: string): PlayedBacktest {
  const out = join(dir, 'report');
  const args = [MAIN, 'backtest', file, '--verify', '--json', '--out', out];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  // Without a report nothing was run: there are no figures.
  if (stdout === '') throw new Error(stderr.trim() || `the backtest of ${file} ended without a report`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by our own process
  const report = JSON.parse(stdout) as Report;
  return {
    exitCode: status ?? 1,
    errors: stderr,
    notes: report.notices.map(({ text }) => text),
    fills: rowsOf(join(out, 'fills.csv')),
    trades: rowsOf(join(out, 'trades.csv')),
    netProfit: report.statistics.netProfit,
  };
}

/** No cell of a report holds a comma. */
function rowsOf(file: string): readonly ReportRow[] {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const columns = head.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, i) => [columns[i], cell])));
}
