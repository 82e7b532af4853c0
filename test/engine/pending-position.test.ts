/** An exit that waited for a read is asked again by a timer: it meets the world of that moment, and the world meets it. */
import { expect, it } from 'vitest';
import { instrumentIndex, priceTicks, qty, tsUs, US_PER_SECOND } from '../../src/domain/units.ts';
import { limit, traded } from '../support/engine-facts.ts';
import type { ScriptedStrategy } from '../support/engine-host.ts';
import { EngineRig, FIRST } from '../support/engine-rig.ts';
import { NEXT, timeOf } from '../support/engine-world.ts';

/** Sells what it holds of the front month with each trade of the next. */
const leaving: ScriptedStrategy = {
  onTrade({ instrument }, desk, me) {
    if (instrument === NEXT.index) desk.submit(me, limit('sell', 1, 13_000));
  },
};

/** Holds one contract; five seconds before the hour it wants to leave, on prices too old to enter on, and waits for a read. */
function parkedAt(hours: number, mins: number): EngineRig {
  const rig = new EngineRig({ isReal: true, startUs: timeOf(hours, mins - 1), strategies: [leaving, {}] });
  rig.start().account();
  const ref = rig.resting(FIRST, 'buy', 1, 13_000, '1');
  const row = { no: '1', ref, price: 13_000, ...traded(13_000) } as const;
  rig.book([row]).pass(1).positions(1).look([row]).account();
  const before = (secs: number) => tsUs(timeOf(hours, mins) - secs * US_PER_SECOND);
  rig.now = before(5);
  const [instrument, price] = [instrumentIndex(1), priceTicks(13_000)];
  rig.post({ kind: 'trade', instrument, price, qty: qty(1), totalVolume: 1 });
  expect([rig.of('denied'), rig.places().length], 'it waits').toEqual([[], 1]);
  rig.now = before(3);
  rig.trade(13_000);
  rig.now = timeOf(hours, mins);
  return rig;
}

it('is not sent into a break that begins with the same event', () => {
  const rig = parkedAt(11, 30).clock();
  expect(rig.of('denied').map(({ denial }) => denial)).toEqual([{ code: 'session_closed', phase: 'break' }]);
  expect(rig.places()).toHaveLength(1);
});

it('is touched by the trade of the event that sent it', () => {
  const rig = parkedAt(10, 30);
  const reads = rig.reads.filter((what) => what === 'book').length;
  rig.trade(13_000);
  expect(rig.places()).toHaveLength(2);
  expect(rig.reads.filter((what) => what === 'book')).toHaveLength(reads + 1);
});

it('is refused after some seconds by a process whose clock is an hour behind', () => {
  const rig = parkedAt(10, 30);
  rig.now = timeOf(9, 30);
  rig.boot(2).stream('live').reference();
  for (let second = 0; second < 6; second += 1) rig.pass(1).clock();
  expect(rig.of('denied')).toHaveLength(1);
  expect(rig.places()).toHaveLength(1);
});
