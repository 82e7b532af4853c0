/** Settings of the engine that hardly a test turns. */
import type { StatisticsSettings } from '../../src/research/statistics/return-ratios.ts';
import type { RiskSettings } from '../../src/domain/settings.ts';
import { minutes, money, qty, seconds } from '../../src/domain/units.ts';

export const riskSettings = (own: Partial<RiskSettings> = {}): RiskSettings => ({
  orderQtyMax: qty(10),
  collarPercent: 2,
  positionMax: qty(20),
  openOrdersMax: 10,
  ordersPerSecondMax: 100,
  ordersPerMinuteMax: 1_000,
  dataAgeMax: seconds(15),
  dailyLossMax: money(50_000_000),
  accountAgeMax: seconds(60),
  marginUsePercent: 80,
  sameRejectionsMax: 3,
  clockSkewMax: seconds(10),
  ...own,
});

export const USUAL_SETTINGS = {
  flatten: { slipTicks: 5, attempts: 5, retryAfter: seconds(3) },
  stop: { orders: 'cancel', positions: 'hold', inAuction: 'leave' },
  poll: { bookFast: seconds(1), bookSlow: seconds(10), positions: seconds(10), account: seconds(20) },
  lookUp: { scans: 3, spread: seconds(30) },
  cancelBeforeAuction: seconds(30),
  flatBeforeClose: minutes(5),
} as const;

export const USUAL_STATISTICS: StatisticsSettings = {
  deviation: 'sample',
  riskFreePercent: 0,
  returnsFrom: 'capital',
};
