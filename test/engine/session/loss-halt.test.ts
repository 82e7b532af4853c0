import { expect, test } from 'vitest';
import { HouseWorld } from '../support/session-world.ts';

test('a strategy that has lost its limit is halted alone, once', () => {
  const world = new HouseWorld().start();
  world.asked.length = 0;
  world.view.pnl.set(1, -19_999_999);
  world.tell('trade');
  expect(world.asked).toEqual([]);
  world.view.pnl.set(1, -20_000_000);
  world.tell('trade');
  world.tell('trade');
  expect(world.asked).toEqual(['halt 1 its loss of the day, 20000000, has reached 20000000']);
});

test('the account that has lost its limit is halted, and a gain afterwards changes nothing', () => {
  const world = new HouseWorld().start();
  world.asked.length = 0;
  world.view.accountPnl = -50_000_000;
  world.tell('trade');
  world.view.accountPnl = 0;
  world.tell('trade');
  world.runUntil('10:00', '2026-03-05');
  expect(world.asks('halt')).toEqual(["halt the account's loss of the day, 50000000, has reached 50000000"]);
  expect(world.view.haltedReason).not.toBeNull();
});
