/**
 * `tickwright/testing`: support for tests of strategies. A run is the backtest of the command line, in a process of its own, so that a
 * strategy that throws, hangs or ends the process fails its test and no other.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { US_PER_MS } from '../../domain/units.ts';
import { csvText } from '../../text/table.ts';
import { formatUtc } from '../../text/dates.ts';
import { parseBarLength } from '../../text/durations.ts';

/** A row of a report's CSV file, by column: `fill.side`, `trade.net_profit`; `result-files.ts` makes them. */
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
export const playBacktest = (file: FilePlace): PlayedBacktest =>
  inScratch((dir) => played(pathOf(file), dir));

interface PlayedMarket {
  readonly strategy: FilePlace;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Length of a bar, or time from row to row: `5s`, `1h`, `1d`. */
  readonly every?: string;
  /** Of the market, in points. */
  readonly tick?: number;
  readonly capital?: number;
}

/**
 * Columns of a row, in points: `{ open, high, low, close, volume }`, `{ bid, ask, bid_size, ask_size }`, further levels of a book as
 * `bid_1`, or `{ price, volume }`. A number is a bar that opens where the one before closed, null a time without a row.
 */
export type RowToPlay = number | Readonly<Record<string, number>> | null;

export interface BarsToPlay extends PlayedMarket {
  /** Rows of each leg, in the order of the strategy's legs, by names of contracts. */
  readonly legs: Readonly<Record<string, readonly RowToPlay[]>>;
}

export interface ClosesToPlay extends PlayedMarket {
  /** One bar each, in points; it opens where the bar before closed. */
  readonly closes: readonly number[];
}

/** Runs a strategy over bars that are written in the test; its first leg trades them. */
export const playCloses = ({ closes, ...market }: ClosesToPlay): PlayedBacktest =>
  playBars({ ...market, legs: { TEST: closes } });

/** Runs a strategy over bars, quotes or trades that are written in the test. */
export function playBars(run: BarsToPlay): PlayedBacktest {
  const { strategy, params = {}, legs, every = '1h', tick = 0.01, capital = 1_000_000 } = run;
  const everyUs = parseBarLength(every);
  if (everyUs === undefined) throw new Error(`expected a length of bars like 5s, 1h or 1d, was ${every}`);
  return inScratch((dir) => {
    const symbols = Object.keys(legs);
    const data: Record<string, object[]> = { bars: [], quotes: [], prints: [] };
    for (const [place, [symbol, rows]] of Object.entries(legs).entries()) {
      const { columns, text } = columnsOf(rows, everyUs);
      const name = `leg-${place}.csv`;
      writeFileSync(join(dir, name), text);
      const isBars = columns.includes('close');
      const kind = isBars ? 'bars' : columns.includes('price') ? 'prints' : 'quotes';
      data[kind]?.push({ file: name, symbol, ...(isBars && { every }) });
    }
    const file = join(dir, 'played.yaml');
    // Each line of JSON is YAML too.
    writeFileSync(
      file,
      JSON.stringify({
        state: dir,
        capital,
        market: { contracts: Object.fromEntries(symbols.map((symbol) => [symbol, { tick }])) },
        data,
        strategies: [{ id: 'tested', strategy: pathOf(strategy), symbols, overnight: true, params }],
      }),
    );
    const result = played(file, dir);
    return { ...result, errors: result.errors.replace(TOO_LONG, "$& (in a test, every: '$1')") };
  });
}

const TOO_LONG = /bars of (\w+) cannot be made of them/;
const FIRST_US = Date.UTC(2026, 0, 5) * US_PER_MS;
const VOLUME = 1_000;

/** The columns are those of the first row. */
function columnsOf(rows: readonly RowToPlay[], everyUs: number) {
  let before: number | undefined = undefined;
  const full = rows.map((row) => {
    const open: number = before ?? Number(row);
    const bar =
      typeof row === 'number'
        ? { open, high: Math.max(open, row), low: Math.min(open, row), close: row, volume: VOLUME }
        : row;
    before = bar?.['close'] ?? before;
    return bar;
  });
  const columns = Object.keys(full.find((row) => row !== null) ?? {});
  const cells = full.flatMap((row, i) =>
    row === null ? [] : [[formatUtc(FIRST_US + i * everyUs), ...columns.map((name) => row[name] ?? '')]],
  );
  return { columns, text: csvText(['time', ...columns], cells) };
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
