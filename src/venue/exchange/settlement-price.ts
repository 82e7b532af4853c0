/** Daily, final and theoretical prices (market rules, 5). All in hundredths of a point. */
import { assert } from '../../domain/assert.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { dayNumber, momentOf, type TradingDay } from '../../domain/civil-date.ts';
import type { TapeColumns } from '../../domain/ticks.ts';
import { type PriceHundredths, priceHundredths, priceTicks, type TsUs, tsUs } from '../../domain/units.ts';
import { averageOf, DayTally, TAIL_TRADES, type TradePhase } from './day-tally.ts';
import { AuctionPrints } from './tape-exchange.ts';

const WINDOW_TRADES_MIN = 20;

/**
 * Daily settlement price of a contract that traded: price of the closing auction; else average of the last 30 minutes of
 * continuous trading when there were more than 20 trades; else average of the last 20 trades without the dearest and
 * the cheapest; else average of the day, which is the opening price when nothing else traded. Undefined without a trade.
 */
export function dailySettlement(
  tally: DayTally,
  continuousEndUs: TsUs,
  hundredthsPerTick: number,
): PriceHundredths | undefined {
  if (tally.closingPrice !== null) return priceHundredths(tally.closingPrice * hundredthsPerTick);
  const window = tally.window(continuousEndUs);
  if (window.trades > WINDOW_TRADES_MIN) return averageOf(window.tickQty, window.qty, hundredthsPerTick);
  if (tally.tail.length === TAIL_TRADES) return trimmed(tally, hundredthsPerTick);
  return tally.average(hundredthsPerTick) ?? undefined;
}

/**
 * Daily settlement price of a recorded day, which is the final one of a contract that expires on it: a recording has no index.
 * Undefined without a trade, for quotes, and in a market without a closing auction: its days are settled at the last price.
 */
export function tapeSettlement(
  rows: TapeColumns,
  day: TradingDay,
  { phases, utcOffsetMinutes }: TradingCalendar,
  hundredthsPerTick: number,
): PriceHundredths | undefined {
  if (rows.isQuotes || !phases.some(({ phase }) => phase === 'closing_auction')) return undefined;
  const endOf = (toUs: number): TsUs => momentOf(day, toUs, utcOffsetMinutes);
  const auctions: Auction[] = [];
  for (const { phase, toUs } of phases) {
    if (phase === 'opening_auction') auctions.push({ source: 'opening', endUs: endOf(toUs) });
    else if (phase === 'closing_auction') auctions.push({ source: 'closing', endUs: endOf(toUs) });
  }
  const continuous = phases.findLast(({ phase }) => phase === 'continuous');
  return dailySettlement(tallyOf(rows, auctions), endOf(continuous?.toUs ?? 0), hundredthsPerTick);
}

interface Auction {
  readonly source: TradePhase;
  readonly endUs: TsUs;
}

/** The trades of a tape, with those of its uncrosses separated as the exchange does; `auctions` in the order of time. */
function tallyOf(
  { rows, tsUs: times, priceTicks: prices, qty, side }: TapeColumns,
  auctions: readonly Auction[],
): DayTally {
  const tally = new DayTally();
  let ended = 0;
  let uncross: AuctionPrints | null = null;
  for (let row = 0; row < rows; row += 1) {
    const traded = qty[row] ?? 0;
    if (traded === 0) continue;
    const atUs = times[row] ?? 0;
    const price = prices[row] ?? 0;
    for (let next = auctions[ended]; next !== undefined && next.endUs <= atUs; next = auctions[ended]) {
      uncross = new AuctionPrints(next.endUs);
      ended += 1;
    }
    if (uncross !== null && (uncross.isOver(atUs) || !uncross.has(price, side[row] ?? 0))) uncross = null;
    const source = uncross === null ? 'continuous' : auctions[ended - 1]?.source;
    assert(source !== undefined, 'an uncross follows an auction');
    tally.record(priceTicks(price), traded, tsUs(atUs), source);
  }
  return tally;
}

/** How much is trimmed is not published: one trade at each end. */
function trimmed(tally: DayTally, hundredthsPerTick: number): PriceHundredths {
  const kept = tally.tail.toSorted((a, b) => a.price - b.price).slice(1, -1);
  let tickQty = 0;
  let quantity = 0;
  for (const trade of kept) {
    tickQty += trade.price * trade.qty;
    quantity += trade.qty;
  }
  return averageOf(tickQty, quantity, hundredthsPerTick);
}

/** Yearly rates of the theoretical price, parts of 10,000. */
export interface CarryRates {
  readonly interestBps: number;
  readonly dividendBps: number;
}

/** `P = S x (1 + r x t / 360) - S x d x t / 360`, t in calendar days to expiry. */
export function theoreticalPrice(
  index: PriceHundredths,
  rates: CarryRates,
  day: TradingDay,
  expiry: TradingDay,
): PriceHundredths {
  const days = Math.max(0, dayNumber(expiry) - dayNumber(day));
  const net = rates.interestBps - rates.dividendBps;
  return priceHundredths(index + Math.round((index * net * days) / (10_000 * 360)));
}

/**
 * Final settlement price: mean of the index over the last 30 minutes of the last day, without the 3 highest and 3 lowest
 * values of continuous trading. How often the index is sampled is the caller's choice.
 */
export function finalSettlement(
  continuous: readonly PriceHundredths[],
  closing: readonly PriceHundredths[],
): PriceHundredths | undefined {
  const sorted = continuous.toSorted((a, b) => a - b);
  const kept = sorted.length > 2 * TRIMMED ? sorted.slice(TRIMMED, -TRIMMED) : sorted;
  const all = [...kept, ...closing];
  if (all.length === 0) return undefined;
  let sum = 0;
  for (const value of all) sum += value;
  return priceHundredths(Math.round(sum / all.length));
}

const TRIMMED = 3;
