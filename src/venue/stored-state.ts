/** A state as an earlier build may have left it, and what it means today. */
import type { OrderState, VenueState } from './venue-state.ts';
import type { VenueOrder } from './venue-event.ts';

type OrderState1 = Omit<OrderState, 'order'> & { readonly order: Omit<VenueOrder, 'origin'> };

/** Before conditional orders: every order was a client's. */
interface VenueState1 extends Omit<
  VenueState,
  'version' | 'orders' | 'conditions' | 'conditionNoNext' | 'rolledThrough'
> {
  readonly version: 1;
  readonly orders: readonly (OrderState | OrderState1)[];
}

export type StoredVenueState = VenueState | VenueState1;

export function currentState(stored: StoredVenueState): VenueState {
  switch (stored.version) {
    case 1:
      return {
        ...stored,
        version: 2,
        orders: stored.orders.map((row) => ({ ...row, order: { origin: 'plain', ...row.order } })),
        conditions: [],
        conditionNoNext: 1,
        rolledThrough: null,
      };
    case 2:
      return stored;
  }
}
