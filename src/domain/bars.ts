import {
  nextPhaseChange,
  phaseAt,
  type SessionPhase,
  type TradingCalendar,
  tradingDayAt,
} from './calendar.ts';
import { momentOf, timeOfDayUs } from './civil-date.ts';
import { type DurationUs, tsUs, type TsUs } from './units.ts';

/** Size of a bar. A trade is never split: it belongs whole to the bar that it fills. */
export type BarSpec =
  | { readonly every: DurationUs }
  | { readonly everyTicks: number }
  | { readonly everyVolume: number };

export interface BarBounds {
  readonly startUs: TsUs;
  readonly endUs: TsUs;
  /** End of the stretch of the day in which the bar lies; bars with the same one belong to the same session. */
  readonly sessionEndUs: TsUs;
  readonly phase: SessionPhase;
}

/** The bar that holds `at`, on a grid from local midnight, within its phase and day. Without `every`: from `at` to the phase's end. */
export function barBounds(calendar: TradingCalendar, at: TsUs, every: DurationUs | null): BarBounds {
  const time = timeOfDayUs(at, calendar.utcOffsetMinutes);
  const sessionEndUs = nextPhaseChange(calendar, at);
  const phase = phaseOfTrade(calendar, at, time);
  if (every === null) return { startUs: at, endUs: sessionEndUs, sessionEndUs, phase };
  const midnight = momentOf(tradingDayAt(calendar, at), 0, calendar.utcOffsetMinutes);
  const gridStart = midnight + Math.floor(time / every) * every;
  const sessionStart = midnight + lastChangeBefore(calendar, time);
  return {
    startUs: tsUs(Math.max(gridStart, sessionStart)),
    endUs: tsUs(Math.min(gridStart + every, sessionEndUs)),
    sessionEndUs,
    phase,
  };
}

/** A trade of a closed market is the result of the auction that ended: the closing price is printed at or after its end. */
function phaseOfTrade(calendar: TradingCalendar, at: TsUs, time: number): SessionPhase {
  const phase = phaseAt(calendar, at);
  if (phase !== 'closed') return phase;
  const last = calendar.phases.findLast((span) => span.toUs <= time);
  return last?.phase === 'closing_auction' ? 'closing_auction' : 'closed';
}

/** Local time of the latest change of phase at or before `time`. */
function lastChangeBefore(calendar: TradingCalendar, time: number): number {
  let last = 0;
  for (const span of calendar.phases) {
    if (span.fromUs <= time && span.fromUs > last) last = span.fromUs;
    if (span.toUs <= time && span.toUs > last) last = span.toUs;
  }
  return last;
}
