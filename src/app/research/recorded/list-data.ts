/** What there is in a data directory, for people and programs. */
import { barFiles } from '../../../recording/bars/bar-catalogue.ts';
import { readBarMeta } from '../../../recording/bars/bar-file.ts';
import { openCatalogue } from '../../../recording/columns/catalogue.ts';
import type { TickGap } from '../../../recording/columns/tick-meta.ts';
import { statSync } from 'node:fs';

export interface TickListing {
  readonly symbol: string;
  readonly day: string;
  readonly rows: number;
  readonly trades: number;
  readonly volume: number;
  /** Levels of the book a side. */
  readonly depth: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly utcOffsetMinutes: number;
  readonly gaps: readonly TickGap[];
  readonly badRows: number;
  readonly bytes: number;
  /** Of the archive; null where nobody made one. */
  readonly archiveBytes: number | null;
  readonly source: string;
  readonly path: string;
}

export interface BarListing {
  readonly symbol: string;
  readonly length: string;
  readonly year: string;
  readonly rows: number;
  readonly volume: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly badRows: number;
  readonly bytes: number;
  readonly source: string;
  readonly path: string;
}

export interface DataListing {
  readonly ticks: readonly TickListing[];
  readonly bars: readonly BarListing[];
}

/** `symbol` null: all of them. */
export function listData(dir: string, symbol: string | null): DataListing {
  const isWanted = (file: { readonly symbol: string }): boolean => symbol === null || file.symbol === symbol;
  return {
    ticks: openCatalogue(dir)
      .filter(isWanted)
      .map(({ path, archive, meta }) => ({
        symbol: meta.symbol,
        day: meta.day,
        rows: meta.rows,
        trades: meta.trades,
        volume: meta.volume,
        depth: meta.depth,
        firstUs: meta.firstUs,
        lastUs: meta.lastUs,
        utcOffsetMinutes: meta.utcOffsetMinutes,
        gaps: meta.gaps,
        badRows: meta.badRows,
        bytes: statSync(path).size,
        archiveBytes: archive === null ? null : statSync(archive).size,
        source: meta.source,
        path,
      })),
    bars: barFiles(dir)
      .filter(isWanted)
      .map((file) => {
        const { rows, volume, firstUs, lastUs, badRows, source } = readBarMeta(file.path);
        return { ...file, rows, volume, firstUs, lastUs, badRows, source, bytes: statSync(file.path).size };
      }),
  };
}
