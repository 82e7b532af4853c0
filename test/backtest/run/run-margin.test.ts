/** Bands of prices within which the broker closes nothing: they may be too narrow, never too wide. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { money, tsUs } from '../../../src/domain/units.ts';
import type { Exchange } from '../../../src/venue/exchange/exchange.ts';
import { RunAccount } from '../../../src/backtest/run/run-account.ts';
import { MarginRoom } from '../../../src/backtest/run/run-margin.ts';
import { RunInstrument } from '../../../src/backtest/run/run-instrument.ts';
import { COSTS, DAY, FRONT, NEXT } from '../../support/engine-world.ts';

const CAPITAL = 200_000_000;
const FORCE_BPS = 10_000;

class World {
  readonly prices = [13_000, 13_000];
  readonly instruments = [FRONT, NEXT].map((contract) => new RunInstrument(contract));
  readonly account = new RunAccount(CAPITAL, 2, this.instruments, COSTS);
  readonly room = new MarginRoom(this.account, this.instruments, FORCE_BPS);

  constructor() {
    const { prices } = this;
    this.account.openDay(DAY);
    this.instruments.forEach((instrument, at) => {
      const exchange = {
        get last(): number {
          return prices[at] ?? 0;
        },
        bid: 0,
        ask: 0,
        high: -Infinity,
        low: Infinity,
        restartRange: () => undefined,
      };
      // What an account looks at of an exchange.
      instrument.open(exchange as unknown as Exchange);
    });
  }

  execute(strategy: number, at: number, change: number): void {
    const instrument = this.instruments[at]!;
    const price = this.prices[at] ?? 0;
    const lots = Math.abs(change);
    const value = money(price * instrument.unit * lots);
    this.account.execute(strategy, instrument, {
      tsUs: tsUs(1),
      decidedUs: tsUs(1),
      side: change > 0 ? 'buy' : 'sell',
      qty: lots,
      priceTicks: price,
      value,
      fee: money(5_250 * lots),
      tax: money(0),
      liquidity: 'taker',
      clause: 'shown',
      cause: 'order',
      midTwice: 0,
      decidedMidTwice: 0,
      orderNo: 1,
    });
  }

  get isReached(): boolean {
    return this.account.figures().usageBps >= FORCE_BPS;
  }
}

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('price' as const),
      at: fc.nat(1),
      by: fc.integer({ min: -400, max: 400 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('trade' as const),
      at: fc.nat(1),
      strategy: fc.nat(1),
      change: fc.integer({ min: -4, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'settle' as const }) },
);

it('passes no price at which the broker would close', () => {
  let left = 0;
  let reached = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const world = new World();
      for (const each of steps) {
        if (each.do === 'settle') world.account.settleDay(0);
        else if (each.do === 'trade') {
          if (each.change !== 0) world.execute(each.strategy, each.at, each.change);
        } else world.prices[each.at] = Math.max(10_000, (world.prices[each.at] ?? 0) + each.by);
        const { isReached } = world;
        const isLeft = world.room.isLeft();
        expect(isLeft ? false : world.room.measure(), 'what the broker does').toBe(isReached);
        if (isLeft) left += 1;
        else if (isReached) reached += 1;
      }
    }),
    { numRuns: 500 },
  );
  expect(left, 'looks that were spared').toBeGreaterThan(1_000);
  expect(reached, 'looks that would close').toBeGreaterThan(100);
});

/** One contract bought at 13,000 with 200,000,000: 17 % of margin, and a loss of 10,000 a tick. */
it('measures again at the first price outside', () => {
  const world = new World();
  world.execute(0, 0, 1);
  expect(world.room.measure()).toBe(false);
  expect(world.room.isLeft()).toBe(true);
  // Usage rounds up: 199,980,000 less 22,105,250 required leaves 177,874,749 for 11,700 a tick.
  world.prices[0] = 13_000 + 15_202;
  expect(world.room.isLeft()).toBe(true);
  world.prices[0] = 13_000 + 15_203;
  expect(world.room.isLeft()).toBe(false);
});
