/**
 * Reads a tape of exchange prints, `Time,Price,Volume,Side` in `.csv` or `.csv.gz`, as messy as such files are: newest
 * first or oldest first, hours without a leading zero, `2.0` for 2. A bad row is an error with its line; nothing is
 * dropped silently.
 */
import { InputFault } from '../domain/failure.ts';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isTradingDay, momentOf, type TradingDay, tradingDay } from '../domain/civil-date.ts';
import { type ContractSpec, parsePoints } from '../domain/contract.ts';
import type { Side } from '../domain/order.ts';
import { qty, US_PER_SECOND } from '../domain/units.ts';

export type Print = ReturnType<typeof readRow>;

export type Tape = ReturnType<typeof readPrints>;

interface TapeOptions {
  readonly spec: ContractSpec;
  readonly utcOffsetMinutes: number;
}

const SIDES: ReadonlyMap<string, Side | null> = new Map<string, Side | null>([
  ['M', 'buy'],
  ['A', 'buy'],
  ['B', 'sell'],
  ['-', null],
  ['', null],
]);
const COLUMNS = 4;
const TIME = /^([01]?\d|2[0-3]):([0-5]\d):([0-5]\d)$/;
const NUMBER = /^\d+(\.\d+)?$/;
const NAME = /^(\d{4}-\d{2}-\d{2})(?:[_-]([A-Za-z0-9]+))?\.csv(\.gz)?$/;

/** Thrown for a tape that cannot be read, with file and line. */
export function readPrints(path: string, options: TapeOptions) {
  const named = NAME.exec(basename(path));
  const dayText = named?.[1];
  if (dayText === undefined || !isTradingDay(dayText)) {
    throw new InputFault(
      'arguments',
      `tape ${path}: expected a name like 2026-03-04_vn30f2603.csv.gz that starts with the trading day`,
    );
  }
  const day = tradingDay(dayText);
  const lines = textOf(path).split('\n');
  const header = lines[0]?.trim().toLowerCase();
  if (header !== 'time,price,volume,side')
    throw refused(`tape ${path}, line 1`, 'the header Time,Price,Volume,Side', lines[0] ?? '');
  const prints: Print[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    const line = lines[at]?.trim() ?? '';
    if (line !== '') prints.push(readRow(line, `tape ${path}, line ${at + 1}`, day, options));
  }
  return {
    day,
    /** The contract code the file name carries, upper case; empty when it has none. */
    code: (named?.[2] ?? '').toUpperCase(),
    /** Oldest first; the order within a second is the exchange's. */
    prints: oldestFirst(prints),
  };
}

const refused = (where: string, expected: string, was: string): InputFault =>
  new InputFault('arguments', `${where}: expected ${expected}, was ${JSON.stringify(was)}`);

function readRow(line: string, where: string, day: TradingDay, options: TapeOptions) {
  const cells = line.split(',');
  if (cells.length !== COLUMNS) throw refused(where, `${COLUMNS} columns`, line);
  const [timeText = '', priceText = '', volumeText = '', sideText = ''] = cells;
  const time = TIME.exec(timeText.trim());
  if (!time) throw refused(where, 'a time like 09:00:00', timeText);
  const seconds = Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3]);
  const price = NUMBER.test(priceText.trim())
    ? parsePoints(options.spec, Number(priceText), 'Price')
    : undefined;
  if (price?.ok !== true) throw refused(where, 'a price on the tick grid', priceText);
  const volume = NUMBER.test(volumeText.trim()) ? Number(volumeText) : Number.NaN;
  if (!Number.isSafeInteger(volume) || volume <= 0)
    throw refused(where, 'a whole volume above 0', volumeText);
  const aggressor = SIDES.get(sideText.trim().toUpperCase());
  if (aggressor === undefined) throw refused(where, 'a side M, A, B or -', sideText);
  return {
    tsUs: momentOf(day, seconds * US_PER_SECOND, options.utcOffsetMinutes),
    price: price.value,
    qty: qty(volume),
    /** The side that crossed the spread; null where the file names none, as in an auction. */
    aggressor,
  };
}

/** Files are newest first or oldest first; reversing the former keeps the order inside a second. */
function oldestFirst(prints: Print[]): readonly Print[] {
  const first = prints[0];
  const last = prints.at(-1);
  if (first !== undefined && last !== undefined && first.tsUs > last.tsUs) prints.reverse();
  return prints.toSorted((a, b) => a.tsUs - b.tsUs);
}

function textOf(path: string): string {
  const bytes = readFileSync(path);
  if (!path.endsWith('.gz')) return bytes.toString('utf8');
  try {
    return gunzipSync(bytes).toString('utf8');
  } catch (error) {
    throw new InputFault('arguments', `tape ${path}: expected a whole gzip file, was not: ${String(error)}`);
  }
}
