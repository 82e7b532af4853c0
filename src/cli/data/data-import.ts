/** `data import`: prints, bars and recorded frames into columns. */
import { createWriteStream, existsSync, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { type Command, Option } from 'commander';
import {
  COLUMN_ROLES,
  type NamedColumns,
  NO_MARKET,
  PLAIN_ROLES,
  type RecordedMarket,
  recordedMarket,
  type SideWords,
} from '../../research/recorded/recorded-market.ts';
import type { ImportedFile, ImportedPart, ImportRequest } from '../../research/recorded/import-file.ts';
import { durationUs, US_PER_MS } from '../../domain/units.ts';
import { type CliContext, type CliIo, EXIT, jsonText, needFile } from '../cli-io.ts';
import { readConfig } from '../read-config.ts';
import { csvLine } from '../../text/table.ts';
import { formatCount, formatNumber, formatRate } from '../../text/numbers.ts';
import { ProgressLine } from '../progress-line.ts';
import { barLength, DATA_DIR, delimiter, durationMs, refuse, sessionDay, sideWords } from '../options.ts';

/** `price=Last`, repeatable. */
function columnName(text: string, before: NamedColumns | undefined): NamedColumns {
  const at = text.indexOf('=');
  const role = COLUMN_ROLES.find((known) => known === text.slice(0, at));
  const name = text.slice(at + 1);
  return role === undefined || name === ''
    ? refuse(`a column like price=Last, for one of ${PLAIN_ROLES.join(', ')}, bid_1 to ask_size_10`, text)
    : { ...before, [role]: name };
}

interface ImportFlags extends Omit<ImportRequest, 'columns' | 'sides' | 'silence'> {
  readonly config: string;
  readonly column?: NamedColumns;
  readonly side?: SideWords;
  /** Milliseconds. */
  readonly silence: number;
  readonly badRows?: string;
  readonly json?: boolean;
}

const AFTER_HELP = `
Prints need columns for time, price and volume; a column for the side is
optional. Quotes need time, bid and ask; sizes are optional. Both may have the
levels of a book: bid_1, bid_size_1, ask_1, ask_size_1 and so on to 10. Bars
need time, open, high, low and close; volume is optional.
Columns are found by their usual names or named with --column. A time without a
date belongs to the day in the file's name. Bad rows are reported one by one,
and a file that has any is not imported without --skip-bad.

Exit code 1 for bad rows, or when other data are already there (see --replace).

Examples:
  tickwright data import ticks/*.csv.gz
  tickwright data import vn30f1m.csv.gz --symbol VN30F1M
  tickwright data import btc.csv --symbol BTCUSDT --tick-size 0.01 \\
    --lot-size 0.001 --zone UTC --column time=open_time --decimal-comma
  tickwright data import var/paper/frames/2026-03-04.frames.gz \\
    --dir var/paper/data
`;

export function addDataImport(data: Command, context: CliContext): void {
  const command = data
    .command('import')
    .description('import prints, bars (.csv, .csv.gz) and recorded frames')
    .argument('<files...>', 'files to import')
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--config <file>', 'configuration that names the market, where it is there', 'config/paper.yaml')
    .addOption(
      new Option('--kind <kind>', 'content of the files (detected)').choices([
        'prints',
        'quotes',
        'bars',
        'frames',
      ]),
    )
    .option('--symbol <code>', 'symbol (from a column or the file name)')
    .option('--day <day>', 'date of times that have none', sessionDay)
    .option('--zone <zone>', "zone of the times: +07:00, UTC, Asia/Ho_Chi_Minh (the market's)")
    .addOption(new Option('--date-order <order>', 'order in dates like 04/03/2026').choices(['dmy', 'mdy']))
    .option('--tick-size <decimal>', "step of prices (the market's, for its contracts)")
    .option('--lot-size <decimal>', 'step of volumes (1)')
    .option('--column <role=name>', 'column of a role, by header or number from 1; repeatable', columnName)
    .option('--side <side=words>', 'words of the file for buy, sell and none; repeatable', sideWords)
    .option('--no-header', 'the first line is data')
    .option('--delimiter <character>', 'comma, semicolon, tab, bar or another character', delimiter)
    .option('--decimal-comma', 'numbers are written 1950,1')
    .addOption(
      new Option('--hours <which>', "trading hours: the market's or none").choices(['market', 'none']),
    )
    .option('--silence <span>', 'report a longer time without a trade as a gap', durationMs, durationMs('5m'))
    .option('--every <span>', 'length of bars: 1m, 1h, 1d (detected)', barLength)
    .addOption(
      new Option('--stamp <which>', 'the time of a bar is its').choices(['start', 'end']).default('start'),
    )
    .option('--round', 'take prices between two steps for the nearest')
    .option('--skip-bad', 'import the good rows of a file that has bad ones')
    .option('--replace', 'overwrite other data of the same days')
    .option('--bad-rows <file>', 'write bad rows to this CSV: file, line, reason')
    .option('--json', 'print JSON')
    .addHelpText('after', AFTER_HELP)
    .action(async (files: readonly string[], flags: ImportFlags) => {
      for (const file of files) needFile('files', file);
      const isNamed = command.getOptionValueSource('config') !== 'default';
      const market = importMarket(files, flags.config, isNamed);
      const imported = await importAll(files, flags, market, context.io);
      if (flags.json === true) context.io.out(jsonText(imported));
      if (imported.some(isUnfinished)) context.finish(EXIT.failed);
    });
}

const isUnfinished = ({ badRows, parts }: ImportedFile): boolean =>
  badRows > 0 || parts.some(({ outcome }) => outcome === 'kept');

/** Files of other markets need no configuration; frames of ours do. */
export function importMarket(files: readonly string[], config: string, isNamed: boolean): RecordedMarket {
  const hasFrames = files.some((file) => /\.frames(\.gz)?$/.test(file));
  return isNamed || hasFrames || existsSync(config) ? recordedMarket(readConfig(config)) : NO_MARKET;
}

async function importAll(files: readonly string[], flags: ImportFlags, market: RecordedMarket, io: CliIo) {
  const badFile = flags.badRows === undefined ? undefined : createWriteStream(flags.badRows);
  badFile?.write('file,line,reason\n');
  const imported: ImportedFile[] = [];
  for (const file of files) {
    const begun = performance.now();
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other: each needs the memory of one
    const one = await importOne(file, flags, market, { io, badFile });
    imported.push(one);
    if (flags.json !== true) io.out(importedText(one, (performance.now() - begun) / 1_000));
  }
  if (badFile !== undefined) {
    badFile.end();
    await once(badFile, 'close');
  }
  return imported;
}

interface ImportOutput {
  readonly io: CliIo;
  readonly badFile: WriteStream | undefined;
}

const BAD_SHOWN_MAX = 20;

async function importOne(
  file: string,
  flags: ImportFlags,
  market: RecordedMarket,
  { io, badFile }: ImportOutput,
): Promise<ImportedFile> {
  const { importFile } = await import('../../research/recorded/import-file.ts');
  const progress = new ProgressLine(io, 'rows');
  let bad = 0;
  try {
    const imported = await importFile(file, requestOf(flags), market, {
      progress: ({ bytes, size, rows }) =>
        progress.show({ done: bytes, all: size, what: file, counted: rows }),
      bad({ line, reason }) {
        bad += 1;
        badFile?.write(csvLine([file, line, reason]));
        if (bad > BAD_SHOWN_MAX) return;
        progress.clear();
        io.err(`${file}:${line}: ${reason}\n`);
      },
    });
    progress.clear();
    const more = bad - BAD_SHOWN_MAX;
    if (more > 0) io.err(`${file}: ${more} more bad rows; --bad-rows FILE lists all of them\n`);
    return imported;
  } finally {
    progress.clear();
  }
}

const requestOf = ({ column = {}, side, silence, ...flags }: ImportFlags): ImportRequest => ({
  ...flags,
  columns: column,
  sides: side,
  silence: durationUs(silence * US_PER_MS),
});

const OUTCOMES = {
  written: 'written',
  replaced: 'replaced',
  unchanged: 'already there',
  kept: 'NOT WRITTEN: other data are there (--replace overwrites them)',
} as const;

function importedText({ file, kind, rows, badRows, parts, notes }: ImportedFile, seconds: number): string {
  const count = `${formatCount(rows, 'row')} of ${kind}`;
  const pace = `${seconds.toFixed(1)} s, ${formatRate(rows / seconds)} rows/s`;
  const bad = badRows === 0 ? '' : `, ${formatNumber(badRows)} bad`;
  const head = `${file}: ${count}${bad} (${pace})\n`;
  const none =
    parts.length === 0 && badRows > 0 ? '  nothing was imported; --skip-bad imports the good rows\n' : '';
  const remarks = notes.map((note) => `  ${note}\n`).join('');
  return `${head}${remarks}${none}${parts.map(partLine).join('')}`;
}

function partLine({ symbol, period, what, rows, gaps, outcome }: ImportedPart): string {
  const missing = gaps === 0 ? '' : `, ${formatCount(gaps, 'gap')}`;
  return `  ${symbol} ${period}: ${formatNumber(rows)} ${what}${missing}: ${OUTCOMES[outcome]}\n`;
}
