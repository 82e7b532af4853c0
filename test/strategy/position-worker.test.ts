import { describe, expect, test, vi } from 'vitest';
import { clientOrderId } from '../../src/domain/ids.ts';
import { money, seconds, signedQty, strategyIndex } from '../../src/domain/units.ts';
import { limit } from '../support/engine-facts.ts';
import { at, contract } from '../support/strategy-fixtures.ts';
import { only, startAiming as start } from './start-aiming.ts';

const LEFT = clientOrderId('L.1');

describe('on the way to a target', () => {
  test('it waits at our side, then crosses', () => {
    const { trader, aim } = start();
    aim(2);
    expect(trader.calls).toEqual(['0 submit buy 2 VN30F1M @ 12999']);
    trader.advance(seconds(3.5));
    expect(trader.calls).toHaveLength(1);
    trader.advance(seconds(1));
    expect(trader.calls.slice(1)).toEqual(['0 modify price 13001']);
    expect(trader.held()).toBe(2);
    expect(trader.timersWaiting, 'nothing to look at any more').toBe(0);
  });

  test('it looks at nothing while the market rests, and goes on when it opens', () => {
    const { trader, aim } = start({ start: at('11:29:50') });
    aim(2);
    trader.advanceTo(at('11:30:02'));
    expect([trader.calls.length, trader.timersWaiting], 'in the break').toEqual([0, 0]);
    trader.advanceTo(at('13:00:00'));
    expect(trader.calls).toEqual(['0 submit buy 2 VN30F1M @ 12999']);
  });

  test('on bars it takes any price, and waits for news of the order alone', () => {
    const { trader, aim } = start();
    trader.isOnBars = true;
    aim(2);
    expect(trader.calls).toEqual(['0 submit buy 2 VN30F1M @ 13910']);
    trader.book(12_998, 13_000);
    expect([trader.calls.length, trader.timersWaiting]).toEqual([1, 0]);
  });

  test('a turn goes over a confirmed zero', () => {
    const { trader, aim } = start({ settings: { rest: seconds(0) } });
    aim(3);
    aim(-3);
    expect(trader.calls).toEqual([
      '0 submit buy 3 VN30F1M @ 13001',
      '0 submit sell 3 VN30F1M @ 12999',
      '0 submit sell 3 VN30F1M @ 12999',
    ]);
    expect(trader.held()).toBe(-3);
  });

  test('what is left of a part fill is worked on, and never more', () => {
    const { trader, aim } = start({ settings: { rest: seconds(0) }, fillMax: 2 });
    aim(5);
    expect(trader.held()).toBe(2);
    trader.book(13_000, 13_002);
    trader.advance(seconds(1));
    expect(trader.calls).toEqual([
      '0 submit buy 5 VN30F1M @ 13001',
      '0 cancel',
      '0 submit buy 3 VN30F1M @ 13002',
    ]);
    trader.book(13_000, 13_002);
    expect(trader.held()).toBe(5);
  });

  test('a fill that crosses the cancel is counted', () => {
    const { trader, aim } = start();
    aim(2);
    const id = only(trader);
    aim(-2);
    trader.dispatch(() => trader.orders.fill(id, 2));
    expect(trader.held()).toBe(2);
    trader.advance(seconds(20));
    expect(trader.held()).toBe(-2);
  });

  test('an order above the exchange’s maximum is cut', () => {
    const { trader, aim } = start({ settings: { rest: seconds(0) } });
    aim(700);
    expect(trader.calls).toEqual(['0 submit buy 500 VN30F1M @ 13001', '0 submit buy 200 VN30F1M @ 13001']);
  });
});

