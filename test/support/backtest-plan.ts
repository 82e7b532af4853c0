/** Plans for tests of backtests: small tapes written by hand, or a file of prints, on the exchange's own day. */
import { join } from 'node:path';
import { z } from 'zod';
import { formatProblem } from '../../src/config/problem.ts';
import type { BacktestData, BacktestPlan } from '../../src/research/backtest-plan.ts';
import type { BarFillModel, FillModel } from '../../src/venue/exchange/fill-models.ts';
import { type Backtest, loadBacktest } from '../../src/research/spec/load-backtest.ts';
import type { LatencyModel } from '../../src/research/run/virtual-time.ts';
import { expiryOf, contractMonthOf } from '../../src/domain/contract-code.ts';
import { tradingDay, type TradingDay } from '../../src/domain/civil-date.ts';
import type { Contract } from '../../src/domain/contract.ts';
import { orderCode, streamCode } from '../../src/domain/ids.ts';
import type { EngineSettings } from '../../src/domain/settings.ts';
import * as units from '../../src/domain/units.ts';
import { allocateRows, type TickRows } from '../../src/recording/columns/tick-file.ts';
import { readPrints } from '../../src/recording/read-prints.ts';
import { defineStrategy, type StrategyInstance, type Ticks, type Trader } from '../../src/strategy/index.ts';
import { MARKET_CALENDAR } from './market-calendar.ts';
import { contract, VN_COSTS } from './strategy-fixtures.ts';
import { riskSettings, USUAL_SETTINGS, USUAL_STATISTICS } from './usual-settings.ts';

const DAY = units.durationUs(units.US_PER_DAY);

/** Limits so wide that only what a test sets itself is in the way. */
const wideSettings = (strategies: EngineSettings['strategies']): EngineSettings => ({
  risk: riskSettings({
    orderQtyMax: units.qty(500),
    collarPercent: 100,
    positionMax: units.qty(10_000),
    openOrdersMax: 1_000,
    ordersPerSecondMax: 1_000_000,
    ordersPerMinuteMax: 1_000_000,
    dataAgeMax: DAY,
    dailyLossMax: units.money(1_000_000_000_000),
    accountAgeMax: units.durationUs(400 * units.US_PER_DAY),
    marginUsePercent: 100,
    sameRejectionsMax: 1_000,
  }),
  strategies,
  ...USUAL_SETTINGS,
});

const QUEUE: FillModel = { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 };
export const ON_BARS: BarFillModel = {
  on: 'bars',
  bar: 'next_open',
  path: 'high_first',
  trailingStop: 'stop',
  slippageTicks: 0,
  volumeBps: 0,
};
const NOW = { kind: 'constant', span: units.durationUs(0) } as const;
const NO_LATENCY: LatencyModel = { order: NOW, report: NOW };

export interface TestTape {
  readonly code: string;
  readonly day: string;
  readonly rows: TickRows;
  /** Points, in hundredths; the first price when absent. */
  readonly reference?: number;
}

/** Days of tapes; contracts get their index in the order in which they first appear. */
export function tapesOf(tapes: readonly TestTape[]): BacktestData {
  const contracts: Contract[] = [];
  for (const { code } of tapes) {
    if (contracts.some(({ orderCode: known }) => known === code)) continue;
    const month = contractMonthOf(code);
    contracts.push({
      ...contract(contracts.length),
      orderCode: orderCode(code),
      streamCode: streamCode(code),
      expiry: month === undefined ? tradingDay('2099-12-31') : expiryOf(MARKET_CALENDAR, month),
    });
  }
  const contractOf = (code: string): Contract => contracts.find(({ orderCode: known }) => known === code)!;
  const days = [...new Set(tapes.map(({ day }) => tradingDay(day)))].toSorted();
  return {
    digest: 'test',
    days,
    rows: tapes.reduce((sum, { rows }) => sum + rows.rows, 0),
    open(day: TradingDay) {
      const today = tapes.filter((tape) => tape.day === day);
      const listed = contracts.filter(({ expiry }) => expiry >= day);
      return {
        day,
        contracts: listed,
        tapes: today.map(({ code, rows, reference }) => {
          const contract = contractOf(code);
          const first = rows.priceTicks[0]! * contract.spec.hundredthsPerTick;
          return { contract, rows, reference: units.priceHundredths(reference ?? first), isGuessed: false };
        }),
        notices: [],
      };
    },
  };
}

const SIDES = { buy: 1, sell: -1 } as const;

/** A file of prints as it is in `data` or next to the repository. */
export function fileTape(path: string, reference?: number): TestTape {
  const { spec } = contract(0);
  const tape = readPrints(path, { spec, utcOffsetMinutes: 420 });
  const rows = allocateRows(0, tape.prints.length);
  tape.prints.forEach((print, row) => {
    rows.tsUs[row] = print.tsUs;
    rows.priceTicks[row] = print.price;
    rows.qty[row] = print.qty;
    rows.side[row] = print.aggressor === null ? 0 : SIDES[print.aggressor];
  });
  return { code: tape.code, day: tape.day, rows, ...(reference === undefined ? {} : { reference }) };
}

export const SAMPLE = join(import.meta.dirname, '../../data/sample/2026-06-03_vn30f2606.csv.gz');

/** The backtest of a file that has no problem. */
export async function loadedBacktest(file: string): Promise<Backtest> {
  const loaded = await loadBacktest(file);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
  return loaded.backtest;
}

/** A strategy that is only its code, on one leg unless they are named. */
export const strategyOf = <const Leg extends string = 'contract'>(
  id: string,
  connect: (ticks: Ticks<Leg>, trader: Trader<Record<string, never>, Leg>) => void,
  legs: readonly [Leg, ...Leg[]] = ['contract' as Leg],
): Omit<StrategyInstance, 'index'> => ({
  id,
  definition: defineStrategy({ name: id, summary: 'of a test', params: z.object({}), legs, connect }),
  params: {},
});

export function planOf(
  data: BacktestData,
  strategies: readonly Omit<StrategyInstance, 'index'>[],
  over: Partial<BacktestPlan> & { readonly symbols?: readonly string[] } = {},
): BacktestPlan {
  const { symbols = ['VN30F1M'], ...rest } = over;
  const instances = strategies.map((each, place) => ({ ...each, index: units.strategyIndex(place) }));
  const settings = wideSettings(
    instances.map(({ id }) => ({
      id,
      symbols,
      overnight: true,
      onExpiry: 'flatten',
      risk: {
        positionMax: units.qty(10_000),
        dailyLossMax: units.money(1_000_000_000_000),
        openOrdersMax: 1_000,
      },
    })),
  );
  return {
    configDigest: 'test',
    data,
    calendar: MARKET_CALENDAR,
    costs: VN_COSTS,
    settings,
    strategies: instances,
    capital: units.money(2_000_000_000),
    currency: 'VND',
    moneyScale: 1,
    fill: QUEUE,
    latency: NO_LATENCY,
    seed: 1,
    memory: 'day',
    warmUpDays: 0,
    sampleEvery: units.minutes(1),
    margin: null,
    isMarginRuleOn: true,
    statistics: USUAL_STATISTICS,
    ...rest,
  };
}
