/** Starts a strategy written in a test, on the fake trader. */
import { z } from 'zod';
import { strategyIndex } from '../../src/domain/units.ts';
import { createStrategyHost } from '../../src/strategy/strategy-host.ts';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';
import type { Trader } from '../../src/strategy/trader.ts';
import type { Ticks } from '../../src/strategy/leg-ticks.ts';
import { FakeTrader, type FakeTraderOptions } from '../support/fake-trader.ts';

type Legs = 'front' | 'next';
export type TestTicks = Ticks<Legs>;
export type TestTrader = Trader<Record<string, never>, Legs>;

/** Several connects are several strategies, index 0 first. */
export function startStrategies(
  connects: readonly ((ticks: TestTicks, trader: TestTrader) => void)[],
  options: FakeTraderOptions & { readonly currentStrategy?: Int32Array } = {},
): FakeTrader {
  const instances = connects.map((connect, place) => ({
    index: strategyIndex(place),
    id: `test-${place}`,
    definition: defineStrategy({
      name: 'test',
      summary: 'a strategy of a test',
      params: z.object({}),
      legs: ['front', 'next'],
      connect,
    }),
    params: {},
  }));
  const { currentStrategy } = options;
  const trader = new FakeTrader(options);
  trader.start(createStrategyHost({ instances, ...(currentStrategy && { currentStrategy }) }));
  return trader;
}

export const startStrategy = (
  connect: (ticks: TestTicks, trader: TestTrader) => void,
  options: FakeTraderOptions & { readonly currentStrategy?: Int32Array } = {},
): FakeTrader => startStrategies([connect], options);
