/** Which stamps are an auction's: nobody crosses a spread there, whatever a tape writes. */
import type { TradingCalendar } from '../../domain/calendar.ts';
import { timeOfDayUs } from '../../domain/civil-date.ts';
import { tsUs, US_PER_SECOND } from '../../domain/units.ts';

interface Stretch {
  readonly fromUs: number;
  /** The uncross is printed in the second that begins here. */
  readonly toUs: number;
}

export class AuctionStamps {
  readonly #auctions: readonly Stretch[];
  readonly #utcOffsetMinutes: number;
  #second = NaN;
  #isUncross = false;

  constructor(calendar: TradingCalendar | null) {
    const phases = calendar?.phases ?? [];
    this.#auctions = phases.filter(({ phase }) => phase === 'opening_auction' || phase === 'closing_auction');
    this.#utcOffsetMinutes = calendar?.utcOffsetMinutes ?? 0;
  }

  /** In an auction, or in the second in which its result is printed. */
  isUncross(at: number): boolean {
    const second = Math.floor(at / US_PER_SECOND);
    if (second !== this.#second) {
      this.#second = second;
      const time = timeOfDayUs(tsUs(second * US_PER_SECOND), this.#utcOffsetMinutes);
      this.#isUncross = this.#auctions.some(({ fromUs, toUs }) => time >= fromUs && time <= toUs);
    }
    return this.#isUncross;
  }
}
