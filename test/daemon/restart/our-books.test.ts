/** What the kill path takes from the journal, with or without an engine. */
import { expect, it } from 'vitest';
import { SessionTracker } from '../../../src/daemon/restart/carry-over.ts';
import { ourBooks, type OurBooksContext, unreportedOrder } from '../../../src/daemon/restart/our-books.ts';
import {
  brokerOrderKey,
  brokerOrderNo,
  type ClientOrderId,
  clientOrderId,
  StrategyNames,
} from '../../../src/domain/ids.ts';
import type { OrderStatus } from '../../../src/domain/order.ts';
import type { ApprovedOrder } from '../../../src/engine/ports/approved.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { alwaysOpen } from '../../../src/domain/calendar.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { money, priceTicks, qty, seq, tsUs } from '../../../src/domain/units.ts';
import type { BrokerOrder, CallOutcome } from '../../../src/domain/broker-order.ts';
import { createBrokerOrder, createOrder } from '../../broker/support/broker-orders.ts';
import { waits } from '../../engine/support/trigger-rows.ts';
import { earlierOrder } from '../../support/engine-facts.ts';
import { FIRST } from '../../support/engine-rig.ts';
import { CALENDAR, FRONT, worth } from '../../support/engine-world.ts';
import { DAY, openStore, tempPath } from '../../journal/journal-fixture.ts';

const HEAD = { cause: seq(1), tsUs: tsUs(1), strategy: FIRST } as const;
const KEY = brokerOrderKey('k');
const TAKEN: CallOutcome = { status: 'accepted', orderNo: brokerOrderNo('9'), orderKey: KEY };
const STOP = { kind: 'stop', triggerPrice: priceTicks(12_965), triggerWhen: 'at_or_below' } as const;

/** The fold of what a session journals, and what the kill path takes from it. */
function folded(context: Partial<OurBooksContext> = {}) {
  const carry = new SessionTracker();
  const names = new StrategyNames(['one', 'other']);
  const add = (entry: JournalEntry): void => carry.add({ strategyName: 'one', entry });
  const place = (changes: Partial<ApprovedOrder> = {}, isLost = false) => {
    const order = createOrder({ orderCode: FRONT.orderCode, ...changes });
    add({ ...HEAD, kind: 'place', order, isLost });
    return order.clientOrderId;
  };
  const answer = (clientOrderId: ClientOrderId, outcome: CallOutcome): void =>
    add({ ...HEAD, kind: 'outcome', clientOrderId, call: 'place', outcome });
  const become = (clientOrderId: ClientOrderId, to: OrderStatus, event = ''): void =>
    add({
      ...HEAD,
      kind: 'order_status',
      clientOrderId,
      orderNo: null,
      event,
      detail: '',
      from: 'submitted',
      to,
    });
  const ours = () =>
    ourBooks(carry, { contracts: [FRONT], names, isToday: true, isEndless: false, ...context });
  const orders = () =>
    ours().orders.map(({ row, isOpen, isReduction }) => [
      'kind' in row ? row.orderKey : row.orderNo,
      isOpen ? 'open' : 'over',
      isReduction ? 'reduces' : 'enters',
    ]);
  const unknown = () => ours().unknown.map(({ clientOrderId: id }) => id);
  return { carry, add, place, answer, become, ours, orders, unknown };
}

it('has an order at the exchange from its answer until its end is proven', () => {
  const { place, answer, become, orders, unknown } = folded();
  const id = place();
  expect([orders(), unknown()]).toEqual([[], [id]]);
  answer(id, TAKEN);
  expect([orders(), unknown()]).toEqual([[['9', 'open', 'enters']], []]);
  become(id, 'expired_unproven');
  expect(orders()).toEqual([['9', 'open', 'enters']]);
  become(id, 'canceled');
  expect(orders(), 'its row is still known as ours').toEqual([['9', 'over', 'enters']]);
});

it('takes an answer that no engine has read', () => {
  const { carry, place, orders, unknown } = folded();
  const [one, other] = [place(), place({ clientOrderId: clientOrderId('H.2') })];
  carry.orders.onAnswer({ call: 'place', clientOrderId: one, outcome: TAKEN });
  carry.orders.onAnswer({
    call: 'place',
    clientOrderId: other,
    outcome: { status: 'rejected', code: '-1', text: 'no' },
  });
  expect([orders(), unknown()]).toEqual([[['9', 'open', 'enters']], []]);
});

it('has a stop before a book showed it and afterwards, with its owner, and over the night', () => {
  const { carry, add, place, answer, ours, orders } = folded();
  const id = place({ purpose: 'reduce', trigger: STOP });
  answer(id, TAKEN);
  expect(orders()).toEqual([[KEY, 'open', 'reduces']]);
  const row = waits({ key: 'k', code: FRONT.orderCode });
  const waiting = {
    clientOrderId: id,
    parent: null,
    purpose: 'reduce',
    isProtective: false,
    instrument: FRONT.index,
    row,
  } as const;
  add({ ...HEAD, kind: 'order_waiting', ...waiting });
  expect(ours().orders).toMatchObject([
    { owner: FIRST, row: { orderKey: 'k', status: 'pending' }, isOpen: true },
  ]);
  const { carriedOrders = [] } = carry.carriedOver(DAY, [FRONT], new StrategyNames(['one'])).started;
  const next = folded();
  next.carry.begin({ carriedOrders });
  expect(next.orders(), 'before any book of the day was read').toEqual([[KEY, 'open', 'reduces']]);
  next.become(id, 'triggered');
  expect(next.orders()).toEqual([]);
});

