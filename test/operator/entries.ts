/** One entry of every kind, and the names that its line shows. */
import { tradingDay } from '../../src/domain/civil-date.ts';
import type { BrokerOrder } from '../../src/domain/broker-order.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, StrategyNames } from '../../src/domain/ids.ts';
import type { OrderStatus } from '../../src/domain/order.ts';
import * as units from '../../src/domain/units.ts';
import type { EntryKind, EntryOf } from '../../src/engine/ports/journal-entry.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { at, contract } from '../support/strategy-fixtures.ts';
import { createNaming } from '../../src/operator/entry-line.ts';

export const ID = clientOrderId('H.12345600002000017');
const CALL = clientOrderId('H.12345600002000018');
const NO = brokerOrderNo('41');
const VN30 = contract(0);

export const naming = createNaming(new StrategyNames(['ema-cross', 'breakout']), {
  contracts: () => [VN30, contract(1)],
  calendar: MARKET_CALENDAR,
});

const head = {
  cause: units.seq(7),
  tsUs: at('09:30:01.250'),
  strategy: units.strategyIndex(0),
} as const;
const system = { ...head, strategy: null } as const;
const instrument = units.instrumentIndex(0);
const cause = head.cause;
const price = units.priceTicks(13_052);

const brokerOrder: BrokerOrder = {
  orderNo: NO,
  orderKey: null,
  refId: null,
  orderCode: VN30.orderCode,
  side: 'sell',
  qty: units.qty(2),
  limitPrice: price,
  filledQty: units.qty(1),
  filledValue: null,
  status: 'resting',
  statusText: 'PY',
  canCancel: true,
  canModify: true,
  source: 'user',
  reason: '',
};

const position = { orderCode: VN30.orderCode, lastPrice: null, openProfit: null };

