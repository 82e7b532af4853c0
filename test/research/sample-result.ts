import type {
  BacktestFill,
  BacktestTrade,
  CostsByKind,
  BacktestResult,
  Samples,
  Drawdowns,
} from '../../src/research/backtest-result.ts';
import { DrawdownWatch } from '../../src/research/run/sample-table.ts';
import { USUAL_STATISTICS } from '../support/usual-settings.ts';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { orderCode } from '../../src/domain/ids.ts';
import { instrumentIndex, money, tsUs } from '../../src/domain/units.ts';

const START = Date.UTC(2026, 2, 4, 2) * 1_000;
const DAY = 86_400_000_000;
const HOUR = 3_600_000_000;
/** 2026-03-04 at 09:00 in Vietnam, and so many hours and days later. */
export const moment = (day: number, hour: number) => tsUs(START + day * DAY + hour * HOUR);

const COSTS: CostsByKind = {
  exchangeFee: money(2_700),
  clearingFee: money(2_550),
  brokerFee: money(0),
  valueFee: money(0),
  tax: money(16_000),
  spread: money(5_000),
};

function trade(exitUs: number, netProfit: number, direction: 'long' | 'short'): BacktestTrade {
  return {
    strategy: 0,
    instrument: instrumentIndex(0),
    direction,
    entryUs: tsUs(exitUs - HOUR),
    exitUs: tsUs(exitUs),
    qty: 1,
    qtyMax: 1,
    entryValue: money(190_000_000),
    exitValue: money(190_000_000),
    grossProfit: money(netProfit + 21_250),
    fee: money(5_250),
    tax: money(16_000),
    netProfit: money(netProfit),
    adverse: money(-10_000),
    favourable: money(10_000),
    fills: 2,
    isOpen: false,
  };
}

function fill(at: number, side: 'buy' | 'sell', positionAfter: number): BacktestFill {
  return {
    tsUs: tsUs(at),
    decidedUs: tsUs(at),
    instrument: 0,
    strategy: 0,
    side,
    qty: 1,
    priceTicks: 19_001,
    value: money(190_010_000),
    fee: money(2_625),
    tax: money(8_000),
    liquidity: 'taker',
    clause: 'shown',
    cause: 'order',
    midTwice: 38_001,
    decidedMidTwice: 38_000,
    positionAfter,
    orderNo: 1,
  };
}

export function fallsOf({ tsUs: times, values }: Samples): Drawdowns {
  const watch = new DrawdownWatch();
  values.forEach((value, i) => watch.add(value, times[i] ?? 0));
  return watch.end();
}

const EQUITY: Samples = {
  tsUs: Float64Array.of(moment(0, 0), moment(0, 2), moment(0, 5), moment(1, 1), moment(1, 5)),
  values: Float64Array.of(1_000_000, 1_200_000, 1_100_000, 960_000, 990_000),
};

/** Two sessions, three trades, equity 1,000,000 -> 1,100,000 -> 990,000. */
export const SAMPLE_RESULT: BacktestResult = {
  configDigest: 'c'.repeat(64),
  dataDigest: 'd'.repeat(64),
  journalHash: 'e'.repeat(64),
  seed: 1,
  currency: 'VND',
  moneyScale: 1,
  timeZone: 'Asia/Ho_Chi_Minh',
  utcOffsetMinutes: 420,
  days: [tradingDay('2026-03-04'), tradingDay('2026-03-05')],
  warmUpDays: 0,
  fromUs: moment(0, 0),
  toUs: moment(1, 5),
  capital: money(1_000_000),
  equity: EQUITY,
  drawdowns: fallsOf(EQUITY),
  funds: {
    cash: Float64Array.of(1_000_000, 1_000_000, 1_100_000, 1_100_000, 990_000),
    marginUsed: Float64Array.of(0, 170_000, 0, 170_000, 0),
    buyingPower: Float64Array.of(800_000, 630_000, 880_000, 570_000, 792_000),
  },
  dayEquity: Float64Array.of(1_100_000, 990_000),
  dayEndUs: Float64Array.of(moment(0, 5), moment(1, 5)),
  statistics: USUAL_STATISTICS,
  instruments: [
    {
      symbol: orderCode('VN30F1M'),
      spec: {
        underlying: 'VN30',
        hundredthsPerTick: 10,
        moneyPerHundredth: 1_000,
        orderQtyMax: 500,
        bandBps: 700,
      },
      prices: {
        tsUs: Float64Array.of(moment(0, 0), moment(0, 2), moment(1, 5)),
        values: Float64Array.of(0, 19_000, 19_010),
      },
      ranges: {
        first: Float64Array.of(0, 19_005, 18_990),
        high: Float64Array.of(0, 19_020, 19_015),
        low: Float64Array.of(0, 18_995, 18_980),
      },
    },
  ],
  strategies: [
    {
      id: 'one',
      strategy: 'ema-cross',
      symbols: ['VN30F1M'],
      params: { fast: 3 },
      profit: {
        tsUs: Float64Array.of(moment(0, 0), moment(1, 5)),
        values: Float64Array.of(0, -10_000),
      },
      fills: [fill(moment(0, 1), 'buy', 1), fill(moment(0, 2), 'sell', 0)],
      trades: [
        trade(moment(0, 2), 200_000, 'long'),
        trade(moment(0, 5), -100_000, 'short'),
        trade(moment(1, 5), -110_000, 'long'),
      ],
      denials: [],
      denialCount: 4,
      costs: COSTS,
      orders: 7,
      plots: [
        {
          instrument: 0,
          name: 'fast',
          values: {
            tsUs: Float64Array.of(moment(0, 2) - 1, moment(1, 5) - 1),
            values: Float64Array.of(19_000.25, 19_005.125),
          },
        },
      ],
      heldUs: 3 * HOUR,
      stopped: null,
      fault: null,
    },
  ],
  models: [['fills', 'queue']],
  notices: [{ tsUs: null, code: 'gap', text: 'the tape has a gap' }],
  counts: { rows: 1_000, events: 1_200, journalEntries: 40, orders: 7, fills: 2 },
};
