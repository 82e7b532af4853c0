/** `tickwright data`: recorded and imported market data. */
import type { Command } from 'commander';
import type {
  BarListing,
  DataListing,
  ExportResult,
  ExportWhat,
  TickListing,
  VerifiedFile,
} from '../../research/recorded/stored-data.ts';
import { formatTime } from '../../domain/civil-date.ts';
import { tsUs } from '../../domain/units.ts';
import { formatCount, formatNumber } from '../../text/numbers.ts';
import { formatRows } from '../../text/table.ts';
import { type CliContext, type CliIo, EXIT, failed, jsonText, noData, wrongUsage } from '../cli-io.ts';
import { ProgressLine } from '../progress-line.ts';
import { addDataImport } from './data-import.ts';
import { readConfig } from '../read-config.ts';
import { configuredFeed } from '../../host/cluster-access.ts';
import { barSize, DATA_DIR, example, exportPlace, sessionDay } from '../options.ts';

export function addDataCommands(program: Command, context: CliContext): void {
  const data = program
    .command('data')
    .description('market data as columns: list, import, export, verify')
    .addHelpText(
      'after',
      `
Ticks are in <dir>/ticks/<symbol>/<day>.arrow, bars in
<dir>/bars/<symbol>/<length>/<year>.arrow: Arrow files that Polars, pandas and
DuckDB read directly. See data/README.md.

Exit codes:
  0  done
  1  bad rows, damaged files, or other data already there
  2  wrong usage
  4  no data

Examples:
  tickwright data import 2026-03-04_vn30f2603.csv.gz
  tickwright data ls --gaps
`,
    );
  addDataList(data, context);
  addDataImport(data, context);
  addDataExport(data, context);
  addDataVerify(data, context);
  addDataRecord(data, context);
}

interface ListFlags {
  readonly dir: string;
  readonly gaps?: boolean;
  readonly json?: boolean;
}

function addDataList(data: Command, { io }: CliContext): void {
  data
    .command('ls')
    .alias('list')
    .description('list ticks and bars, with their gaps')
    .argument('[symbol]', 'this symbol only')
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--gaps', 'show the times of each gap')
    .option('--json', 'print JSON, with times in microseconds')
    .addHelpText('after', '\nExamples:\n  tickwright data ls\n  tickwright data ls VN30F2603 --gaps\n')
    .action(async (symbol: string | undefined, flags: ListFlags) => {
      const { listData } = await import('../../research/recorded/stored-data.ts');
      const listing = listData(flags.dir, symbol ?? null);
      if (listing.ticks.length + listing.bars.length === 0) throw noData(flags.dir, symbol);
      io.out(flags.json === true ? jsonText(listing) : listingText(listing, flags.gaps === true));
    });
}

function listingText({ ticks, bars }: DataListing, withGaps: boolean): string {
  const parts: string[] = [];
  if (ticks.length > 0) parts.push(tickTable(ticks));
  if (withGaps) parts.push(gapTable(ticks));
  if (bars.length > 0) parts.push(barTable(bars));
  return parts.join('\n');
}

const clock = (at: number, offset: number): string => formatTime(tsUs(at), offset).slice(0, 8);

const tickTable = (ticks: readonly TickListing[]): string =>
  `${formatRows(ticks, {
    symbol: ({ symbol }) => symbol,
    day: ({ day }) => day,
    rows: ({ rows }) => formatNumber(rows),
    volume: ({ volume }) => formatNumber(volume),
    book: ({ depth }) => (depth === 0 ? '-' : String(depth)),
    first: ({ firstUs, utcOffsetMinutes }) => clock(firstUs, utcOffsetMinutes),
    last: ({ lastUs, utcOffsetMinutes }) => clock(lastUs, utcOffsetMinutes),
    gaps: ({ gaps }) => formatNumber(gaps.length),
    bad: ({ badRows }) => formatNumber(badRows),
    KiB: ({ bytes }) => kib(bytes),
  })}\n`;

function gapTable(ticks: readonly TickListing[]): string {
  const found = ticks.flatMap((tick) => tick.gaps.map((gap) => ({ tick, gap })));
  if (found.length === 0) return 'no gaps\n';
  const table = formatRows(found, {
    symbol: ({ tick }) => tick.symbol,
    day: ({ tick }) => tick.day,
    from: ({ tick, gap }) => formatTime(tsUs(gap.fromUs), tick.utcOffsetMinutes),
    to: ({ tick, gap }) => formatTime(tsUs(gap.toUs), tick.utcOffsetMinutes),
    gap: ({ gap }) => gap.kind,
    'lots missed': ({ gap }) => (gap.qty === null ? '' : formatNumber(gap.qty)),
  });
  return `${table}\n`;
}

const barTable = (bars: readonly BarListing[]): string =>
  `${formatRows(bars, {
    symbol: ({ symbol }) => symbol,
    bars: ({ length }) => length,
    year: ({ year }) => year,
    rows: ({ rows }) => formatNumber(rows),
    volume: ({ volume }) => formatNumber(volume),
    bad: ({ badRows }) => formatNumber(badRows),
    KiB: ({ bytes }) => kib(bytes),
  })}\n`;

const KIB = 1_024;
const kib = (bytes: number): string => formatNumber(Math.ceil(bytes / KIB));

