/** Engine events a second in one thread, against a loop that only looks at the same literals. */
import { z } from 'zod';
import { strategyIndex } from '../../src/domain/units.ts';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';
import type { StrategyInstance } from '../../src/strategy/running-strategy.ts';
import { CountingOutbound, createEngine, openingEvents, paperStrategies } from './engine-setup.ts';
import type { MarketDay } from './market-day.ts';
import { type Candidate, timed } from './rounds.ts';

let sum = 0;

/** Sees every trade and every book of the front month, and does nothing with them. */
const watcher = (): StrategyInstance => ({
  index: strategyIndex(0),
  id: 'watcher',
  params: {},
  definition: defineStrategy({
    name: 'watcher',
    summary: 'looks at every tick',
    params: z.object({}),
    legs: ['contract'],
    connect: (ticks) => {
      ticks.trades$.subscribe(({ price }) => (sum += price));
      ticks.books$.subscribe(({ bids }) => (sum += bids.length));
    },
  }),
});

export function engineCandidates(day: MarketDay, events: readonly EngineEvent[]): Candidate[] {
  const through = (name: string, instances: () => StrategyInstance[]): Candidate => ({
    name,
    run: () => {
      const engine = createEngine(day, instances(), new CountingOutbound());
      for (const event of openingEvents(day)) engine.process(event);
      return timed(events.length, () => {
        for (const event of events) engine.process(event);
      });
    },
  });
  return [
    {
      name: 'a bare loop over the literals',
      run: () =>
        timed(events.length, () => {
          for (const event of events) sum += event.tsUs;
        }),
    },
    through('engine.process, no strategy', () => []),
    through('engine.process, hub, a strategy that sees every tick', () => [watcher()]),
    through('engine.process, hub, the strategies of config/paper.yaml', () => paperStrategies(day.config)),
  ];
}
