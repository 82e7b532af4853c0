/** Lists and verifies the files of a data directory, and exports ticks, trades or bars of one symbol into one file. */
import type { BarSpec } from '../../domain/bars.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { openCatalogue, type BarFile, barFiles, dayFiles } from '../../recording/columns/catalogue.ts';
import {
  BAR_LAYOUT,
  BAR_PHASES,
  type BarRows,
  barsOf,
  tableOfBars,
  type BarMeta,
  readBarMeta,
  readBarParts,
} from '../../recording/columns/bar-file.ts';
import {
  type TickColumns,
  type TickGap,
  type TickMeta,
  type TickRows,
  readParts,
  rowTableOf,
  readTickMeta,
} from '../../recording/columns/tick-file.ts';
import { exportFile, barFields, tickFields, tickPart } from '../../recording/export-table.ts';
import { assert } from '../../domain/assert.ts';
import type { TradeTick } from '../../domain/ticks.ts';
import { instrumentIndex, priceTicks, qty, seq, tsUs } from '../../domain/units.ts';
import { allocateTable, type RowTable, TotalsCounter } from '../../recording/columns/row-table.ts';
import { BarBuilder } from '../../strategy/bar-streams.ts';
import type { Bar } from '../../strategy/leg-ticks.ts';
import { errorText, InputFault } from '../../domain/failure.ts';
import { statSync } from 'node:fs';

export type ExportWhat =
  | { readonly kind: 'ticks' }
  | { readonly kind: 'trades' }
  /** Built from ticks by the same rules as the bars of strategies. */
  | { readonly kind: 'bars'; readonly spec: BarSpec; readonly calendar: TradingCalendar };

interface ExportRequest {
  readonly dir: string;
  readonly symbol: string;
  /** First and last day, or null. */
  readonly from: string | null;
  readonly to: string | null;
  readonly what: ExportWhat;
  /** `.csv`, `.csv.gz` or `.parquet`. */
  readonly out: string;
}

export type ExportResult = NonNullable<Awaited<ReturnType<typeof exportData>>>;

/** `onRows` hears how many rows were read, of how many. */
export async function exportData(
  { dir, symbol, from, to, what, out }: ExportRequest,
  onRows: (done: number, all: number) => void,
) {
  const days = openCatalogue(dir).filter(
    ({ symbol: of, day }) => of === symbol && (from === null || day >= from) && (to === null || day <= to),
  );
  const [first] = days;
  if (first === undefined) return undefined;
  const { tickSize, lotSize } = oneStep(days);
  for (const { path } of days) {
    const [problem] = verifiedTicks(path).problems;
    if (problem !== undefined)
      throw new InputFault('file', `${path}: ${problem}; see tickwright data verify`);
  }
  const isTrades = what.kind === 'trades';
  const depth = isTrades ? 0 : Math.max(...days.map(({ meta }) => meta.depth));
  const all = days.reduce((sum, { meta }) => sum + meta.rows, 0);
  let [read, rows] = [0, 0];
  const partsOf = function* (path: string): Generator<TickColumns> {
    for (const part of readParts(path)) {
      yield part;
      onRows((read += part.rows), all);
    }
  };
  const counted = (part: RowTable): RowTable => {
    rows += part.rows;
    return part;
  };
  const parts = function* (): Generator<RowTable> {
    for (const { path, meta } of days)
      if (what.kind === 'bars')
        yield counted(tableOfBars(tickBars(partsOf(path), meta.gaps, what.spec, what.calendar)));
      else for (const part of partsOf(path)) yield counted(tickPart(part, depth, isTrades));
  };
  await exportFile(out, {
    fields: what.kind === 'bars' ? barFields(tickSize, lotSize) : tickFields(tickSize, lotSize, depth),
    utcOffsetMinutes: first.meta.utcOffsetMinutes,
    parts: parts(),
  });
  return { out, rows, periods: days.map(({ day }) => day) };
}

