/** Who asked for a flatten, and who else holds what, decides what it may do: in an auction, before an expiry, and of what fills late. */
import { expect, test } from 'vitest';
import * as units from '../../../src/domain/units.ts';
import { SessionWorld, type WorldOptions } from '../support/session-world.ts';

const flattenAll = { name: 'flatten', strategy: null, reason: 'by hand' } as const;

function holding(qty: number, options: WorldOptions = {}): SessionWorld {
  const strategies = new SessionWorld().settings.strategies.map((each) => ({ ...each, overnight: true }));
  const world = new SessionWorld({ ...options, settings: { strategies, ...options.settings } }).start();
  if (qty !== 0) world.hold(0, qty);
  world.asked.length = 0;
  return world;
}

const heldBy = (world: SessionWorld, strategy = 0): number => world.heldBy(strategy);

test('a flatten that was given up ends when the person who asked for it resumes', () => {
  const world = holding(1, { time: '10:00' });
  world.broker.fillUs = null;
  world.command(flattenAll).run(600);
  expect(world.codes()).toContain('flatten_failed');
  world.command({ name: 'resume', reason: 'I hold it' });
  expect(world.codes()).toContain('flatten_dropped');
  const asked = world.asks('submit').length;
  world.runUntil('14:20');
  expect(world.asks('submit')).toHaveLength(asked);
  expect(heldBy(world)).toBe(1);
});

test('what fills while a policy takes back the entries of a flat strategy is closed as well', () => {
  const hold = 'hold' as const;
  const policies = {
    after: units.seconds(1),
    nakedPosition: hold,
    tokenDead: hold,
    streamDead: 'flatten' as const,
    staleData: hold,
    unprovenPosition: hold,
    journalFailure: hold,
    diskFull: hold,
    clockJump: hold,
  };
  const world = holding(0, { settings: { policies } });
  const entry = world.add({ id: 'entry', side: 'buy', qty: 1 });
  world.state.market.onStreamDown();
  world.afterEvent('clock');
  world.run(2);
  world.afterEvent('clock');
  expect(world.codes()).toContain('failure_policy');
  world.fill(entry, 1);
  world.run(20);
  expect(heldBy(world)).toBe(0);
});

test.each([
  [-2, []],
  [-1, ['submit 0 sell 1 of 0 at 12090']],
  [1, ['submit 0 sell 2 of 0 at 12090', 'submit 1 sell 1 of 0 at 12090']],
])(
  'an auction never leaves the account with what two owners offset now: long 2, the other %d',
  (other, orders) => {
    const world = holding(2, { time: '14:31' });
    world.hold(1, other);
    world.broker.fillUs = null;
    world.command({ ...flattenAll, inAuction: true }).runUntil('14:44');
    expect(world.asks('submit')).toEqual(orders);
    const isAlerted = world.said.some((line) => /^critical flatten_failed .*another owner holds/.test(line));
    expect(isAlerted).toBe(other < 0);
  },
);
