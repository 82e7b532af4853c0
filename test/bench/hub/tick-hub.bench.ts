/**
 * What a tick costs on its way to a strategy. A bare loop that calls one function is the baseline; the ratios are printed,
 * nothing is asserted. Ticks are kept in a ring, so that making them cannot be optimised away.
 */
import { filter, map } from 'rxjs';
import { bench, describe } from 'vitest';
import { z } from 'zod';
import type { TradeTick } from '../../../src/domain/ticks.ts';
import { seconds, strategyIndex } from '../../../src/domain/units.ts';
import type { StrategyHost } from '../../../src/engine/ports/strategy-port.ts';
import { createStrategyHost } from '../../../src/strategy/strategy-host.ts';
import { defineStrategy } from '../../../src/strategy/define-strategy.ts';
import type { Ticks } from '../../../src/strategy/ticks.ts';
import { FakeTrader } from '../../support/fake-trader.ts';
import { at } from '../../support/strategy-fixtures.ts';

const TICKS = 500_000;
const RING_MASK = 1_023;
const ring: TradeTick[] = [];
const start = at('09:30:00');
let total = 0;

/** Plays the ticks of 50 seconds. */
function play(onTrade: (tick: TradeTick) => void): void {
  for (let i = 0; i < TICKS; i += 1) {
    // A literal without the checks of the constructors, as the edge makes it from a frame it has already checked.
    const tick = {
      kind: 'trade',
      seq: i,
      tsUs: start + i * 100,
      instrument: 0,
      price: 13_000 + (i & 15),
      qty: 1,
      totalVolume: i,
    } as unknown as TradeTick;
    ring[i & RING_MASK] = tick;
    onTrade(tick);
  }
}

function hostOf(...connects: readonly ((ticks: Ticks<'contract'>) => void)[]): StrategyHost {
  const instances = connects.map((connect, place) => ({
    index: strategyIndex(place),
    id: `bench-${place}`,
    definition: defineStrategy({
      name: 'bench',
      summary: '',
      params: z.object({}),
      legs: ['contract'],
      connect,
    }),
    params: {},
  }));
  const host = createStrategyHost({ instances });
  new FakeTrader().start(host);
  return host;
}

const count = (tick: TradeTick): void => {
  total ^= tick.price;
};
const hosts = {
  nobody: hostOf(),
  one: hostOf((ticks) => ticks.trades$.subscribe(count)),
  three: hostOf(...[1, 2, 3].map(() => (ticks: Ticks<'contract'>) => ticks.trades$.subscribe(count))),
  piped: hostOf((ticks) =>
    ticks.trades$
      .pipe(
        filter((tick) => tick.qty > 0),
        map((tick) => tick),
      )
      .subscribe(count),
  ),
  bars: hostOf((ticks) => ticks.bars({ every: seconds(1) }).subscribe((bar) => (total ^= bar.close))),
};

describe(`${TICKS} trades`, () => {
  bench('baseline: a bare loop and one function', () => play(count));
  for (const [name, host] of Object.entries(hosts)) {
    bench(`hub: ${name}`, () => play((tick) => host.onTrade(tick)));
  }
});
