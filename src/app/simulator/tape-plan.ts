/** When market time starts for a recorded day: early enough that the daemon is listening before the first print. */
import { basename } from 'node:path';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { isTradingDay, momentOf, type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import { type TsUs, tsUs, US_PER_SECOND } from '../../domain/units.ts';

/** Real seconds between start and the first continuous phase. */
const LEAD_SECONDS = 8;

export interface TapeMoments {
  readonly day: TradingDay;
  readonly startUs: TsUs;
  readonly endUs: TsUs;
}

export function tapeMoments(path: string, calendar: TradingCalendar, speed: number): TapeMoments {
  const dayText = basename(path).slice(0, 10);
  if (!isTradingDay(dayText)) {
    throw new Error(
      `tape ${path}: expected a name like 2026-03-04_vn30f2603.csv.gz that starts with the trading day`,
    );
  }
  const day = tradingDay(dayText);
  const opening = calendar.phases[0];
  const continuous = calendar.phases.find(({ phase }) => phase === 'continuous') ?? opening;
  const closing = calendar.phases.at(-1);
  if (opening === undefined || continuous === undefined || closing === undefined) {
    throw new Error(`calendar ${calendar.name}: expected phases, was empty`);
  }
  const at = (timeUs: number): TsUs => momentOf(day, timeUs, calendar.utcOffsetMinutes);
  const lead = LEAD_SECONDS * speed * US_PER_SECOND;
  return {
    day,
    startUs: tsUs(Math.max(at(opening.fromUs), Math.round(at(continuous.fromUs) - lead))),
    endUs: at(closing.toUs),
  };
}
