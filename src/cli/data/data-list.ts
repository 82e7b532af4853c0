/** `data ls`: the catalogue. */
import type { Command } from 'commander';
import type { BarListing, DataListing, TickListing } from '../../app/research/recorded/inspect-data.ts';
import { formatTime } from '../../domain/civil-date.ts';
import { tsUs } from '../../domain/units.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import { type CliContext, printJson } from '../cli-io.ts';
import { DATA_DIR } from './data-place.ts';
import { formatNumber } from '../../text/numbers.ts';
import { formatTable } from '../../text/table.ts';

interface ListFlags {
  readonly dir: string;
  readonly gaps?: boolean;
  readonly json?: boolean;
}

export function addDataList(data: Command, { io }: CliContext): void {
  const command = data
    .command('ls')
    .alias('list')
    .description('list what there is, with what is missing in it')
    .argument('[symbol]', 'only this one')
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--gaps', 'each gap with its times')
    .option('--json', 'as JSON, with times in microseconds')
    .addHelpText('after', '\nExamples:\n  tickwright data ls\n  tickwright data ls VN30F2603 --gaps\n')
    .action(async (symbol: string | undefined) => {
      const flags = command.opts<ListFlags>();
      const { listData } = await import('../../app/research/recorded/inspect-data.ts');
      const listing = listData(flags.dir, symbol ?? null);
      if (listing.ticks.length + listing.bars.length === 0) throw nothing(flags.dir, symbol);
      if (flags.json === true) printJson(io, listing);
      else io.out(shown(listing, flags.gaps === true));
    });
}

export function nothing(dir: string, symbol: string | undefined): CliFailure {
  const what = symbol === undefined ? 'no data' : `nothing of ${symbol}`;
  return new CliFailure(
    EXIT.nothingThere,
    `${what} in ${dir}: import some (tickwright data import FILE), or name its directory with --dir`,
  );
}

function shown({ ticks, bars }: DataListing, withGaps: boolean): string {
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
