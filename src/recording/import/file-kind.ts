/** Detects the kind, day and symbol of a file by its name and its first line. */
import { basename } from 'node:path';
import { isTradingDay, tradingDay } from '../../domain/civil-date.ts';
import { COLUMN_ROLES, type ColumnRole, mapColumns, type NamedColumns } from './column-map.ts';
import { chunksOf } from './table-file.ts';

export type FileKind = 'prints' | 'quotes' | 'bars' | 'frames';

const FRAMES = /\.frames(\.gz)?$/;
const BAR_ROLES: readonly ColumnRole[] = ['open', 'high', 'low', 'close'];
const QUOTE_ROLES: readonly ColumnRole[] = ['bid', 'ask'];
const CELL_BORDER = /[,;\t|]/;

export async function fileKind(path: string, named: NamedColumns = {}): Promise<FileKind> {
  if (FRAMES.test(path)) return 'frames';
  if (BAR_ROLES.some((role) => named[role] !== undefined)) return 'bars';
  if (QUOTE_ROLES.some((role) => named[role] !== undefined)) return 'quotes';
  const roles = rolesOf(await headerOf(path), named);
  const has = (role: ColumnRole): boolean => roles.includes(role);
  if (BAR_ROLES.every(has)) return 'bars';
  // A trade may come with the quote of its moment.
  return (QUOTE_ROLES.every(has) || has('bid_1')) && !has('price') ? 'quotes' : 'prints';
}

export const hasSymbols = async (path: string, named: NamedColumns): Promise<boolean> =>
  named.symbol !== undefined || rolesOf(await headerOf(path), named).includes('symbol');

async function headerOf(path: string): Promise<readonly string[]> {
  for await (const chunk of chunksOf(path)) {
    const [line = ''] = chunk.toString('utf8').split('\n', 1);
    return line.split(CELL_BORDER).map((cell) => cell.replaceAll('"', ''));
  }
  return [];
}

function rolesOf(header: readonly string[], named: NamedColumns): readonly ColumnRole[] {
  const mapped = mapColumns(header, named, header.length);
  return mapped.ok ? COLUMN_ROLES.filter((role) => mapped.columns[role] !== undefined) : [];
}

const DAY = /(\d{4}-\d{2}-\d{2}|\d{8})/;

/** Day and symbol in a name such as `2026-03-04_vn30f2603.csv.gz`. */
export function nameParts(path: string) {
  const name = basename(path).replace(/\.(csv|txt|tsv)?(\.gz)?$/i, '');
  const found = DAY.exec(name)?.[1] ?? '';
  const date = found.length === 8 ? `${found.slice(0, 4)}-${found.slice(4, 6)}-${found.slice(6)}` : found;
  const day = isTradingDay(date) ? tradingDay(date) : null;
  const symbol = (day === null ? name : name.replace(found, '')).replaceAll(/^[-_.\s]+|[-_.\s]+$/g, '');
  return {
    day,
    /** Upper case; null where the name has no word other than the day. */
    symbol: isSymbol(symbol) ? symbol.toUpperCase() : null,
  };
}

/** Symbols name folders, so they are plain words. */
export const isSymbol = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9.-]{0,31}$/.test(text);
