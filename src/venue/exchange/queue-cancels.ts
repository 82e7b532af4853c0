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

interface QueuedWatch {
  readonly waiting: QueuedOrder<BookOrder>;
  /** Quantity of the level after the row before; undefined where it was not recorded. */
  shown: number | undefined;
  /** Traded at its price since then. */
  traded: number;
}

export class QueueCancels {
  readonly #book: RecordedBook;
  readonly #model: CancelModel;
  readonly #watched = new Map<QueuedOrder<BookOrder>, QueuedWatch>();

  constructor(book: RecordedBook, model: CancelModel) {
    this.#book = book;
    this.#model = model;
  }

  joined(waiting: QueuedOrder<BookOrder>): void {
    const shown = this.#book.shownAt(waiting.order.side, waiting.price);
    this.#watched.set(waiting, { waiting, shown, traded: 0 });
  }

  left(waiting: QueuedOrder<BookOrder>): void {
    this.#watched.delete(waiting);
  }

  traded(aggressor: Side, price: number, qty: number): void {
    for (const watched of this.#watched.values()) {
      const { order, price: at } = watched.waiting;
      if (order.side !== aggressor && at === price) watched.traded += qty;
    }
  }

  /** After each row. */
  share(): void {
    for (const watched of this.#watched.values()) {
      const { waiting, shown: before } = watched;
      const shown = this.#book.shownAt(waiting.order.side, waiting.price);
      watched.shown = shown;
      if (before === undefined || shown === undefined) {
        // The level came into sight, or went out of it: at most the shown quantity is ahead.
        if (shown !== undefined) waiting.ahead = Math.min(waiting.ahead, shown);
        continue;
      }
      const gone = before - shown;
      const byTrade = Math.min(Math.max(gone, 0), watched.traded);
      watched.traded -= byTrade;
      const cancelled = gone - byTrade;
      if (cancelled > 0) waiting.ahead -= this.#ahead(cancelled, waiting.ahead, before - byTrade);
      waiting.ahead = Math.min(waiting.ahead, shown);
    }
  }

  /** Part of the cancelled quantity that rested in front of us, when `level` rested there in all. */
  #ahead(cancelled: number, ahead: number, level: number): number {
    switch (this.#model) {
      case 'behind':
        return 0;
      case 'ahead':
        return Math.min(cancelled, ahead);
      case 'proportional':
        return level <= 0 ? 0 : Math.min(ahead, Math.round((cancelled * ahead) / level));
    }
  }
}