export const ENTRIES: { readonly [K in EntryKind]: EntryOf<K> } = {
  proposal: {
    ...head,
    kind: 'proposal',
    by: 'strategy',
    proposal: { do: 'cancel', callId: CALL, clientOrderId: ID },
  },
  denied: {
    ...head,
    kind: 'denied',
    clientOrderId: ID,
    denial: { code: 'qty_above_max', qty: 9, max: 5 },
  },
  place: {
    ...head,
    kind: 'place',
    isLost: false,
    order: {
      clientOrderId: ID,
      strategy: head.strategy,
      purpose: 'entry',
      shrinks: false,
      instrument,
      orderCode: VN30.orderCode,
      side: 'buy',
      qty: units.qty(2),
      limitPrice: price,
      trigger: null,
      cause,
    },
  },
  modify: {
    ...head,
    kind: 'modify',
    isLost: false,
    modify: {
      callId: CALL,
      clientOrderId: ID,
      strategy: head.strategy,
      purpose: 'entry',
      orderNo: NO,
      orderKey: null,
      orderCode: VN30.orderCode,
      qty: units.qty(2),
      limitPrice: units.priceTicks(13_060),
      triggerPrice: null,
      cause,
    },
  },
  cancel: {
    ...head,
    kind: 'cancel',
    isLost: false,
    cancel: {
      callId: CALL,
      clientOrderId: ID,
      strategy: head.strategy,
      orderNo: NO,
      orderKey: null,
      orderCode: VN30.orderCode,
      cause,
    },
  },
  outcome: {
    ...head,
    kind: 'outcome',
    clientOrderId: ID,
    call: 'cancel',
    outcome: { status: 'rejected', code: '-4', text: 'order is matched' },
  },
  order_status: status('submitted', 'accepted', 'place_accepted'),
  fill: {
    ...head,
    kind: 'fill',
    clientOrderId: ID,
    orderNo: NO,
    instrument,
    side: 'buy',
    qty: units.qty(1),
    value: units.money(130_520_000),
    cumQty: units.qty(2),
    cumValue: units.money(261_040_000),
    quality: 'exact',
    fee: units.money(5_250),
    tax: units.money(11_094),
  },
  fill_correction: {
    ...head,
    kind: 'fill_correction',
    clientOrderId: ID,
    orderNo: NO,
    instrument,
    side: 'buy',
    value: units.money(-20_000),
    tax: units.money(-2),
    cumValue: units.money(261_020_000),
    quality: 'average',
  },
  order_waiting: {
    ...head,
    kind: 'order_waiting',
    clientOrderId: clientOrderId('X.7625320'),
    parent: ID,
    purpose: 'reduce',
    isProtective: false,
    instrument,
    row: {
      orderNo: brokerOrderNo('5'),
      orderKey: brokerOrderKey('7625320'),
      orderCode: VN30.orderCode,
      side: 'sell',
      qty: units.qty(2),
      limitPrice: price,
      kind: 'exit',
      triggerPrice: price,
      triggerWhen: 'at_or_below',
      status: 'pending',
      statusText: '0',
      children: [],
      parent: null,
    },
  },
  position_event: {
    ...head,
    kind: 'position_event',
    event: 'carried_over',
    instrument,
    qty: units.signedQty(-2),
    value: units.money(261_040_000),
  },
  order_adopted: {
    ...head,
    strategy: units.OPERATOR_INDEX,
    kind: 'order_adopted',
    clientOrderId: clientOrderId('A.2026-03-04.41'),
    order: brokerOrder,
  },
  position_mismatch: {
    ...system,
    kind: 'position_mismatch',
    broker: [{ ...position, qty: units.signedQty(2) }],
    ours: [{ orderCode: 'VN30F2M', qty: units.signedQty(-1) }],
  },
  position_agreed: { ...system, kind: 'position_agreed' },
  money_checked: {
    ...system,
    kind: 'money_checked',
    verdict: 'differs',
    figures: [
      { what: 'fee', ours: units.money(5_250), broker: units.money(7_250) },
      { what: 'cash', ours: units.money(1_000_000), broker: units.money(1_000_000) },
    ],
  },
  phase: { ...system, kind: 'phase', tradingDay: tradingDay('2026-03-04'), phase: 'closing_auction' },
  gap: { ...system, kind: 'gap', instrument, missed: 1_204 },
  command: {
    ...system,
    kind: 'command',
    by: 'operator',
    command: { name: 'flatten', strategy: units.strategyIndex(1), reason: 'going home' },
  },
  remote_command: {
    ...system,
    kind: 'remote_command',
    by: 'telegram 4711 @owner',
    text: 'halt news',
    outcome: 'entries are off',
  },
  halt: { ...system, kind: 'halt', halted: true, reason: 'daily loss' },
  strategy_started: { ...head, kind: 'strategy_started' },
  strategy_changed: {
    ...head,
    kind: 'strategy_changed',
    from: { params: 'aa', code: 'cc', run: 0 },
    to: { params: 'bb', code: 'cc', run: 0 },
    heldQty: units.signedQty(-2),
    openOrders: 1,
  },
  strategy_stopped: { ...head, kind: 'strategy_stopped', reason: 'it threw' },
  strategy_fault: { ...head, kind: 'strategy_fault', message: 'x is not a function', where: 'onBar' },
  strategy_note: { ...head, kind: 'strategy_note', text: 'crossed up' },
  equity_peak: { ...system, kind: 'equity_peak', value: units.money(2_000_000_000) },
  policy_acted: {
    ...system,
    kind: 'policy_acted',
    failure: 'streamDead',
    policy: 'hold',
    instrument: null,
    text: 'the price stream is down, for 30 s',
  },
  stop_ready: { ...system, kind: 'stop_ready', reason: 'SIGTERM' },
  alert: { ...system, kind: 'alert', severity: 'critical', code: 'duplicate_order', text: 'seen twice' },
};

export function status(
  from: OrderStatus,
  to: OrderStatus,
  event: string,
  detail = '',
): EntryOf<'order_status'> {
  return { ...head, kind: 'order_status', clientOrderId: ID, orderNo: NO, from, to, event, detail };
}
