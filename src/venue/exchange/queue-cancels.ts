/**
 * Quantity that leaves a level of the recorded book without a trade was cancelled, before us or behind us. The model decides: all behind
 * (nothing changes for us), all ahead, or on both sides in proportion to the resting quantity. The quantity ahead of us never exceeds the
 * shown quantity.
 */
import type { Side } from '../../domain/order.ts';
import type { BookOrder } from './exchange.ts';
import type { QueuedOrder } from './tape-queue.ts';
import type { CancelModel } from './fill-models.ts';
import type { RecordedBook } from './recorded-book.ts';

type Waiting = ReadonlyMap<BookOrder, QueuedOrder<BookOrder>>;

export function noteTraded(queue: Waiting, aggressor: Side, price: number, qty: number): void {
  for (const waiting of queue.values())
    if (waiting.order.side !== aggressor && waiting.price === price) waiting.traded += qty;
}

/** After each row. */
export function shareCancelled(queue: Waiting, book: RecordedBook, model: CancelModel): void {
  for (const waiting of queue.values()) {
    const { shown: before } = waiting;
    const shown = book.shownAt(waiting.order.side, waiting.price);
    waiting.shown = shown;
    if (shown === undefined) continue;
    // A level that comes into sight has at most the shown quantity ahead.
    if (before !== undefined) {
      const gone = before - shown;
      const byTrade = Math.min(Math.max(gone, 0), waiting.traded);
      waiting.traded -= byTrade;
      const cancelled = gone - byTrade;
      if (cancelled > 0) waiting.ahead -= inFront(model, cancelled, waiting.ahead, before - byTrade);
    }
    waiting.ahead = Math.min(waiting.ahead, shown);
  }
}

/** Part of the cancelled quantity that rested in front of us, when `level` rested there in all. */
function inFront(model: CancelModel, cancelled: number, ahead: number, level: number): number {
  switch (model) {
    case 'behind':
      return 0;
    case 'ahead':
      return Math.min(cancelled, ahead);
    case 'proportional':
      return level <= 0 ? 0 : Math.min(ahead, Math.round((cancelled * ahead) / level));
  }
}
