/** A small world for the engine: one calendar, two contracts, costs that are easy to compute, everything in virtual time. */
import type { PhaseSpan, TradingCalendar } from '../../src/domain/calendar.ts';
import { momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import type { Contract, ContractSpec } from '../../src/domain/contract.ts';
import type { CostSchedule } from '../../src/domain/costs.ts';
import { orderCode, streamCode } from '../../src/domain/ids.ts';
import type { EngineSettings, StrategySettings } from '../../src/domain/settings.ts';
import {
  instrumentIndex,
  money,
  qty,
  type TsUs,
  US_PER_HOUR,
  US_PER_MINUTE,
} from '../../src/domain/units.ts';
import { riskSettings, USUAL_SETTINGS } from './usual-settings.ts';

export const DAY = tradingDay('2026-03-04');

const at = (hours: number, mins: number): number => hours * US_PER_HOUR + mins * US_PER_MINUTE;

const PHASES: readonly PhaseSpan[] = [
  { phase: 'opening_auction', fromUs: at(8, 45), toUs: at(9, 0) },
  { phase: 'continuous', fromUs: at(9, 0), toUs: at(11, 30) },
  { phase: 'break', fromUs: at(11, 30), toUs: at(13, 0) },
  { phase: 'continuous', fromUs: at(13, 0), toUs: at(14, 30) },
  { phase: 'closing_auction', fromUs: at(14, 30), toUs: at(14, 45) },
];

export const CALENDAR: TradingCalendar = {
  name: 'test',
  timeZone: 'Asia/Ho_Chi_Minh',
  utcOffsetMinutes: 420,
  weekdays: [1, 2, 3, 4, 5],
  phases: PHASES,
  closures: new Set(),
  validFrom: tradingDay('2026-01-01'),
  validTo: tradingDay('2026-12-31'),
};

export const timeOf = (hours: number, mins = 0, day = DAY): TsUs => momentOf(day, at(hours, mins), 420);

const SPEC: ContractSpec = {
  underlying: 'VN30',
  hundredthsPerTick: 10,
  moneyPerHundredth: 1_000,
  orderQtyMax: 500,
  bandBps: 700,
};

const contract = (index: number, code: string, expiry: string): Contract => ({
  index: instrumentIndex(index),
  orderCode: orderCode(code),
  streamCode: streamCode(code),
  expiry: tradingDay(expiry),
  spec: SPEC,
});

export const FRONT = contract(0, 'VN30F2603', '2026-03-19');
export const NEXT = contract(1, 'VN30F2604', '2026-04-16');

/** Money of one contract at a price in ticks. */
export const worth = (ticks: number, contracts = 1): number => ticks * 10_000 * contracts;

export const COSTS: CostSchedule = {
  exchangeFee: [{ from: tradingDay('2020-01-01'), value: 2_700 }],
  clearingFee: [{ from: tradingDay('2020-01-01'), value: 2_550 }],
  brokerFee: [{ from: tradingDay('2020-01-01'), value: 0 }],
  taxPpm: [{ from: tradingDay('2020-01-01'), value: 1_000 }],
  marginBps: [{ from: tradingDay('2020-01-01'), value: 1_700 }],
};

const strategy = (id: string): StrategySettings => ({
  id,
  symbols: ['VN30F1M'],
  overnight: false,
  onExpiry: 'flatten',
  risk: { positionMax: qty(10), dailyLossMax: money(20_000_000), openOrdersMax: 5 },
});

export const SETTINGS: EngineSettings = {
  risk: riskSettings(),
  strategies: [strategy('first'), strategy('second')],
  ...USUAL_SETTINGS,
  flatten: { ...USUAL_SETTINGS.flatten, attempts: 3 },
};
