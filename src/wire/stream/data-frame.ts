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
export const encodeBid = (contract: Contract, levels: readonly BookLevel[]): string =>
  frame('bid', { symbol: contract.streamCode, ...levelFields('bid', contract, levels) });

export const encodeOffer = (contract: Contract, levels: readonly BookLevel[]): string =>
  frame('offer', { symbol: contract.streamCode, ...levelFields('offer', contract, levels) });

/**
 * A partial update: only the levels that differ from what was sent before are written, as the live service does (notes,
 * section 1). Null when none does.
 */
export function encodeBookChange(
  side: 'bid' | 'offer',
  contract: Contract,
  before: readonly BookLevel[],
  levels: readonly BookLevel[],
): string | null {
  const fields = levelFields(side, contract, levels, before);
  return Object.keys(fields).length === 0 ? null : frame(side, { symbol: contract.streamCode, ...fields });
}

const LEVELS = [0, 1, 2] as const;

function levelFields(
  side: 'bid' | 'offer',
  contract: Contract,
  levels: readonly BookLevel[],
  before?: readonly BookLevel[],
): Record<string, number> {
  const fields: Record<string, number> = {};
  for (const i of LEVELS) {
    const level = numbersOf(contract, levels[i]);
    if (before !== undefined) {
      const known = numbersOf(contract, before[i]);
      if (known.price === level.price && known.qty === level.qty) continue;
    }
    fields[`${side}Price0${i + 1}`] = level.price;
    fields[`${side}Qtty0${i + 1}`] = level.qty;
  }
  return fields;
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
