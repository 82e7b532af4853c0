import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MoneyOptions } from '../../../src/broker/rest/rest-client.ts';
import { money, seconds } from '../../../src/domain/units.ts';
import { HTML, RestWorld } from '../support/rest-world.ts';

const FREE: MoneyOptions = { refuse: () => null };
const MOVE = { amount: money(5_000_000), note: 'margin' };
const TRANSFER = { ...MOVE, from: '0001', to: '0002' };

let world: RestWorld;

beforeEach(async () => {
  world = await RestWorld.start();
});

afterEach(() => world.close());

const CALLS = [
  {
    name: 'deposit',
    run: (options: MoneyOptions = FREE) => world.rest.money.deposit(MOVE, options),
  },
  {
    name: 'withdraw',
    run: (options: MoneyOptions = FREE) => world.rest.money.withdraw(MOVE, options),
  },
  {
    name: 'transfer',
    run: (options: MoneyOptions = FREE) => world.rest.money.transfer(TRANSFER, options),
  },
  {
    name: 'cancel of stock orders',
    run: (options: MoneyOptions = FREE) => world.rest.accounts.cancelStockOrders('0001', ['8', '9'], options),
  },
];

describe.each(CALLS)('a $name', ({ run }) => {
  it.each([
    ['a page of a proxy', 502, HTML],
    ['429', 429, {}],
    ['an answer in nobody’s form', 200, {}],
  ])('is unknown after %s, and never sent again', async (_what, status, content) => {
    world.server.handle((exchange) => exchange.reply(status, content));
    expect(await run()).toMatchObject({ status: 'unknown' });
    world.timers.advance(seconds(120));
    expect(world.server.exchanges).toHaveLength(1);
    expect(world.signals.filter(({ kind }) => kind === 'outcome_unknown')).toHaveLength(1);
  });

  it('does not leave when the last check refuses', async () => {
    expect(await run({ refuse: () => 'stopping' })).toEqual({
      status: 'not_sent',
      reason: 'stopping',
    });
    world.tokens.set(undefined);
    expect(await run()).toEqual({ status: 'not_sent', reason: 'there is no token' });
    expect(world.server.exchanges).toEqual([]);
  });
});
