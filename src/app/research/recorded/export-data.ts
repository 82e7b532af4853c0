/** Exports ticks, trades or bars of one symbol into one file. */
import type { BarSpec } from '../../../domain/bars.ts';
import type { TradingCalendar } from '../../../domain/calendar.ts';
import { barFiles, openCatalogue } from '../../../recording/columns/catalogue.ts';
import {
  BAR_LAYOUT,
  BAR_PHASES,
  type BarRows,
  barsOf,
  readBarMeta,
  readBarParts,
} from '../../../recording/columns/bar-file.ts';
import type { TickColumns, TickGap, TickRows } from '../../../recording/columns/tick-columns.ts';
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
import type { TradeTick } from '../../../domain/ticks.ts';
import { instrumentIndex, priceTicks, qty, seq, tsUs } from '../../../domain/units.ts';
import { allocateTable } from '../../../recording/columns/row-table.ts';
import { BarBuilder } from '../../../strategy/bars.ts';
import type { Bar } from '../../../strategy/ticks.ts';

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
  const { what, out } = request;
  const found = what.kind === 'stored_bars' ? storedBars(request, what.length) : ofDays(request, what);
  if (found === undefined) return undefined;
  const { fields, utcOffsetMinutes, periods, all } = found;
  let [read, rows] = [0, 0];
  const counted = function* (): Generator<ExportPart> {
    const parts = found.parts((taken) => watch.progress((read += taken), all));
    for (const part of parts) {
      rows += part.rows;
      yield part;
    }
  };
  await exportFile(out, { fields, utcOffsetMinutes, parts: counted() });
  return { out, rows, periods };
}

interface Found extends Omit<ExportTable, 'parts'> {
  /** `took` receives the number of rows read, part by part. */
  readonly parts: (took: (rows: number) => void) => Generator<ExportPart>;
  /** Rows that will be read. */
  readonly all: number;
  readonly periods: readonly string[];
}

function ofDays(
  { dir, symbol, from, to }: ExportRequest,
  what: Exclude<ExportWhat, { readonly kind: 'stored_bars' }>,
): Found | undefined {
  const days = openCatalogue(dir).filter(
    ({ symbol: of, day }) => of === symbol && (from === null || day >= from) && (to === null || day <= to),
  );
  const [first] = days;
  if (first === undefined) return undefined;
  const { tickSize, lotSize } = oneStep(days.map(({ meta, day }) => ({ ...meta, period: day })));
  const isTrades = what.kind === 'trades';
  const depth = isTrades ? 0 : Math.max(...days.map(({ meta }) => meta.depth));
  return {
    fields: what.kind === 'bars' ? barFields(tickSize, lotSize) : tickFields(tickSize, lotSize, depth),
    utcOffsetMinutes: first.meta.utcOffsetMinutes,
    *parts(took) {
      for (const { path, meta } of days) {
        const read = function* (): Generator<TickColumns> {
          for (const part of readParts(path)) {
            yield part;
            took(part.rows);
          }
        };
        if (what.kind === 'bars') yield barPart(tickBars(read(), meta.gaps, what.spec, what.calendar));
        else for (const part of read()) yield tickPart(part, depth, isTrades);
      }
    },
    all: days.reduce((sum, { meta }) => sum + meta.rows, 0),
    periods: days.map(({ day }) => day),
  };
}

function storedBars({ dir, symbol, from, to }: ExportRequest, length: string): Found | undefined {
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
    *parts(took) {
      for (const { path } of files) {
        for (const part of readBarParts(path)) {
          yield barPart(part);
          took(part.rows);
        }
      }
    },
    all: metas.reduce((sum, { rows }) => sum + rows, 0),
    periods: files.map(({ year }) => year),
  };
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

// Bars of recorded trades, by the builder that strategies get theirs from.

/** Of one day, the last one closed as it is. The trades that a gap swallowed may belong to any bar that it touches: such a bar is incomplete. */
export function tickBars(
  parts: Iterable<TickRows>,
  gaps: readonly TickGap[],
  spec: BarSpec,
  calendar: TradingCalendar,
): BarRows {
  const builder = new BarBuilder(spec, calendar, tsUs(0));
  const bars: Bar[] = [];
  const keep = (bar: Bar | null): void => {
    if (bar !== null) bars.push(bar);
  };
  for (const trade of tradesOf(parts)) {
    keep(builder.closeDue(tsUs(Math.min(builder.endUs, trade.tsUs))));
    keep(builder.add(trade));
  }
  if (builder.endUs !== Infinity) keep(builder.closeDue(tsUs(builder.endUs)));
  const into = barsOf(allocateTable(BAR_LAYOUT, bars.length));
  for (const [i, bar] of bars.entries()) {
    into.startUs[i] = bar.startUs;
    into.endUs[i] = bar.endUs;
    into.open[i] = bar.open;
    into.high[i] = bar.high;
    into.low[i] = bar.low;
    into.close[i] = bar.close;
    into.volume[i] = bar.volume;
    into.trades[i] = bar.trades;
    into.phase[i] = BAR_PHASES.indexOf(bar.phase);
    into.complete[i] = Number(!gaps.some(({ fromUs, toUs }) => bar.startUs <= toUs && bar.endUs > fromUs));
  }
  return into;
}

function* tradesOf(parts: Iterable<TickRows>): Generator<TradeTick> {
  for (const { rows, tsUs: at, priceTicks: price, qty: size } of parts) {
    for (let i = 0; i < rows; i += 1) {
      const lots = size[i] ?? 0;
      if (lots === 0) continue;
      yield {
        kind: 'trade',
        seq: seq(i),
        tsUs: tsUs(at[i] ?? 0),
        instrument: instrumentIndex(0),
        price: priceTicks(price[i] ?? 0),
        qty: qty(lots),
        totalVolume: 0,
      };
    }
  }
}
