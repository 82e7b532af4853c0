/** The broker's day, and its order numbers, begin again while our session goes on: no order is read as another one (rulings, 6). */
import { describe, expect, it } from 'vitest';
import { alwaysOpen } from '../../../src/domain/calendar.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { brokerOrderKey, brokerOrderNo, clientOrderId, type ClientOrderId } from '../../../src/domain/ids.ts';
import { priceTicks, seconds } from '../../../src/domain/units.ts';
import { type RowFacts, earlierOrder, traded } from '../../support/engine-facts.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { CALENDAR, DAY, timeOf } from '../../support/engine-world.ts';
import { acceptWaiting, startWaiting, stopSell, waits } from '../support/trigger-rows.ts';

const begin = (): EngineRig =>
  new EngineRig({
    isReal: true,
    calendar: alwaysOpen(CALENDAR),
    lookUp: { scans: 3, spread: seconds(3) },
  })
    .start()
    .account();

const accept = (rig: EngineRig, id: ClientOrderId, no: string, key: string): EngineRig =>
  rig.answered(id, { status: 'accepted', orderNo: brokerOrderNo(no), orderKey: brokerOrderKey(key) }).pass(1);

const unproven = (rig: EngineRig): string | null => rig.engine.snapshot().unproven;
const fills = (rig: EngineRig): unknown[] =>
  rig.of('fill').map(({ clientOrderId, strategy, qty }) => [clientOrderId, strategy, qty]);

/** A buy at 12,950, number 1 and key 901. */
function placed(state: 'working' | 'filled') {
  const rig = begin();
  const old = rig.submit(FIRST, 'buy', 1, 12_950);
  accept(rig, old, '1', '901');
  const resting = { no: '1', key: '901', ref: old, price: 12_950 } as const;
  const full = { ...resting, ...traded(12_950) } as const;
  const row: RowFacts = state === 'filled' ? full : resting;
  rig.book([row]).pass(1);
  return { rig, old, row, full };
}

const todays = (ref: ClientOrderId, change: Partial<RowFacts> = {}): RowFacts => ({
  no: '1',
  key: '902',
  ref,
  price: 12_940,
  ...change,
});
const FILLED = { ...traded(12_940) } as const;

describe('an answer with the number of an older order', () => {
  it('of one that is over gives the number to the new order, whose cancel names it', () => {
    const { rig, old } = placed('filled');
    const id = rig.submit(SECOND, 'buy', 1, 12_940);
    accept(rig, id, '1', '902');
    expect([rig.alerts(), unproven(rig)]).toEqual([[], null]);
    rig.cancel(SECOND, id);
    expect(rig.cancels()).toMatchObject([{ clientOrderId: id, orderNo: '1' }]);
    rig.book([todays(id, FILLED)]);
    expect(fills(rig)).toEqual([
      [old, FIRST, 1],
      [id, SECOND, 1],
    ]);
  });

  it('of one that works stops entries and cancels of the old order, until the book shows it', () => {
    const { rig, old, row } = placed('working');
    const id = rig.submit(SECOND, 'buy', 1, 12_940);
    accept(rig, id, '1', '902').book([todays(id)]);
    expect(rig.alerts()).toEqual(['order_number_taken']);
    expect(unproven(rig)).toContain(old);
    rig.cancel(FIRST, old);
    expect(rig.cancels(), 'number 1 is the new order').toEqual([]);
    const denied = rig.submit(SECOND, 'buy', 1, 12_930);
    expect([rig.places().length, rig.of('denied').map(({ clientOrderId }) => clientOrderId)]).toEqual([
      2,
      [denied],
    ]);
    rig.look([todays(id), { ...row, no: '2' }]);
    expect(unproven(rig)).toBeNull();
    expect(rig.cancels()).toMatchObject([{ clientOrderId: old, orderNo: '2' }]);
  });

  it('of one that no complete scan of the new day shows: it is over, unproven', () => {
    const { rig, old } = placed('working');
    const id = rig.submit(SECOND, 'buy', 1, 12_940);
    accept(rig, id, '1', '902');
    for (let scan = 0; scan < 5; scan += 1) rig.pass(2).book([todays(id)]);
    expect([rig.statusOf(old), rig.statusOf(id), unproven(rig)]).toEqual([
      'expired_unproven',
      'accepted',
      null,
    ]);
  });

  it('leaves the rows of the old order to it while the book still shows the old day', () => {
    const { rig, old, full } = placed('working');
    const id = rig.submit(SECOND, 'buy', 1, 12_940);
    accept(rig, id, '1', '902')
      .book([full])
      .look([full, todays(id)]);
    expect([rig.statusOf(old), rig.statusOf(id)]).toEqual(['filled', 'accepted']);
    expect(fills(rig)).toEqual([[old, FIRST, 1]]);
    rig.cancel(SECOND, id);
    expect(rig.cancels()).toMatchObject([{ clientOrderId: id, orderNo: '1' }]);
  });
});

