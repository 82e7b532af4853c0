/** The plan of the measured ticks: contracts that always trade, every guard of risk on, nothing that would refuse an order. */
import type { BacktestData, BacktestPlan } from '../../src/research/backtest-plan.ts';
import type { TradingCalendar } from '../../src/domain/calendar.ts';
import { type TradingDay, tradingDay } from '../../src/domain/civil-date.ts';
import type { Contract } from '../../src/domain/contract.ts';
import { orderCode, streamCode } from '../../src/domain/ids.ts';
import type { EngineSettings } from '../../src/domain/settings.ts';
import * as units from '../../src/domain/units.ts';
import { allocateRows, type TickRows } from '../../src/recording/columns/tick-file.ts';
import { BENCH_DAY, BENCH_START_TICKS } from './backtest-ticks.ts';
import { type CrossTally, tickCross } from './tick-cross.ts';
import { OPEN_ALL_DAY, VN_COSTS } from '../support/strategy-fixtures.ts';
import { riskSettings, USUAL_SETTINGS, USUAL_STATISTICS } from '../support/usual-settings.ts';

const FROM = tradingDay('2020-01-01');

const OPEN: TradingCalendar = { ...OPEN_ALL_DAY, validFrom: FROM, validTo: tradingDay('2099-01-01') };

const codeOf = (place: number): string => (place === 0 ? 'BENCH' : `BENCH${place}`);

const contractOf = (place: number): Contract => ({
  index: units.instrumentIndex(place),
  orderCode: orderCode(codeOf(place)),
  streamCode: streamCode(codeOf(place)),
  expiry: tradingDay('2098-12-31'),
  spec: {
    underlying: codeOf(place),
    hundredthsPerTick: 10,
    moneyPerHundredth: 1_000,
    orderQtyMax: 500,
    bandBps: 10_000,
  },
});

const LATENCY = units.milliseconds(2);
const MUCH = units.money(1e14);
const YEAR = units.durationUs(400 * units.US_PER_DAY);

/** Days of so many contracts, each made when it is opened; `rowsADay` is the sum over the contracts. */
export const benchDays = (
  days: readonly TradingDay[],
  rowsADay: number,
  contractCount: number,
  rowsOf: (day: TradingDay, contract: number) => TickRows,
): BacktestData => {
  const contracts = Array.from({ length: contractCount }, (_, place) => contractOf(place));
  return {
    digest: 'bench',
    days,
    rows: rowsADay * days.length,
    open: (day) => ({
      day,
      contracts,
      tapes: contracts.map((contract, place) => ({
        contract,
        rows: rowsOf(day, place),
        reference: units.priceHundredths(BENCH_START_TICKS * 10),
        isGuessed: false,
      })),
      notices: [],
    }),
  };
};

export const benchData = (...tapes: readonly TickRows[]): BacktestData => {
  const rows = tapes.reduce((sum, tape) => sum + tape.rows, 0);
  return benchDays([BENCH_DAY], rows, tapes.length, (_, place) => tapes[place] ?? allocateRows(0, 0));
};

function settings(ids: readonly string[], contracts: number): EngineSettings {
  return {
    risk: riskSettings({
      orderQtyMax: units.qty(500),
      collarPercent: 10,
      positionMax: units.qty(1_000),
      openOrdersMax: 200,
      ordersPerSecondMax: 1_000,
      ordersPerMinuteMax: 100_000,
      dataAgeMax: units.seconds(60),
      dailyLossMax: MUCH,
      accountAgeMax: YEAR,
    }),
    strategies: ids.map((id, place) => ({
      id,
      symbols: [codeOf(place % contracts)],
      overnight: true,
      onExpiry: 'hold',
      risk: { positionMax: units.qty(10), dailyLossMax: MUCH, openOrdersMax: 10 },
    })),
    ...USUAL_SETTINGS,
  };
}

export interface BenchChoice {
  /** The first trades the first contract, and so on. */
  readonly strategies: number;
  readonly contracts?: number;
  readonly trade: boolean;
  readonly fast: number;
  readonly slow: number;
}

export function benchPlan(data: BacktestData, choice: BenchChoice, tally: CrossTally): BacktestPlan {
  const { strategies, contracts = 1, ...params } = choice;
  const ids = Array.from({ length: strategies }, (_, place) => `cross-${place}`);
  const definition = tickCross(tally);
  return {
    configDigest: 'bench',
    data,
    calendar: OPEN,
    costs: VN_COSTS,
    settings: settings(ids, contracts),
    strategies: ids.map((id, place) => ({ index: units.strategyIndex(place), id, definition, params })),
    capital: units.money(1e12),
    currency: 'VND',
    moneyScale: 1,
    fill: { on: 'ticks', queue: 'queue', cancels: 'behind', slippageTicks: 0 },
    latency: { order: { kind: 'constant', span: LATENCY }, report: { kind: 'constant', span: LATENCY } },
    seed: 1,
    memory: 'day',
    warmUpDays: 0,
    sampleEvery: units.minutes(1),
    margin: null,
    isMarginRuleOn: true,
    statistics: USUAL_STATISTICS,
  };
}
