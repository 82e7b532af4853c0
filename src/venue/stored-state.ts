/** A state as an earlier build may have left it, and what it means today. */
import { NOTHING_CLOSED } from './account/holding.ts';
import type { OrderReport } from './venue-event.ts';
import type {
  AccountState,
  ContractState,
  OrderState,
  PositionState,
  QueueState,
  TapeState,
  VenueState,
} from './venue-state.ts';

/** Before late orders were told from those carried into an auction. */
interface VenueState2 extends Omit<VenueState, 'version' | 'contracts'> {
  readonly version: 2;
  readonly contracts: readonly Contract2[];
}

type Contract2 = Omit<ContractState, 'tape'> & { readonly tape: Tape2 | null };
type Tape2 = Omit<TapeState, 'isSettled' | 'queue'> & { readonly queue: readonly Place2[] };
type Place2 = Omit<QueueState, 'isCarried'>;

type Order1 = Omit<OrderState, 'order'> & { readonly order: Omit<OrderReport, 'origin' | 'bracket'> };
type Position1 = Omit<PositionState, 'closedLong' | 'closedShort'>;
type Account1 = Omit<AccountState, 'level' | 'positions'> & { readonly positions: readonly Position1[] };
type Since2 = 'conditions' | 'conditionNoNext' | 'rolledThrough';

/** Before orders with triggers: every order was a client's, and nobody watched margin. */
interface VenueState1 extends Omit<VenueState2, 'version' | 'orders' | 'accounts' | Since2> {
  readonly version: 1;
  readonly orders: readonly Order1[];
  readonly accounts: readonly Account1[];
}

export type StoredVenueState = VenueState | VenueState2 | VenueState1;

export function currentState(stored: StoredVenueState): VenueState {
  switch (stored.version) {
    case 1:
      return currentState({
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
      });
    case 2:
      return { ...stored, version: 3, contracts: stored.contracts.map(contract) };
    case 3:
      return stored;
  }
}

const contract = (row: Contract2): ContractState => ({
  ...row,
  tape: row.tape === null ? null : tape(row.tape),
});

/** That build shared an uncross with every order that stood, and let orders meet the book on entry alone. */
const tape = (row: Tape2): TapeState => ({
  isSettled: row.bid.price !== null || row.ask.price !== null,
  ...row,
  queue: row.queue.map((place) => ({ isCarried: row.crossing !== null, ...place })),
});

const position = (row: Position1): PositionState => ({
  closedLong: NOTHING_CLOSED,
  closedShort: NOTHING_CLOSED,
  ...row,
});
