/**
 * Best bid and ask as recorded trades let us guess them: who buys aggressively trades at the ask, who sells at the bid. How much
 * stands there is guessed from how much usually prints at one price before it gives way.
 */
import type { Side } from '../../domain/order.ts';
import type { TapeState, TouchState } from '../venue-state.ts';

/** Before anything is known. */
const FIRST_LEVEL_QTY = 10;
/** Weight of the past in the usual quantity of a level: 7 parts of 8. */
const PAST_PARTS = 7;

/** `qty` is guessed to stand there still, `printed` counts since this became the touch. */
type TouchSide = { -readonly [K in keyof TouchState]: TouchState[K] };

export class TapeTouch {
  readonly #bid: TouchSide = { price: null, qty: 0, printed: 0 };
  readonly #ask: TouchSide = { price: null, qty: 0, printed: 0 };
  #usualQty = FIRST_LEVEL_QTY;
  #lastAggressor: Side = 'buy';

  get bid(): { readonly price: number | null; readonly qty: number } {
    return this.#bid;
  }
  get ask(): { readonly price: number | null; readonly qty: number } {
    return this.#ask;
  }

  exportState(): Pick<TapeState, 'bid' | 'ask' | 'usualQty' | 'lastAggressor'> {
    return {
      bid: { ...this.#bid },
      ask: { ...this.#ask },
      usualQty: this.#usualQty,
      lastAggressor: this.#lastAggressor,
    };
  }

  recall({ bid, ask, usualQty, lastAggressor }: TapeState): void {
    Object.assign(this.#bid, bid);
    Object.assign(this.#ask, ask);
    this.#usualQty = usualQty;
    this.#lastAggressor = lastAggressor;
  }

  /** Learns from a print; returns its aggressor, guessed from the touch when the recording does not say. */
  print(price: number, quantity: number, stated: Side | null): Side {
    const aggressor = stated ?? this.#guess(price);
    this.#lastAggressor = aggressor;
    const [own, other] = aggressor === 'buy' ? [this.#ask, this.#bid] : [this.#bid, this.#ask];
    if (own.price !== price) this.#move(own, price);
    own.printed += quantity;
    own.qty -= quantity;
    if (own.qty <= 0) own.qty = this.#usualQty;
    const behind = aggressor === 'buy' ? price - 1 : price + 1;
    const crossed =
      other.price !== null && (aggressor === 'buy' ? other.price >= price : other.price <= price);
    if (other.price === null || crossed) this.#move(other, behind);
    return aggressor;
  }

  /** Takes from what stands on the other side of `side`, inside its limit. Returns how much, at the touch's price. */
  take(side: Side, limitPrice: number, quantity: number): { price: number; qty: number } | null {
    const touch = side === 'buy' ? this.#ask : this.#bid;
    if (touch.price === null || !this.crosses(side, limitPrice)) return null;
    const taken = Math.min(quantity, touch.qty);
    touch.qty -= taken;
    return taken === 0 ? null : { price: touch.price, qty: taken };
  }

  crosses(side: Side, limitPrice: number): boolean {
    const touch = side === 'buy' ? this.#ask.price : this.#bid.price;
    return touch !== null && (side === 'buy' ? limitPrice >= touch : limitPrice <= touch);
  }

  /** What stands ahead of an order that joins at this price: at the touch what is left there, behind it the usual. */
  ahead(side: Side, price: number): number {
    const touch = side === 'buy' ? this.#bid : this.#ask;
    if (touch.price === null) return this.#usualQty;
    if (touch.price === price) return touch.qty;
    return (side === 'buy' ? price > touch.price : price < touch.price) ? 0 : this.#usualQty;
  }

  #move(side: TouchSide, price: number): void {
    if (side.printed > 0) {
      this.#usualQty = Math.max(
        1,
        Math.round((this.#usualQty * PAST_PARTS + side.printed) / (PAST_PARTS + 1)),
      );
    }
    side.price = price;
    side.printed = 0;
    side.qty = this.#usualQty;
  }

  #guess(price: number): Side {
    if (this.#ask.price !== null && price >= this.#ask.price) return 'buy';
    if (this.#bid.price !== null && price <= this.#bid.price) return 'sell';
    return this.#lastAggressor;
  }
}
