/** A contract that leaves the broker's list while positions are held is settled by the broker's closed positions. */
import { describe, expect, it } from 'vitest';
import type { BrokerTriggerOrder } from '../../../src/domain/broker-order.ts';
import type { Side } from '../../../src/domain/order.ts';
import { money, priceHundredths, priceTicks, qty } from '../../../src/domain/units.ts';
import { EngineRig, FIRST, type RigOptions, SECOND } from '../../support/engine-rig.ts';
import { traded, waitingOrder } from '../../support/engine-facts.ts';
import { addDays } from '../../../src/domain/civil-date.ts';
import { FRONT, NEXT, SETTINGS, timeOf, worth } from '../../support/engine-world.ts';
import { waits } from '../support/trigger-rows.ts';

const closedRow = (side: Side, points: number) => ({
  orderCode: FRONT.orderCode,
  side,
  closedQty: qty(1),
  totalQty: qty(1),
  averageOpen: priceHundredths(130_000),
  averageClose: priceHundredths(points),
  fee: money(0),
  tax: money(0),
  closedProfit: money(0),
  openProfit: money(0),
  time: '',
});

/** The first strategy is long, and with `opposing` the second one as much short. */
function holding(opposing: boolean, options: RigOptions = {}) {
  const rig = new EngineRig({ isReal: true, ...options }).start().account().trade(13_000);
  const rows = [{ no: '1', ref: rig.resting(FIRST, 'buy', 1, 13_000, '1'), side: 'buy' as Side }];
  if (opposing) rows.push({ no: '2', ref: rig.resting(SECOND, 'sell', 1, 13_020, '2'), side: 'sell' });
  const books = rows.map((row) => ({
    ...row,
    price: row.side === 'buy' ? 13_000 : 13_020,
    filled: 1,
    value: worth(row.side === 'buy' ? 13_000 : 13_020),
    status: 'matched' as const,
  }));
  const read = (held: number): void => {
    rig
      .pass(4)
      .book(books)
      .pass(1)
      .positions(held === 0 ? {} : { VN30F2603: held })
      .look(books);
  };
  read(opposing ? 0 : 1);
  expect(rig.engine.snapshot().unproven).toBeNull();
  rig.conditions().reads.length = 0;
  return { rig, read };
}

const left = (rig: EngineRig) => rig.pass(1).contracts([FRONT, NEXT], [NEXT]).pass(1).clock();

const closed = (rig: EngineRig, points = 130_550) =>
  rig.pass(1).post({
    kind: 'closed_snapshot',
    startedUs: rig.now,
    positions: [closedRow('buy', points), closedRow('sell', points)],
  });

describe('a contract that leaves the list', () => {
  it('also after the difference was taken for a mismatch', () => {
    const { rig, read } = holding(false);
    read(0);
    read(0);
    expect(rig.alerts()).toContain('position_mismatch');
    left(rig);
    read(0);
    closed(rig);
    read(0);
    read(0);
    expect([rig.position(FIRST), rig.engine.snapshot().unproven]).toEqual([0, null]);
  });

  it('is settled at its price also where a person accepts another difference before', () => {
    const { rig } = holding(false);
    left(rig);
    const books = [{ no: '1', ref: rig.of('place')[0]!.order.clientOrderId, ...traded(13_000, 1) }];
    const read = () => rig.pass(4).look(books).pass(1).positions({ VN30F2604: 1 }).look(books);
    read();
    read();
    expect(rig.of('alert').at(-1)?.text).toContain(
      "the broker's position less ours is VN30F2604 +1; entries",
    );
    rig.command({ name: 'resume', strategy: null, reason: 'mine' });
    read();
    expect(rig.position(FIRST)).toBe(1);
    closed(rig);
    expect(rig.of('position_event').map(({ event, value }) => [event, value])).toEqual([
      ['adopted', 130_000_000],
      ['settled', 130_550_000],
    ]);
  });

  it('halts a strategy whose loss it brings to the limit with the next price, of whatever contract', () => {
    const dailyLossMax = money(1_000_000);
    const seats = SETTINGS.strategies.map((each) => ({ ...each, risk: { ...each.risk, dailyLossMax } }));
    const { rig, read } = holding(false, { seats });
    const { index: instrument } = NEXT;
    const price = { kind: 'trade', instrument, price: priceTicks(13_000), qty: qty(1) } as const;
    read(0);
    left(rig);
    read(0);
    rig.post({ ...price, totalVolume: 1 });
    closed(rig, 128_000).post({ ...price, totalVolume: 2 });
    expect(rig.position(FIRST)).toBe(0);
    expect(rig.of('halt')).toMatchObject([{ strategy: FIRST, halted: true }]);
  });

  it('settles both of two strategies that oppose each other, though the broker shows nothing either way', () => {
    const { rig, read } = holding(true);
    read(0);
    expect(rig.reads, 'net zero is no sign of an end').not.toContain('contracts');
    left(rig);
    read(0);
    closed(rig);
    expect([rig.position(FIRST), rig.position(SECOND)]).toEqual([0, 0]);
    expect(rig.of('position_event').map(({ value }) => value)).toEqual([130_550_000, 130_550_000]);
    expect(rig.engine.snapshot().dayPnl + rig.engine.snapshot().fee + rig.engine.snapshot().tax).toBe(
      200_000,
    );
  });
});

