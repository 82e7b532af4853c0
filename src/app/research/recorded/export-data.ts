/** Exports ticks, trades or bars of one symbol into one file. */
import type { BarSpec } from '../../../domain/bars.ts';
import type { TradingCalendar } from '../../../domain/calendar.ts';
import {
  type BarFile,
  barFiles,
  type CatalogueDay,
  openCatalogue,
} from '../../../recording/columns/catalogue.ts';
import { readBarMeta, readBarParts } from '../../../recording/columns/bar-file.ts';
import { TickBars } from '../../../recording/columns/tick-bars.ts';
import { readParts } from '../../../recording/columns/tick-file.ts';
import { exportFile } from '../../../recording/export/export-file.ts';
import {
  barFields,
  barPart,
  type ExportPart,
  type ExportTable,
  tickFields,
  tickPart,
} from '../../../recording/export/export-table.ts';
import { timeZone } from '../../../text/time-zone.ts';

export type ExportWhat =
  | { readonly kind: 'ticks' }
  | { readonly kind: 'trades' }
  /** Built from ticks by the same rules as the bars of strategies. */
  | { readonly kind: 'bars'; readonly spec: BarSpec; readonly calendar: TradingCalendar }
  /** Bars as they were imported. */
  | { readonly kind: 'stored_bars'; readonly length: string };

export interface ExportRequest {
  readonly dir: string;
  readonly symbol: string;
  /** First and last day, or null. */
  readonly from: string | null;
  readonly to: string | null;
  readonly what: ExportWhat;
  /** `.csv`, `.csv.gz` or `.parquet`. */
  readonly out: string;
}

export interface ExportWatch {
  /** Rows read, of how many. */
  progress(done: number, all: number): void;
}

export interface Exported {
  readonly out: string;
  readonly rows: number;
  /** Days of ticks or years of bars it was made of. */
  readonly periods: readonly string[];
}

/** Days that cannot stand in one file. */
export class MixedSteps extends Error {
  override readonly name = 'MixedSteps';
}

/** Undefined when there is nothing to export. */
export async function exportData(request: ExportRequest, watch: ExportWatch): Promise<Exported | undefined> {
  const made =
    request.what.kind === 'stored_bars' ? storedBars(request, request.what.length) : ofDays(request);
  if (made === undefined) return undefined;
  let rows = 0;
  const counted = function* (): Generator<ExportPart> {
    for (const { part, read } of made.parts) {
      rows += part.rows;
      yield part;
      watch.progress(read, made.all);
    }
  };
  const { fields, utcOffsetMinutes, periods } = made;
  await exportFile(request.out, { fields, utcOffsetMinutes, parts: counted() });
  return { out: request.out, rows, periods };
}

interface ReadPart {
  readonly part: ExportPart;
  /** Rows read so far, this part among them. */
  readonly read: number;
}

interface Made extends Omit<ExportTable, 'parts'> {
  readonly parts: Iterable<ReadPart>;
  /** Rows that will be read. */
  readonly all: number;
  readonly periods: readonly string[];
}

function ofDays({ dir, symbol, from, to, what }: ExportRequest): Made | undefined {
  const days = openCatalogue(dir).filter(
    ({ symbol: of, day }) => of === symbol && (from === null || day >= from) && (to === null || day <= to),
  );
  const [first] = days;
  if (first === undefined) return undefined;
  const { tickSize, lotSize } = oneStep(days.map(({ meta, day }) => ({ ...meta, period: day })));
  const depth = Math.max(...days.map(({ meta }) => meta.depth));
  const isBars = what.kind === 'bars';
  return {
    fields: isBars
      ? barFields(tickSize, lotSize)
      : tickFields(tickSize, lotSize, what.kind === 'trades' ? 0 : depth),
    utcOffsetMinutes: first.meta.utcOffsetMinutes,
    parts: isBars ? madeBars(days, what.spec, what.calendar) : tickParts(days, what.kind === 'trades', depth),
    all: days.reduce((sum, { rows }) => sum + rows, 0),
    periods: days.map(({ day }) => day),
  };
}

function* tickParts(days: readonly CatalogueDay[], isTrades: boolean, depth: number): Generator<ReadPart> {
  let read = 0;
  for (const { path } of days) {
    for (const part of readParts(path)) {
      read += part.rows;
      yield { part: tickPart(part, isTrades ? 0 : depth, isTrades), read };
    }
  }
}

function* madeBars(
  days: readonly CatalogueDay[],
  spec: BarSpec,
  calendar: TradingCalendar,
): Generator<ReadPart> {
  let read = 0;
  for (const { path, gaps } of days) {
    const bars = new TickBars(spec, calendar);
    for (const part of readParts(path)) {
      read += part.rows;
      bars.add(part, gaps);
    }
    yield { part: barPart(bars.end()), read };
  }
}

function storedBars({ dir, symbol, from, to }: ExportRequest, length: string): Made | undefined {
  const files = barFiles(dir).filter(
    (file) =>
      file.symbol === symbol &&
      file.length === length &&
      (from === null || file.year >= from.slice(0, 4)) &&
      (to === null || file.year <= to.slice(0, 4)),
  );
  const metas = files.map((file) => ({ ...readBarMeta(file.path), period: file.year }));
  const [first] = metas;
  if (first === undefined) return undefined;
  const { tickSize, lotSize } = oneStep(metas);
  return {
    fields: barFields(tickSize, lotSize),
    utcOffsetMinutes: timeZone(first.timeZone)?.offsetAtMoment(first.firstUs) ?? 0,
    parts: barParts(files),
    all: metas.reduce((sum, { rows }) => sum + rows, 0),
    periods: files.map(({ year }) => year),
  };
}

function* barParts(files: readonly BarFile[]): Generator<ReadPart> {
  let read = 0;
  for (const { path } of files) {
    for (const part of readBarParts(path)) {
      read += part.rows;
      yield { part: barPart(part), read };
    }
  }
}

interface Stepped {
  readonly period: string;
  readonly tickSize: string;
  readonly lotSize: string;
}

/** One column has one step. */
function oneStep(metas: readonly Stepped[]): Stepped {
  const [first] = metas;
  const other = metas.find(
    ({ tickSize, lotSize }) => tickSize !== first?.tickSize || lotSize !== first.lotSize,
  );
  if (first === undefined || other !== undefined) {
    const steps = [first, other].map((one) => `${one?.period}: ${one?.tickSize} and ${one?.lotSize}`);
    throw new MixedSteps(
      `expected one step of prices and volumes, was ${steps.join(', ')}; export them apart`,
    );
  }
  return first;
}
