/**
 * The uncross of an auction as a recording shows it: prints at one price and with one side that means nothing, all of them before
 * any other print. Recorded times may be whole seconds: the prints carry the second in which the auction ended.
 */
import { US_PER_SECOND } from '../../domain/units.ts';

export class AuctionPrints {
  readonly untilUs: number;
  /** 0 before the first print. */
  price = 0;
  /** 1, -1 or 0, as the recording has it. */
  side = 0;

  constructor(endedUs: number) {
    this.untilUs = endedUs + US_PER_SECOND;
  }

  /** As it was before a restart. */
  static recalled({
    untilUs,
    price,
    side,
  }: Pick<AuctionPrints, 'untilUs' | 'price' | 'side'>): AuctionPrints {
    const prints = new AuctionPrints(untilUs - US_PER_SECOND);
    prints.price = price;
    prints.side = side;
    return prints;
  }

  isOver(atUs: number): boolean {
    return atUs >= this.untilUs;
  }

  /** The first print sets price and side; the first print that differs ends the uncross. */
  has(price: number, side: number): boolean {
    if (this.price === 0) {
      this.price = price;
      this.side = side;
    }
    return this.price === price && this.side === side;
  }
}
