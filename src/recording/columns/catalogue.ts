/** The files of a data directory. Each describes itself, so that no list beside them can be wrong. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../domain/assert.ts';
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { ARCHIVE } from './tick-archive.ts';
import type { TickGap, TickMeta } from './tick-columns.ts';
import { readTickMeta } from './tick-file.ts';

export interface CatalogueDay {
  readonly symbol: string;
  readonly day: TradingDay;
  /** For `readColumns`: the columns, or the archive where there are none. */
  readonly path: string;
  /** Null where there is none. */
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

/** Where the ticks of a day are; at least one of the two is there. */
export interface DayFiles {
  readonly symbol: string;
  readonly day: TradingDay;
  readonly columns: string | null;
  readonly archive: string | null;
}

/** The days in `dir`, by symbol and then by date, without a look into their files. */
export function dayFiles(dir: string): readonly DayFiles[] {
  const ticks = join(dir, 'ticks');
  return namesIn(ticks).flatMap((symbol) =>
    [...new Set(namesIn(join(ticks, symbol)).map(dayOf))]
      .filter((day) => day !== undefined)
      .map((day) => {
        const columns = ticksPath(dir, symbol, day);
        const archive = archivePath(dir, symbol, day);
        return {
          symbol,
          day,
          columns: existsSync(columns) ? columns : null,
          archive: existsSync(archive) ? archive : null,
        };
      }),
  );
}

/** The days in `dir`, by symbol and then by date. */
export const openCatalogue = (dir: string): readonly CatalogueDay[] => dayFiles(dir).map(catalogueDay);

/** Undefined for a file that is not ours. */
function dayOf(name: string): TradingDay | undefined {
  const kind = [COLUMNS, ARCHIVE].find((end) => name.endsWith(end));
  const day = kind === undefined ? '' : name.slice(0, -kind.length);
  return isTradingDay(day) ? tradingDay(day) : undefined;
}

function catalogueDay({ symbol, day, columns, archive }: DayFiles): CatalogueDay {
  const path = columns ?? archive;
  assert(path !== null, 'a day of the catalogue has a file');
  const meta = readTickMeta(path);
  return { symbol, day, path, archive, rows: meta.rows, gaps: meta.gaps, meta };
}

/** In a folder that may not be there. */
const namesIn = (dir: string): readonly string[] => (existsSync(dir) ? readdirSync(dir).toSorted() : []);

export interface BarFile {
  readonly symbol: string;
  /** `1m`, `5m`, `1d`. */
  readonly length: string;
  readonly year: string;
  readonly path: string;
}

const YEAR_FILE = /^(\d{4})\.arrow$/;

/** The files of bars, by symbol, length and year. */
export function barFiles(dir: string): readonly BarFile[] {
  const bars = join(dir, 'bars');
  return namesIn(bars).flatMap((symbol) =>
    namesIn(join(bars, symbol)).flatMap((length) =>
      namesIn(join(bars, symbol, length)).flatMap((name) => {
        const year = YEAR_FILE.exec(name)?.[1];
        return year === undefined ? [] : [{ symbol, length, year, path: join(bars, symbol, length, name) }];
      }),
    ),
  );
}
