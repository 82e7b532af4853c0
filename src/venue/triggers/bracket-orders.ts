/**
 * The exits of brackets: for the filled part of the parent a stop-loss and a take-profit wait in the trigger book; the one
 * that triggers cancels the other. They grow with each fill. A fill after an exit was sent gets exits of its own, so that
 * no fill is ever without them.
 */
import { marketLimit } from '../../domain/contract.ts';
import { opposite } from '../../domain/order.ts';
import type { TsUs } from '../../domain/units.ts';
import type { TriggerRows } from './trigger-store.ts';
import { isWaiting, type TriggerOrder, waitingOrder } from './trigger-order.ts';
import { exitPrices } from '../venue-event.ts';
import type { VenueOrder } from '../orders/venue-order.ts';
import { stopTrigger } from './trigger.ts';

/** The order of the in-day book that exits are made from. */
export type BracketParent = Pick<
  VenueOrder,
  'accountId' | 'day' | 'orderNo' | 'orderKey' | 'orderCode' | 'side' | 'bracket' | 'owner'
>;

interface Pair {
  readonly stopLoss: TriggerOrder;
  readonly takeProfit: TriggerOrder;
}

export class BracketOrders {
  readonly #book: TriggerRows;
  readonly #slipTicks: number;
  readonly #takeKey: () => string;
  /** The latest exits of each parent of today, by its key. */
  readonly #pairs = new Map<string, Pair>();

  constructor(book: TriggerRows, slipTicks: number, takeKey: () => string) {
    this.#book = book;
    this.#slipTicks = slipTicks;
    this.#takeKey = takeKey;
  }

  onFill(parent: BracketParent, price: number, quantity: number, at: TsUs): void {
    if (parent.bracket === null) return;
    const pair = this.#pairs.get(parent.orderKey);
    if (pair === undefined || wasSent(pair.stopLoss) || wasSent(pair.takeProfit)) {
      return this.#attach(parent, price, quantity, pair, at);
    }
    for (const half of [pair.stopLoss, pair.takeProfit]) {
      if (!isWaiting(half)) continue;
      half.qty += quantity;
      this.#book.tell(half, at);
    }
  }

  /** The limit of the order an exit sends: a take-profit asks for its price, a stop-loss gives way to be filled. */
  limitOf(exit: Pick<TriggerOrder, 'side' | 'half'>, triggerPrice: number): number {
    if (exit.half === 'take_profit') return triggerPrice;
    const { side } = exit;
    const furthest = marketLimit(side);
    return side === 'sell'
      ? Math.max(furthest, triggerPrice - this.#slipTicks)
      : Math.min(furthest, triggerPrice + this.#slipTicks);
  }

  beginDay(): void {
    this.#pairs.clear();
  }

  /** Finds the exits of parents again after a restart; later ones replace earlier ones. */
  restore(rows: readonly TriggerOrder[]): void {
    for (const row of rows) {
      if (row.parentKey === null || row.half !== 'stop_loss' || row.partner === null) continue;
      this.#pairs.set(row.parentKey, { stopLoss: row, takeProfit: row.partner });
    }
  }

  #attach(parent: BracketParent, price: number, quantity: number, before: Pair | undefined, at: TsUs): void {
    const { bracket } = parent;
    if (bracket === null) return;
    const from = exitPrices(bracket, parent.side, price);
    // Prices as their owner moved them last.
    const low = before?.stopLoss.trigger.price ?? from.stopLoss;
    const high = before?.takeProfit.trigger.price ?? from.takeProfit;
    const stopLoss = this.#exit(parent, 'stop_loss', low, quantity, at);
    const takeProfit = this.#exit(parent, 'take_profit', high, quantity, at);
    stopLoss.partner = takeProfit;
    takeProfit.partner = stopLoss;
    this.#pairs.set(parent.orderKey, { stopLoss, takeProfit });
    this.#book.enter(stopLoss, at);
    this.#book.enter(takeProfit, at);
  }

  #exit(
    parent: BracketParent,
    half: 'stop_loss' | 'take_profit',
    triggerPrice: number,
    quantity: number,
    at: TsUs,
  ): TriggerOrder {
    const side = opposite(parent.side);
    const falls = (half === 'stop_loss') === (side === 'sell');
    return waitingOrder({
      accountId: parent.accountId,
      day: parent.day,
      orderNo: this.#book.store.takeNo(),
      orderKey: this.#takeKey(),
      refId: null,
      owner: parent.owner,
      orderCode: parent.orderCode,
      side,
      kind: 'exit',
      half,
      parentOrderNo: parent.orderNo,
      parentKey: parent.orderKey,
      placedUs: at,
      trigger: stopTrigger(side, falls ? 'at_or_below' : 'at_or_above', triggerPrice),
      qty: quantity,
      limitPrice: this.limitOf({ side, half }, triggerPrice),
    });
  }
}

/** Or is about to be. */
const wasSent = ({ status, suspended }: TriggerOrder): boolean =>
  suspended || status === 'activated' || status === 'rejected';
