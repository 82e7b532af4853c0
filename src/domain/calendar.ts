/** Trading hours as data (market rules, 3 and 8). The phase is a pure function of time and calendar, the same in every world. */
import { assert } from './assert.ts';
import {
  addDays,
  dayAt,
  dayNumber,
  momentOf,
  timeOfDayUs,
  type TradingDay,
  tradingDay,
  type Weekday,
  weekdayOf,
} from './civil-date.ts';
import { addUs, type DurationUs, minutes, type TsUs, tsUs, US_PER_DAY, US_PER_SECOND } from './units.ts';
import type { Contract } from './contract.ts';

export type SessionPhase = 'closed' | 'opening_auction' | 'continuous' | 'break' | 'closing_auction';

export const isAuction = (phase: SessionPhase): boolean =>
  phase === 'opening_auction' || phase === 'closing_auction';

export const isStandstill = (phase: SessionPhase): boolean => phase === 'closed' || phase === 'break';

/** One stretch of a trading day; `fromUs` and `toUs` count from local midnight, `toUs` is not part of it. */
export interface PhaseSpan {
  readonly phase: Exclude<SessionPhase, 'closed'>;
  readonly fromUs: number;
  readonly toUs: number;
}

export interface TradingCalendar {
  readonly name: string;
  /** IANA zone, for people to read (`Asia/Ho_Chi_Minh`); the arithmetic uses `utcOffsetMinutes` alone. */
  readonly timeZone: string;
  readonly utcOffsetMinutes: number;
  readonly weekdays: readonly Weekday[];
  /** Sorted by time, without overlap. */
  readonly phases: readonly PhaseSpan[];
  readonly closures: ReadonlySet<TradingDay>;
  /** First and last day the closures are known for; past `validTo` nothing is entered (rulings, 5). */
  readonly validFrom: TradingDay;
  readonly validTo: TradingDay;
}

/** The days that a calendar knows: a newer file of closures replaces them. */
export type CalendarCoverage = Pick<TradingCalendar, 'validFrom' | 'validTo'> & {
  /** Ascending. */
  readonly closures: readonly TradingDay[];
};

export const coverageOf = ({ closures, validFrom, validTo }: TradingCalendar): CalendarCoverage => ({
  closures: [...closures].toSorted(),
  validFrom,
  validTo,
});

/** A calendar whose known days may be replaced: its holders follow. */
export class ReplaceableCalendar implements TradingCalendar {
  readonly name: string;
  readonly timeZone: string;
  readonly utcOffsetMinutes: number;
  readonly weekdays: readonly Weekday[];
  readonly phases: readonly PhaseSpan[];
  closures: ReadonlySet<TradingDay>;
  validFrom: TradingDay;
  validTo: TradingDay;
  #copy: TradingCalendar;

  constructor(calendar: TradingCalendar) {
    this.name = calendar.name;
    this.timeZone = calendar.timeZone;
    this.utcOffsetMinutes = calendar.utcOffsetMinutes;
    this.weekdays = calendar.weekdays;
    this.phases = calendar.phases;
    this.closures = calendar.closures;
    this.validFrom = calendar.validFrom;
    this.validTo = calendar.validTo;
    this.#copy = { ...calendar };
  }

  /** As it is now; it stays so. */
  get copy(): TradingCalendar {
    return this.#copy;
  }

  /** False where nothing differs. */
  replace(known: CalendarCoverage): boolean {
    const { closures, validFrom, validTo } = known;
    if (JSON.stringify(coverageOf(this)) === JSON.stringify({ closures, validFrom, validTo })) return false;
    this.closures = new Set(closures);
    this.validFrom = validFrom;
    this.validTo = validTo;
    this.#copy = { ...this.#copy, closures: this.closures, validFrom, validTo };
    return true;
  }
}

/** Days from `day` to the last one that the calendar knows; below zero once that is over. */
export const coverageDaysLeft = ({ validTo }: Pick<TradingCalendar, 'validTo'>, day: TradingDay): number =>
  dayNumber(validTo) - dayNumber(day);

/** A weekday after the last known day counts as a session, so that positions can be closed; entries are denied (rulings, 5). */
export function isSession(calendar: TradingCalendar, day: TradingDay): boolean {
  return calendar.weekdays.includes(weekdayOf(day)) && !calendar.closures.has(day);
}

export const tradingDayAt = (calendar: TradingCalendar, at: TsUs): TradingDay =>
  dayAt(at, calendar.utcOffsetMinutes);

export function phaseAt(calendar: TradingCalendar, at: TsUs): SessionPhase {
  if (!isSession(calendar, tradingDayAt(calendar, at))) return 'closed';
  const time = timeOfDayUs(at, calendar.utcOffsetMinutes);
  const span = calendar.phases.find(({ toUs }) => time < toUs);
  if (span === undefined) return 'closed';
  if (time >= span.fromUs) return span.phase;
  // Between two phases the day is not over: its orders live on, as in a break that the calendar names.
  return span === calendar.phases[0] ? 'closed' : 'break';
}

/** The broker's midnight may come later than ours. A clock that is further off is at fault, and entries wait (rulings, 28). */
const DAY_SKEW_MAX = minutes(1);