it('after a reconnect orders, triggers, positions and money are read', () => {
  const { rig } = holding(false);
  rig.positions(1).conditions().account().stream('down').stream('live');
  expect(rig.reads).toEqual(expect.arrayContaining(['book', 'triggers', 'positions', 'account']));
});

/**
 * Two of a contract that expired the day before, which the broker no longer shows: no price of it is known. `waiting`: stops of it in the
 * trigger book.
 */
function expiredOvernight(
  waiting: readonly BrokerTriggerOrder[] = [],
  reference?: number,
  { held = {}, ...options }: RigOptions & { readonly held?: number | {} } = {},
): EngineRig {
  const tradingDay = addDays(FRONT.expiry, 1);
  const startUs = timeOf(8, 30, tradingDay);
  const dailyLossMax = money(1_000_000);
  const seats = SETTINGS.strategies.map((each) => ({ ...each, risk: { ...each.risk, dailyLossMax } }));
  const rig = new EngineRig({ isReal: true, canWait: true, startUs, seats, ...options });
  const carriedOrders = waiting.map((row) => waitingOrder(row));
  rig.session({ tradingDay, follows: FRONT.expiry, carriedOrders }, [
    { strategy: FIRST, qty: 2, price: 13_100 },
  ]);
  rig.boot(1).contracts([FRONT, NEXT], [NEXT]).stream('live');
  if (reference !== undefined) rig.reference(reference);
  for (let i = 0; i < 2; i += 1) rig.pass(5).conditions(waiting).look().pass(1).positions(held).look();
  return rig;
}

const settledText = (rig: EngineRig) => rig.of('alert').find(({ code }) => code === 'settled');

it('a contract that expired the day before is settled by the closed positions, as a loss of the days before', () => {
  const rig = expiredOvernight();
  expect([rig.position(FIRST), rig.reads.includes('closed')]).toEqual([2, true]);
  expect(rig.engine.snapshot().unproven).toMatch(
    /^the broker's closed positions .* VN30F2603 -2 was settled$/,
  );
  closed(rig, 128_000);
  expect([rig.position(FIRST), rig.engine.snapshot().dayPnl]).toEqual([0, 0]);
  expect(rig.of('position_event').at(-1)).toMatchObject({ event: 'settled', value: 256_000_000 });
  expect(settledText(rig)).toMatchObject({ severity: 'info' });
  expect(rig.of('halt')).toEqual([]);
});

it('a contract that expired the day before is settled by the closed positions though the board still has its reference', () => {
  const rig = expiredOvernight([], 130_000);
  expect(rig.position(FIRST)).toBe(2);
  closed(rig, 128_000);
  expect(rig.of('position_event').at(-1)).toMatchObject({ event: 'settled', value: 256_000_000 });
});

it('a contract that expired the day before, of which no price is known, is settled at its entry, and the alert says so', () => {
  const rig = expiredOvernight();
  rig.pass(1).post({ kind: 'closed_snapshot', startedUs: rig.now, positions: [] });
  expect(rig.position(FIRST)).toBe(0);
  expect(settledText(rig)).toMatchObject({
    severity: 'warning',
    text: "2 of VN30F2603 expired: settled for 262,000,000 VND, at its entry, as no price is known: the broker's figure decides",
  });
});

it('a contract that expired the day before is settled though the broker keeps the stop of it, which is withdrawn', () => {
  const rig = expiredOvernight([waits({ key: 'k', qty: 2 })]);
  closed(rig, 128_000).pass(5).look().pass(1).positions({}).look();
  expect([rig.position(FIRST), rig.engine.snapshot().unproven]).toEqual([0, null]);
  expect(rig.waiting.map(({ call }) => call)).toEqual(['cancel']);
});

it('a contract that expired the day before gets no stop, though the broker still shows the position', () => {
  const protectiveStop = { distanceTicks: 50, slipTicks: 5 };
  const startUs = timeOf(8, 50, addDays(FRONT.expiry, 1));
  const rig = expiredOvernight([], 130_000, { held: 2, startUs, risk: { protectiveStop } });
  expect([rig.position(FIRST), rig.engine.snapshot().unproven, rig.waiting]).toEqual([2, null, []]);
  expect(rig.of('denied')).toEqual([]);
});

it('a flatten of a contract that expired the day before asks for nothing, and says who settles it', () => {
  const startUs = timeOf(9, 5, addDays(FRONT.expiry, 1));
  const rig = expiredOvernight([], 130_000, { held: 2, startUs });
  for (let i = 0; i < 20; i += 1) rig.look().pass(1).positions(2);
  expect([rig.of('denied'), rig.places()]).toEqual([[], []]);
  expect(rig.of('alert').find(({ code }) => code === 'flatten_failed')?.text).toContain('the broker settles');
});
