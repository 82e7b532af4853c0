/** The files of bars in a data directory, as they lie there. */
import { join } from 'node:path';
import { namesIn } from '../columns/catalogue.ts';

export interface BarFile {
  readonly symbol: string;
  /** `1m`, `5m`, `1d`. */
  readonly length: string;
  readonly year: string;
  readonly path: string;
}

const YEAR_FILE = /^(\d{4})\.arrow$/;

/** By symbol, length and year. */
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
