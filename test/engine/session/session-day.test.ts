/** A trading day of the session controller in virtual time: auctions, the close, expiries and the night. */
import { describe, expect, test } from 'vitest';
import { alwaysOpen, isAuction } from '../../../src/domain/calendar.ts';
import * as units from '../../../src/domain/units.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { SETTINGS } from '../support/state-rig.ts';
import { SessionWorld, type WorldOptions } from '../support/session-world.ts';

type Change = Partial<(typeof SETTINGS.strategies)[number]>;

/** The first strategy as given, the second holds overnight and into settlement. */
const strategies = (change: Change = {}) => ({
  strategies: [
    { ...SETTINGS.strategies[0]!, ...change },
    { ...SETTINGS.strategies[1]!, overnight: true, onExpiry: 'hold' as const },
  ],
});

function world(options: WorldOptions = {}, change: Change = {}): SessionWorld {
  const made = new SessionWorld({ ...options, settings: { ...strategies(change), ...options.settings } });
  return made.start();
}

const heldBy = (of: SessionWorld, strategy = 0): number => of.heldBy(strategy);

describe('before the closing auction', () => {
  const settings = { settings: { flatBeforeClose: units.seconds(10) } };

  test('entries are withdrawn, reductions and adopted orders carried in', () => {
    const day = world(settings, { overnight: true });
    day.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900 });
    day.add({ id: 'other', side: 'sell', qty: 1, price: 13_100, strategy: 1 });
    day.add({ id: 'exit', side: 'sell', qty: 1, price: 13_100, purpose: 'reduce' });
    day.add({ id: 'adopted', side: 'buy', qty: 1, price: 12_900, strategy: -1, isAdopted: true });
    day.runUntil('14:29:29.9');
    expect(day.asks('cancel')).toEqual([]);
    day.runUntil('14:31');
    expect(day.asks('cancel')).toEqual(['cancel 0 entry', 'cancel 1 other']);
    expect(day.orders.map(({ clientOrderId }) => clientOrderId)).toEqual(['exit', 'adopted']);
    expect(day.said).toEqual([]);
  });

  test.each([
    [-40_000_000, '14:28:50'],
    [40_000_000, '14:29:30'],
  ])('the stricter of our clock and the broker\u2019s counts (ours less theirs: %s us)', (skewUs, time) => {
    const day = world(settings, { overnight: true }).runUntil('14:20');
    day.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900 });
    day.state.session.clockSkewUs = skewUs;
    day.afterEvent('clock_skew');
    expect(day.asks('cancel')).toEqual([]);
    day.runUntil('14:28:49').runUntil(time);
    expect(day.asks('cancel')).toEqual(['cancel 0 entry']);
  });

  test('what could not be withdrawn in time is said', () => {
    const day = world(settings, { overnight: true });
    day.broker.cancelUs = null;
    day.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900 });
    day.runUntil('14:31');
    expect(day.said).toEqual([
      'warning orders_in_auction in the auction, where nothing can be canceled: entry',
    ]);
  });

  test('an entry whose cancel was refused is withdrawn again, as long as there is time', () => {
    const day = world(settings, { overnight: true });
    day.broker.cancelUs = null;
    const entry = day.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900 });
    day.runUntil('14:29:31');
    day.become(entry, 'accepted');
    day.runUntil('14:31');
    expect(day.asks('cancel')).toEqual(['cancel 0 entry', 'cancel 0 entry']);
  });

  test('before the opening auction there is nothing to withdraw from', () => {
    const day = world({ time: '08:40' }, { overnight: true });
    day.add({ id: 'odd', side: 'buy', qty: 1, price: 12_900 });
    day.runUntil('08:50');
    expect(day.asks('cancel')).toEqual([]);
    expect(day.codes()).toEqual(['orders_in_auction']);
  });

  test('the break is no auction: orders rest through it', () => {
    const day = world();
    day.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900 });
    day.runUntil('13:30');
    expect(day.asks('cancel')).toEqual([]);
  });
});

describe('the close', () => {
  test('a strategy that does not hold overnight is flat and has nothing working, the others go on', () => {
    const day = world();
    day.hold(0, -1);
    day.hold(1, 2);
    day.add({ id: 'own', side: 'sell', qty: 1, price: 13_100 });
    day.add({ id: 'other', side: 'buy', qty: 1, price: 12_900, strategy: 1 });
    day.runUntil('14:26');
    expect(day.asks('cancel')).toEqual(['cancel 0 own']);
    expect([heldBy(day), heldBy(day, 1)]).toEqual([0, 2]);
  });

  test('a late fill is closed as well', () => {
    const day = world().runUntil('14:26');
    day.hold(0, 1);
    day.runUntil('14:26:05').runUntil('14:26:10');
    expect(heldBy(day)).toBe(0);
  });

  test('what the last auction filled is known only after it: nothing is said too early, and a late fill is', () => {
    const day = world().runUntil('14:50');
    day.state.session.ordersReadUs = day.now;
    day.runUntil('14:51');
    expect(day.said).toEqual([]);
    day.hold(0, 1);
    day.runUntil('14:52').runUntil('15:00');
    expect(day.codes()).toEqual(['held_overnight']);
  });

  test('an exit of the last auction that a book after the close still shows waits for its reports', () => {
    const late = new SessionWorld({ time: '14:31', settings: strategies() });
    late.broker.fillUs = null;
    late.start(() => late.hold(0, 1)).runUntil('14:45:01');
    late.state.session.ordersReadUs = late.now;
    late.runUntil('14:49:59');
    expect(late.codes()).toEqual(['orders_in_auction']);
    late.runUntil('14:50:01');
    expect(late.codes()).toEqual(['orders_in_auction', 'held_overnight']);
  });

  test('a day without a session has no close', () => {
    const day = world({ day: '2026-02-16', time: '10:00' });
    day.hold(0, 1);
    day.runUntil('23:00');
    expect([day.asks('submit'), day.said]).toEqual([[], []]);
  });

  test.each([
    ['overnight', '2026-03-04', false],
    ['over an expiry', '2026-02-13', true],
  ])('of a market of auctions alone holds nothing %s that may not stay', (_, day, overnight) => {
    const phases = MARKET_CALENDAR.phases.filter(({ phase }) => isAuction(phase));
    const auctions = world({ day, time: '08:30', calendar: { ...MARKET_CALENDAR, phases } }, { overnight });
    auctions.hold(0, 1);
    auctions.runUntil('14:50');
    expect(auctions.asks('submit')).toEqual(['submit 0 sell 1 of 0 at 12090']);
    expect(heldBy(auctions)).toBe(0);
  });

  test('where trading goes on through midnight nothing is closed for the night', () => {
    const day = world({ calendar: alwaysOpen(MARKET_CALENDAR) });
    day.hold(0, 1);
    day.runUntil('12:00', '2026-03-05');
    expect([day.asks('submit'), day.said]).toEqual([[], []]);
  });
});

