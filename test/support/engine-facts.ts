/** Rows of the broker's book and intents, from few words. */
import type {
  BrokerAccount,
  BrokerOrder,
  BrokerOrderStatus,
  BrokerTriggerOrder,
} from '../../src/domain/broker-order.ts';
import {
  brokerOrderKey,
  brokerOrderNo,
  type ClientOrderId,
  clientOrderId,
  orderCode,
} from '../../src/domain/ids.ts';
import type { LimitIntent, Side } from '../../src/domain/order.ts';
import { money, priceTicks, qty, strategyIndex } from '../../src/domain/units.ts';
import type { CarriedOrder } from '../../src/engine/ports/engine-event.ts';
import { FRONT, worth } from './engine-world.ts';

export interface RowFacts {
  readonly no: string;
  readonly key?: string;
  readonly ref?: ClientOrderId | null;
  readonly side?: Side;
  readonly qty?: number;
  readonly price?: number;
  readonly filled?: number;
  /** Cumulative money; absent when the book has no figure. */
  readonly value?: number;
  readonly quality?: 'exact' | 'average';
  readonly status?: BrokerOrderStatus;
  readonly text?: string;
  readonly code?: string;
  readonly source?: BrokerOrder['source'];
  readonly canCancel?: boolean;
}

export const row = (facts: RowFacts): BrokerOrder => ({
  orderNo: brokerOrderNo(facts.no),
  orderKey: facts.key === undefined ? null : brokerOrderKey(facts.key),
  refId: facts.ref ?? null,
  orderCode: orderCode(facts.code ?? FRONT.orderCode),
  side: facts.side ?? 'buy',
  qty: qty(facts.qty ?? 1),
  limitPrice: priceTicks(facts.price ?? 13_000),
  filledQty: qty(facts.filled ?? 0),
  filledValue:
    facts.value === undefined ? null : { value: money(facts.value), quality: facts.quality ?? 'exact' },
  status: facts.status ?? 'resting',
  statusText: facts.text ?? facts.status ?? 'resting',
  canCancel: facts.canCancel ?? !(facts.status ?? '').endsWith('canceled'),
  canModify: true,
  source: facts.source ?? 'user',
  reason: '',
});

export const accountWith = (buyingPower: number): BrokerAccount => ({
  cash: money(5_000_000_000),
  netAssetValue: money(5_000_000_000),
  initialMargin: money(0),
  requiredMargin: money(0),
  buyingPower: money(buyingPower),
  profit: money(0),
  uncollected: money(0),
  fee: money(0),
  tax: money(0),
  withdrawable: null,
  usageBps: 0,
});

export const limit = (side: Side, contracts: number, price: number): LimitIntent => ({
  kind: 'limit',
  instrument: FRONT.index,
  side,
  qty: qty(contracts),
  limitPrice: priceTicks(price),
  reason: 'test',
});

/** Facts of a row whose contracts have all traded, at one price. */
export const traded = (price: number, contracts = 1) =>
  ({ qty: contracts, filled: contracts, value: worth(price, contracts), status: 'matched' }) as const;

/** A working buy of two contracts at 13,000 by the first strategy, number 7 of yesterday. */
export const earlierOrder = (id: string, change: Partial<CarriedOrder> = {}): CarriedOrder => ({
  clientOrderId: clientOrderId(id),
  strategy: strategyIndex(0),
  parent: null,
  purpose: 'entry',
  isProtective: false,
  instrument: FRONT.index,
  side: 'buy',
  qty: qty(2),
  limitPrice: priceTicks(13_000),
  trigger: null,
  orderNo: brokerOrderNo('7'),
  orderKey: brokerOrderKey('70'),
  status: 'accepted',
  filledQty: qty(0),
  filledValue: money(0),
  fillQuality: 'exact',
  fee: money(0),
  tax: money(0),
  ...change,
});

/** And one of the second strategy, number 8. */
export const earlierOfSecond = (change: Partial<CarriedOrder> = {}): CarriedOrder =>
  earlierOrder('H.2', {
    strategy: strategyIndex(1),
    orderNo: brokerOrderNo('8'),
    orderKey: brokerOrderKey('80'),
    ...change,
  });

/** A stop of the first strategy that the trigger book showed yesterday. */
export const waitingOrder = (row: BrokerTriggerOrder, change: Partial<CarriedOrder> = {}): CarriedOrder =>
  earlierOrder('H.9', {
    purpose: 'reduce',
    side: row.side,
    qty: row.qty,
    limitPrice: row.limitPrice ?? row.triggerPrice ?? priceTicks(1),
    orderNo: row.orderNo,
    orderKey: row.orderKey,
    status: 'pending_trigger',
    row,
    ...change,
  });
