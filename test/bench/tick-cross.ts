/** Two averages over every trade; one contract long above, short below; it turns with one order through the touch. */
import { z } from 'zod';
import { priceTicks } from '../../src/domain/units.ts';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/index.ts';

/** What it saw, to be compared with what the peers saw: how many crosses, and a sum over their places and prices. */
export interface CrossTally {
  crosses: number;
  sum: number;
}

const SUM_BELOW = 2 ** 31 - 1;
/** Worst price beyond the last: the order takes what stands there. */
const THROUGH_TICKS = 10;

/** The tally is a global of the process that measures: a strategy has no way out but its desk. */
export function tickCross(tally: CrossTally): StrategyDefinition {
  return defineStrategy({
    name: 'tick-cross',
    summary: 'one contract with the faster of two averages over ticks',
    params: z.object({ fast: z.int(), slow: z.int(), trade: z.boolean() }),
    legs: ['contract'],
    connect(ticks, desk) {
      const { slow: warm, fast: quick, trade } = desk.params;
      const [a, b] = [2 / (quick + 1), 2 / (warm + 1)];
      let fast = 0;
      let slow = 0;
      let seen = 0;
      let held = 0;
      ticks.trades$.subscribe(({ price }) => {
        seen += 1;
        fast = seen === 1 ? price : fast + a * (price - fast);
        slow = seen === 1 ? price : slow + b * (price - slow);
        if (seen <= warm) return;
        const aim = fast > slow ? 1 : -1;
        if (aim === held) return;
        const qty = Math.abs(aim - held);
        held = aim;
        tally.crosses += 1;
        tally.sum = (tally.sum * 31 + seen * 7 + price) % SUM_BELOW;
        if (!trade) return;
        const limit = priceTicks(price + aim * THROUGH_TICKS);
        if (aim > 0) desk.buy({ qty, price: limit, reason: 'cross' });
        else desk.sell({ qty, price: limit, reason: 'cross' });
      });
    },
  });
}
