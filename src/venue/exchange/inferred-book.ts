/**
 * Best prices inferred from trades, where no book was recorded: an aggressive buyer trades at the ask, a seller at the bid. The
 * quantity there is guessed from the usual volume at a price before it gives way.
 */
import type { Side } from '../../domain/order.ts';
import { type OnTake, type ShownBook, Touch } from './recorded-book.ts';

/** Before anything is known. */
const FIRST_LEVEL_QTY = 10;
/** Weight of the past in the usual quantity of a level: 7 parts of 8. */
const PAST_PARTS = 7;

/** Its fields are all of its state, and plain data. */
export class InferredBook extends Touch implements ShownBook {
  /** Traded since this became the touch. */
  bidPrinted = 0;
  askPrinted = 0;
  /** Quantity that usually prints at a price before it gives way. */
  usualQty = FIRST_LEVEL_QTY;

  trade(price: number, traded: number, side: number): Side {
    const aggressor = this.aggressorOf(price, side);
    this.lastSide = aggressor;
    if (aggressor === 'buy') this.#bought(price, traded);
    else this.#sold(price, traded);
    return aggressor;
  }

  ahead(side: Side, price: number): number {
    const touch = side === 'buy' ? this.bid : this.ask;
    if (touch === 0) return this.usualQty;
    if (touch === price) return side === 'buy' ? this.bidQty : this.askQty;
    return (side === 'buy' ? price > touch : price < touch) ? 0 : this.usualQty;
  }

  /** Of the touch alone: deeper levels are unknown. */
  take(side: Side, limit: number, wanted: number, onTake: OnTake): number {
    const touch = side === 'buy' ? this.ask : this.bid;
    if (touch === 0 || (side === 'buy' ? limit < touch : limit > touch)) return 0;
    const taken = Math.min(wanted, side === 'buy' ? this.askQty : this.bidQty);
    if (taken === 0) return 0;
    if (side === 'buy') this.askQty -= taken;
    else this.bidQty -= taken;
    onTake(touch, taken);
    return taken;
  }

  #bought(price: number, traded: number): void {
    if (this.ask !== price) this.#moveAsk(price);
    this.askPrinted += traded;
    this.askQty -= traded;
    if (this.askQty <= 0) this.askQty = this.usualQty;
    if (this.bid === 0 || this.bid >= price) this.#moveBid(price - 1);
  }

  #sold(price: number, traded: number): void {
    if (this.bid !== price) this.#moveBid(price);
    this.bidPrinted += traded;
    this.bidQty -= traded;
    if (this.bidQty <= 0) this.bidQty = this.usualQty;
    if (this.ask === 0 || this.ask <= price) this.#moveAsk(price + 1);
  }

  #moveAsk(price: number): void {
    this.#learn(this.askPrinted);
    this.ask = price;
    this.askPrinted = 0;
    this.askQty = this.usualQty;
    this.askChanges += 1;
  }

  #moveBid(price: number): void {
    this.#learn(this.bidPrinted);
    this.bid = price;
    this.bidPrinted = 0;
    this.bidQty = this.usualQty;
    this.bidChanges += 1;
  }

  #learn(printed: number): void {
    if (printed === 0) return;
    const usual = Math.round((this.usualQty * PAST_PARTS + printed) / (PAST_PARTS + 1));
    this.usualQty = Math.max(1, usual);
  }
}
