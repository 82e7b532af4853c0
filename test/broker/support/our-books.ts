/** What our own journal holds, from few words. */
import type { OurBooks, OurOrder, BookRow } from '../../../src/broker/gateway/kill-verdict.ts';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { OPERATOR_INDEX, type StrategyIndex, strategyIndex } from '../../../src/domain/units.ts';
import { createBrokerOrder } from './broker-orders.ts';

export const ONE = strategyIndex(0);
export const OTHER = strategyIndex(1);
/** A person, or another channel. */
export const PERSON = OPERATOR_INDEX;

export const NOTHING_OURS: OurBooks = { orders: [], positions: [], unknown: [], gone: [] };

export const owned = (owner: StrategyIndex, row: BookRow, more: Partial<OurOrder> = {}): OurOrder => ({
  clientOrderId: clientOrderId('kind' in row ? `H.${row.orderKey}` : (row.refId ?? `H.${row.orderNo}`)),
  owner,
  row,
  isOpen: true,
  isReduction: false,
  isProtective: false,
  isBracket: false,
  isSent: false,
  ...more,
});

/** One without an answer. */
export const unnumbered = (
  owner: StrategyIndex,
  id: string,
  { isReduction = false }: Partial<Pick<OurOrder, 'isReduction'>> = {},
): OurBooks['unknown'][number] => ({
  clientOrderId: clientOrderId(id),
  owner,
  isReduction,
  isProtective: false,
  isBracket: false,
  isSent: false,
});

type Held = readonly (readonly [owner: StrategyIndex, qty: number])[];

/** Positions are in the contract of `createBrokerOrder`. */
export const books = (held: Held, ...orders: readonly OurOrder[]): OurBooks => ({
  orders,
  positions: held.map(([owner, qty]) => ({ owner, orderCode: createBrokerOrder('1').orderCode, qty })),
  unknown: [],
  gone: [],
});
