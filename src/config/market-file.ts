/** Market files: trading hours, contracts and costs of one exchange, with the closures they name. */
import { z } from 'zod';
import { type PhaseSpan, sessionAfter, type TradingCalendar } from '../domain/calendar.ts';
import { addDays, dayNumber, type TradingDay, tradingDay, type Weekday } from '../domain/civil-date.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule, DatedValue } from '../domain/costs.ts';
import { thrownText } from '../domain/failure.ts';
import { US_PER_DAY } from '../domain/units.ts';
import { formatTimeOfDay, formatUtcOffset, parseUtcOffset, namedZone } from '../text/dates.ts';
import type { CheckResult, Problem } from './problem.ts';
import { readNamed } from './read-file.ts';
import type { YamlSource } from './yaml-source.ts';
import { date, pathText, percentAsBps, timeOfDay } from './values.ts';

const WEEKDAYS = { sun: 0, mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6 } as const satisfies Record<
  string,
  Weekday
>;

export const weekday = z
  .enum(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'])
  .transform((day): Weekday => WEEKDAYS[day]);

export const phaseSpan = z
  .strictObject({
    phase: z.enum(['opening_auction', 'continuous', 'break', 'closing_auction']).describe('Phase of the day'),
    from: timeOfDay.describe('Its begin'),
    to: timeOfDay.describe('Its end'),
  })
  .transform(({ phase, from, to }): PhaseSpan => ({ phase, fromUs: from, toUs: to }));

const utcOffset = z.string("an offset like '+07:00'").transform((text, context) => {
  const minutes = parseUtcOffset(text);
  if (minutes !== undefined) return minutes;
  context.addIssue({ code: 'custom', message: 'an offset like +07:00' });
  return z.NEVER;
});

const dated = <T extends z.ZodType<number>>(value: T) =>
  z.array(z.strictObject({ from: date, value })).min(1);

/** Values and fees of a position stay sums that are exact. */
const MONEY_MAX = 1_000_000_000;
const QTY_MAX = 1_000_000;

const amount = dated(z.int().min(0).max(MONEY_MAX));

/** The broker quotes in hundredths of a point. */
const isWholeHundredths = (tick: number): boolean =>
  Math.round(tick * 100) > 0 && Math.abs(tick * 100 - Math.round(tick * 100)) < 1e-9;

const contract = z
  .strictObject({
    tick: z
      .number()
      .max(1_000)
      .refine(isWholeHundredths, 'a tick of whole hundredths of a point, like 0.1')
      .describe('Smallest step of the price, in points'),
    pointValue: z
      .int()
      .positive()
      .max(MONEY_MAX)
      .multipleOf(100, 'a whole number of hundreds')
      .describe('VND of one point of one contract'),
    orderQtyMax: z.int().min(1).max(QTY_MAX).describe('Largest order that the exchange takes'),
    bandPercent: percentAsBps.describe('Band of the day around the reference price'),
  })
  .transform(({ tick, pointValue, orderQtyMax, bandPercent }): Omit<ContractSpec, 'underlying'> => ({
    hundredthsPerTick: Math.round(tick * 100),
    moneyPerHundredth: pointValue / 100,
    orderQtyMax,
    bandBps: bandPercent,
  }));

export const marketSchema = z.strictObject({
  calendar: z.strictObject({
    name: z.string().describe('Name of the exchange'),
    timeZone: z.string().describe('Its zone'),
    utcOffset: utcOffset.describe('Its offset from UTC'),
    weekdays: z.array(weekday).min(1).describe('Days with a session'),
    phases: z.array(phaseSpan).min(1).describe('Phases of a day, one after the other'),
    closures: pathText.describe('File of the days without a session'),
  }),
  contracts: z
    .record(z.string(), contract)
    .refine((specs) => Object.keys(specs).length > 0, 'a section with a contract, like VN30'),
  costs: z.strictObject({
    exchangeFee: amount.describe('Fee of the exchange for a contract, in VND'),
    clearingFee: amount.describe('Fee of the clearing house for a contract, in VND'),
    brokerFee: amount.describe('Fee of the broker for a contract, in VND'),
    taxPpm: amount.describe('Tax, millionths of the value times half the margin rate'),
    marginPercent: dated(percentAsBps).describe('Margin, of the value'),
  }),
});

export const closuresSchema = z.strictObject({
  source: z.string().describe('Origin of the list'),
  validFrom: date.describe('First day that it knows'),
  validTo: date.describe('Last day that it knows'),
  closures: z.array(date).describe('Weekdays without a session'),
});

type MarketFile = z.output<typeof marketSchema>;
type ClosuresFile = z.output<typeof closuresSchema>;

function calendarOf(market: MarketFile, closures: ClosuresFile): TradingCalendar {
  const { name, timeZone, utcOffset: utcOffsetMinutes, weekdays, phases } = market.calendar;
  return {
    name,
    timeZone,
    utcOffsetMinutes,
    weekdays,
    phases: phases.toSorted((a, b) => a.fromUs - b.fromUs),
    closures: new Set(closures.closures),
    validFrom: closures.validFrom,
    validTo: closures.validTo,
  };
}

function costsOf({ costs }: MarketFile): CostSchedule {
  return {
    exchangeFee: inOrder(costs.exchangeFee),
    clearingFee: inOrder(costs.clearingFee),
    brokerFee: inOrder(costs.brokerFee),
    taxPpm: inOrder(costs.taxPpm),
    marginBps: inOrder(costs.marginPercent),
  };
}

const inOrder = (rows: readonly DatedValue<number>[]): readonly DatedValue<number>[] =>
  rows.toSorted((a, b) => (a.from < b.from ? -1 : 1));

// Checks between rows of a market file; a wrong calendar or tariff would show only during a session.

type Phases = MarketFile['calendar']['phases'];

function phaseProblems(source: YamlSource, phases: Phases): readonly Problem[] {
  const problems: Problem[] = [];
  let end = 0;
  for (const [i, { fromUs, toUs }] of phases.entries()) {
    const path = ['calendar', 'phases', i];
    const begin = `a time from ${formatTimeOfDay(end)} on`;
    if (fromUs < end) problems.push(source.problem([...path, 'from'], begin, 'phases follow one another'));
    else if (toUs <= fromUs)
      problems.push(source.problem([...path, 'to'], `a time after ${formatTimeOfDay(fromUs)}`));
    end = Math.max(end, toUs);
  }
  return problems;
}

/** A zone with summer time has two offsets. */
const WINTER_US = dayNumber(tradingDay('2026-01-01')) * US_PER_DAY;
const SUMMER_US = dayNumber(tradingDay('2026-07-01')) * US_PER_DAY;

function zoneProblems(
  source: YamlSource,
  { timeZone, utcOffset }: MarketFile['calendar'],
): readonly Problem[] {
  const zone = namedZone(timeZone);
  const path = ['calendar', 'timeZone'];
  if (zone === undefined) return [source.problem(path, 'a zone like Asia/Ho_Chi_Minh')];
  const [winter, summer] = [zone.offsetAtMoment(WINTER_US), zone.offsetAtMoment(SUMMER_US)];
  if (winter === utcOffset || summer === utcOffset) return [];
  const text = formatUtcOffset(winter);
  const expected = `${text}, the offset of ${timeZone}`;
  return [source.problem(['calendar', 'utcOffset'], expected, `write '${text}', or another zone`)];
}

function tariffProblems(source: YamlSource, costs: MarketFile['costs']): readonly Problem[] {
  return Object.entries(costs).flatMap(([name, rows]) =>
    rows.flatMap(({ from }, i) =>
      rows.findIndex((row) => row.from === from) === i
        ? []
        : [source.problem(['costs', name, i, 'from'], 'each date once')],
    ),
  );
}

/** A cost without a rate on the first day would fail on that day. */
function firstDayProblems(
  source: YamlSource,
  { costs }: MarketFile,
  { validFrom }: ClosuresFile,
): readonly Problem[] {
  const expected = `a first row from ${validFrom} or earlier`;
  return Object.entries(costs).flatMap(([name, rows]) =>
    rows.some(({ from }) => from <= validFrom)
      ? []
      : [source.problem(['costs', name, 0, 'from'], expected, 'the calendar begins there')],
  );
}

function closureProblems(
  source: YamlSource,
  { validFrom, validTo, closures }: ClosuresFile,
): readonly Problem[] {
  if (validTo < validFrom) return [source.problem(['validTo'], `a date from ${validFrom} on`)];
  const expected = `a date from ${validFrom} to ${validTo}`;
  const hint = 'validFrom and validTo say what the list knows';
  return closures.flatMap((day, i) =>
    day < validFrom || day > validTo ? [source.problem(['closures', i], expected, hint)] : [],
  );
}

/** A search may begin on the session before the first day of a gap. */
const SEARCHED_FROM_DAYS = -7;

/** A search for a session ends after 60 days: in a longer gap it would fail in a running daemon. */
function gapProblems(
  source: YamlSource,
  { closures }: ClosuresFile,
  calendar: TradingCalendar,
): readonly Problem[] {
  const isLost = (day: TradingDay): boolean =>
    thrownText(() => sessionAfter(calendar, addDays(day, SEARCHED_FROM_DAYS))) !== null;
  const at = closures.findIndex(isLost);
  return at < 0 ? [] : [source.problem(['closures', at], 'a session within 60 days of it')];
}

export interface MarketDefinition {
  readonly calendar: TradingCalendar;
  readonly contracts: Readonly<Record<string, ContractSpec>>;
  readonly costs: CostSchedule;
}

const CLOSURES = ['calendar', 'closures'] as const;
const EPOCH = tradingDay('1970-01-01');
/** Knows no day, so each weekday has a session. */
const NONE: ClosuresFile = { source: '', validFrom: EPOCH, validTo: EPOCH, closures: [] };

/** Where only the closures are wrong, the market without them. */
type MarketRead = CheckResult<MarketDefinition> & { readonly withoutClosures?: MarketDefinition | undefined };

export function readMarket(parent: YamlSource, name: string): MarketRead {
  const market = readNamed(parent, ['market'], name, marketSchema, 'a market file');
  if ('problems' in market) return { ok: false, problems: market.problems };
  const { source, value } = market;
  const { calendar, costs } = value;
  const closures = readNamed(source, CLOSURES, calendar.closures, closuresSchema, 'a file of closures');
  const problems = [
    ...phaseProblems(source, calendar.phases),
    ...zoneProblems(source, calendar),
    ...tariffProblems(source, costs),
  ];
  const contracts = Object.entries(value.contracts).map(
    ([underlying, spec]) => [underlying, { underlying, ...spec }] as const,
  );
  const terms = { contracts: Object.fromEntries(contracts), costs: costsOf(value) };
  const withoutClosures = problems.length > 0 ? undefined : { calendar: calendarOf(value, NONE), ...terms };
  if ('problems' in closures)
    return { ok: false, problems: [...problems, ...closures.problems], withoutClosures };
  problems.push(...closureProblems(closures.source, closures.value));
  if (problems.length === 0) problems.push(...firstDayProblems(source, value, closures.value));
  const known = calendarOf(value, closures.value);
  if (problems.length === 0) problems.push(...gapProblems(closures.source, closures.value, known));
  if (problems.length > 0) return { ok: false, problems, withoutClosures };
  return { ok: true, calendar: known, ...terms };
}
