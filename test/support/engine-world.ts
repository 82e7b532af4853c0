/** A small world for the engine: one calendar, two contracts, costs that are easy to compute, everything in virtual time. */
import { momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import type { EngineSettings, StrategySettings } from '../../src/domain/settings.ts';
import { money, qty, type TsUs, US_PER_HOUR, US_PER_MINUTE } from '../../src/domain/units.ts';
import { contract } from './strategy-fixtures.ts';
import { riskSettings, USUAL_SETTINGS } from './usual-settings.ts';

export { EXCHANGE_DAY as CALENDAR, VN_COSTS as COSTS } from './strategy-fixtures.ts';

export const DAY = tradingDay('2026-03-04');

export const timeOf = (hours: number, mins = 0, day = DAY): TsUs =>
  momentOf(day, hours * US_PER_HOUR + mins * US_PER_MINUTE, 420);

export const FRONT = contract(0, 'VN30F2603', '2026-03-19');
export const NEXT = contract(1, 'VN30F2604', '2026-04-16');

/** Money of one contract at a price in ticks. */
export const worth = (ticks: number, contracts = 1): number => ticks * 10_000 * contracts;

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
