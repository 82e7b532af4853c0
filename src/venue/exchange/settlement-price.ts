/** Daily, final and theoretical prices (market rules, 5), all in hundredths of a point, and the tally of trades that they are made from. */
import { assert } from '../../domain/assert.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { dayNumber, momentOf, type TradingDay } from '../../domain/civil-date.ts';
import type { TapeColumns } from '../../domain/ticks.ts';
import {
  type PriceHundredths,
  priceHundredths,
  priceTicks,
  type PriceTicks,
  type TsUs,
  tsUs,
  US_PER_MINUTE,
} from '../../domain/units.ts';
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

export type TradePhase = 'opening' | 'continuous' | 'closing';

/** Window of the settlement price, minutes (market rules, 5). */
const WINDOW_MINUTES = 30;
const TAIL_TRADES = 20;

interface MinuteBucket {
  readonly minute: number;
  trades: number;
  qty: number;
  tickQty: number;
}

/** Plain data: the fields of a tally. */
export type TallyState = Omit<DayTally, 'record' | 'resume' | 'exportState' | 'average' | 'window'>;

/** Trades of one contract today: the figures of the board, and the base of the settlement price. */
export class DayTally {
  /** Null before the first trade. */
  open: PriceTicks | null = null;
  high: PriceTicks | null = null;
  low: PriceTicks | null = null;
  last: PriceTicks | null = null;
  lastQty = 0;
  volume = 0;
  /** Sum of price in ticks times quantity. */
  tickQty = 0;
  /** Price of the closing auction, when there was one today. */
  closingPrice: PriceTicks | null = null;
  /** The last half hour of continuous trading. */
  readonly minutes: MinuteBucket[] = [];
  /** The last trades of continuous trading, oldest first, at most `TAIL_TRADES`. */
  readonly tail: { readonly price: number; readonly qty: number }[] = [];

  record(price: PriceTicks, quantity: number, tsUs: TsUs, source: TradePhase): void {
    assert(quantity > 0, 'a trade has a quantity');
    if (this.high === null || price > this.high) this.high = price;
    if (this.low === null || price < this.low) this.low = price;
    this.open ??= price;
    this.last = price;
    this.lastQty = quantity;
    this.volume += quantity;
    this.tickQty += price * quantity;
    if (source === 'closing') this.closingPrice = price;
    else if (source === 'continuous') this.#remember(price, quantity, tsUs);
  }

  /** Continues a day that began before a restart. */
  resume(state: TallyState): void {
    assert(this.open === null, 'a day is resumed before its first trade');
    Object.assign(this, copyOf(state));
  }

  exportState(): TallyState {
    return copyOf(this);
  }

  /** Average of the day, to the nearest hundredth; null before the first trade. */
  average(hundredthsPerTick: number): PriceHundredths | null {
    return this.volume === 0 ? null : averageOf(this.tickQty, this.volume, hundredthsPerTick);
  }

  /** Trades of the `WINDOW_MINUTES` minutes before `endUs`, a whole minute. */
  window(endUs: TsUs): { trades: number; qty: number; tickQty: number } {
    const endMinute = Math.floor(endUs / US_PER_MINUTE);
    const sum = { trades: 0, qty: 0, tickQty: 0 };
    for (const bucket of this.minutes) {
      if (bucket.minute < endMinute - WINDOW_MINUTES || bucket.minute >= endMinute) continue;
      sum.trades += bucket.trades;
      sum.qty += bucket.qty;
      sum.tickQty += bucket.tickQty;
    }
    return sum;
  }

  #remember(price: number, quantity: number, tsUs: TsUs): void {
    this.tail.push({ price, qty: quantity });
    if (this.tail.length > TAIL_TRADES) this.tail.shift();
    const minute = Math.floor(tsUs / US_PER_MINUTE);
    let bucket = this.minutes.at(-1);
    if (bucket?.minute !== minute) {
      bucket = { minute, trades: 0, qty: 0, tickQty: 0 };
      this.minutes.push(bucket);
      if (this.minutes.length > WINDOW_MINUTES + 1) this.minutes.shift();
    }
    bucket.trades += 1;
    bucket.qty += quantity;
    bucket.tickQty += price * quantity;
  }
}

const copyOf = (state: TallyState): TallyState => ({
  ...state,
  minutes: state.minutes.map((bucket) => ({ ...bucket })),
  tail: [...state.tail],
});

function averageOf(tickQty: number, quantity: number, hundredthsPerTick: number): PriceHundredths {
  return priceHundredths(Math.round((tickQty * hundredthsPerTick) / quantity));
}
