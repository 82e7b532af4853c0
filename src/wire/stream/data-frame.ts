/** Writes the data frames of the derivative stream (contract, 6.3). Used by the simulator. */
import { type Contract, pointsOf } from '../../domain/contract.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { PriceHundredths, PriceTicks, Qty } from '../../domain/units.ts';
import { CHANNEL_WORDS, type DataChannel } from './channel.ts';

export interface TradeToSend {
  readonly price: PriceTicks;
  readonly qty: Qty;
  readonly totalVolume: number;
}

export interface SummaryToSend {
  readonly open: PriceTicks;
  readonly high: PriceTicks;
  readonly low: PriceTicks;
  readonly average: PriceHundredths;
}

export function encodeTrade(contract: Contract, trade: TradeToSend, reference: PriceHundredths): string {
  const change = trade.price * contract.spec.hundredthsPerTick - reference;
  return frame('trade', {
    symbol: contract.streamCode,
    matchPrice: pointsOf(contract.spec, trade.price),
    matchQtty: trade.qty,
    change: change / 100,
    changePercent: reference === 0 ? 0 : Math.round((change / reference) * 10_000) / 100,
    totalVolume: trade.totalVolume,
  });
}

/** Best level first. All three are written: a level that is no more is 0, because one that is left out would stand. */
export function encodeBid(contract: Contract, levels: readonly BookLevel[]): string {
  const [one, two, three] = [0, 1, 2].map((i) => numbersOf(contract, levels[i]));
  return frame('bid', {
    symbol: contract.streamCode,
    bidPrice01: one?.price,
    bidQtty01: one?.qty,
    bidPrice02: two?.price,
    bidQtty02: two?.qty,
    bidPrice03: three?.price,
    bidQtty03: three?.qty,
  });
}

export function encodeOffer(contract: Contract, levels: readonly BookLevel[]): string {
  const [one, two, three] = [0, 1, 2].map((i) => numbersOf(contract, levels[i]));
  return frame('offer', {
    symbol: contract.streamCode,
    offerPrice01: one?.price,
    offerQtty01: one?.qty,
    offerPrice02: two?.price,
    offerQtty02: two?.qty,
    offerPrice03: three?.price,
    offerQtty03: three?.qty,
  });
}

export function encodeSummary(contract: Contract, summary: SummaryToSend): string {
  return frame('summary', {
    symbol: contract.streamCode,
    high: pointsOf(contract.spec, summary.high),
    low: pointsOf(contract.spec, summary.low),
    avg: summary.average / 100,
    open: pointsOf(contract.spec, summary.open),
  });
}

const numbersOf = (contract: Contract, level: BookLevel | undefined): { price: number; qty: number } =>
  level === undefined
    ? { price: 0, qty: 0 }
    : { price: pointsOf(contract.spec, level.price), qty: level.qty };

const frame = (channel: DataChannel, payload: Readonly<Record<string, unknown>>): string =>
  `s|${CHANNEL_WORDS[channel].id}|${JSON.stringify(payload)}`;
