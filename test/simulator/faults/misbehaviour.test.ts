import { describe, expect, it } from 'vitest';
import { milliseconds, seconds } from '../../../src/domain/units.ts';
import type { Fault } from '../../../src/simulator/faults/fault.ts';
import { OPERATIONS } from '../../../src/wire/rest/operations.ts';
import { openMarket, order, placed } from '../../contract/broker/support/market.ts';
import { firstRow, rowsOf } from '../../contract/broker/support/bare-client.ts';

const wish = (symbol: string, refId: string) =>
  ({ side: 'B', symbol, price: 1299, volume: 1, refId }) as const;

describe('answers that go wrong', () => {
  it('accept_then_drop: the order lives, the answer never comes', async () => {
    const { simulator, alice, front } = await openMarket();
    simulator.faults.set({ name: 'accept_then_drop', operation: 'place', times: 1 });
    await expect(alice.call('place', wish(front, 'H.1'))).rejects.toThrow('fetch failed');
    expect(rowsOf(await alice.call('in-day')).map((row) => row['refId'])).toEqual(['H.1']);
    expect((await alice.call('place', wish(front, 'H.2'))).json['rc']).toBe('1');
  });

  it('late_answer: the order is there long before its answer', async () => {
    const { simulator, alice, front, time } = await openMarket();
    simulator.faults.set({ name: 'late_answer', operation: 'place', delayMs: 30_000, times: 1 });
    let answered = false;
    const reply = alice.call('place', wish(front, 'H.1')).then((late) => {
      answered = true;
      return late;
    });
    while (rowsOf(await alice.call('in-day')).length === 0);
    time.advance(milliseconds(29_999));
    expect(rowsOf(await alice.call('in-day'))).toHaveLength(1);
    expect(answered).toBe(false);
    time.advance(milliseconds(1));
    expect((await reply).json['rc']).toBe('1');
  });

  it.each([
    [{ name: 'http_500', times: 1 }, 500, 0],
    [{ name: 'http_500', times: 1, done: true }, 500, 1],
    [{ name: 'html_502', times: 1 }, 502, 0],
    [{ name: 'html_502', times: 1, done: true }, 502, 1],
    [{ name: 'http_429', times: 1 }, 429, 0],
  ] as const)('%j: HTTP %d, and %d orders came of it', async (fault: Fault, status, orders) => {
    const { simulator, alice, front } = await openMarket();
    simulator.faults.set(fault);
    const reply = await alice.call('place', wish(front, 'H.1'));
    expect(reply.status).toBe(status);
    expect(reply.text.startsWith('<html>')).toBe(status === 502);
    expect(rowsOf(await alice.call('in-day'))).toHaveLength(orders);
  });

  it('refuse_for_now: a refusal that says so', async () => {
    const { simulator, alice } = await openMarket();
    simulator.faults.set({ name: 'refuse_for_now', operation: 'in-day', times: 1 });
    expect((await alice.call('in-day')).json['rc']).toBe('-6026');
    expect((await alice.call('in-day')).json['rc']).toBe('1');
  });

  it('a request for a one-time password fails in its own words', async () => {
    const { simulator, alice } = await openMarket();
    simulator.faults.set({ name: 'http_500', operation: 'request-otp', times: 1 });
    const reply = await alice.call('request-otp');
    expect([reply.status, reply.json['code']]).toEqual([500, '203147']);
  });

  it('strike the operation they are aimed at, whichever it is', async () => {
    const market = await openMarket();
    const statusOf = async (name: string): Promise<number> => (await market.alice.call(name)).status;
    for (const [at, { name: operation }] of OPERATIONS.entries()) {
      const other = OPERATIONS[(at + 1) % OPERATIONS.length]!.name;
      market.simulator.faults.set({ name: 'http_429', operation });
      expect(await statusOf(operation), operation).toBe(429);
      expect(await statusOf(other), `${operation} on ${other}`).not.toBe(429);
      market.simulator.faults.clear();
    }
  });
});

