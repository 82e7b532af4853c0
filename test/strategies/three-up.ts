import { filter, map } from 'rxjs';
import { z } from 'zod';
import { defineStrategy, lookBack, PositionWorker, seconds } from '../../src/strategy/index.ts';

export const threeUp = defineStrategy({
  name: 'three-up',
  summary: 'long after three higher closes, flat after a lower one',
  params: z.object({ barSeconds: z.int().min(1).default(60).describe('length of a bar') }),
  legs: ['contract'],
  connect(ticks, trader) {
    const worker = new PositionWorker(ticks, trader, { rest: seconds(2), reprice: seconds(1), slipTicks: 0 });
    ticks
      .bars({ every: seconds(trader.params.barSeconds) })
      .pipe(
        lookBack(3),
        filter(({ item }) => item.fresh),
        map(({ item, before }) => [...before, item].map(({ close }) => close)),
      )
      .subscribe(([a = 0, b = 0, c = 0, d = 0]) => {
        if (d > c && c > b && b > a) worker.aim(1, 'three higher closes');
        else if (d < c) worker.aim(0, 'a lower close');
      });
  },
});
