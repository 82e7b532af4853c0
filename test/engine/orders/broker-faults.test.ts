/** Answers and rows that a broker should not give: each is journaled and alerted, and the engine goes on. */
import { describe, expect, it } from 'vitest';
import { brokerOrderKey, brokerOrderNo, clientOrderId } from '../../../src/domain/ids.ts';
import { US_PER_SECOND } from '../../../src/domain/units.ts';
import { traded } from '../../support/engine-facts.ts';
import { EngineRig, FIRST, SECOND } from '../../support/engine-rig.ts';
import { SETTINGS, worth } from '../../support/engine-world.ts';
import {
  acceptWaiting,
  bracketBuy,
  exitHalf,
  startWaiting,
  stopSell,
  waits,
  waitingStop,
} from '../support/trigger-rows.ts';

const bought = (no: string, id: string, filled: number) =>
  ({
    no,
    ref: clientOrderId(id),
    qty: 2,
    filled,
    ...(filled === 0 ? {} : { value: worth(13_000, filled) }),
    status: filled === 2 ? 'matched' : 'resting',
  }) as const;

function both() {
  const rig = startWaiting();
  const first = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
  const second = rig.ask(SECOND, bracketBuy(13_000, 12_950, 13_080));
  rig.accepted(first, '5').accepted(second, '6').pass(1);
  return { rig, first, second };
}

const parents = (rig: EngineRig) =>
  rig
    .of('order_waiting')
    .filter(({ parent }) => parent !== null)
    .map(({ row, parent, strategy }) => [row.orderKey, parent, strategy]);

describe('two brackets alike', () => {
  it('give each exits of the size of its fill', () => {
    const { rig, first, second } = both();
    rig.book([bought('5', first, 2), bought('6', second, 1)]).pass(1);
    rig.conditions([
      exitHalf('c', 12_950, { qty: 1 }),
      exitHalf('d', 13_080, { qty: 1 }),
      exitHalf('a', 12_950),
      exitHalf('b', 13_080),
    ]);
    expect(parents(rig)).toEqual([
      ['c', second, SECOND],
      ['d', second, SECOND],
      ['a', first, FIRST],
      ['b', first, FIRST],
    ]);
  });

  it('wait for the in-day book where no fill says whose exits they are', () => {
    const { rig, first, second } = both();
    rig.conditions([exitHalf('a', 12_950), exitHalf('b', 13_080)]);
    expect(parents(rig)).toEqual([]);
    rig.reads.length = 0;
    rig.look([bought('5', first, 0), bought('6', second, 2)]);
    expect(rig.reads).toContain('triggers');
    rig.pass(1).conditions([exitHalf('a', 12_950), exitHalf('b', 13_080)]);
    expect(parents(rig)).toEqual([
      ['a', second, SECOND],
      ['b', second, SECOND],
    ]);
    expect(rig.alerts()).toEqual([]);
  });
});

describe('a row of the in-day book', () => {
  it('counts again when another one of its order has gone', () => {
    const rig = new EngineRig().start();
    const id = rig.submit(FIRST, 'buy', 2, 13_000);
    rig.answered(id, {
      status: 'accepted',
      orderNo: brokerOrderNo('2'),
      orderKey: brokerOrderKey('904'),
    });
    const row = { no: '2', ref: id, qty: 2 } as const;
    const filled = { ...row, ...traded(13_000, 2) } as const;
    const twin = { no: '3', key: '904', ...traded(12_990, 2) } as const;
    rig.look([row, twin]).look([filled, twin]).look([filled]);
    expect(rig.of('fill_correction').at(-1)).toMatchObject({ cumValue: worth(13_000, 2) });
  });

  it.each([
    ['waits', () => waitingStop()],
    [
      'has no answer yet',
      () => {
        const rig = startWaiting();
        return { rig, id: rig.ask(FIRST, stopSell(12_950)) };
      },
    ],
    [
      'is of unknown fate',
      () => {
        const rig = startWaiting();
        const id = rig.ask(FIRST, stopSell(12_950));
        return { rig: rig.unknown(id), id };
      },
    ],
  ])('that bears id and terms of a stop that %s is what the stop sent', (_, begin) => {
    const { rig, id } = begin();
    const sold = { no: '8', ref: id, side: 'sell', price: 12_945, filled: 1, value: worth(12_945) } as const;
    rig.look([{ ...sold, status: 'matched' }]);
    expect([rig.statusOf(id), rig.position(FIRST)]).toEqual(['triggered', -1]);
    rig.pass(1).conditions([waits({ key: 'k1', status: 'activated', children: ['8'] })]);
    rig.look([{ ...sold, status: 'matched' }]);
    expect([rig.of('order_adopted').length, rig.position(FIRST)]).toEqual([1, -1]);
  });

  it('with the number of a row of the trigger book is another order', () => {
    const { rig, id } = waitingStop();
    rig.look([{ no: 'nk1', side: 'sell' }]);
    rig.pass(1).conditions([{ ...waits({ key: 'k1', status: 'canceled' }), statusText: '2' }]);
    expect(rig.statusOf(id)).toBe('canceled');
    expect(rig.of('order_status').at(-1)?.detail, 'a bare code is no reason').toBe('');
    expect(rig.alerts()).toEqual(['order_adopted']);
  });
});

