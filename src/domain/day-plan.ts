/** Moments of a trading day, as pure functions of calendar and contract. */
import { isSession, type PhaseSpan, phaseAt, sessionOnOrBefore, type TradingCalendar } from './calendar.ts';
import { momentOf, type TradingDay } from './civil-date.ts';
import type { Contract } from './contract.ts';
import { addUs, type DurationUs, minutes, type TsUs, tsUs, US_PER_SECOND } from './units.ts';

function momentsOf(
  calendar: TradingCalendar,
  day: TradingDay,
  pick: (span: PhaseSpan) => number | undefined,
): readonly TsUs[] {
  if (!isSession(calendar, day)) return [];
  const moments: TsUs[] = [];
  for (const span of calendar.phases) {
    const at = pick(span);
    if (at !== undefined) moments.push(momentOf(day, at, calendar.utcOffsetMinutes));
  }
  return moments;
}

/** End of the day's last continuous trading: after it nothing can be closed at will. */
export const continuousEnd = (calendar: TradingCalendar, day: TradingDay): TsUs | undefined =>
  momentsOf(calendar, day, ({ phase, toUs }) => (phase === 'continuous' ? toUs : undefined)).at(-1);

/** The day's last moment of trading of any kind. */
export const dayClose = (calendar: TradingCalendar, day: TradingDay): TsUs | undefined =>
  momentsOf(calendar, day, ({ toUs }) => toUs).at(-1);

export const auctionStarts = (calendar: TradingCalendar, day: TradingDay): readonly TsUs[] =>
  momentsOf(calendar, day, ({ phase, fromUs }) => (phase.endsWith('_auction') ? fromUs : undefined));

/**
 * Start of the closing of positions that do not stay overnight; undefined where they are not closed, on a day without a session, and where
 * trading goes on through midnight: there is no night then.
 */
export function flatFrom(
  calendar: TradingCalendar,
  day: TradingDay,
  before: DurationUs | null,
): TsUs | undefined {
  const end = continuousEnd(calendar, day);
  if (before === null || end === undefined || phaseAt(calendar, end) === 'continuous') return undefined;
  return addUs(end, 0 - before);
}

/** The contract's last session: its last trading day, or the session before where the calendar closes that day. */
export const lastSession = (calendar: TradingCalendar, contract: Contract): TradingDay =>
  sessionOnOrBefore(calendar, contract.expiry);

/** Start of the closing of a position in the contract before it expires; undefined where it is not closed, and on any other day than its last. */
export function expiryFlatFrom(
  calendar: TradingCalendar,
  contract: Contract,
  day: TradingDay,
  before: DurationUs | null,
): TsUs | undefined {
  if (before === null || lastSession(calendar, contract) !== day) return undefined;
  const end = continuousEnd(calendar, day);
  return end === undefined ? undefined : addUs(end, 0 - before);
}

/** The print of a closing auction comes after it; bars of an hour and less that hold it end this long after the close. */
export const CLOSING_BARS = minutes(15);

/** From when on no strategy follows the contract: it has been traded for the last time, and its last bars are over. */
export function rollsFrom(calendar: TradingCalendar, contract: Contract): TsUs {
  const close = dayClose(calendar, lastSession(calendar, contract));
  return close === undefined ? tsUs(0) : addUs(close, CLOSING_BARS + US_PER_SECOND);
}
