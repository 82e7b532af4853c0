/** Orders of which the broker's books do not agree with themselves, and the ways out of the doubt. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { earlierOrder, traded } from '../../support/engine-facts.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { FRONT, NEXT, worth } from '../../support/engine-world.ts';
import { waitingStop } from '../support/trigger-rows.ts';

afterEach(() => vi.restoreAllMocks());

const denials = (rig: EngineRig) => rig.of('denied').map(({ denial }) => denial.code);

/** The real guard, and one order that rests. */
function resting() {
  const rig = new EngineRig({ isReal: true }).start().account();
  const id = rig.resting(FIRST, 'buy', 1, 12_950, '1');
  const row = { no: '1', ref: id, price: 12_950 } as const;
  rig.look([row]);
  return { rig, id, row, claimed: { ...row, status: 'canceled', canCancel: true } as const };
}

describe('letters that say canceled of an order that can be canceled', () => {
  it('leave it live and freeze entries until letters and flags agree', () => {
    const { rig, id, row, claimed } = resting();
    for (let i = 0; i < 3; i += 1) rig.look([claimed]);
    expect(rig.statusOf(id)).toBe('accepted');
    expect(rig.alerts()).toEqual(['status_contradicts']);
    rig.submit(FIRST, 'buy', 1, 12_960);
    expect(denials(rig)).toEqual(['position_unproven']);
    rig.look([{ ...row, status: 'canceled' }]);
    expect(rig.statusOf(id)).toBe('canceled');
    rig.submit(FIRST, 'buy', 1, 12_960);
    expect([denials(rig).length, rig.places().length]).toEqual([1, 2]);
  });

  it('are one alert for all orders within five minutes, and the next one counts them', () => {
    const rig = new EngineRig({ isReal: true }).start().account();
    const rows = ['1', '2', '3', '4'].map((no, i) => ({
      no,
      ref: rig.resting(FIRST, 'buy', 1, 12_950 - i, no),
      price: 12_950 - i,
    }));
    const claim = (from: number, to: number) =>
      rig.book(
        rows.map((row, i) =>
          i >= from && i < to ? { ...row, status: 'canceled' as const, canCancel: true } : row,
        ),
      );
    rig.look(rows);
    claim(0, 2);
    rig.pass(1);
    claim(1, 3);
    expect(rig.alerts()).toEqual(['status_contradicts']);
    rig.pass(300);
    claim(3, 4);
    expect(rig.alerts()).toEqual(['status_contradicts', 'status_contradicts']);
    expect(rig.of('alert').at(-1)?.text).toMatch(/; more orders since the last alert: 2/);
  });

  it('still let what has filled of it count', () => {
    const { rig, id, claimed } = resting();
    rig.look([{ ...claimed, filled: 1, value: worth(12_950) }]);
    expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['filled', 1]);
  });

  it.each([
    ['absent', 'canceled'],
    ['live', 'accepted'],
  ] as const)("are a person's to resolve: %s", (as, status) => {
    const { rig, id, claimed } = resting();
    rig.look([claimed]);
    rig.command({ name: 'resolve_order', clientOrderId: id, as, reason: 'phoned' });
    rig.look([claimed]);
    expect(rig.statusOf(id)).toBe(status);
    expect(rig.engine.snapshot().unproven).toBeNull();
    rig.submit(FIRST, 'buy', 1, 12_960);
    expect(denials(rig)).toEqual([]);
  });
});

describe('a row with the name of an order of ours and other terms', () => {
  it.each([
    ['side', { side: 'sell' }],
    ['contract', { code: NEXT.orderCode }],
    ['more matched than it has', { filled: 3 }],
  ] as const)('%s: books nothing, adopts nothing, and freezes entries until it agrees', (_, other) => {
    const { rig, id, row } = resting();
    const matched = { ...row, ...traded(12_950) } as const;
    for (let i = 0; i < 3; i += 1) rig.look([{ ...matched, ...other }]);
    expect([rig.of('fill').length, rig.of('order_adopted').length, rig.statusOf(id)]).toEqual([
      0,
      0,
      'accepted',
    ]);
    expect(rig.alerts()).toEqual(['row_contradicts']);
    rig.submit(FIRST, 'buy', 1, 12_960);
    expect(denials(rig)).toEqual(['position_unproven']);
    rig.look([matched]);
    expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['filled', 1]);
    expect(rig.engine.snapshot().unproven).toBeNull();
  });

  it.each([
    ['that nobody placed', new EngineRig().start()],
    [
      'of the day before',
      new EngineRig()
        .session({ carriedOrders: [earlierOrder('H.1')] })
        .boot(2)
        .contracts(),
    ],
  ])('more matched than it has, of an order %s: books nothing', (_, rig) => {
    rig.look([{ no: '7', key: '70', qty: 2, filled: 3, value: worth(13_000, 3), status: 'matched' }]);
    expect(rig.of('fill')).toEqual([]);
    expect(rig.alerts()).toContain('row_contradicts');
  });
});

