/** The kill path after a restart: what an earlier process knew of orders at the broker. */
import { expect, it } from 'vitest';
import { sweepMemory, untoldOrder } from '../../../src/app/restart/sweep-memory.ts';
import { alwaysOpen } from '../../../src/domain/calendar.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId } from '../../../src/domain/ids.ts';
import { priceTicks, qty, seq, tsUs } from '../../../src/domain/units.ts';
import type { BrokerOrder, CallOutcome } from '../../../src/domain/broker-order.ts';
import { createBrokerOrder, createOrder } from '../../broker/support/broker-orders.ts';
import { acceptWaiting, startWaiting, stopSell, waits } from '../../engine/support/trigger-rows.ts';
import { earlierOrder } from '../../support/engine-facts.ts';
import { FIRST } from '../../support/engine-rig.ts';
import { CALENDAR } from '../../support/engine-world.ts';
import { DAY, openStore, tempPath } from '../../journal/journal-fixture.ts';

const HEAD = { cause: seq(1), tsUs: tsUs(1), strategy: FIRST } as const;
const KEY = brokerOrderKey('k');
const TAKEN: CallOutcome = { status: 'accepted', orderNo: brokerOrderNo('9'), orderKey: KEY };
const STOP = { kind: 'stop', triggerPrice: priceTicks(12_965), triggerWhen: 'at_or_below' } as const;

function journal() {
  const { store } = openStore(tempPath());
  const begin = (day: typeof DAY): void => {
    store.beginSession(day, tsUs(1), 'test');
    const started = { kind: 'session_started', tradingDay: day, carriedOver: [], halted: null } as const;
    store.recordInput({ ...started, seq: seq(1), tsUs: tsUs(1) });
  };
  begin(DAY);
  const place = (purpose: 'entry' | 'reduce', isLost = false) => {
    const order = createOrder({ purpose, trigger: STOP });
    store.append({ ...HEAD, kind: 'place', order, isLost });
    return order.clientOrderId;
  };
  const answer = (clientOrderId: ReturnType<typeof place>, outcome: CallOutcome): void =>
    store.append({ ...HEAD, kind: 'outcome', clientOrderId, call: 'place', outcome });
  const memory = () => {
    store.flush();
    const { reductions, unknown } = sweepMemory(store.read);
    return [[...reductions], [...unknown]];
  };
  return { store, begin, place, answer, memory };
}

it('knows a stop that protects by its row, over the days that carry it', () => {
  const { store, begin, memory } = journal();
  const rig = startWaiting();
  acceptWaiting(rig, rig.ask(FIRST, stopSell(12_950)), 'k1');
  rig.pass(1).conditions([waits({ key: 'k1' })]);
  const row = rig.of('order_waiting').at(-1)!;
  store.append({ ...row, purpose: 'reduce' });
  store.append({ ...row, purpose: 'entry', row: { ...row.row, orderKey: brokerOrderKey('k2') } });
  expect(memory()).toEqual([['k1'], []]);
  begin(addDays(DAY, 1));
  store.beginSession(addDays(DAY, 2), tsUs(1), 'never began');
  expect(memory()).toEqual([['k1'], []]);
});

it('knows a stop that was accepted, before a book showed it', () => {
  const { place, answer, memory } = journal();
  answer(place('reduce'), TAKEN);
  expect(memory()).toEqual([[KEY], []]);
});

it('takes an entry for no protection', () => {
  const { place, answer, memory } = journal();
  answer(place('entry'), TAKEN);
  expect(memory()).toEqual([[], []]);
});

it('doubts a placement without an answer, or with one that says nothing, until a book has shown it', () => {
  const { store, place, answer, memory } = journal();
  const id = place('entry');
  expect(memory()).toEqual([[], [id]]);
  answer(id, { status: 'unknown', reason: 'no answer in time' });
  const status = {
    ...HEAD,
    kind: 'order_status',
    clientOrderId: id,
    orderNo: null,
    event: '',
    detail: '',
  } as const;
  store.append({ ...status, from: 'submitted', to: 'unknown' });
  expect(memory()).toEqual([[], [id]]);
  store.append({ ...status, from: 'unknown', to: 'accepted' });
  expect(memory()).toEqual([[], []]);
});

it('doubts nothing that never left', () => {
  const { place, answer, memory } = journal();
  place('entry', true);
  expect(memory()).toEqual([[], []]);
  answer(place('entry'), { status: 'not_sent', reason: 'halted' });
  expect(memory()).toEqual([[], []]);
});

it('tells an in-day book of the day before from one of the day, once the day has an order at the exchange', () => {
  const { store, answer } = journal();
  const id = clientOrderId('H.00000100001000009');
  const earlier = {
    ...earlierOrder(id),
    orderNo: brokerOrderNo('3'),
    qty: qty(2),
    status: 'accepted',
  } as const;
  const day = addDays(DAY, 1);
  store.beginSession(day, tsUs(2), 'test');
  const started = { kind: 'session_started', tradingDay: day, carriedOver: [], halted: null } as const;
  store.recordInput({ ...started, earlierOrders: [earlier], seq: seq(2), tsUs: tsUs(2) });
  let calendar = CALENDAR;
  const untold = (...rows: readonly BrokerOrder[]) => {
    store.flush();
    return untoldOrder(store.read, day, rows, calendar);
  };
  const old = createBrokerOrder('3', { refId: id, status: 'canceled' });
  expect(untold(old), 'nothing of the day is missing').toBeNull();
  store.append({ ...HEAD, kind: 'place', order: createOrder({ trigger: STOP }), isLost: false });
  expect(untold(old), 'stops wait in a book of their own').toBeNull();
  const order = createOrder({ clientOrderId: clientOrderId('H.00000100001000010') });
  store.append({ ...HEAD, kind: 'place', order, isLost: false });
  expect(untold(old)).toBe(order.clientOrderId);
  answer(order.clientOrderId, TAKEN);
  expect(untold(old)).toBe(order.clientOrderId);
  expect(untold(old, createBrokerOrder('9')), 'a row of the day').toBeNull();
  expect(untold({ ...old, refId: null }), 'by its number and terms').toBe(order.clientOrderId);
  expect(untold({ ...old, refId: null, side: 'sell' }), 'numbers begin anew').toBeNull();
  expect(untold()).toBeNull();
  calendar = alwaysOpen(CALENDAR);
  expect(untold(old), 'where trading never stops it may work on').toBeNull();
});

it('misses no order of the day that the broker refused', () => {
  const { store, place, answer } = journal();
  answer(place('entry'), { status: 'rejected', code: '-1', text: 'no' });
  store.flush();
  expect(untoldOrder(store.read, DAY, [createBrokerOrder('3')], CALENDAR)).toBeNull();
});
