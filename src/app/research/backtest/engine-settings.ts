/** Settings of the engine for a backtest: what the file writes holds; what it leaves out is as in the daemon, or wide. */
import { configSchema } from '../../../config/config-schema.ts';
import { engineSettingsOf } from '../../../config/settings-of.ts';
import type { EngineSettings, PollSettings, RiskSettings, StrategyRisk } from '../../../domain/settings.ts';
import { durationUs, minutes, money, type Money, qty, US_PER_DAY } from '../../../domain/units.ts';
import { isOnBars, memoryOf } from './backtest-rules.ts';
import type { Backtest } from './load-backtest.ts';

const WIDE_COUNT = 1_000_000_000;
const WIDE_MONEY = money(Number.MAX_SAFE_INTEGER);
const WIDE_AGE = durationUs(400 * US_PER_DAY);
const ALL_BPS = 10_000;

const WIDE_RISK: RiskSettings = {
  orderQtyMax: qty(WIDE_COUNT),
  collarBps: ALL_BPS,
  accountPositionMax: qty(WIDE_COUNT),
  openOrdersMax: WIDE_COUNT,
  ordersPerSecondMax: WIDE_COUNT,
  ordersPerMinuteMax: WIDE_COUNT,
  dataAgeMax: WIDE_AGE,
  accountDailyLossMax: WIDE_MONEY,
  accountAgeMax: WIDE_AGE,
  marginUseBps: ALL_BPS,
  sameRejectionsMax: WIDE_COUNT,
  clockSkewMax: durationUs(US_PER_DAY),
  auctionEntries: true,
};

const WIDE_STRATEGY: StrategyRisk = {
  positionMax: qty(WIDE_COUNT),
  dailyLossMax: WIDE_MONEY,
  openOrdersMax: WIDE_COUNT,
};

/** What changes is told at once in a run; to ask for it would cost more than all the rest. */
const SELDOM: PollSettings = {
  bookFast: minutes(60),
  bookSlow: minutes(60),
  positions: minutes(60),
  account: minutes(60),
};

/** Names of the file for the engine's own, where they differ. */
const FILE_KEYS: Readonly<Record<string, string>> = {
  collarBps: 'collarPercent',
  accountPositionMax: 'positionMax',
  accountDailyLossMax: 'dailyLossMax',
  marginUseBps: 'marginUsePercent',
};

/**
 * A market of the file's own has no daemon whose limits could be meant: what is not written is wide. On bars prices are as old as
 * a bar is long, so no age limits anything unless the file says so.
 */
export function engineSettings({ read, source, market }: Backtest): EngineSettings {
  const risk = read.risk ?? configSchema.shape.risk.parse(undefined);
  const settings = engineSettingsOf({ ...read, risk });
  const isWritten = (path: readonly PropertyKey[]): boolean => source.at(path) !== undefined;
  const isBars = isOnBars(read);
  if (market.kind === 'index_futures' && !isBars) return settings;
  const poll = chosen(settings.poll, SELDOM, (key) => isWritten(['poll', key]));
  if (market.kind === 'index_futures') {
    const ages = { dataAgeMax: WIDE_AGE, accountAgeMax: WIDE_AGE };
    const risk = chosen(settings.risk, { ...settings.risk, ...ages }, (key) => isWritten(['risk', key]));
    return { ...settings, poll, risk };
  }
  const scaled = (amount: Money): Money => money(Math.min(amount * market.moneyScale, WIDE_MONEY));
  const keep = (path: readonly PropertyKey[]) => (key: string) => isWritten([...path, FILE_KEYS[key] ?? key]);
  return {
    ...settings,
    poll,
    orders: market.isAlwaysOpen && memoryOf(read, market) === 'run' ? 'until_canceled' : 'day',
    risk: chosen(
      { ...settings.risk, accountDailyLossMax: scaled(settings.risk.accountDailyLossMax) },
      WIDE_RISK,
      keep(['risk']),
    ),
    strategies: settings.strategies.map((each, i) => ({
      ...each,
      risk: chosen({ ...each.risk, dailyLossMax: scaled(each.risk.dailyLossMax) }, WIDE_STRATEGY, (key) =>
        isWritten(['strategies', i, 'risk', key]),
      ),
    })),
  };
}

function chosen<T extends object>(written: T, wide: T, isWritten: (key: string) => boolean): T {
  const kept = Object.entries(written).filter(([key]) => isWritten(key));
  return { ...wide, ...Object.fromEntries(kept) };
}