/** From when on the broker too has begun this day: where trading goes on at midnight, its numbers, money and prices change under way. */
export function surelyBegunUs(calendar: TradingCalendar, day: TradingDay): TsUs {
  const began = momentOf(day, 0, calendar.utcOffsetMinutes);
  const isMidnightTraded = [began, tsUs(began - 1)].every((at) => phaseAt(calendar, at) !== 'closed');
  return isMidnightTraded ? tsUs(began + DAY_SKEW_MAX) : began;
}

/** The next moment after `at` at which the phase may change, or the trading day does. */
export function nextPhaseChange(calendar: TradingCalendar, at: TsUs): TsUs {
  const day = tradingDayAt(calendar, at);
  const time = timeOfDayUs(at, calendar.utcOffsetMinutes);
  let next = US_PER_DAY;
  for (const span of calendar.phases) {
    if (span.fromUs > time && span.fromUs < next) next = span.fromUs;
    if (span.toUs > time && span.toUs < next) next = span.toUs;
  }
  return momentOf(day, next, calendar.utcOffsetMinutes);
}

const DAYS_SEARCHED_MAX = 60;

export function sessionOnOrBefore(calendar: TradingCalendar, day: TradingDay): TradingDay {
  for (let back = 0; back <= DAYS_SEARCHED_MAX; back += 1) {
    const candidate = addDays(day, -back);
    if (isSession(calendar, candidate)) return candidate;
  }
  throw new Error(`no session within ${DAYS_SEARCHED_MAX} days before ${day} in calendar ${calendar.name}`);
}

export function sessionAfter(calendar: TradingCalendar, day: TradingDay): TradingDay {
  for (let ahead = 1; ahead <= DAYS_SEARCHED_MAX; ahead += 1) {
    const candidate = addDays(day, ahead);
    if (isSession(calendar, candidate)) return candidate;
  }
  throw new Error(`no session within ${DAYS_SEARCHED_MAX} days after ${day} in calendar ${calendar.name}`);
}

export function assertCalendar(calendar: TradingCalendar): void {
  let previousEnd = 0;
  for (const span of calendar.phases) {
    assert(span.fromUs >= previousEnd && span.toUs > span.fromUs, 'phases are sorted and do not overlap');
    previousEnd = span.toUs;
  }
  assert(previousEnd <= US_PER_DAY, 'phases end within the day');
}

const EVERY_DAY: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6];

/** Trading goes on over midnight, every day. */
export const neverCloses = ({ weekdays, phases, closures }: TradingCalendar): boolean =>
  weekdays.length === EVERY_DAY.length &&
  closures.size === 0 &&
  phases.length === 1 &&
  phases.every(({ fromUs, toUs }) => fromUs === 0 && toUs === US_PER_DAY);

/** The same zone with one continuous session from midnight to midnight, every day: for the simulator at any hour. */
export const alwaysOpen = (calendar: TradingCalendar): TradingCalendar => ({
  ...calendar,
  name: 'always-open',
  weekdays: EVERY_DAY,
  phases: [{ phase: 'continuous', fromUs: 0, toUs: US_PER_DAY }],
  closures: new Set(),
  validTo: tradingDay('9999-12-31'),
});

// Moments of a trading day, as pure functions of calendar and contract.

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

/** End of the day's last continuous trading: after it nothing can be closed at will. With auctions alone, the start of the last one. */
export const continuousEnd = (calendar: TradingCalendar, day: TradingDay): TsUs | undefined =>
  momentsOf(calendar, day, ({ phase, toUs }) => (phase === 'continuous' ? toUs : undefined)).at(-1) ??
  auctionStarts(calendar, day).at(-1);

/** The day's last moment of trading of any kind. */
export const dayClose = (calendar: TradingCalendar, day: TradingDay): TsUs | undefined =>
  momentsOf(calendar, day, ({ toUs }) => toUs).at(-1);

export const auctionStarts = (calendar: TradingCalendar, day: TradingDay): readonly TsUs[] =>
  momentsOf(calendar, day, ({ phase, fromUs }) => (phase.endsWith('_auction') ? fromUs : undefined));

/** An auction trades everything at once: for this long book, positions and money of the broker may show it one after the other. */
const AUCTION_SETTLES = minutes(1);

export const isAuctionSettling = (calendar: TradingCalendar, at: TsUs): boolean =>
  momentsOf(calendar, tradingDayAt(calendar, at), ({ phase, toUs }) =>
    isAuction(phase) ? toUs : undefined,
  ).some((end) => at >= end && at < end + AUCTION_SETTLES);

/** When positions that do not stay overnight begin to be closed; undefined where none are, without a session, and where no night comes. */
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

/** The broker has reported the fills of the day's last auction, and the ends of its orders, this long after the close. */
export const CLOSE_REPORTED_AFTER = minutes(5);

/** The print of a closing auction comes after it; bars of an hour and less that hold it end this long after the close. */
export const CLOSING_BARS = minutes(15);

/** From when on no strategy follows the contract: it has been traded for the last time, and its last bars are over. */
export function rollsFrom(calendar: TradingCalendar, contract: Contract): TsUs {
  const close = dayClose(calendar, lastSession(calendar, contract));
  return close === undefined ? tsUs(0) : addUs(close, CLOSING_BARS + US_PER_SECOND);
}
