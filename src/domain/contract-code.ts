/** Reads and writes the three forms in which contract codes circulate (market rules, 2). */
import { addDays, dayFromNumber, daysFromCivil, type TradingDay, weekdayOf } from './civil-date.ts';
import { sessionOnOrBefore, type TradingCalendar } from './calendar.ts';

export const UNDERLYINGS = ['VN30', 'VN100'] as const;
type Underlying = (typeof UNDERLYINGS)[number];

export interface ContractMonth {
  readonly underlying: Underlying;
  readonly year: number;
  readonly month: number;
}

/** No I, O or U; index = (year - 2010) mod 30. */
const YEAR_LETTERS = '0123456789ABCDEFGHJKLMNPQRSTVW';
const MONTH_LETTERS = '123456789ABC';
const YEAR_BASE = 2010;
const UNDERLYING_CODES = { VN30: 'I1', VN100: 'I2' } as const;

const LEGACY = /^(VN30|VN100)F(\d{2})(0[1-9]|1[0-2])$/;
/** Nine characters, or ten with the check digit the press prints. */
const CODED = /^41(I1|I2)([0-9A-HJ-NP-TVW])([1-9A-C])000\d?$/;

/** The month a code names, or undefined when it names none: a symbol is opaque (notes, 6). */
export function contractMonthOf(code: string): ContractMonth | undefined {
  const legacy = LEGACY.exec(code);
  if (legacy) {
    const underlying = legacy[1] === 'VN30' ? 'VN30' : 'VN100';
    return { underlying, year: 2000 + Number(legacy[2]), month: Number(legacy[3]) };
  }
  const coded = CODED.exec(code);
  if (!coded) return undefined;
  return {
    underlying: coded[1] === 'I1' ? 'VN30' : 'VN100',
    year: YEAR_BASE + YEAR_LETTERS.indexOf(coded[2] ?? ''),
    month: MONTH_LETTERS.indexOf(coded[3] ?? '') + 1,
  };
}

export function legacyCode({ underlying, year, month }: ContractMonth): string {
  return `${underlying}F${String(year % 100).padStart(2, '0')}${String(month).padStart(2, '0')}`;
}

export function codedForm({ underlying, year, month }: ContractMonth): string {
  const letter = YEAR_LETTERS[(((year - YEAR_BASE) % 30) + 30) % 30] ?? '';
  return `41${UNDERLYING_CODES[underlying]}${letter}${MONTH_LETTERS[month - 1] ?? ''}000`;
}

const THURSDAY = 4;

/** Third Thursday; without a session, the session before it. */
export function expiryOf(calendar: TradingCalendar, { year, month }: ContractMonth): TradingDay {
  const first = dayFromNumber(daysFromCivil({ year, month, day: 1 }));
  const toThursday = (THURSDAY - weekdayOf(first) + 7) % 7;
  return sessionOnOrBefore(calendar, addDays(first, toThursday + 14));
}

/** Whether the contract of this month may expire on the day: a holiday moves it within the month. */
export const mayExpireOn = ({ year, month }: ContractMonth, day: TradingDay): boolean =>
  Number(day.slice(0, 4)) === year && Number(day.slice(5, 7)) === month;

/** Names of the listed months, in their order. */
const PLACES: readonly string[] = ['F1M', 'F2M', 'F1Q', 'F2Q'];

export const aliasesOf = (underlyings: readonly string[]): readonly string[] =>
  underlyings.flatMap((underlying) => PLACES.map((place) => `${underlying}${place}`));

/** `VN30F1M`: a place among the listed months, not a contract; undefined for another symbol. */
export function aliasOf(
  symbol: string,
): { readonly underlying: Underlying; readonly place: number } | undefined {
  const underlying = UNDERLYINGS.find((each) => symbol.startsWith(each));
  const place = PLACES.indexOf(symbol.slice(underlying?.length));
  return underlying === undefined || place < 0 ? undefined : { underlying, place };
}

/** `VN30` of `VN30F2603`, `41I1G3000` and `VN30F1M`. */
export const underlyingOf = (symbol: string): Underlying | undefined =>
  contractMonthOf(symbol)?.underlying ?? aliasOf(symbol)?.underlying;

/** Codes within a text; one that stands behind its alias has its name already. */
const CODES = /(?<!F[12][MQ] \()\b(?:(?:VN30|VN100)F\d{4}|41I[12][0-9A-HJ-NP-TVW][1-9A-C]000\d?)\b/g;

/** A text for people: each code of a month listed on `day` reads `VN30F1M (41I1GC000)`. */
export const withAliases = (text: string, calendar: TradingCalendar, day: TradingDay): string =>
  text.replace(CODES, (code) => {
    const month = contractMonthOf(code);
    if (month === undefined) return code;
    const listed = listedMonths(calendar, month.underlying, day);
    const place = PLACES[listed.findIndex((each) => each.year === month.year && each.month === month.month)];
    return place === undefined ? code : `${month.underlying}${place} (${code})`;
  });

/** The months listed on `day`: current, next, and the last months of the next two quarters after them. */
export function listedMonths(
  calendar: TradingCalendar,
  underlying: Underlying,
  day: TradingDay,
): readonly ContractMonth[] {
  const year = Number(day.slice(0, 4));
  let index = year * 12 + Number(day.slice(5, 7)) - 1;
  const monthAt = (i: number): ContractMonth => ({
    underlying,
    year: Math.floor(i / 12),
    month: (i % 12) + 1,
  });
  if (expiryOf(calendar, monthAt(index)) < day) index += 1;
  const listed = [index, index + 1];
  for (let next = index + 2; listed.length < 4; next += 1) if (next % 3 === 2) listed.push(next);
  return listed.map(monthAt);
}