describe('where trading goes on over midnight', () => {
  const [one, other] = [clientOrderId('H.1'), clientOrderId('H.2')];
  const eight = { orderNo: brokerOrderNo('8'), orderKey: brokerOrderKey('80') };
  const rows = [
    { no: '7', ref: one, qty: 2, price: 13_000 },
    { no: '8', key: '80', ref: other, qty: 2, price: 13_000 },
  ];
  const change = { kind: 'price', clientOrderId: other, limitPrice: priceTicks(12_999) } as const;

  const carriedOver = (): EngineRig => {
    const rig = new EngineRig({ startUs: timeOf(0), isReal: true, calendar: alwaysOpen(CALENDAR) });
    rig.contracts().session({
      follows: addDays(DAY, -1),
      carriedOrders: [earlierOrder('H.1'), earlierOrder('H.2', eight)],
    });
    return rig.boot(2).stream('live').reference();
  };

  it.each([
    ['before midnight', 1, 2],
    ['before the midnight of the broker may be over', 59, 0],
  ])('a scan that began %s proves no number: neither cancel nor change goes by it', (_, after, ago) => {
    const rig = carriedOver().pass(after);
    rig.book(rows, { ago }).cancel(FIRST, one).modify(FIRST, change);
    expect([rig.cancels(), rig.of('denied').map(({ denial }) => denial.code)]).toEqual([
      [],
      ['order_not_working'],
    ]);
    rig.pass(60).book(rows).modify(FIRST, change);
    expect(rig.cancels()).toMatchObject([{ clientOrderId: one, orderNo: '7' }]);
    // Then the change waits for positions alone.
    expect(rig.of('denied').at(-1)).toMatchObject({ denial: { code: 'position_unproven' } });
  });
});

it('nothing more is sent for a day that is over: its exit may still rest at a broker whose midnight comes later', () => {
  const calendar = alwaysOpen(CALENDAR);
  const rig = new EngineRig({ startUs: timeOf(23, 59), isReal: true, calendar });
  rig.contracts().session({}, [{ strategy: FIRST, qty: 1 }]);
  rig.boot(1).stream('live').reference().pass(50).book().positions(1).look().account();
  rig.trade(13_000).command({ name: 'flatten', strategy: FIRST, reason: 'by hand' });
  rig.pass(1).positions(1).look();
  const [exit] = rig.places();
  const id = exit!.clientOrderId;
  rig.accepted(id, '1');
  for (let second = 0; second < 20; second += 1) rig.pass(1).positions(1);
  expect([rig.statusOf(id), rig.places().length]).toEqual(['expired_unproven', 1]);
});

const sold = (key: string): RowFacts => ({
  no: '8',
  key,
  side: 'sell',
  price: 12_945,
  source: 'system',
  ...traded(12_945),
});

