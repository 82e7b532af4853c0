/** What the columns on disk hold for a backtest: which contract on which day, found by reading names and heads alone. */
import { createHash } from 'node:crypto';
import { isSession } from '../../../domain/calendar.ts';
import type { TradingDay } from '../../../domain/civil-date.ts';
import { contractMonthOf, legacyCode, listedMonths } from '../../../domain/contract-code.ts';
import { openCatalogue } from '../../../recording/columns/catalogue.ts';
import { type BacktestMarket, familyOf } from './backtest-market.ts';
import { barDays } from './bar-days.ts';

/** One contract on one day, as some file has it. Plain data: it may be sent to a thread. */
export interface SourceDay {
  /** As the day's table of contracts has it. */
  readonly code: string;
  readonly day: TradingDay;
  readonly path: string;
  readonly rows: number;
  readonly digest: string;
  /** Which bars of the file, from the one and before the other; null where the file is one of ticks. */
  readonly bars: { readonly from: number; readonly to: number; readonly everyUs: number } | null;
  /** Stretches in which trades are known to be missing. */
  readonly missed: number;
}

export interface SourceChoice {
  readonly symbols: readonly string[] | null;
  readonly from: TradingDay | null;
  readonly to: TradingDay | null;
  /** A directory may hold ticks and bars of several lengths. */
  readonly kind: 'ticks' | 'bars';
  readonly everyUs: number | null;
}

export interface SourceDays {
  /** By day, then by code; also those before `from`, which tell the closing prices of the day before. */
  readonly all: readonly SourceDay[];
  readonly days: readonly TradingDay[];
  /** What was left out, and why. */
  readonly remarks: readonly string[];
}

/** Something that the data directory holds, before it is looked at. */
type FoundDay = Omit<SourceDay, 'code'> & {
  readonly symbol: string;
  /** Decimals: what its whole numbers count. */
  readonly tickSize: string;
  readonly lotSize: string;
};

/** Place of each alias among the listed months, nearest first. */
const PLACES: Readonly<Record<string, number>> = { F1M: 0, F2M: 1, F1Q: 2, F2Q: 3 };

export function sourceDays(
  dirs: readonly string[],
  market: BacktestMarket,
  { symbols, from, to, kind, everyUs }: SourceChoice,
): SourceDays {
  const found = new Map<string, SourceDay>();
  const remarks: string[] = [];
  const wanted = symbols?.map((symbol) => plainCode(symbol)) ?? null;
  const held = dirs.flatMap((dir) => (kind === 'ticks' ? tickDays(dir) : barDays(dir, market, everyUs)));
  for (const { symbol, tickSize, lotSize, ...source } of held) {
    const { day } = source;
    const code = codeOn(market, symbol, day);
    if (code === undefined || (to !== null && day > to)) continue;
    if (wanted !== null && !wanted.includes(code) && !wanted.includes(symbol)) continue;
    if (!isSession(market.calendar, day)) {
      remarks.push(`${symbol} on ${day}: left out, the calendar has no session on that day`);
      continue;
    }
    const other = [market.tickSizeOf(symbol), market.lotSizeOf(symbol)];
    if (Number(tickSize) !== Number(other[0]) || Number(lotSize) !== Number(other[1])) {
      const steps = `counts in ticks of ${tickSize} and lots of ${lotSize}, the market in ${other.join(' and ')}`;
      remarks.push(`${symbol} on ${day}: left out, ${source.path} ${steps}`);
      continue;
    }
    const key = `${day} ${code}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...source, code });
    else if (known.digest !== source.digest)
      remarks.push(`${code} on ${day}: ${source.path} is left out, ${known.path} has that day too`);
  }
  const all = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, source]) => source);
  const days = new Set(all.filter(({ day }) => from === null || day >= from).map(({ day }) => day));
  return { all, days: [...days], remarks };
}

const tickDays = (dir: string): readonly FoundDay[] =>
  openCatalogue(dir).map(({ symbol, day, path, rows, meta }) => ({
    symbol,
    day,
    path,
    rows,
    digest: meta.digest,
    tickSize: meta.tickSize,
    lotSize: meta.lotSize,
    bars: null,
    missed: meta.gaps.filter(({ kind }) => kind === 'missed').length,
  }));

/** One name for a contract whatever form its code has. */
function plainCode(symbol: string): string {
  const month = contractMonthOf(symbol);
  return month === undefined ? symbol : legacyCode(month);
}

/** What a symbol of the data means on a day: a series of the front month is another contract each month. */
function codeOn(market: BacktestMarket, symbol: string, day: TradingDay): string | undefined {
  if (market.specOf(symbol) === undefined) return undefined;
  const family = familyOf(symbol);
  const place = family === undefined ? undefined : PLACES[symbol.slice(family.length)];
  if (market.kind === 'own' || place === undefined || family === undefined) return plainCode(symbol);
  const month = listedMonths(market.calendar, family, day)[place];
  return month === undefined ? undefined : legacyCode(month);
}

export function digestOf(sources: readonly SourceDay[], more: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(more));
  for (const { code, day, digest } of sources) hash.update(`${code} ${day} ${digest}\n`);
  return hash.digest('hex');
}