/** One column has one step. */
function oneStep(days: ReturnType<typeof openCatalogue>): TickMeta {
  const [first, ...others] = days.map(({ meta }) => meta);
  assert(first !== undefined, 'an export has a day');
  const other = others.find(
    ({ tickSize, lotSize }) => tickSize !== first.tickSize || lotSize !== first.lotSize,
  );
  if (other === undefined) return first;
  const steps = [first, other].map(({ day, tickSize, lotSize }) => `${day}: ${tickSize} and ${lotSize}`);
  throw new InputFault(
    'file',
    `expected one step of prices and volumes, was ${steps.join(', ')}; export them apart`,
  );
}

const BAR_FIGURES = ['startUs', 'endUs', 'open', 'high', 'low', 'close', 'volume', 'trades'] as const;

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
    for (const figure of BAR_FIGURES) into[figure][i] = bar[figure];
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

type OnDisk = ReturnType<typeof onDisk>;

/** A day of ticks, and a year of bars. */
export type TickListing = TickMeta & OnDisk;
export type BarListing = BarFile & Omit<BarMeta, 'year'> & OnDisk;

export type DataListing = ReturnType<typeof listData>;

const ofSymbol =
  (symbol: string | null) =>
  (file: { readonly symbol: string }): boolean =>
    symbol === null || file.symbol === symbol;

const onDisk = (path: string) => ({ bytes: statSync(path).size, path });

/** `symbol` null: all of them. */
export function listData(dir: string, symbol: string | null) {
  return {
    ticks: openCatalogue(dir)
      .filter(ofSymbol(symbol))
      .map(({ path, meta }) => ({ ...meta, ...onDisk(path) })),
    bars: barFiles(dir)
      .filter(ofSymbol(symbol))
      .map((file) => ({ ...readBarMeta(file.path), ...file, ...onDisk(file.path) })),
  };
}

export interface VerifiedFile {
  readonly symbol: string;
  /** A day of ticks, or length and year of bars. */
  readonly period: string;
  readonly kind: 'columns' | 'bars';
  readonly rows: number;
  /** Empty for a file that agrees with its metadata. */
  readonly problems: readonly string[];
  readonly path: string;
}

/** Reads every file whole and yields it with its problems; `symbol` null takes all. */
export function* verifyData(dir: string, symbol: string | null): Generator<VerifiedFile> {
  for (const { symbol: of, day, path } of dayFiles(dir).filter(ofSymbol(symbol))) {
    yield { symbol: of, period: day, kind: 'columns', ...verifiedTicks(path), path };
  }
  for (const { symbol: of, length, year, path } of barFiles(dir).filter(ofSymbol(symbol))) {
    const { rows, problems } = verified(path, readBarMeta, function* () {
      for (const part of readBarParts(path)) yield tableOfBars(part);
    });
    yield { symbol: of, period: `${length} ${year}`, kind: 'bars', rows, problems, path };
  }
}

export const filesToVerify = (dir: string, symbol: string | null): number =>
  dayFiles(dir).filter(ofSymbol(symbol)).length + barFiles(dir).filter(ofSymbol(symbol)).length;

const verifiedTicks = (path: string) =>
  verified(path, readTickMeta, function* () {
    for (const part of readParts(path)) yield rowTableOf(part);
  });

const NAMES = { rows: 'rows', firstUs: 'first time', lastUs: 'last time', digest: 'digest' } as const;

/** Reads a file whole and compares its rows with its metadata. */
function verified(
  path: string,
  readMeta: (path: string) => Pick<TickMeta, keyof typeof NAMES>,
  read: () => Iterable<RowTable>,
): Pick<VerifiedFile, 'rows' | 'problems'> {
  const totals = new TotalsCounter();
  try {
    const meta = readMeta(path);
    for (const table of read()) totals.add(table);
    const counted = totals.totals();
    const problems = (['rows', 'firstUs', 'lastUs', 'digest'] as const)
      .filter((key) => meta[key] !== counted[key])
      .map((key) => `${NAMES[key]}: expected ${meta[key]}, was ${counted[key]}`);
    return { rows: counted.rows, problems };
  } catch (error) {
    // A damaged footer may raise any error in the decoder: the file cannot be read.
    return { rows: 0, problems: [errorText(error)] };
  }
}
