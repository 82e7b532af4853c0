/** A day, contracts and times for the tests of strategies. */
import type { TradingCalendar } from '../../src/domain/calendar.ts';
import { momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import type { Contract, ContractSpec } from '../../src/domain/contract.ts';
import type { CostSchedule } from '../../src/domain/costs.ts';
import { orderCode, streamCode } from '../../src/domain/ids.ts';
import type { BookTick, FeedGap, TradeTick } from '../../src/domain/ticks.ts';
import * as units from '../../src/domain/units.ts';

const HOUR = units.US_PER_HOUR;
const OFFSET_MINUTES = 420;
const WEEKDAYS = [1, 2, 3, 4, 5] as const;

/** The exchange's day: auction, morning, break, afternoon, auction. */
export const EXCHANGE_DAY: TradingCalendar = {
  name: 'test-exchange',
  timeZone: 'Asia/Ho_Chi_Minh',
  utcOffsetMinutes: OFFSET_MINUTES,
  weekdays: WEEKDAYS,
  phases: [
    { phase: 'opening_auction', fromUs: 8.75 * HOUR, toUs: 9 * HOUR },
    { phase: 'continuous', fromUs: 9 * HOUR, toUs: 11.5 * HOUR },
    { phase: 'break', fromUs: 11.5 * HOUR, toUs: 13 * HOUR },
    { phase: 'continuous', fromUs: 13 * HOUR, toUs: 14.5 * HOUR },
    { phase: 'closing_auction', fromUs: 14.5 * HOUR, toUs: 14.75 * HOUR },
  ],
  closures: new Set(),
  validFrom: tradingDay('2026-01-01'),
  validTo: tradingDay('2026-12-31'),
};

export const OPEN_ALL_DAY: TradingCalendar = {
  ...EXCHANGE_DAY,
  name: 'test-always-open',
  weekdays: [0, 1, 2, 3, 4, 5, 6],
  phases: [{ phase: 'continuous', fromUs: 0, toUs: units.US_PER_DAY }],
};

const DAY = tradingDay('2026-03-04');

/** `at('09:00:05')` on the test's day. */
export function at(time: string, day = DAY): units.TsUs {
  const [hours = 0, mins = 0, secs = 0] = time.split(':').map(Number);
  return momentOf(
    day,
    hours * HOUR + mins * units.US_PER_MINUTE + Math.round(secs * units.US_PER_SECOND),
    OFFSET_MINUTES,
  );
}

export const VN30_SPEC: ContractSpec = {
  underlying: 'VN30',
  hundredthsPerTick: 10,
  moneyPerHundredth: 1_000,
  orderQtyMax: 500,
  bandBps: 700,
};

export function contract(index: number, code = `VN30F${index + 1}M`, expiry = '2026-03-19'): Contract {
  return {
    index: units.instrumentIndex(index),
    orderCode: orderCode(code),
    streamCode: streamCode(code),
    expiry: tradingDay(expiry),
    spec: VN30_SPEC,
  };
}

/** One rate on all days. */
export const since = (value: number) => [{ from: tradingDay('2017-08-10'), value }];

/** 5,250 VND a contract and side, 17 % margin, as worked in the rules (market rules, 7). No broker fee. */
export const VN_COSTS: CostSchedule = {
  exchangeFee: since(2_700),
  clearingFee: since(2_550),
  brokerFee: since(0),
  taxPpm: since(1_000),
  marginBps: since(1_700),
};

interface TickHead {
  readonly seq: number;
  readonly tsUs: units.TsUs;
  readonly instrument?: number;
}

const head = ({ seq, tsUs, instrument = 0 }: TickHead): Pick<TradeTick, 'seq' | 'tsUs' | 'instrument'> => ({
  seq: units.seq(seq),
  tsUs,
  instrument: units.instrumentIndex(instrument),
});

export function tradeTick(from: TickHead, price: number, qty = 1, totalVolume = 0): TradeTick {
  return { kind: 'trade', ...head(from), price: units.priceTicks(price), qty: units.qty(qty), totalVolume };
}

const levels = (price: number | null): BookTick['bids'] =>
  price === null ? [] : [{ price: units.priceTicks(price), qty: units.qty(100) }];

/** One level a side; null is an empty side. */
export function bookTick(from: TickHead, bid: number | null, ask: number | null): BookTick {
  const crossed = bid !== null && ask !== null && bid >= ask;
  return { kind: 'book', ...head(from), bids: levels(bid), asks: levels(ask), crossed };
}

export function feedGap(from: TickHead, expectedTotalVolume = 0): FeedGap {
  return { kind: 'gap', ...head(from), expectedTotalVolume, totalVolume: expectedTotalVolume + 1 };
}
