/** Asks for the cancel of some orders, once each, again when an ask came to nothing, and knows when none is left. */
import type { ClientOrderId } from '../../domain/ids.ts';
import type { SessionActions } from './session-actions.ts';
import type { OrderView } from '../risk/risk-view.ts';

export class Withdrawal {
  readonly #actions: SessionActions;
  readonly #isMeant: (order: OrderView) => boolean;
  readonly #asked = new Set<ClientOrderId>();

  constructor(actions: SessionActions, isMeant: (order: OrderView) => boolean) {
    this.#actions = actions;
    this.#isMeant = isMeant;
  }

  /**
   * Orders whose end is waited for. One that is presumed absent has no end to wait for: a person ends it, and until then the
   * guard counts it.
   */
  get waiting(): readonly OrderView[] {
    return this.#actions.view
      .openOrders()
      .filter((order) => order.status !== 'presumed_absent' && this.#isMeant(order));
  }

  get isDone(): boolean {
    return this.waiting.length === 0;
  }

  ask(): void {
    for (const order of this.waiting) {
      const isOpen = order.status === 'pending_cancel' || order.cancelQueued;
      const wasRefused =
        order.status === 'accepted' ||
        order.status === 'partially_filled' ||
        order.status === 'pending_trigger';
      if (isOpen || (this.#asked.has(order.clientOrderId) && !wasRefused)) continue;
      this.#asked.add(order.clientOrderId);
      this.#actions.cancel(order.strategy, order.clientOrderId);
    }
  }
}