describe('a row with the number of our older order', () => {
  it('and neither key nor reference is the one in flight where the old order is over on other terms', () => {
    const { rig } = placed('filled');
    const id = rig.submit(SECOND, 'buy', 1, 12_940);
    rig.unknown(id).pass(1);
    rig.book([{ no: '1', price: 12_940, ...FILLED }]);
    expect(fills(rig).slice(1)).toEqual([[id, SECOND, 1]]);
  });

  it('is the child of the stop that triggers, not of the one that sent this number before', () => {
    const rig = startWaiting();
    const first = rig.ask(FIRST, stopSell(12_950));
    acceptWaiting(rig, first, 'k1').pass(1);
    const over = waits({ key: 'k1', status: 'activated', children: ['8'] });
    rig
      .conditions([over])
      .look([sold('901')])
      .pass(1);
    const second = rig.ask(SECOND, stopSell(12_950));
    acceptWaiting(rig, second, 'k2').pass(1);
    rig.conditions([over, waits({ key: 'k2', status: 'activated', children: ['8'] })]).pass(1);
    rig.book([sold('902')]).look([sold('902')]);
    expect([rig.statusOf(second), rig.position(FIRST), rig.position(SECOND)]).toEqual(['triggered', -1, -1]);
    expect(rig.of('order_adopted')).toMatchObject([
      { parent: first, strategy: FIRST },
      { parent: second, strategy: SECOND },
    ]);
    expect(rig.alerts()).toEqual([]);
  });
});

describe("yesterday's foreign row that is seen after midnight", () => {
  const phoned = { no: '1', key: '800', price: 12_960 } as const;

  it.each([
    ['working', {}],
    ['filled', { ...traded(12_960) }],
  ] as const)('keeps no number from our order of today: %s', (_, state) => {
    const rig = begin();
    rig.book([{ ...phoned, ...state }]).pass(1);
    const id = rig.submit(FIRST, 'buy', 1, 12_940);
    accept(rig, id, '1', '902').book([todays(id, FILLED)]);
    expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['filled', 1]);
    expect(rig.of('fill').at(-1)).toMatchObject({ clientOrderId: id });
    for (let scan = 0; scan < 5; scan += 1) rig.pass(2).book([todays(id, FILLED)]);
    expect(unproven(rig)).toBeNull();
  });

  it('takes no number from our order of today that the same scan shows', () => {
    for (const isFirst of [true, false]) {
      const rig = begin();
      const id = rig.submit(FIRST, 'buy', 1, 12_940);
      accept(rig, id, '1', '902');
      rig.book(isFirst ? [phoned, todays(id)] : [todays(id), phoned]);
      rig.cancel(FIRST, id);
      expect(rig.cancels()).toMatchObject([{ clientOrderId: id, orderNo: '1' }]);
      expect(rig.of('order_adopted')).toHaveLength(1);
    }
  });

  it('that is over takes no number from our order that the book does not show yet', () => {
    const rig = begin();
    const id = rig.submit(FIRST, 'buy', 1, 12_940);
    accept(rig, id, '1', '902');
    rig.book([{ ...phoned, ...traded(12_960) }]);
    expect([rig.statusOf(id), rig.position(FIRST), unproven(rig)]).toEqual(['accepted', 0, null]);
    rig.cancel(FIRST, id);
    expect(rig.cancels()).toMatchObject([{ orderNo: '1' }]);
  });
});

it('two orders that are over and have one number are both shown by each scan: a lost order is proven absent', () => {
  const rig = new EngineRig({ lookUp: { scans: 6, spread: seconds(5) } }).start().account();
  const two: RowFacts[] = [
    { no: '3', key: 'a', status: 'canceled' },
    { no: '3', key: 'b', price: 12_990, status: 'canceled' },
  ];
  const lost = rig.look(two).submit(FIRST, 'buy', 1, 12_980);
  rig.unknown(lost);
  for (let scan = 0; scan < 7; scan += 1) rig.look(two);
  expect(rig.alerts()).not.toContain('book_of_another_day');
  expect(rig.statusOf(lost)).toBe('presumed_absent');
});
