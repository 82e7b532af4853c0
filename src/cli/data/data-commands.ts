/** `tickwright data`: recorded and imported market data. */
import type { Command } from 'commander';
import type {
  BarListing,
  DataListing,
  TickListing,
  VerifiedFile,
} from '../../app/research/recorded/inspect-data.ts';
import { formatTime } from '../../domain/civil-date.ts';
import { tsUs } from '../../domain/units.ts';
import { formatNumber } from '../../text/numbers.ts';
import { formatTable } from '../../text/table.ts';
import { type CliContext, EXIT, printJson } from '../cli-io.ts';
import { ProgressLine } from '../progress-line.ts';
import { addDataExport } from './data-export.ts';
import { addDataImport } from './data-import.ts';
import { addDataSynth } from './data-synth.ts';
import { DATA_DIR, nothing } from './data-values.ts';

export function addDataCommands(program: Command, context: CliContext): void {
  const data = program
    .command('data')
    .description('market data as columns: list, import, export, verify, synthesize')
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
  addDataSynth(data, context);
}

interface ListFlags {
  readonly dir: string;
  readonly gaps?: boolean;
  readonly json?: boolean;
}

function addDataList(data: Command, { io }: CliContext): void {
  const command = data
    .command('ls')
    .alias('list')
    .description('list ticks and bars, with their gaps')
    .argument('[symbol]', 'this symbol only')
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--gaps', 'show the times of each gap')
    .option('--json', 'print JSON, with times in microseconds')
    .addHelpText('after', '\nExamples:\n  tickwright data ls\n  tickwright data ls VN30F2603 --gaps\n')
    .action(async (symbol: string | undefined) => {
      const flags = command.opts<ListFlags>();
      const { listData } = await import('../../app/research/recorded/inspect-data.ts');
      const listing = listData(flags.dir, symbol ?? null);
      if (listing.ticks.length + listing.bars.length === 0) throw nothing(flags.dir, symbol);
      if (flags.json === true) printJson(io, listing);
      else io.out(listingText(listing, flags.gaps === true));
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

function tickTable(ticks: readonly TickListing[]): string {
  const head = [
    'symbol',
    'day',
    'rows',
    'volume',
    'book',
    'first',
    'last',
    'gaps',
    'bad',
    'KiB',
    'archive KiB',
  ];
  const rows = ticks.map((tick) => [
    tick.symbol,
    tick.day,
    formatNumber(tick.rows),
    formatNumber(tick.volume),
    tick.depth === 0 ? '-' : String(tick.depth),
    clock(tick.firstUs, tick.utcOffsetMinutes),
    clock(tick.lastUs, tick.utcOffsetMinutes),
    formatNumber(tick.gaps.length),
    formatNumber(tick.badRows),
    kib(tick.bytes),
    tick.archiveBytes === null ? '' : kib(tick.archiveBytes),
  ]);
  return `${formatTable(head, rows)}\n`;
}

function gapTable(ticks: readonly TickListing[]): string {
  const rows = ticks.flatMap(({ symbol, day, gaps, utcOffsetMinutes }) =>
    gaps.map(({ fromUs, toUs, kind, qty }) => [
      symbol,
      day,
      formatTime(tsUs(fromUs), utcOffsetMinutes),
      formatTime(tsUs(toUs), utcOffsetMinutes),
      kind,
      qty === null ? '' : formatNumber(qty),
    ]),
  );
  return rows.length === 0
    ? 'no gaps\n'
    : `${formatTable(['symbol', 'day', 'from', 'to', 'gap', 'lots missed'], rows)}\n`;
}

function barTable(bars: readonly BarListing[]): string {
  const head = ['symbol', 'bars', 'year', 'rows', 'volume', 'bad', 'KiB'];
  const rows = bars.map(({ symbol, length, year, rows: count, volume, badRows, bytes }) => [
    symbol,
    length,
    year,
    formatNumber(count),
    formatNumber(volume),
    formatNumber(badRows),
    kib(bytes),
  ]);
  return `${formatTable(head, rows)}\n`;
}

const KIB = 1_024;
const kib = (bytes: number): string => formatNumber(Math.ceil(bytes / KIB));

interface VerifyFlags {
  readonly dir: string;
  readonly json?: boolean;
}

function addDataVerify(data: Command, { io, finish }: CliContext): void {
  const command = data
    .command('verify')
    .description('check every file: row counts, order of times, digests, archive against columns')
    .argument('[symbol]', 'this symbol only')
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code 1 when a file is damaged.\n\nExample:\n  tickwright data verify\n')
    .action(async (symbol: string | undefined) => {
      const flags = command.opts<VerifyFlags>();
      const { filesToVerify, verifyData } = await import('../../app/research/recorded/inspect-data.ts');
      const total = filesToVerify(flags.dir, symbol ?? null);
      if (total === 0) throw nothing(flags.dir, symbol);
      const progress = new ProgressLine(io, 'rows', () => performance.now());
      const files: VerifiedFile[] = [];
      let count = 0;
      for (const file of verifyData(flags.dir, symbol ?? null)) {
        files.push(file);
        count += file.rows;
        progress.show({ done: files.length, all: total, what: file.path, counted: count });
      }
      progress.clear();
      const damaged = files.filter(({ problems }) => problems.length > 0);
      if (flags.json === true) printJson(io, files);
      else io.out(verificationText(files, damaged));
      if (damaged.length > 0) finish(EXIT.failed);
    });
}

function verificationText(files: readonly VerifiedFile[], damaged: readonly VerifiedFile[]): string {
  const rows = files.map(({ symbol, period, kind, rows: count, problems }) => [
    symbol,
    period,
    kind,
    formatNumber(count),
    problems.length === 0 ? 'good' : 'DAMAGED',
  ]);
  const table = formatTable(['symbol', 'period', 'kind', 'rows', ''], rows);
  const details = damaged.flatMap(({ path, problems }) =>
    problems.map((problem) => `${pathed(path, problem)}\n`),
  );
  return `${table}\n${details.join('')}${files.length - damaged.length} of ${files.length} files are good\n`;
}

const pathed = (path: string, problem: string): string =>
  problem.startsWith(path) ? problem : `${path}: ${problem}`;