describe('a book that lies', () => {
  it('hide_new_order: not shown for some seconds of real time, then there', async () => {
    const { simulator, alice, front, time } = await openMarket();
    await alice.call('place', wish(front, 'H.1'));
    simulator.faults.set({ name: 'hide_new_order', seconds: 5, times: 1 });
    await alice.call('place', wish(front, 'H.2'));
    await alice.call('place', wish(front, 'H.3'));
    const shown = async (): Promise<unknown[]> =>
      rowsOf(await alice.call('in-day')).map((row) => row['refId']);
    expect(await shown()).toEqual(['H.1', 'H.3']);
    expect(rowsOf(await alice.call('in-day', { refId: 'H.2' }))).toEqual([]);
    time.advance(seconds(5));
    expect(await shown()).toEqual(['H.1', 'H.2', 'H.3']);
  });

  it('hide_new_order hides what waits as well', async () => {
    const { simulator, alice, front, time } = await openMarket();
    simulator.faults.set({ name: 'hide_new_order', seconds: 5, times: 1 });
    const placed = await alice.call('condition-place', {
      ...wish(front, 'H.1'),
      orderType: 'SOL',
      soPrice: 1305,
    });
    expect(placed.json['rc']).toBe('1');
    expect(rowsOf(await alice.call('conditions'))).toEqual([]);
    time.advance(seconds(5));
    expect(rowsOf(await alice.call('conditions'))).toHaveLength(1);
  });

  it('empty_book: nothing is shown once, whatever is there', async () => {
    const { simulator, alice, front } = await openMarket();
    await alice.call('place', wish(front, 'H.1'));
    simulator.faults.set({ name: 'empty_book', book: 'in-day', times: 1 });
    expect(rowsOf(await alice.call('in-day'))).toEqual([]);
    expect(rowsOf(await alice.call('in-day'))).toHaveLength(1);
  });

  it('contradict_status: says canceled of an order that was filled', async () => {
    const { simulator, alice, bob, front } = await openMarket();
    const orderNo = await placed(alice, 'B', front, 1299, 2);
    await order(bob, 'S', front, 1299, 2);
    simulator.faults.set({ name: 'contradict_status', status: 'PMWX', orderNo, times: 1 });
    expect(firstRow(await alice.call('in-day'))).toMatchObject({ status: 'PMWX', orderNo });
    expect(Number(firstRow(await alice.call('in-day'))['matchVolume'])).toBe(2);
    expect(firstRow(await alice.call('in-day'))).toMatchObject({ status: 'PM' });
  });

  it('inject_order: an order of the account from another channel', async () => {
    const { simulator, alice, front } = await openMarket();
    const set = simulator.faults.set({
      name: 'inject_order',
      symbol: front,
      side: 'sell',
      points: 1310.5,
      volume: 2,
    });
    expect(set.ok).toBe(true);
    expect(firstRow(await alice.call('in-day'))).toMatchObject({ side: 'S', showPrice: '1310.5' });
    expect(
      simulator.faults.set({ name: 'inject_order', symbol: front, side: 'sell', points: 9_999, volume: 2 })
        .ok,
    ).toBe(false);
    expect(
      simulator.faults.set({ name: 'inject_order', symbol: 'X', side: 'sell', points: 1_300, volume: 2 }).ok,
    ).toBe(false);
  });

  it('inject_position: contracts without any order; what rests in the book stays there', async () => {
    const { simulator, alice, bob, front } = await openMarket();
    await alice.call('place', wish(front, 'H.1'));
    expect(simulator.faults.set({ name: 'inject_position', symbol: front, net: -3 }).ok).toBe(true);
    expect(firstRow(await alice.call('positions'))).toMatchObject({ symbol: front, net: -3 });
    expect(rowsOf(await alice.call('in-day'))).toHaveLength(1);
    await order(bob, 'S', front, 1299, 1);
    expect(firstRow(await alice.call('positions'))).toMatchObject({ symbol: front, net: -2 });
    expect(simulator.faults.set({ name: 'inject_position', symbol: 'X', net: 1 }).ok).toBe(false);
  });
});
