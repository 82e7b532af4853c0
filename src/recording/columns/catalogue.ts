/** The files of a data directory. Each describes itself, so that no separate list can be wrong. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isTradingDay, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { type TickMeta, readTickMeta } from './tick-file.ts';

interface DayFile {
  readonly symbol: string;
  readonly day: TradingDay;
  readonly path: string;
}

interface CatalogueDay extends DayFile {
  readonly meta: TickMeta;
}

const COLUMNS = '.arrow';

export const ticksPath = (dir: string, symbol: string, day: TradingDay): string =>
  join(dir, 'ticks', symbol, `${day}${COLUMNS}`);

/** The days in `dir`, by symbol and then by date, without reading their files. */
export function dayFiles(dir: string): readonly DayFile[] {
  const ticks = join(dir, 'ticks');
  return namesIn(ticks).flatMap((symbol) =>
    namesIn(join(ticks, symbol))
      .flatMap((name) => dayOf(name) ?? [])
      .map((day) => ({ symbol, day, path: ticksPath(dir, symbol, day) })),
  );
}

/** The days in `dir`, by symbol and then by date. */
export const openCatalogue = (dir: string): readonly CatalogueDay[] =>
  dayFiles(dir).map((file) => ({ ...file, meta: readTickMeta(file.path) }));

/** Undefined for a file that is not ours. */
function dayOf(name: string): TradingDay | undefined {
  const day = name.endsWith(COLUMNS) ? name.slice(0, -COLUMNS.length) : '';
  return isTradingDay(day) ? tradingDay(day) : undefined;
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
