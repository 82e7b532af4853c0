/** Trading hours of a contract, where the markets of a run have hours and zones of their own. */
import {
  neverCloses,
  nextPhaseChange,
  phaseAt,
  type SessionPhase,
  type TradingCalendar,
} from '../../../domain/calendar.ts';
import { type TsUs, tsUs } from '../../../domain/units.ts';
import { tableOf, type TickRows, ticksOf } from '../../../recording/columns/tick-columns.ts';
import type { TimeZone } from '../../../text/time-zone.ts';
import { ROWS_PER_BAR } from '../../../venue/exchange/bar-exchange.ts';

/** `calendar` at the offset that the clocks of `zone` show. */
export interface MarketHours {
  readonly calendar: TradingCalendar;
  readonly zone: TimeZone;
}

const isStandstill = (phase: SessionPhase): boolean => phase === 'closed' || phase === 'break';

const calendarAt = ({ calendar, zone }: MarketHours, atUs: number): TradingCalendar => ({
  ...calendar,
  utcOffsetMinutes: zone.offsetAtMoment(atUs),
});

/** When the session ends that goes on at this moment; see `sessionEnd`. */
export const ownSessionEnd = (hours: MarketHours, startUs: number): number =>
  sessionEnd(calendarAt(hours, startUs), tsUs(startUs));

/** Rows in the hours of their market; a bar counts where it begins. Rows of a market that never closes are all in them. */
export function inHours(rows: TickRows, hours: MarketHours): TickRows {
  if (neverCloses(hours.calendar) || rows.rows === 0) return rows;
  const calendar = calendarAt(hours, rows.tsUs[0] ?? 0);
  const width = rows.bars === null ? 1 : ROWS_PER_BAR;
  const isKept = (row: number): boolean =>
    !isStandstill(phaseAt(calendar, tsUs(rows.tsUs[row - (row % width)] ?? 0)));
  const kept = Uint8Array.from(rows.tsUs, (_at, row) => Number(isKept(row)));
  const count = kept.reduce((sum, each) => sum + each, 0);
  if (count === rows.rows) return rows;
  const columns = tableOf(rows).columns.map((column) => column.filter((_value, row) => kept[row] === 1));
  const { bars, isQuotes, orders } = rows;
  const volume = bars?.volume.filter((_value, bar) => kept[bar * width] === 1);
  return {
    ...ticksOf({ rows: count, columns }, { isQuotes, isByOrder: orders !== null }),
    bars: bars === null || volume === undefined ? null : { everyUs: bars.everyUs, volume },
  };
}

/**
 * Where trading stops next after the beginning of a bar: the break or the close, not an auction, whose price may be in the bar.
 * Infinite where it never stops, and while it stands still.
 */
export function sessionEnd(calendar: TradingCalendar, startUs: TsUs): number {
  const stands = (at: TsUs): boolean => isStandstill(phaseAt(calendar, at));
  if (neverCloses(calendar) || stands(startUs)) return Infinity;
  let endUs = nextPhaseChange(calendar, startUs);
  for (let step = 0; !stands(endUs); step += 1) {
    if (step > 2 * calendar.phases.length) return Infinity;
    endUs = nextPhaseChange(calendar, endUs);
  }
  return endUs;
}