function addDataVerify(data: Command, { io, finish }: CliContext): void {
  data
    .command('verify')
    .description('check every file: row counts, order of times, digests')
    .argument('[symbol]', 'this symbol only')
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code 1 when a file is damaged.\n\nExample:\n  tickwright data verify\n')
    .action(async (symbol: string | undefined, flags: Omit<ListFlags, 'gaps'>) => {
      const { filesToVerify, verifyData } = await import('../../research/recorded/stored-data.ts');
      const total = filesToVerify(flags.dir, symbol ?? null);
      if (total === 0) throw noData(flags.dir, symbol);
      const progress = new ProgressLine(io, 'rows');
      const files: VerifiedFile[] = [];
      let count = 0;
      for (const file of verifyData(flags.dir, symbol ?? null)) {
        files.push(file);
        count += file.rows;
        progress.show({ done: files.length, all: total, what: file.path, counted: count });
      }
      progress.clear();
      const damaged = files.filter(({ problems }) => problems.length > 0);
      io.out(flags.json === true ? jsonText(files) : verificationText(files, damaged));
      if (damaged.length > 0) finish(EXIT.failed);
    });
}

function verificationText(files: readonly VerifiedFile[], damaged: readonly VerifiedFile[]): string {
  const table = formatRows(files, {
    symbol: ({ symbol }) => symbol,
    period: ({ period }) => period,
    kind: ({ kind }) => kind,
    rows: ({ rows }) => formatNumber(rows),
    '': ({ problems }) => (problems.length === 0 ? 'good' : 'DAMAGED'),
  });
  const details = damaged.flatMap(({ path, problems }) =>
    problems.map((problem) => `${pathed(path, problem)}\n`),
  );
  return `${table}\n${details.join('')}${files.length - damaged.length} of ${files.length} files are good\n`;
}

const pathed = (path: string, problem: string): string =>
  problem.startsWith(path) ? problem : `${path}: ${problem}`;

// `data export`: ticks, trades or bars of one symbol as CSV or Parquet.

interface ExportFlags {
  readonly out: string;
  readonly dir: string;
  readonly config: string;
  readonly from?: string;
  readonly to?: string;
  readonly trades?: boolean;
  readonly bars?: ReturnType<typeof barSize>;
  readonly json?: boolean;
}

const AFTER_HELP = `
The ending of --out selects the format: .csv, .csv.gz or .parquet. Prices are
decimals; an absent level of the book is empty. An exported CSV can be imported
again.

Examples:
  tickwright data export VN30F2603 --out vn30f2603.parquet
  tickwright data export VN30F2603 --from 2026-03-04 --to 2026-03-06 --trades \\
    --out trades.csv.gz
  tickwright data export VN30F2603 --bars 1m --out minutes.csv
`;

function addDataExport(data: Command, { io }: CliContext): void {
  data
    .command('export')
    .description('write ticks, trades or bars of one symbol as CSV or Parquet')
    .argument('<symbol>', 'symbol to export')
    .requiredOption('--out <file>', 'file to write: .csv, .csv.gz or .parquet', exportPlace)
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--from <day>', 'first day', sessionDay)
    .option('--to <day>', 'last day', sessionDay)
    .option('--trades', 'trades only, without changes of the book')
    .option('--bars <size>', 'build bars from ticks: 1m, 500t for ticks, 10000v for volume', barSize)
    .option('--config <file>', 'configuration with the trading hours of the bars', 'config/paper.yaml')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', AFTER_HELP)
    .action(async (symbol: string, flags: ExportFlags) => {
      const exported = await run(symbol, flags, io);
      if (exported === undefined) throw noData(flags.dir, symbol);
      io.out(
        flags.json === true
          ? jsonText(exported)
          : `${exported.out}: ${formatCount(exported.rows, 'row')} of ${spanOf(exported)}\n`,
      );
    });
}

async function run(symbol: string, flags: ExportFlags, io: CliIo): Promise<ExportResult | undefined> {
  const line = new ProgressLine(io, 'rows');
  const { exportData } = await import('../../research/recorded/stored-data.ts');
  const { dir, from = null, to = null, out } = flags;
  try {
    const what = whatOf(flags);
    return await exportData({ dir, symbol, from, to, out, what }, (done, all) =>
      line.show({ done, all, what: out }),
    );
  } finally {
    line.clear();
  }
}

function whatOf({ trades, bars, config }: ExportFlags): ExportWhat {
  if (trades !== undefined && bars !== undefined) throw wrongUsage('expected --trades or --bars, was both');
  if (bars !== undefined) return { kind: 'bars', spec: bars, calendar: readConfig(config).exchangeCalendar };
  return trades === true ? { kind: 'trades' } : { kind: 'ticks' };
}

function spanOf({ periods }: ExportResult): string {
  const [first = '', last = first] = [periods[0], periods.at(-1)];
  return first === last ? first : `${first} .. ${last} (${periods.length})`;
}

// `data record`: the history of a feed as frame logs.

function addDataRecord(data: Command, { io }: CliContext): void {
  data
    .command('record')
    .description('write all that a feed has as .frames files, one a day')
    .requiredOption('--config <file>', 'configuration with cluster.feed')
    .option('--out <dir>', 'folder for the files', 'frames')
    .addHelpText('after', example('tickwright data record --config config/reader.yaml --out frames'))
    .action(async ({ config: file, out }: Readonly<Record<'config' | 'out', string>>) => {
      const config = readConfig(file);
      const feed = configuredFeed(config);
      if (feed === undefined) throw wrongUsage(`${file}: expected cluster.feed, was missing`);
      const { recordFeed } = await import('../../cluster/feed-reader.ts');
      const days = await recordFeed(feed, out, config.exchangeCalendar.utcOffsetMinutes).catch(
        (error: Error) => {
          throw failed(error.message);
        },
      );
      for (const [day, frames] of days) io.out(`${out}/${day}.frames: ${framesText(frames)}\n`);
    });
}

const framesText = (frames: number | null): string =>
  frames === null
    ? 'left out, as the server no longer has the start of the day'
    : formatCount(frames, 'frame');
