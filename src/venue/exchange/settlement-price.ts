/** Daily, final and theoretical prices (market rules, section 5). All in hundredths of a point. */
import { dayNumber, type TradingDay } from '../../domain/civil-date.ts';
import { type PriceHundredths, priceHundredths, type TsUs } from '../../domain/units.ts';
import { averageOf, type DayTally, TAIL_TRADES } from './day-tally.ts';

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
