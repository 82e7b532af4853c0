/** A state as an earlier build may have left it, and what it means today. */
import { NOTHING_CLOSED } from './account/closed-round.ts';
import type { VenueOrder } from './venue-event.ts';
import type { AccountState, OrderState, PositionState, VenueState } from './venue-state.ts';

type Order1 = Omit<OrderState, 'order'> & { readonly order: Omit<VenueOrder, 'origin' | 'bracket'> };
type Position1 = Omit<PositionState, 'closedLong' | 'closedShort'>;
type Account1 = Omit<AccountState, 'level' | 'positions'> & { readonly positions: readonly Position1[] };
type Since2 = 'conditions' | 'conditionNoNext' | 'rolledThrough';

/** Before conditional orders: every order was a client's, and nobody watched margin. */
interface VenueState1 extends Omit<VenueState, 'version' | 'orders' | 'accounts' | Since2> {
  readonly version: 1;
  readonly orders: readonly Order1[];
  readonly accounts: readonly Account1[];
}

export type StoredVenueState = VenueState | VenueState1;

export function currentState(stored: StoredVenueState): VenueState {
  switch (stored.version) {
    case 1:
      return {
        ...stored,
        version: 2,
        orders: stored.orders.map((row) => ({
          ...row,
          order: { origin: 'plain', bracket: null, ...row.order },
        })),
        accounts: stored.accounts.map((row) => ({
          level: 'sound',
          ...row,
          positions: row.positions.map(position),
        })),
        conditions: [],
        conditionNoNext: 1,
        rolledThrough: null,
      };
    case 2:
      return stored;
  }
}

const position = (row: Position1): PositionState => ({
  closedLong: NOTHING_CLOSED,
  closedShort: NOTHING_CLOSED,
  ...row,
});
