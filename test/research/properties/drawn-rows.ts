/** Random rows of one contract: moments shared with other contracts, silences, auctions, sides of the book that are empty. */
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { US_PER_HOUR, US_PER_SECOND } from '../../../src/domain/units.ts';
import { allocateRows, type TickRows } from '../../../src/recording/columns/tick-file.ts';
import type { Random } from '../../../src/venue/market/random.ts';

/** Sessions of the exchange, hours; prints come also at the end of both auctions. */
const HOURS = [9, 9.5, 11.4, 13, 14, 14.4, 14.75] as const;

/** A day of prints, and of books where `depth` is not 0. */
export function drawnRows(random: Random, day: string, count: number, depth: number): TickRows {
  const rows = allocateRows(depth, count);
  let at: number = momentOf(tradingDay(day), HOURS[0] * US_PER_HOUR, 420);
  let bid = 1_300;
  for (let row = 0; row < count; row += 1) {
    const hour = HOURS[Math.floor((row * HOURS.length) / count)]!;
    const from = momentOf(tradingDay(day), hour * US_PER_HOUR, 420);
    // Rows of the same moment, in one contract and in both, and long silences.
    at = Math.max(at, from) + (random.chance(500) ? 0 : random.below(3 * US_PER_SECOND));
    if (random.chance(300)) bid += random.chance(500) ? 1 : -1;
    rows.tsUs[row] = at;
    rows.priceTicks[row] = bid + random.below(2);
    rows.qty[row] = random.chance(200) && depth > 0 ? 0 : 1 + random.below(9);
    rows.side[row] = random.below(3) - 1;
    for (let level = 0; level < depth; level += 1) {
      const isGone = random.chance(150);
      rows.book!.bidPrice[level]![row] = bid - level;
      rows.book!.bidQty[level]![row] = isGone ? 0 : 1 + random.below(4);
      rows.book!.askPrice[level]![row] = bid + 1 + level;
      rows.book!.askQty[level]![row] = random.chance(150) ? 0 : 1 + random.below(4);
    }
  }
  return rows;
}