/** A place without an answer, which no complete scan shows. */
function absent(resolve: 'operator' | 'proven_absent') {
  const rig = new EngineRig({ isReal: true, lookUp: { resolve } }).start().account();
  const id = rig.submit(FIRST, 'buy', 1, 12_950);
  rig.unknown(id);
  for (let i = 0; i < 3; i += 1) rig.pass(16).book();
  expect(rig.statusOf(id)).toBe('presumed_absent');
  const agree = (held: Record<string, number> = {}) => {
    for (let i = 0; i < 3; i += 1) rig.pass(4).positions(held).look();
  };
  return { rig, id, agree };
}

describe('an order that never arrived', () => {
  it('waits for a person unless the settings trust the proof', () => {
    const { rig, id, agree } = absent('operator');
    agree();
    expect(rig.statusOf(id)).toBe('presumed_absent');
  });

  it('ends once positions that were read since agree, and entries go on', () => {
    const { rig, id, agree } = absent('proven_absent');
    expect(rig.statusOf(id), 'absence alone is not enough').toBe('presumed_absent');
    agree();
    expect(rig.statusOf(id)).toBe('not_sent');
    expect(rig.alerts()).toContain('order_proven_absent');
    rig.account().submit(FIRST, 'buy', 1, 12_960);
    expect(denials(rig)).toEqual([]);
    // It turns up after all: the book wins.
    rig.look([{ no: '1', ref: id, price: 12_950 }]);
    expect(rig.statusOf(id)).toBe('accepted');
  });

  it('does not end while positions differ', () => {
    const { rig, id, agree } = absent('proven_absent');
    agree({ [FRONT.orderCode]: 1 });
    expect(rig.statusOf(id)).toBe('presumed_absent');
    expect(rig.alerts()).toContain('position_mismatch');
  });
});

it('an order that is booked for nobody is given to the operator by its number', () => {
  const { rig } = waitingStop();
  const row = { no: '8', side: 'sell', price: 12_945, source: 'system', ...traded(12_945) } as const;
  for (let i = 0; i < 4; i += 1) rig.pass(16).book([row]);
  expect(rig.alerts()).toContain('order_held');
  expect(rig.engine.snapshot().unproven).toContain('no. 8');
  const resolve = (name: string) =>
    rig.command({ name: 'resolve_order', clientOrderId: clientOrderId(name), as: 'live', reason: 'mine' });
  resolve('9');
  expect(rig.alerts().at(-1)).toBe('order_not_found');
  resolve('8').look([row]);
  expect(rig.of('order_adopted')).toMatchObject([{ strategy: -1 }]);
  expect(rig.engine.snapshot().unproven ?? '').not.toContain('no. 8');
});

it('an order that is booked for nobody keeps entries off when another one has found its owner', () => {
  const { rig } = waitingStop();
  const row = { no: '8', side: 'sell', price: 12_945, source: 'system', ...traded(12_945) } as const;
  const later = { ...row, no: '9' };
  rig.pass(16).book([row]);
  // The newest come first.
  for (let i = 0; i < 4; i += 1) rig.pass(16).book([later, row]);
  const resolve = {
    name: 'resolve_order',
    clientOrderId: clientOrderId('8'),
    as: 'live',
    reason: '',
  } as const;
  rig.command(resolve).look([later, row]);
  expect(rig.engine.snapshot().unproven).toContain('no. 9');
  expect(rig.alerts().filter((code) => code === 'order_held')).toHaveLength(2);
});

describe('a book that lacks an order which the broker has accepted', () => {
  it('is none where that one is over: a new day of the broker has begun', () => {
    const { rig, id, row } = resting();
    const filled = { ...row, ...traded(12_950) } as const;
    for (let scan = 0; scan < 2; scan += 1) rig.look([filled]);
    expect(rig.statusOf(id)).toBe('filled');
    const lost = rig.submit(FIRST, 'buy', 1, 12_940);
    rig.unknown(lost);
    for (let scan = 0; scan < 8; scan += 1) rig.pass(30).book();
    expect(rig.statusOf(lost)).toBe('unknown');
    expect(rig.alerts()).toEqual(['order_unknown', 'book_of_another_day']);
    for (let scan = 0; scan < 8; scan += 1) rig.pass(30).book([filled]);
    expect(rig.statusOf(lost)).toBe('presumed_absent');
  });
});