describe('an expiry that a holiday has moved to 2026-02-13', () => {
  const LAST_DAY = { day: '2026-02-13', time: '08:47' };

  test('the position is closed before the last close, or held into settlement, by the policy', () => {
    const day = world(LAST_DAY, { overnight: true });
    day.hold(0, 1);
    day.hold(1, 2);
    day.hold(units.OPERATOR_INDEX, 1);
    day.runUntil('14:24:59');
    expect(day.asks('submit')).toEqual([]);
    day.runUntil('14:26');
    expect([heldBy(day), heldBy(day, 1), heldBy(day, -1)]).toEqual([0, 2, 1]);
    expect(day.codes()).toEqual(['held_into_expiry', 'held_into_expiry']);
  });

  test('entries in it are withdrawn with the closing, those in another contract and of others are not', () => {
    const day = world(LAST_DAY, { overnight: true });
    day.add({ id: 'entry', side: 'buy', qty: 1, price: 12_900 });
    day.add({ id: 'other', side: 'buy', qty: 1, price: 12_900, strategy: 1 });
    day.add({ id: 'next', side: 'buy', qty: 1, price: 12_900, instrument: 1 });
    day.runUntil('14:26');
    expect(day.asks('cancel')).toEqual(['cancel 0 entry']);
  });

  test('what the last auction filled of it is known only after it, and is alerted', () => {
    const day = world(LAST_DAY, { overnight: true }).runUntil('14:50');
    day.hold(0, 1);
    day.state.session.ordersReadUs = day.now;
    day.runUntil('14:51').runUntil('14:55');
    expect(day.said).toEqual([
      'critical held_into_expiry 1 of 41I1G2000 expires today and is held into its settlement',
    ]);
  });

  test('the next contract is not touched', () => {
    const day = world(LAST_DAY, { overnight: true });
    day.hold(0, 1, 1);
    day.runUntil('14:50');
    expect(day.asks('submit')).toEqual([]);
  });

  test('after its last bars the strategies roll, and the board of the next session changes nothing more', () => {
    const day = world(LAST_DAY, { overnight: true });
    expect(day.asks('legs')).toEqual(['legs 0 41I1G2000', 'legs 1 41I1G2000']);
    day.runUntil('15:00');
    expect(day.asks('legs')).toHaveLength(2);
    day.runUntil('15:00:01');
    expect(day.asks('legs').slice(2)).toEqual(['legs 0 41I1G3000', 'legs 1 41I1G3000']);
    expect(day.codes()).toEqual(['rolled_over', 'rolled_over']);
    day.runUntil('09:05', '2026-02-23');
    expect(day.asks('legs')).toHaveLength(4);
  });

  test('what was held into it is settled once the broker no longer shows it, and not before', () => {
    const day = world(LAST_DAY, { overnight: true });
    day.hold(1, 2);
    day.runUntil('14:50');
    day.read().state.session.ordersReadUs = day.now;
    day.afterEvent('position_snapshot');
    expect(day.asks('settled')).toEqual([]);
    day.shown.set(0, 0);
    day.read();
    const exit = day.add({ id: 'exit', side: 'sell', qty: 2, strategy: 1, purpose: 'reduce' });
    day.afterEvent('position_snapshot');
    expect(day.asks('settled')).toEqual([]); // the order may be what closed it
    day.become(exit, 'expired');
    day.afterEvent('clock');
    expect(day.asks('settled')).toEqual([]);
    day.afterEvent('position_snapshot');
    expect(day.asks('settled')).toEqual(['settled 1 -2 of 0 for 260000000']);
    expect(heldBy(day, 1)).toBe(0);
    expect(day.codes()).toContain('settled');
    day.afterEvent('position_snapshot');
    expect(day.asks('settled')).toHaveLength(1);
  });

  test('an old read settles nothing', () => {
    const day = world(LAST_DAY, { overnight: true });
    day.hold(1, 2);
    day.shown.set(0, 0);
    day.read().state.session.ordersReadUs = day.now;
    day.runUntil('14:50').afterEvent('position_snapshot');
    expect(day.asks('settled')).toEqual([]);
  });
});
