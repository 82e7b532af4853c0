/** Starts a strategy written in a test, on the fake desk. */
import { z } from 'zod';
import { strategyIndex } from '../../src/domain/units.ts';
import { createStrategyHost } from '../../src/strategy/strategy-host.ts';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';
import type { Desk } from '../../src/strategy/desk.ts';
import type { Ticks } from '../../src/strategy/ticks.ts';
import { FakeDesk, type FakeDeskOptions } from '../support/fake-desk.ts';

type Legs = 'front' | 'next';
export type TestTicks = Ticks<Legs>;
export type TestDesk = Desk<Record<string, never>, Legs>;

/** Several connects are several strategies, index 0 first. */
export function startStrategies(
  connects: readonly ((ticks: TestTicks, desk: TestDesk) => void)[],
  options: FakeDeskOptions & { readonly currentStrategy?: Int32Array } = {},
): FakeDesk {
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
  const desk = new FakeDesk(options);
  desk.start(createStrategyHost({ instances, ...(currentStrategy && { currentStrategy }) }));
  return desk;
}

export const startStrategy = (
  connect: (ticks: TestTicks, desk: TestDesk) => void,
  options: FakeDeskOptions & { readonly currentStrategy?: Int32Array } = {},
): FakeDesk => startStrategies([connect], options);
