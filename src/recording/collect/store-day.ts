/** Writes the ticks of a day into the data directory, beside nothing and over nothing that it would lose. */
import { existsSync, rmSync } from 'node:fs';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../domain/civil-date.ts';
import { US_PER_DAY, US_PER_MS, US_PER_SECOND, type DurationUs } from '../../domain/units.ts';
import { archivePath, ticksPath } from '../columns/catalogue.ts';
import { writeArchive } from '../columns/tick-archive.ts';
import { readParts, readTickMeta, writeColumns } from '../columns/tick-file.ts';
import type { TickRows } from '../columns/tick-columns.ts';
import type { TickGap, TickMeta } from '../columns/tick-meta.ts';
import { Silences } from '../import/silences.ts';
import type { DayTicks } from './day-ticks.ts';
import { keepStored, type StoreOutcome, Unwanted } from './keep-stored.ts';

export interface StoreOptions {
  readonly dir: string;
  readonly tickSize: string;
  readonly lotSize: string;
  readonly zone: { offsetAtMoment(us: number): number };
  readonly calendar: TradingCalendar | null;
  readonly silence: DurationUs;
  readonly replace: boolean;
  readonly archive: boolean;
}

export interface TickOrigin {
  readonly source: string;
  readonly badRows: number;
  readonly sides: TickMeta['sides'];
  /** Gaps the source itself tells of. */
  readonly gaps?: readonly TickGap[];
}

export interface StoredDay {
  readonly symbol: string;
  readonly day: TradingDay;
  readonly path: string;
  readonly outcome: StoreOutcome;
  readonly meta: TickMeta;
}

export function storeDay(ticks: DayTicks, options: StoreOptions, origin: TickOrigin): StoredDay {
  const { symbol, day, depth } = ticks;
  const path = ticksPath(options.dir, symbol, day);
  const before = metaAt(path);
  const packed = metaAt(archivePath(options.dir, symbol, day));
  const silences = new Silences(options.calendar, day, options.silence);
  const stamps = new StampUnit();
  const noon = momentOf(day, US_PER_DAY / 2, 0);
  const watched = function* (): Generator<TickRows> {
    for (const part of ticks.inOrder()) {
      silences.add(part);
      stamps.add(part);
      yield part;
    }
  };
  try {
    const meta = writeColumns(path, depth, watched(), (totals) => {
      const written: TickMeta = {
        kind: 'ticks',
        version: 1,
        symbol,
        day,
        tickSize: options.tickSize,
        lotSize: options.lotSize,
        utcOffsetMinutes: options.zone.offsetAtMoment(noon),
        stampUs: stamps.unit,
        sides: origin.sides,
        depth,
        gaps: [...(origin.gaps ?? []), ...silences.gaps()].toSorted((a, b) => a.fromUs - b.fromUs),
        badRows: origin.badRows,
        source: origin.source,
        ...totals,
      };
      keepStored(before ?? otherThan(packed, written), written, options.replace);
      return written;
    });
    return archived(
      { symbol, day, path, outcome: before === undefined ? 'written' : 'replaced', meta },
      options,
    );
  } catch (error) {
    const kept = before ?? packed;
    if (!(error instanceof Unwanted) || kept === undefined) throw error;
    return archived({ symbol, day, path, outcome: error.outcome, meta: kept }, options);
  }
}

const metaAt = (path: string): TickMeta | undefined => (existsSync(path) ? readTickMeta(path) : undefined);

/** An archive of the same ticks is no reason not to have them as columns too. */
const otherThan = (packed: TickMeta | undefined, now: TickMeta): TickMeta | undefined =>
  packed?.digest === now.digest ? undefined : packed;

/** Brings the archive beside the columns up to date. */
function archived(stored: StoredDay, options: StoreOptions): StoredDay {
  const { symbol, day, path, outcome, meta } = stored;
  const packed = archivePath(options.dir, symbol, day);
  if (outcome === 'kept' || metaAt(packed)?.digest === meta.digest) return stored;
  if (options.archive) writeArchive(packed, meta, readParts(path));
  else rmSync(packed, { force: true });
  return stored;
}

/** The coarsest unit that all stamps are whole multiples of. */
class StampUnit {
  unit: number = US_PER_SECOND;

  add({ rows, tsUs }: TickRows): void {
    let before = 0;
    for (let i = 0; i < rows && this.unit > 1; i += 1) {
      const at = tsUs[i] ?? 0;
      if (at === before) continue;
      before = at;
      while (at % this.unit !== 0) this.unit = this.unit === US_PER_SECOND ? US_PER_MS : 1;
    }
  }
}
