import { assert } from '../../domain/assert.ts';
import { type ContractSpec, valueOf } from '../../domain/contract.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { applyFill, type Position } from '../../domain/position.ts';
import { money, type PriceTicks, signedQty } from '../../domain/units.ts';
import type { PositionState, VenueState } from '../../venue/venue-state.ts';

export interface ForeignPosition {
  readonly account: AccountId;
  readonly orderCode: OrderCode;
  readonly spec: ContractSpec;
  /** Contracts to add; below zero takes away or goes short. */
  readonly net: number;
  readonly price: PriceTicks;
}

/** The state in which `net` more contracts were entered at `price`, without an order, a fee or a tax. */
export function withPosition(state: VenueState, foreign: ForeignPosition): VenueState {
  const { account, orderCode, spec, net, price } = foreign;
  assert(net !== 0, 'an injected position changes something');
  const value = valueOf(spec, price, Math.abs(net));
  return {
    ...state,
    accounts: state.accounts.map((row) => {
      if (row.accountId !== account) return row;
      const others = row.positions.filter((position) => position.orderCode !== orderCode);
      const held =
        row.positions.find((position) => position.orderCode === orderCode) ?? emptyPosition(orderCode);
      return { ...row, positions: [...others, enlarged(held, net, value)] };
    }),
  };
}

function enlarged(held: PositionState, net: number, value: number): PositionState {
  const overall = applyFill(position(held.qty, held.openValue, held.realised), net, value);
  const ofDay = applyFill(position(held.qty, held.dayOpenValue, held.dayRealised), net, value);
  return {
    ...held,
    qty: overall.qty,
    openValue: overall.openValue,
    realised: overall.realised,
    dayOpenValue: ofDay.openValue,
    dayRealised: ofDay.realised,
  };
}

const position = (qty: number, openValue: number, realised: number): Position => ({
  qty: signedQty(qty),
  openValue: money(openValue),
  realised: money(realised),
});

const emptyPosition = (orderCode: OrderCode): PositionState => ({
  orderCode,
  qty: 0,
  openValue: 0,
  realised: 0,
  dayOpenValue: 0,
  dayRealised: 0,
  boughtQty: 0,
  boughtValue: 0,
  soldQty: 0,
  soldValue: 0,
});
