/** Data frames from server to client (contract, 6.3), written by the simulator. */
import { type Contract, hundredthsOf, pointsOf } from '../../domain/contract.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { PriceHundredths, PriceTicks, Qty } from '../../domain/units.ts';

export const TRADE_CHANNEL = 's|21';
export const BID_CHANNEL = 's|23';
export const OFFER_CHANNEL = 's|24';
export const SUMMARY_CHANNEL = 's|27';

export interface TradeToSend {
  readonly price: PriceTicks;
  readonly qty: Qty;
  readonly totalVolume: number;
}

export function encodeTrade(contract: Contract, trade: TradeToSend, reference: PriceHundredths): string {
  const change = hundredthsOf(contract.spec, trade.price) - reference;
  const payload = {
    symbol: contract.streamCode,
    matchPrice: pointsOf(contract.spec, trade.price),
    matchQtty: trade.qty,
    change: change / 100,
    changePercent: reference === 0 ? 0 : Math.round((change * 10_000) / reference) / 100,
    totalVolume: trade.totalVolume,
  };
  return `${TRADE_CHANNEL}|${JSON.stringify(payload)}`;
}

export const encodeBid = (contract: Contract, levels: readonly BookLevel[]): string =>
  `${BID_CHANNEL}|${JSON.stringify({ symbol: contract.streamCode, ...levelFields(contract, 'bid', levels) })}`;

export const encodeOffer = (contract: Contract, levels: readonly BookLevel[]): string =>
  `${OFFER_CHANNEL}|${JSON.stringify({ symbol: contract.streamCode, ...levelFields(contract, 'offer', levels) })}`;

const LEVELS = ['01', '02', '03'] as const;

/** An absent level is written as 0 for price and volume, so that a client which merges forgets it. */
function levelFields(
  contract: Contract,
  side: 'bid' | 'offer',
  levels: readonly BookLevel[],
): Record<string, number> {
  const fields: Record<string, number> = {};
  LEVELS.forEach((suffix, i) => {
    const level = levels[i];
    fields[`${side}Price${suffix}`] = level === undefined ? 0 : pointsOf(contract.spec, level.price);
  });
  LEVELS.forEach((suffix, i) => {
    fields[`${side}Qtty${suffix}`] = levels[i]?.qty ?? 0;
  });
  return fields;
}

export interface SummaryToSend {
  readonly open: PriceTicks;
  readonly high: PriceTicks;
  readonly low: PriceTicks;
  readonly average: PriceHundredths;
}

export function encodeSummary(contract: Contract, summary: SummaryToSend): string {
  const payload = {
    symbol: contract.streamCode,
    high: pointsOf(contract.spec, summary.high),
    low: pointsOf(contract.spec, summary.low),
    avg: summary.average / 100,
    open: pointsOf(contract.spec, summary.open),
  };
  return `${SUMMARY_CHANNEL}|${JSON.stringify(payload)}`;
}
