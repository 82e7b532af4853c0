/** Schema of a market file: trading hours, contracts and costs of one exchange. */
import { parseUtcOffset } from '../text/dates.ts';
import { z } from 'zod';
import type { PhaseSpan, TradingCalendar } from '../domain/calendar.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { CostSchedule, Dated } from '../domain/costs.ts';
import type { Weekday } from '../domain/civil-date.ts';
import { pathText } from './places.ts';
import { date, percent, timeOfDay } from './values.ts';

const WEEKDAYS = { sun: 0, mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6 } as const satisfies Record<
  string,
  Weekday
>;

const phaseSpan = z
  .strictObject({
    phase: z.enum(['opening_auction', 'continuous', 'break', 'closing_auction']),
    from: timeOfDay,
    to: timeOfDay,
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

const amount = dated(z.int().min(0));

/** Prices are told in hundredths of a point. */
const isWholeHundredths = (tick: number): boolean =>
  Math.round(tick * 100) > 0 && Math.abs(tick * 100 - Math.round(tick * 100)) < 1e-9;

const contract = z
  .strictObject({
    tick: z.number().refine(isWholeHundredths, 'a tick of whole hundredths of a point, like 0.1'),
    pointValue: z.int().positive().multipleOf(100, 'a whole number of hundreds'),
    orderQtyMax: z.int().min(1),
    bandPercent: percent,
  })
  .transform(({ tick, pointValue, orderQtyMax, bandPercent }): Omit<ContractSpec, 'underlying'> => ({
    hundredthsPerTick: Math.round(tick * 100),
    moneyPerHundredth: pointValue / 100,
    orderQtyMax,
    bandBps: bandPercent,
  }));

export const marketSchema = z.strictObject({
  calendar: z.strictObject({
    name: z.string(),
    timeZone: z.string(),
    utcOffset,
    weekdays: z.array(z.enum(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'])).min(1),
    phases: z.array(phaseSpan).min(1),
    closures: pathText,
  }),
  contracts: z
    .record(z.string(), contract)
    .refine((specs) => Object.keys(specs).length > 0, 'a section with a contract, like VN30'),
  costs: z.strictObject({
    exchangeFee: amount,
    clearingFee: amount,
    brokerFee: amount,
    taxPpm: amount,
    marginPercent: dated(percent),
  }),
});

/** The file of days without a session. */
export const closuresSchema = z.strictObject({
  source: z.string(),
  validFrom: date,
  validTo: date,
  closures: z.array(date),
});

export type MarketFile = z.output<typeof marketSchema>;
export type ClosuresFile = z.output<typeof closuresSchema>;

export function calendarOf(market: MarketFile, closures: ClosuresFile): TradingCalendar {
  const { name, timeZone, utcOffset: utcOffsetMinutes, weekdays, phases } = market.calendar;
  return {
    name,
    timeZone,
    utcOffsetMinutes,
    weekdays: weekdays.map((day) => WEEKDAYS[day]),
    phases: phases.toSorted((a, b) => a.fromUs - b.fromUs),
    closures: new Set(closures.closures),
    validFrom: closures.validFrom,
    validTo: closures.validTo,
  };
}

export function costsOf({ costs }: MarketFile): CostSchedule {
  return {
    exchangeFee: inOrder(costs.exchangeFee),
    clearingFee: inOrder(costs.clearingFee),
    brokerFee: inOrder(costs.brokerFee),
    taxPpm: inOrder(costs.taxPpm),
    marginBps: inOrder(costs.marginPercent),
  };
}

const inOrder = (rows: readonly Dated<number>[]): readonly Dated<number>[] =>
  rows.toSorted((a, b) => (a.from < b.from ? -1 : 1));

export function contractsOf(market: MarketFile): Readonly<Record<string, ContractSpec>> {
  return Object.fromEntries(
    Object.entries(market.contracts).map(([underlying, spec]) => [underlying, { underlying, ...spec }]),
  );
}