describe('other hands', () => {
  test('a position closed by the engine stays closed until the next decision', () => {
    const { trader, aim } = start({ settings: { rest: seconds(0) } });
    aim(2);
    trader.foreignFill(0, 'sell', 2);
    trader.advance(seconds(600));
    expect(trader.held()).toBe(0);
    expect(trader.notes).toEqual([
      '0 the position was moved by another order: waiting for the next decision',
    ]);
    aim(2);
    expect(trader.held()).toBe(2);
  });

  test('a stop of the strategy at the broker is waited for, and said to be once', () => {
    const { trader, aim } = start();
    aim(2);
    const [order] = trader.workingOrders(0);
    trader.advance(seconds(5));
    const stop = { ...order!, side: 'sell', status: 'pending_trigger' } as const;
    const working = vi.spyOn(trader, 'workingOrders').mockReturnValue([stop]);
    aim(0);
    trader.advance(seconds(60));
    expect(trader.calls.filter((call) => call.includes('sell'))).toEqual([]);
    expect(trader.notes).toEqual([
      `0 no order toward 0 while order ${stop.clientOrderId} of this strategy waits for its trigger: cancel it first`,
    ]);
    working.mockRestore();
    trader.advance(seconds(10));
    expect(trader.held()).toBe(0);
  });
});

/** An entry of another target rests at 12,950. */
function withLeftEntry() {
  const aiming = start();
  const { trader } = aiming;
  trader.orders.add(strategyIndex(0), LEFT, limit('buy', 2, 12_950));
  trader.orders.answer(LEFT, 'accept');
  trader.leftBehind.add(LEFT);
  return aiming;
}

describe('an entry that an earlier version left', () => {
  test.each([0, -2])('is withdrawn on the way to %i', (target) => {
    const { trader, aim } = withLeftEntry();
    aim(target);
    expect(trader.calls[0]).toBe('0 cancel');
    trader.advance(seconds(10));
    expect(trader.held()).toBe(target);
  });

  test('is moved to the touch on the way to a target that it leads to', () => {
    const { trader, aim } = withLeftEntry();
    aim(2);
    trader.advance(seconds(10));
    expect(trader.calls).toEqual(['0 modify price 12999', '0 modify price 13001']);
    expect([trader.held(), trader.notes]).toEqual([2, []]);
  });

  test('stays while the worker aims at nothing', () => {
    const { trader, aim, release } = withLeftEntry();
    release();
    trader.advance(seconds(10));
    expect(trader.calls).toEqual([]);
    trader.dispatch(() => trader.orders.fill(LEFT, 2));
    aim(0);
    trader.advance(seconds(10));
    expect(trader.held()).toBe(0);
  });
});

describe('times and feeds', () => {
  test('nothing is sent or changed outside continuous trading', () => {
    const { trader, aim } = start({ start: at('11:29:30'), settings: { rest: seconds(10_000) } });
    trader.orders.carry(0, 0, { qty: signedQty(1), openValue: money(0), realised: money(0) });
    aim(-1);
    trader.advanceTo(at('11:30:00'));
    trader.book(12_990, 12_992);
    const before = trader.calls.length;
    trader.advanceTo(at('12:59:59'));
    expect(trader.calls).toHaveLength(before);
    trader.advanceTo(at('13:00:02'));
    expect(trader.calls.slice(before)).toEqual(['0 modify price 12992']);
  });

  test('no entry starts in the last minute, an exit does', () => {
    const { trader, aim } = start({ start: at('14:29:01') });
    aim(1);
    expect(trader.calls).toEqual([]);
    trader.orders.carry(0, 0, { qty: signedQty(-1), openValue: money(0), realised: money(0) });
    aim(0);
    expect(trader.calls).toEqual(['0 submit buy 1 VN30F1M @ 12999']);
  });

  test('an entry that rests is withdrawn when prices are not seen; it comes back with them', () => {
    const { trader, aim } = start();
    aim(1);
    trader.feed('down');
    expect(trader.calls).toEqual(['0 submit buy 1 VN30F1M @ 12999', '0 cancel']);
    trader.advance(seconds(60));
    expect(trader.calls).toHaveLength(2);
    trader.feed('live');
    trader.book(13_004, 13_006);
    trader.advance(seconds(1));
    expect(trader.calls.slice(2)).toEqual(['0 submit buy 1 VN30F1M @ 13006']);
  });

  test('a rollover ends the aim and withdraws the order of the old contract', () => {
    const { trader, aim } = start({ contracts: [contract(0), contract(1), contract(2)] });
    aim(1);
    trader.roll(0, [{ leg: 0, contract: contract(2) }]);
    trader.book(13_100, 13_102, 2);
    trader.advance(seconds(60));
    expect(trader.calls).toEqual(['0 submit buy 1 VN30F1M @ 12999', '0 cancel']);
  });
});
