/**
 * Keeps the venue's memory in the state store. Orders, waiting ones too, are many and change one at a time, so each has a
 * row of its own and only changed rows are written.
 */
import { type TsUs, tsUs } from '../../domain/units.ts';
import type { Venue, VenueState } from '../../venue/venue.ts';
import type { OrderState } from '../../venue/orders/venue-order.ts';
import type { TriggerOrderState } from '../../venue/triggers/trigger-rows.ts';
import type { StateKind, StateStore } from './state-store.ts';

type Head = Omit<VenueState, 'orders' | 'triggers'>;

const HEAD: StateKind<Head> = { name: 'venue' };
const ORDERS: StateKind<OrderState> = { name: 'order' };
const TRIGGERS: StateKind<TriggerOrderState> = { name: 'trigger' };

export class VenueMemory {
  readonly #store: StateStore;
  /** Orders whose row is out of date. */
  readonly #dirty = new Set<string>();
  readonly #dirtyTriggers = new Set<string>();
  /** Undefined until the first commit, which writes every row. */
  #day: string | undefined;

  constructor(store: StateStore) {
    this.#store = store;
  }

  load(): VenueState | undefined {
    const head = this.#store.get(HEAD, 'head');
    if (head === undefined) return undefined;
    const orders = this.#store.all(ORDERS).toSorted(byNumber);
    const triggers = this.#store.all(TRIGGERS).toSorted(byNumber);
    return { ...head, orders, triggers };
  }

  /** Market time of the last commit, when there was one. */
  leftOffUs(): TsUs | undefined {
    const head = this.#store.get(HEAD, 'head');
    return head === undefined ? undefined : tsUs(head.atUs);
  }

  touch(orderNo: string): void {
    this.#dirty.add(orderNo);
  }

  touchTrigger(orderNo: string): void {
    this.#dirtyTriggers.add(orderNo);
  }

  /** One commit; a new day forgets the orders of the day before. */
  save(venue: Pick<Venue, 'day' | 'exportState'>): void {
    const newDay = this.#day !== venue.day;
    // A commit writes the changed orders, not all of the day.
    const { orders, triggers, ...head } = venue.exportState(newDay ? undefined : this.#dirty);
    this.#store.commit(() => {
      this.#store.put(HEAD, 'head', head);
      for (const kind of newDay ? [ORDERS, TRIGGERS] : []) this.#store.removeAll(kind);
      for (const row of orders) this.#store.put(ORDERS, row.orderNo, row);
      for (const row of triggers) {
        if (newDay || this.#dirtyTriggers.has(row.orderNo)) this.#store.put(TRIGGERS, row.orderNo, row);
      }
    });
    this.#day = head.day;
    this.#dirty.clear();
    this.#dirtyTriggers.clear();
  }
}

const byNumber = (a: { readonly orderNo: string }, b: { readonly orderNo: string }): number =>
  Number(a.orderNo) - Number(b.orderNo);
