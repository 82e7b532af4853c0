/** Engine events a second in one thread, against a loop that only looks at the same literals. */
import { combineLatest, filter, map, merge, pairwise, scan } from 'rxjs';
import { EMA } from 'trading-signals';
import { z } from 'zod';
import { instrumentIndex, strategyIndex, tsUs } from '../../src/domain/units.ts';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';
import { indicate } from '../../src/strategy/operators.ts';
import type { StrategyInstance } from '../../src/strategy/strategy-host.ts';
import { startStrategy, type TestTicks } from '../strategy/start-strategy.ts';
import { at as timeAt, tradeTick } from '../support/strategy-fixtures.ts';
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

const STREAM_TICKS = 200_000;

const see = (value: number): void => void (sum += value);
const priceOf = ({ price }: { readonly price: number }): number => price;

/** What a tick costs on its way to a strategy's code, by how the code subscribes; a bar of 100 trades for those on bars. */
export function streamCandidates(part: (whole: number) => number): Candidate[] {
  const ticks = Array.from({ length: part(STREAM_TICKS) }, (_, at) =>
    tradeTick(
      { seq: at + 1, tsUs: tsUs(timeAt('10:00:00') + at * 10_000), instrument: 0 },
      13_000 + (at % 7),
      1,
      at + 1,
    ),
  );
  const through = (name: string, connect: (streams: TestTicks) => void): Candidate => ({
    name,
    run: () => {
      const listeners = startStrategy(connect).host?.listenersOf(instrumentIndex(0));
      return timed(ticks.length, () => {
        for (const tick of ticks) listeners?.trade(tick);
      });
    },
  });
  return [
    {
      name: 'a bare callback',
      run: () =>
        timed(ticks.length, () => {
          for (const { price } of ticks) see(price);
        }),
    },
    through('trades$.subscribe(callback)', ({ trades$ }) => trades$.subscribe(({ price }) => see(price))),
    through('trades$, map, filter', ({ trades$ }) =>
      trades$
        .pipe(
          map(priceOf),
          filter((price) => price > 0),
        )
        .subscribe(see),
    ),
    through('trades$, pairwise, scan', ({ trades$ }) =>
      trades$
        .pipe(
          map(priceOf),
          pairwise(),
          scan((total, [before, now]) => total + now - before, 0),
        )
        .subscribe(see),
    ),
    through('merge of two', ({ trades$ }) => merge(trades$, trades$).subscribe(({ price }) => see(price))),
    through('combineLatest of two', ({ trades$ }) =>
      combineLatest([trades$, trades$]).subscribe(([near, far]) => see(far.price - near.price)),
    ),
    through('bars(...).subscribe(callback)', (streams) =>
      streams.bars({ everyTicks: 100 }).subscribe(({ close }) => see(close)),
    ),
    through('bars(...), indicate, filter, map', (streams) =>
      streams
        .bars({ everyTicks: 100 })
        .pipe(
          indicate({ fast: () => new EMA(9), slow: () => new EMA(21) }, ({ close }) => close),
          filter(({ item }) => item.complete),
          map(({ fast, slow }) => fast - slow),
        )
        .subscribe(see),
    ),
  ];
}
