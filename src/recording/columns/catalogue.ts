/** What there is in a data directory. The files speak for themselves: there is no list beside them that could be wrong. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { ARCHIVE } from './tick-archive.ts';
import { readTickMeta } from './tick-file.ts';
import type { TickGap, TickMeta } from './tick-meta.ts';

export interface CatalogueDay {
  readonly symbol: string;
  readonly day: TradingDay;
  /** For `readColumns`: the columns, or the archive where there are none. */
  readonly path: string;
  /** Null where nobody made one. */
  readonly archive: string | null;
  readonly rows: number;
  readonly gaps: readonly TickGap[];
  readonly meta: TickMeta;
}

const COLUMNS = '.arrow';

const dayPath = (dir: string, symbol: string, day: TradingDay, kind: string): string =>
  join(dir, 'ticks', symbol, `${day}${kind}`);

export const ticksPath = (dir: string, symbol: string, day: TradingDay): string =>
  dayPath(dir, symbol, day, COLUMNS);

export const archivePath = (dir: string, symbol: string, day: TradingDay): string =>
  dayPath(dir, symbol, day, ARCHIVE);

/** The days in `dir`, by symbol and then by date. */
export function openCatalogue(dir: string): readonly CatalogueDay[] {
  const ticks = join(dir, 'ticks');
  return namesIn(ticks).flatMap((symbol) =>
    [...new Set(namesIn(join(ticks, symbol)).map(dayOf))]
      .filter((day) => day !== undefined)
      .map((day) => catalogueDay(dir, symbol, day)),
  );
}

/** Undefined for a file that is not ours. */
function dayOf(name: string): TradingDay | undefined {
  const kind = [COLUMNS, ARCHIVE].find((end) => name.endsWith(end));
  const day = kind === undefined ? '' : name.slice(0, -kind.length);
  return isTradingDay(day) ? tradingDay(day) : undefined;
}

function catalogueDay(dir: string, symbol: string, day: TradingDay): CatalogueDay {
  const columns = ticksPath(dir, symbol, day);
  const packed = archivePath(dir, symbol, day);
  const archive = existsSync(packed) ? packed : null;
  const path = archive !== null && !existsSync(columns) ? archive : columns;
  const meta = readTickMeta(path);
  return { symbol, day, path, archive, rows: meta.rows, gaps: meta.gaps, meta };
}

const namesIn = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir).toSorted() : []);
