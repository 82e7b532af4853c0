/** The files of a data directory. Each describes itself, so that no separate list can be wrong. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { readTickMeta } from './tick-file.ts';

const COLUMNS = '.arrow';

export const ticksPath = (dir: string, symbol: string, day: TradingDay): string =>
  join(dir, 'ticks', symbol, `${day}${COLUMNS}`);

/** The days in `dir`, by symbol and then by date, without reading their files. Files that are not ours are left out. */
export const dayFiles = (dir: string) =>
  namesIn(dir, 'ticks').flatMap((symbol) =>
    namesIn(dir, 'ticks', symbol).flatMap((name) => {
      const day = name.endsWith(COLUMNS) ? name.slice(0, -COLUMNS.length) : '';
      return isTradingDay(day)
        ? [{ symbol, day: tradingDay(day), path: join(dir, 'ticks', symbol, name) }]
        : [];
    }),
  );

/** The days in `dir`, by symbol and then by date. */
export const openCatalogue = (dir: string) =>
  dayFiles(dir).map((file) => ({ ...file, meta: readTickMeta(file.path) }));

export type BarFile = ReturnType<typeof barFiles>[number];

const YEAR_FILE = /^(\d{4})\.arrow$/;

/** `length` is `1m`, `5m`, `1d`. */
export const barFiles = (dir: string) =>
  namesIn(dir, 'bars').flatMap((symbol) =>
    namesIn(dir, 'bars', symbol).flatMap((length) =>
      namesIn(dir, 'bars', symbol, length).flatMap((name) => {
        const year = YEAR_FILE.exec(name)?.[1];
        return year === undefined
          ? []
          : [{ symbol, length, year, path: join(dir, 'bars', symbol, length, name) }];
      }),
    ),
  );

/** In a folder that may not be there. */
function namesIn(...path: string[]): readonly string[] {
  const dir = join(...path);
  return existsSync(dir) ? readdirSync(dir).toSorted() : [];
}
