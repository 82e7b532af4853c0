import { describe, expect, test } from 'vitest';
import { money, seconds, signedQty } from '../../src/domain/units.ts';
import { at } from '../support/strategy-fixtures.ts';
import { only, startAiming as start } from './start-aiming.ts';

describe('when it is refused', () => {
  test.each(['deny', 'reject', 'not_sent'] as const)(
    'after a %s it waits 2, 4, 8 ... 60 seconds',
    (answer) => {
      const times: number[] = [];
      const { trader, aim } = start({
        answer: () => {
          times.push(Math.round((trader.nowUs() - at('09:30:00')) / 1_000_000));
          return answer;
        },
      });
      aim(1);
      trader.advance(seconds(200));
      expect(times.map((time, place) => time - (times[place - 1] ?? 0))).toEqual([
        0, 2, 4, 8, 16, 32, 60, 60,
      ]);
    },
  );

  test('an exit is tried again within 5 seconds', () => {
    const { trader, aim } = start();
    trader.orders.carry(0, 0, { qty: signedQty(2), openValue: money(0), realised: money(0) });
    trader.answer = () => 'reject';
    aim(0);
    trader.advance(seconds(60));
    expect(trader.calls.length).toBeGreaterThanOrEqual(12);
    expect(new Set(trader.calls)).toEqual(
      new Set(['0 submit sell 2 VN30F1M @ 13001', '0 submit sell 2 VN30F1M @ 12999']),
    );
  });

  test('an exit is tried again as soon by a process whose clock is an hour behind', () => {
    const { trader, aim } = start();
    trader.orders.carry(0, 0, { qty: signedQty(2), openValue: money(0), realised: money(0) });
    trader.answer = () => 'reject';
    aim(0);
    trader.setBack(seconds(3_600));
    trader.advance(seconds(60));
    expect(trader.calls.length).toBeGreaterThanOrEqual(12);
  });

  test('a cancel that was refused is asked for again by a process whose clock is an hour behind', () => {
    const { trader, aim } = start({ cancelAnswer: () => 'refuse' });
    aim(1);
    aim(0);
    expect(trader.calls.slice(1)).toEqual(['0 cancel']);
    trader.setBack(seconds(3_600));
    trader.advance(seconds(2));
    expect(trader.calls.length).toBeGreaterThan(2);
  });

  test('a side that rests is not crossed later by a process whose clock is an hour behind', () => {
    const { trader, aim } = start();
    aim(1);
    trader.setBack(seconds(3_600));
    trader.advance(seconds(6));
    expect(trader.calls.slice(1)).toEqual(['0 modify price 13001']);
  });

  test('an order whose fate is unknown is waited for, never sent again', () => {
    const { trader, aim } = start({ answer: () => 'unknown' });
    aim(1);
    trader.advance(seconds(600));
    aim(-1);
    trader.advance(seconds(600));
    expect(trader.calls).toEqual(['0 submit buy 1 VN30F1M @ 12999']);
    const id = only(trader);
    trader.answer = () => 'accept';
    trader.dispatch(() => trader.orders.set(id, { status: 'accepted' }));
    expect(trader.calls.slice(1), 'found alive: withdrawn, because it is not wanted').toEqual([
      '0 cancel',
      '0 submit sell 1 VN30F1M @ 13001',
    ]);
  });

  test('a price that may not be changed is reached by a new order', () => {
    const { trader, aim } = start({ modifyAnswer: () => 'deny' });
    aim(1);
    trader.book(13_000, 13_002);
    trader.advance(seconds(1));
    expect(trader.calls).toEqual([
      '0 submit buy 1 VN30F1M @ 12999',
      '0 modify price 13000',
      '0 cancel',
      '0 submit buy 1 VN30F1M @ 13000',
    ]);
  });
});
