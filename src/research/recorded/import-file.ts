/** Imports one file of any kind, with the arguments of the command line and the configured market. */
import { InputFault } from '../../domain/failure.ts';
import { formatUtcOffset, timeZone } from '../../text/dates.ts';
import type { StoredFile } from '../../recording/columns/whole-file.ts';
import type { BarMeta } from '../../recording/columns/bar-file.ts';
import type { TickMeta } from '../../recording/columns/tick-file.ts';
import {
  type ImportReport,
  type ImportWatch,
  PLAIN_SIDES,
  type SideWords,
  VIETNAMESE_SIDES,
} from '../../recording/import/import-table.ts';
import { isStep } from '../../text/decimals.ts';
import { type FileKind, fileKind, isSymbol, nameParts } from '../../recording/import/file-kind.ts';
import { type BarImportOptions, importBars } from '../../recording/import/import-bars.ts';
import { importPrints, importQuotes } from '../../recording/import/import-ticks.ts';
import { compileFrames, type FrameReport } from './compile-frames.ts';
import { type RecordedMarket, specOfSymbol, stepsOf } from './recorded-market.ts';

/** Absent fields are taken from the file, its name or the configured market. */
export interface ImportRequest extends Omit<
  BarImportOptions,
  'zone' | 'tickSize' | 'lotSize' | 'sides' | 'calendar'
> {
  readonly kind?: FileKind;
  readonly zone?: string;
  readonly tickSize?: string;
  readonly lotSize?: string;
  readonly sides?: SideWords | undefined;
  /** Trading hours: the configured market's, or none; absent: the market's for its own contracts. */
  readonly hours?: 'market' | 'none';
}

/** A file of columns that an import has, or should have, written. */
export type ImportedPart = ReturnType<typeof partOf>;

export interface ImportedFile extends Pick<FrameReport, 'file' | 'rows' | 'badRows' | 'bad'> {
  readonly kind: FileKind;
  readonly parts: readonly ImportedPart[];
  readonly notes: readonly string[];
}

export async function importFile(
  file: string,
  request: ImportRequest,
  market: RecordedMarket,
  watch: ImportWatch,
): Promise<ImportedFile> {
  const kind = request.kind ?? (await fileKind(file, request.columns));
  if (kind === 'frames') return framesFile(await compileFrames(file, { ...request, market }, watch));
  const options = barOptions(file, request, market);
  return tableFile({ file, kind }, await importTicksOrBars(file, kind, options, watch));
}

/** `every` and `stamp` of the options are for bars. */
export function importTicksOrBars(
  file: string,
  kind: Exclude<FileKind, 'frames'>,
  options: BarImportOptions,
  watch: ImportWatch,
): Promise<ImportReport<TickMeta | BarMeta>> {
  if (kind === 'bars') return importBars(file, options, watch);
  return kind === 'quotes' ? importQuotes(file, options, watch) : importPrints(file, options, watch);
}

function barOptions(file: string, request: ImportRequest, market: RecordedMarket): BarImportOptions {
  const symbol = request.symbol ?? nameParts(file).symbol;
  if (symbol !== null && !isSymbol(symbol)) {
    throw new InputFault(
      'arguments',
      `--symbol: expected letters, digits, dots and dashes, was ${JSON.stringify(symbol)}`,
    );
  }
  const spec = symbol === null ? undefined : specOfSymbol(market, symbol);
  const steps = spec === undefined ? { tickSize: null, lotSize: '1' } : stepsOf(spec);
  const tickSize = request.tickSize ?? steps.tickSize;
  const lotSize = request.lotSize ?? steps.lotSize;
  if (tickSize === null) {
    const whose = symbol ?? 'a symbol in a column';
    throw new InputFault(
      'arguments',
      `${file}: ${whose} is no contract of the configured market: say its --tick-size`,
    );
  }
  for (const [name, step] of Object.entries({ '--tick-size': tickSize, '--lot-size': lotSize })) {
    if (!isStep(step))
      throw new InputFault('arguments', `${name}: expected a decimal above 0 like 0.1, was ${step}`);
  }
  const zoneName = request.zone ?? formatUtcOffset(market.calendar.utcOffsetMinutes);
  const zone = timeZone(zoneName);
  if (zone === undefined) {
    const expected = 'expected a zone like +07:00, UTC or Asia/Ho_Chi_Minh';
    throw new InputFault('arguments', `--zone: ${expected}, was ${JSON.stringify(zoneName)}`);
  }
  const hours = request.hours ?? (spec === undefined ? 'none' : 'market');
  return {
    ...request,
    tickSize,
    lotSize,
    zone,
    sides: request.sides ?? (spec === undefined ? PLAIN_SIDES : VIETNAMESE_SIDES),
    calendar: hours === 'market' ? market.calendar : null,
  };
}

const tableFile = (
  found: Pick<ImportedFile, 'file' | 'kind'>,
  { rows, badRows, bad, steps, notes, stored }: ImportReport<TickMeta | BarMeta>,
): ImportedFile => ({
  ...found,
  rows,
  badRows,
  bad,
  parts: stored.map(partOf),
  notes: [
    ...notes,
    ...(badRows > 0 && steps.prices.isFiner ? [`the prices need --tick-size ${steps.prices.step}`] : []),
    ...(badRows > 0 && steps.volumes.isFiner ? [`the volumes need --lot-size ${steps.volumes.step}`] : []),
  ],
});

function framesFile({ file, rows, badRows, bad, stored, counts, damage }: FrameReport): ImportedFile {
  const { trades, books, others, duplicates } = counts;
  const notes = [`${trades} trades, ${books} book updates, ${others} others, ${duplicates} trades twice`];
  if (damage !== null) notes.push(`left out: ${damage}`);
  return { file, kind: 'frames', rows, badRows, bad, parts: stored.map(partOf), notes };
}

const partOf = ({ path, outcome, meta }: StoredFile<TickMeta | BarMeta>) => ({
  symbol: meta.symbol,
  /** A day of ticks, or a year of bars. */
  period: meta.kind === 'ticks' ? meta.day : String(meta.year),
  what: meta.kind,
  outcome,
  rows: meta.rows,
  gaps: meta.kind === 'ticks' ? meta.gaps.length : 0,
  path,
});
