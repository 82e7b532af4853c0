/** Exits next to orders of the day before whose end nobody saw: they may have closed the position already (rulings, 6 and 36). */
import { expect, it } from 'vitest';
import { addDays } from '../../../src/domain/civil-date.ts';
import { earlierOfSecond, earlierOrder } from '../../support/engine-facts.ts';
import { EngineRig, FIRST } from '../../support/engine-rig.ts';
import { DAY, FRONT, SETTINGS, timeOf } from '../../support/engine-world.ts';

const HELD = -4;

/** Yesterday the first strategy's exit may have bought two, and another's entry may have sold two. */
const LEFT = [earlierOrder('H.1', { purpose: 'reduce' }), earlierOfSecond({ side: 'sell' })];

/** What is sent of an exit, where the broker shows `net` again and again. */
function sent(net: number, contracts: number): readonly number[] {
  const seats = SETTINGS.strategies.map((seat) => ({ ...seat, overnight: true }));
  const rig = new EngineRig({ startUs: timeOf(10), isReal: true, seats });
  rig
    .contracts()
    .session({ follows: addDays(DAY, -1), carriedOrders: LEFT }, [{ strategy: FIRST, qty: HELD }]);
  const shown = { [FRONT.orderCode]: net };
  rig.boot(2).stream('live').reference().look();
  for (let round = 0; round < 4; round += 1) rig.pass(2).positions(shown).look();
  rig.trade(13_000).look().positions(shown).submit(FIRST, 'buy', contracts, 13_000);
  return rig.places().map(({ qty }) => qty);
}

it('close no more than those have left for certain', () => {
  expect([sent(HELD + 1, 3), sent(HELD + 1, 2)]).toEqual([[], [2]]);
});
