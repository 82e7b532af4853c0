/** What there is in a data directory. The files speak for themselves: there is no list beside them that could be wrong. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { readTickMeta } from './tick-file.ts';
import type { TickGap, TickMeta } from './tick-meta.ts';

export interface CatalogueDay {
  readonly symbol: string;
  readonly day: TradingDay;
  /** For `readColumns`. */
  readonly path: string;
  readonly rows: number;
  readonly gaps: readonly TickGap[];
  readonly meta: TickMeta;
}

export const ticksPath = (dir: string, symbol: string, day: TradingDay): string =>
  join(dir, 'ticks', symbol, `${day}${COLUMNS}`);

const COLUMNS = '.arrow';

/** The days in `dir`, by symbol and then by date. */
export function openCatalogue(dir: string): readonly CatalogueDay[] {
  const ticks = join(dir, 'ticks');
  return namesIn(ticks).flatMap((symbol) =>
    namesIn(join(ticks, symbol))
      .filter((name) => name.endsWith(COLUMNS) && isTradingDay(name.slice(0, -COLUMNS.length)))
      .map((name) => catalogueDay(dir, symbol, tradingDay(name.slice(0, -COLUMNS.length)))),
  );
}

function catalogueDay(dir: string, symbol: string, day: TradingDay): CatalogueDay {
  const path = ticksPath(dir, symbol, day);
  const meta = readTickMeta(path);
  return { symbol, day, path, rows: meta.rows, gaps: meta.gaps, meta };
}

const namesIn = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir).toSorted() : []);