it('knows what a stop sent for a reduction like the stop, though no book ever showed that waiting', () => {
  const { add, place, answer, orders } = folded();
  const parent = place({ purpose: 'reduce', trigger: STOP });
  answer(parent, TAKEN);
  const order = createBrokerOrder('10', { orderCode: FRONT.orderCode, source: 'system' });
  add({ ...HEAD, kind: 'order_adopted', clientOrderId: clientOrderId('C.10'), order, parent });
  expect(orders()).toContainEqual(['10', 'open', 'reduces']);
});

it('doubts a placement without an answer, or with one that says nothing, until a book has shown it', () => {
  const { place, answer, become, unknown } = folded();
  const id = place();
  answer(id, { status: 'unknown', reason: 'no answer in time' });
  expect(unknown()).toEqual([id]);
  become(id, 'unknown');
  expect(unknown()).toEqual([id]);
  become(id, 'accepted');
  expect(unknown()).toEqual([]);
});

it('doubts nothing that never left', () => {
  const { place, answer, unknown } = folded();
  place({}, true);
  answer(place({ clientOrderId: clientOrderId('H.2') }), { status: 'not_sent', reason: 'halted' });
  expect(unknown()).toEqual([]);
});

it('knows positions by their owner', () => {
  const { add, place, answer, ours } = folded();
  const id = place();
  answer(id, TAKEN);
  const filled = {
    side: 'buy',
    qty: qty(2),
    cumQty: qty(2),
    quality: 'exact',
    fee: money(0),
    tax: money(0),
  } as const;
  const value = money(worth(13_000, 2));
  add({
    ...HEAD,
    kind: 'fill',
    clientOrderId: id,
    orderNo: brokerOrderNo('9'),
    instrument: FRONT.index,
    ...filled,
    value,
    cumValue: value,
  });
  expect(ours().positions).toEqual([{ owner: FIRST, orderCode: FRONT.orderCode, qty: 2 }]);
  expect(ours().orders).toMatchObject([{ row: { orderNo: '9', filledQty: 2 } }]);
});

it('has no number of another day: an order works on where trading never stops, and no call names it', () => {
  const [day, night] = [folded({ isToday: false }), folded({ isToday: false, isEndless: true })];
  for (const { answer, place } of [day, night]) answer(place(), TAKEN);
  expect(day.orders()).toEqual([['9', 'over', 'enters']]);
  expect(night.ours().orders).toMatchObject([{ isOpen: true, row: { orderNo: '9', canCancel: false } }]);
});

it.each([
  ['a stop of unknown fate', { trigger: STOP, orderNo: null, orderKey: null, status: 'unknown' }, false],
  ['an order of a market that never closes', {}, true],
] as const)('has %s of the session before, also once positions have agreed', (_, earlier, isEndless) => {
  const { carry, add, ours, become, unknown } = folded({ isEndless });
  const [order] = [earlierOrder('H.1', earlier)];
  carry.begin({ carriedOrders: [order], ...(isEndless ? { isEndless } : {}) });
  const known = () => [...unknown(), ...ours().orders.map(({ clientOrderId: id }) => id)];
  add({ ...HEAD, strategy: null, kind: 'position_agreed' });
  expect(known()).toEqual(['H.1']);
  expect(carry.orders.carriedOver([FRONT])).toEqual([order]);
  become(order.clientOrderId, 'expired_unproven', 'day_ended_unproven');
  add({ ...HEAD, strategy: null, kind: 'position_agreed' });
  expect(known()).toEqual([]);
});

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
  return { store, place, answer };
}

it('distinguishes an in-day book of the day before from one of the day, once the day has an order at the exchange', () => {
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
  store.recordInput({ ...started, carriedOrders: [earlier], seq: seq(2), tsUs: tsUs(2) });
  let calendar = CALENDAR;
  const unreported = (...rows: readonly BrokerOrder[]) => {
    store.flush();
    return unreportedOrder(store.read, day, rows, calendar);
  };
  const old = createBrokerOrder('3', { refId: id, status: 'canceled' });
  expect(unreported(old), 'nothing of the day is missing').toBeNull();
  store.append({ ...HEAD, kind: 'place', order: createOrder({ trigger: STOP }), isLost: false });
  expect(unreported(old), 'stops wait in a book of their own').toBeNull();
  const order = createOrder({ clientOrderId: clientOrderId('H.00000100001000010') });
  store.append({ ...HEAD, kind: 'place', order, isLost: false });
  expect(unreported(old)).toBe(order.clientOrderId);
  answer(order.clientOrderId, TAKEN);
  expect(unreported(old)).toBe(order.clientOrderId);
  expect(unreported(old, createBrokerOrder('9')), 'a row of the day').toBeNull();
  expect(unreported({ ...old, refId: null }), 'by its number and terms').toBe(order.clientOrderId);
  expect(unreported({ ...old, refId: null, side: 'sell' }), 'numbers begin again').toBeNull();
  expect(unreported()).toBeNull();
  calendar = alwaysOpen(CALENDAR);
  expect(unreported(old), 'where trading never stops it may work on').toBeNull();
});

it('misses no order of the day that the broker refused', () => {
  const { store, place, answer } = journal();
  answer(place('entry'), { status: 'rejected', code: '-1', text: 'no' });
  store.flush();
  expect(unreportedOrder(store.read, DAY, [createBrokerOrder('3')], CALENDAR)).toBeNull();
});
