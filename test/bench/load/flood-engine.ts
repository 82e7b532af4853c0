/** The engine thread of a flooded daemon, with a strategy that looks at the age of each price. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import type { EngineThreadData } from '../../../src/host/worker-protocol.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { serveEngine } from '../../../src/host/engine-server.ts';
import { defineStrategy } from '../../../src/strategy/index.ts';
import { enlist, type FloodMemory, KINDS, now } from './flood-frames.ts';

/** An order that is denied is not tried at each price. */
const ORDER_EVERY_MS = 40;
const AWAY_TICKS = 30;

const params = z.object({ burnUs: z.number() });

/** Keeps one order that rests below the market. */
export const flooded = (memory: FloodMemory | null) =>
  defineStrategy({
    name: 'flooded',
    summary: 'looks at the age of prices',
    params,
    legs: ['contract'],
    connect(ticks, trader) {
      const { burnUs } = trader.params;
      let ordersAt = 0;
      ticks.books$.subscribe(() => undefined);
      ticks.trades$.subscribe(({ price, totalVolume }) => {
        if (memory !== null) note(memory, totalVolume);
        if (now() >= ordersAt && trader.workingOrders().length === 0) {
          trader.buy({ qty: 1, price: priceTicks(price - AWAY_TICKS), reason: 'rests' });
          ordersAt = now() + ORDER_EVERY_MS;
        }
        for (const until = now() + burnUs / 1_000; now() < until;);
      });
    },
  });

function note({ ages, sentAt, flood }: FloodMemory, totalVolume: number): void {
  const [firstVolume = Infinity, framesPerSlice = 1] = flood;
  const trade = totalVolume - firstVolume;
  if (trade < 0 || trade >= ages.length) return;
  ages[trade] = now() - (sentAt[Math.floor((trade * KINDS) / framesPerSlice)] ?? NaN);
}

interface FloodedThread extends EngineThreadData {
  readonly memory: FloodMemory;
}

if (!isMainThread && parentPort !== null) {
  const data: FloodedThread = workerData;
  enlist(data.memory, 'engine');
  serveEngine(parentPort, data, () => flooded(data.memory));
}
