import { describe, expect, test } from 'vitest';
import { money, seconds, signedQty } from '../../src/domain/units.ts';
import { at, contract } from '../support/strategy-fixtures.ts';
import { only, startAiming as start } from './start-aiming.ts';

describe('on the way to a target', () => {
  test('it waits at our side, then crosses', () => {
    const { desk, aim } = start();
    aim(2);
    expect(desk.calls).toEqual(['0 submit buy 2 VN30F1M @ 12999']);
    desk.advance(seconds(3.5));
    expect(desk.calls).toHaveLength(1);
    desk.advance(seconds(1));
    expect(desk.calls.slice(1)).toEqual(['0 modify price 13001']);
    expect(desk.held()).toBe(2);
    expect(desk.timersWaiting, 'nothing to look at any more').toBe(0);
  });

  test('it follows the touch, once a look', () => {
    const { desk, aim } = start();
    aim(-1);
    for (const bid of [12_998, 12_997, 12_996]) desk.book(bid, bid + 2);
    expect(desk.calls).toEqual(['0 submit sell 1 VN30F1M @ 13001']);
    desk.advance(seconds(1));
    expect(desk.calls.slice(1)).toEqual(['0 modify price 12998']);
  });

  test('an urgent one goes beyond the touch at once', () => {
    const { desk, aim } = start();
    aim(1, 'urgent');
    expect(desk.calls).toEqual(['0 submit buy 1 VN30F1M @ 13004']);
    expect(desk.held()).toBe(1);
  });

  test('a turn goes over a confirmed zero', () => {
    const { desk, aim } = start({ settings: { rest: seconds(0) } });
    aim(3);
    aim(-3);
    expect(desk.calls).toEqual([
      '0 submit buy 3 VN30F1M @ 13001',
      '0 submit sell 3 VN30F1M @ 12999',
      '0 submit sell 3 VN30F1M @ 12999',
    ]);
    expect(desk.held()).toBe(-3);
  });

  test('what is left of a part fill is worked on, and never more', () => {
    const { desk, aim } = start({ settings: { rest: seconds(0) }, fillMax: 2 });
    aim(5);
    expect(desk.held()).toBe(2);
    desk.book(13_000, 13_002);
    desk.advance(seconds(1));
    expect(desk.calls).toEqual([
      '0 submit buy 5 VN30F1M @ 13001',
      '0 cancel',
      '0 submit buy 3 VN30F1M @ 13002',
    ]);
    desk.book(13_000, 13_002);
    expect(desk.held()).toBe(5);
  });

  test('an order that is not wanted any more is withdrawn first', () => {
    const { desk, aim } = start();
    aim(2);
    aim(-2);
    expect(desk.calls).toEqual([
      '0 submit buy 2 VN30F1M @ 12999',
      '0 cancel',
      '0 submit sell 2 VN30F1M @ 13001',
    ]);
    only(desk);
  });

  test('a position that knows more than the update does not confuse it', () => {
    const { desk, aim } = start({ answer: () => 'unknown' });
    aim(5);
    desk.dispatch(() => desk.orders.acceptAndFill(only(desk), 2));
    expect(desk.calls, 'three are left, three are needed').toHaveLength(1);
    expect(desk.held()).toBe(2);
  });

  test('a fill that crosses the cancel is counted', () => {
    const { desk, aim } = start();
    aim(2);
    const id = only(desk);
    aim(-2);
    desk.dispatch(() => desk.orders.fill(id, 2));
    expect(desk.held()).toBe(2);
    desk.advance(seconds(20));
    expect(desk.held()).toBe(-2);
  });

  test('saying the same again changes nothing', () => {
    const { desk, aim } = start();
    aim(2);
    aim(2);
    aim(2);
    expect(desk.calls).toHaveLength(1);
  });

  test('releasing withdraws the order and keeps the position', () => {
    const { desk, aim, release } = start({ settings: { rest: seconds(60) } });
    aim(2);
    release();
    expect(desk.calls).toEqual(['0 submit buy 2 VN30F1M @ 12999', '0 cancel']);
    desk.advance(seconds(60));
    expect(desk.workingOrders(0)).toEqual([]);
  });

  test('an order above the exchange’s maximum is cut', () => {
    const { desk, aim } = start({ settings: { rest: seconds(0) } });
    aim(700);
    expect(desk.calls).toEqual(['0 submit buy 500 VN30F1M @ 13001', '0 submit buy 200 VN30F1M @ 13001']);
  });
});

describe('other hands', () => {
  test('a position closed by the engine stays closed until the next decision', () => {
    const { desk, aim } = start({ settings: { rest: seconds(0) } });
    aim(2);
    desk.foreignFill(0, 'sell', 2);
    desk.advance(seconds(600));
    expect(desk.held()).toBe(0);
    expect(desk.notes).toEqual(['0 the position was moved by another order: waiting for the next decision']);
    aim(2);
    expect(desk.held()).toBe(2);
  });
});

describe('times and feeds', () => {
  test('nothing is sent or changed outside continuous trading', () => {
    const { desk, aim } = start({ start: at('11:29:30'), settings: { rest: seconds(10_000) } });
    desk.orders.carry(0, 0, { qty: signedQty(1), openValue: money(0), realised: money(0) });
    aim(-1);
    desk.advanceTo(at('11:30:00'));
    desk.book(12_990, 12_992);
    const before = desk.calls.length;
    desk.advanceTo(at('12:59:59'));
    expect(desk.calls).toHaveLength(before);
    desk.advanceTo(at('13:00:02'));
    expect(desk.calls.slice(before)).toEqual(['0 modify price 12992']);
  });

  test('no entry starts in the last minute, an exit does', () => {
    const { desk, aim } = start({ start: at('14:29:01') });
    aim(1);
    expect(desk.calls).toEqual([]);
    desk.orders.carry(0, 0, { qty: signedQty(-1), openValue: money(0), realised: money(0) });
    aim(0);
    expect(desk.calls).toEqual(['0 submit buy 1 VN30F1M @ 12999']);
  });

  test('an entry that rests is withdrawn when prices are not seen; it comes back with them', () => {
    const { desk, aim } = start();
    aim(1);
    desk.feed('down');
    expect(desk.calls).toEqual(['0 submit buy 1 VN30F1M @ 12999', '0 cancel']);
    desk.advance(seconds(60));
    expect(desk.calls).toHaveLength(2);
    desk.feed('live');
    desk.book(13_004, 13_006);
    desk.advance(seconds(1));
    expect(desk.calls.slice(2)).toEqual(['0 submit buy 1 VN30F1M @ 13006']);
  });

  test('an exit stays where it rests', () => {
    const { desk, aim } = start();
    desk.orders.carry(0, 0, { qty: signedQty(1), openValue: money(0), realised: money(0) });
    aim(0);
    desk.feed('down');
    expect(desk.calls).toEqual(['0 submit sell 1 VN30F1M @ 13001']);
  });

  test('a rollover ends the aim and withdraws the order of the old contract', () => {
    const { desk, aim } = start({ contracts: [contract(0), contract(1), contract(2)] });
    aim(1);
    desk.roll(0, [{ leg: 0, contract: contract(2) }]);
    desk.book(13_100, 13_102, 2);
    desk.advance(seconds(60));
    expect(desk.calls).toEqual(['0 submit buy 1 VN30F1M @ 12999', '0 cancel']);
  });
});
