/** Rows for export: whole numbers become decimals, texts and times of other programs. */
import { BAR_PHASES, type BarColumns, type BarRows, tableOfBars } from '../columns/bar-file.ts';
import { allocateTable, type ColumnArray, type RowTable } from '../columns/row-table.ts';
import { rowTableOf, type TickColumns, tickLayout } from '../columns/tick-columns.ts';

export type ExportField =
  /** Whole microseconds. */
  | { readonly name: string; readonly kind: 'time' }
  /** Whole steps; nothing where they are 0. */
  | { readonly name: string; readonly kind: 'price'; readonly step: string }
  | { readonly name: string; readonly kind: 'amount'; readonly step: string }
  | { readonly name: string; readonly kind: 'count' }
  /** A value is written as `words[value + first]`. */
  | {
      readonly name: string;
      readonly kind: 'word';
      readonly words: readonly string[];
      readonly first: number;
    };

export interface ExportPart {
  readonly rows: number;
  readonly columns: readonly ColumnArray[];
}

export interface ExportTable {
  readonly fields: readonly ExportField[];
  readonly parts: Iterable<ExportPart>;
  /** Minutes east of Greenwich in which times are written as text. */
  readonly utcOffsetMinutes: number;
}

const SIDES = ['sell', '', 'buy'];
const PRICES = ['open', 'high', 'low', 'close'];

export function tickFields(tickSize: string, lotSize: string, depth: number): readonly ExportField[] {
  const price = (name: string): ExportField => ({ name, kind: 'price', step: tickSize });
  const amount = (name: string): ExportField => ({ name, kind: 'amount', step: lotSize });
  return [
    { name: 'time', kind: 'time' },
    price('price'),
    amount('volume'),
    { name: 'side', kind: 'word', words: SIDES, first: 1 },
    ...Array.from({ length: depth }, (_, i) => [
      price(`bid_price_${i + 1}`),
      amount(`bid_volume_${i + 1}`),
      price(`ask_price_${i + 1}`),
      amount(`ask_volume_${i + 1}`),
    ]).flat(),
  ];
}

/** The rows of a day in the columns of `tickFields`; a day with fewer levels has nothing in the others. */
export function tickPart(ticks: TickColumns, depth: number, tradesOnly: boolean): ExportPart {
  const { rows, columns } = tradesOnly ? tradesOf(ticks) : rowTableOf(ticks);
  const empty = allocateTable(tickLayout(depth), rows).columns;
  return { rows, columns: empty.map((none, i) => columns[i] ?? none) };
}

function tradesOf(ticks: TickColumns): RowTable {
  const { columns } = rowTableOf(ticks);
  const index: number[] = [];
  for (let i = 0; i < ticks.rows; i += 1) if ((ticks.qty[i] ?? 0) > 0) index.push(i);
  const kept = allocateTable(tickLayout(ticks.meta.depth), index.length);
  for (const [c, column] of kept.columns.entries()) {
    const from = columns[c];
    for (const [i, at] of index.entries()) column[i] = from?.[at] ?? 0;
  }
  return kept;
}

export function barFields(tickSize: string, lotSize: string): readonly ExportField[] {
  return [
    { name: 'time', kind: 'time' },
    { name: 'end', kind: 'time' },
    ...PRICES.map((name): ExportField => ({ name, kind: 'price', step: tickSize })),
    { name: 'volume', kind: 'amount', step: lotSize },
    { name: 'trades', kind: 'count' },
    { name: 'phase', kind: 'word', words: BAR_PHASES, first: 0 },
    { name: 'complete', kind: 'count' },
  ];
}

export const barPart = (bars: BarRows | BarColumns): ExportPart => tableOfBars(bars);
