/** The broker of a run, where answers take no time at all. */
import { expect, it } from 'vitest';
import { US_PER_SECOND } from '../../../src/domain/units.ts';
import type { RunAccount } from '../../../src/backtest/run/run-account.ts';
import type { RunVenue } from '../../../src/backtest/run/run-venue.ts';
import { VirtualBroker } from '../../../src/backtest/run/virtual-broker.ts';
import { VirtualClock } from '../../../src/backtest/run/virtual-clock.ts';

/** An exit that waits for a position that no read can prove asks again with each answer. */
it.each(['positions', 'book'] as const)(
  'who asks for %s with each answer asks so many times a second',
  (what) => {
    const clock = new VirtualClock();
    const broker = new VirtualBroker({
      clock,
      account: { positions: () => [] } as unknown as RunAccount,
      instruments: [],
      venue: { scan: () => [], nextUs: Infinity, silentUntilUs: -Infinity } as unknown as RunVenue,
      orderLatency: () => 0,
      reportLatency: () => 0,
      isAccountWatched: true,
      wake: () => undefined,
    });
    const asked: number[] = [];
    broker.read(what);
    for (let second = 0; second < 3; second += 1) {
      let answers = 0;
      for (; broker.step(clock.nowUs) !== null && answers < 1_000; answers += 1) broker.read(what);
      asked.push(answers);
      expect(broker.nextUs, 'then it waits').toBe((second + 1) * US_PER_SECOND);
      clock.nowUs = broker.nextUs;
    }
    // The one that waited comes on top.
    expect(asked).toEqual(what === 'positions' ? [8, 9, 9] : [2, 3, 3]);
  },
);
