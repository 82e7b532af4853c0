/** Writes down what became of an order, and tells it: the one place where an order ends. */
import { snapshotOf, type LiveOrder } from './live-order.ts';
import type { OrderStore } from './order-store.ts';
import type { Outbox } from '../outbox.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TsUs } from '../../domain/units.ts';
import type { VenueOrder } from '../venue-event.ts';

export class OrderJournal {
  readonly #store: OrderStore;
  readonly #outbox: Outbox;
  readonly #phase: () => SessionPhase;

  constructor(store: OrderStore, outbox: Outbox, phase: () => SessionPhase) {
    this.#store = store;
    this.#outbox = outbox;
    this.#phase = phase;
  }

  shown(order: LiveOrder): VenueOrder {
    return snapshotOf(order, this.#phase());
  }

  tell(order: LiveOrder, at: TsUs): void {
    this.#outbox.emit({ kind: 'order', tsUs: at, order: this.shown(order) });
  }

  /** The exchange refused a change or cancel: the order stands as it stood. */
  keep(order: LiveOrder, reason: string, at: TsUs): void {
    order.reason = reason;
    this.tell(order, at);
  }

  /** Canceled, refused on arrival, or expired. */
  end(order: LiveOrder, expired: boolean, reason: string, at: TsUs): void {
    order.pending = null;
    order.canceledUs = at;
    order.expired = expired;
    order.reason = reason;
    this.#store.closed(order);
    this.tell(order, at);
  }
}