describe('an answer', () => {
  it('that gives two stops one key is alerted, and both books go on', () => {
    const { rig } = waitingStop();
    const second = rig.ask(FIRST, stopSell(12_940));
    acceptWaiting(rig, second, 'k1');
    expect(rig.alerts()).toEqual(['order_number_taken']);
    rig.pass(1).conditions([waits({ key: 'k1' }), waits({ key: 'k2', trigger: 12_940 })]);
    rig.cancel(FIRST, second).clock();
    expect(rig.statusOf(second)).toMatch(/pending/);
  });

  it('that gives a limit order a key of the trigger book does not make it one', () => {
    const rig = startWaiting();
    const id = rig.submit(FIRST, 'buy', 1, 13_000);
    rig.answered(id, { status: 'accepted', orderNo: brokerOrderNo('3'), orderKey: brokerOrderKey('k3') });
    rig.pass(1).conditions([waits({ key: 'k3', side: 'buy' })]);
    rig.look([{ no: '3', ref: id, ...traded(13_000) }]);
    expect(rig.statusOf(id)).toBe('filled');
  });

  it('that gives a stop no key is completed by the book', () => {
    const rig = startWaiting();
    const id = rig.ask(FIRST, stopSell(12_950));
    rig.answered(id, { status: 'accepted', orderNo: brokerOrderNo('nk1'), orderKey: null });
    rig.cancel(FIRST, id);
    rig.pass(1).conditions([waits({ key: 'k1' })]);
    expect(rig.waiting.at(-1)).toMatchObject({ call: 'cancel', cancel: { orderKey: 'k1' } });
  });
});

const refused = () => {
  const rig = new EngineRig({ canWait: true }).start().account();
  for (let i = 0; i < 20; i += 1)
    rig.post({ kind: 'read_failed', what: 'triggers', reason: 'not enabled' }).pass(1).clock();
  return rig;
};

/** A stop has triggered and filled, and the trigger book, which says whose order that was, is refused. */
const held = (seconds: number) => {
  const { rig, id } = waitingStop();
  const sent = { no: '8', side: 'sell', price: 12_945, source: 'system' } as const;
  const filled = { ...sent, ...traded(12_948) } as const;
  for (let second = 0; second < seconds; second += 5) {
    rig.pass(5).book([filled]).positions(-1);
    rig.post({ kind: 'read_failed', what: 'triggers', reason: 'not enabled' });
  }
  return { rig, id, filled };
};
const NAMED = /order no\. 8 \(sell 1 VN30F2603, 1 filled\)/;

describe('a trigger book that is refused for ever', () => {
  it('stops no limit order and no cancel, refuses stops, and is alerted once', () => {
    const rig = refused();
    const id = rig.resting(FIRST, 'buy', 1, 12_990, '3');
    rig.cancel(FIRST, id);
    expect(rig.cancels().map(({ orderNo }) => orderNo)).toEqual(['3']);
    rig.ask(FIRST, stopSell(12_950));
    expect(rig.of('denied').map(({ denial }) => denial.code)).toEqual(['triggers_unread']);
    expect(rig.alerts()).toEqual(['reads_failing']);
  });

  it.each([
    ['fails', (rig: EngineRig) => rig.post({ kind: 'read_failed', what: 'triggers', reason: 'timeout' })],
    ['is incomplete', (rig: EngineRig) => rig.conditions([], { complete: false })],
  ])('whose first read %s is read again', (_, fail) => {
    const rig = fail(new EngineRig({ canWait: true }).start().account());
    rig.reads.length = 0;
    rig.pass(SETTINGS.poll.bookSlow / US_PER_SECOND).clock();
    expect(rig.reads).toContain('triggers');
  });

  it('names the order that it holds back, says what to do, and takes no entries meanwhile', () => {
    const { rig } = held(60);
    expect(rig.alerts()).toEqual(['reads_failing', 'order_held']);
    expect(rig.of('alert').at(-1)).toMatchObject({
      severity: 'critical',
      text: expect.stringMatching(NAMED),
    });
    expect(rig.engine.snapshot().unproven).toMatch(NAMED);
    rig.trade(13_000);
    rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080, 1));
    expect(rig.of('denied').at(-1)?.denial).toMatchObject({ code: 'position_unproven' });
  });

  it('is not alerted at once: the two books are read one after the other', () => {
    const { rig } = held(20);
    expect(rig.alerts()).toEqual([]);
    expect(rig.engine.snapshot().unproven).toBeNull();
  });

  it.each([
    { when: 'before it was alerted', seconds: 20 },
    { when: 'after it was alerted', seconds: 60 },
  ])('holds back no order that the in-day book shows no more, $when', ({ seconds: time }) => {
    const { rig } = held(time);
    const read = (position: number) => {
      for (let round = 0; round < 4; round += 1) rig.pass(16).book().positions(position);
    };
    rig.conditions([waits({ key: 'k1' })]);
    read(0);
    expect(rig.engine.snapshot().unproven).toBeNull();
    read(1);
    expect(rig.alerts(), 'positions are judged again').toContain('position_mismatch');
  });
});
