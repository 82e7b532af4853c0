/** Values of `tickwright data`, and its answer when there are no data. */
import type { BarSpec } from '../../domain/bars.ts';
import { durationUs, type DurationUs } from '../../domain/units.ts';
import { parseBarLength } from '../../text/durations.ts';
import { countAboveZero, refuse } from '../argument-values.ts';
import { CliFailure, EXIT } from '../cli-io.ts';

/** Default of `--dir`. */
export const DATA_DIR = 'data';

export function nothing(dir: string, symbol: string | undefined): CliFailure {
  const what = symbol === undefined ? 'no data' : `nothing of ${symbol}`;
  return new CliFailure(
    EXIT.nothingThere,
    `${what} in ${dir}: import some with tickwright data import FILE, or name another directory with --dir`,
  );
}

const ROLES = ['time', 'date', 'symbol', 'price', 'volume', 'side', 'open', 'high', 'low', 'close'] as const;

export type NamedRoles = Readonly<Partial<Record<(typeof ROLES)[number], string>>>;

/** `price=Last`, repeatable. */
export function columnName(text: string, before: NamedRoles | undefined): NamedRoles {
  const at = text.indexOf('=');
  const role = ROLES.find((known) => known === text.slice(0, at));
  const name = text.slice(at + 1);
  return role === undefined || name === ''
    ? refuse(`a column like price=Last, for one of ${ROLES.join(', ')}`, text)
    : { ...before, [role]: name };
}

export interface NamedSides {
  readonly buy: readonly string[];
  readonly sell: readonly string[];
  readonly none: readonly string[];
}

/** `buy=B,BUY`, repeatable. */
export function sideWords(text: string, before: NamedSides | undefined): NamedSides {
  const [side, words] = text.split('=', 2);
  if ((side !== 'buy' && side !== 'sell' && side !== 'none') || words === undefined)
    return refuse('words for a side like buy=B,BUY or none=', text);
  return { ...(before ?? { buy: [], sell: [], none: [] }), [side]: words.split(',') };
}

const DELIMITERS: Readonly<Record<string, string>> = { tab: '\t', comma: ',', semicolon: ';', bar: '|' };

export function delimiter(text: string): string {
  const known = DELIMITERS[text] ?? text;
  return known.length === 1 ? known : refuse('one character, or comma, semicolon, tab or bar', text);
}

/** `1m`, `4h`, `1d`. */
export function barLength(text: string): DurationUs {
  const us = parseBarLength(text);
  return us !== undefined && us > 0
    ? durationUs(us)
    : refuse('a duration above 0 like 30s, 1m, 4h or 1d', text);
}

const SIZE = /^(\d+)([tv])$/;

/** `1m`, `500t`, `10000v`. */
export function barSize(text: string): BarSpec {
  const size = SIZE.exec(text);
  if (size === null) return { every: barLength(text) };
  const count = countAboveZero(size[1] ?? '');
  return size[2] === 't' ? { everyTicks: count } : { everyVolume: count };
}

const PLACE = /\.(csv|csv\.gz|parquet)$/;

export const exportPlace = (text: string): string =>
  PLACE.test(text) ? text : refuse('a file that ends with .csv, .csv.gz or .parquet', text);
