/** A strategy that follows a script: each step is taken at the first trade at its price, also in a replay. */
import { z } from 'zod';
import { priceTicks } from '../../../src/domain/units.ts';
import { defineStrategy } from '../../../src/strategy/index.ts';

/** Prices in ticks. */
const step = z.object({
  at: z.int(),
  do: z.enum(['buy', 'sell', 'cancel']),
  qty: z.int().default(1),
  price: z.int().default(0),
  /** A stop that sends `price`. */
  trigger: z.int().optional(),
  /** Exits of a bracket, as prices. */
  stopLoss: z.int().optional(),
  takeProfit: z.int().optional(),
});

export type Step = z.input<typeof step>;

export const scripted = defineStrategy({
  name: 'scripted',
  summary: 'does what a script says, for scenarios',
  params: z.object({ steps: z.array(step) }),
  legs: ['contract'],
  connect(ticks, trader) {
    const left = new Set(trader.params.steps);
    ticks.trades$.subscribe(({ price }) => {
      for (const each of left) {
        if (each.at !== price) continue;
        left.delete(each);
        if (each.do === 'cancel') {
          for (const { clientOrderId } of trader.workingOrders()) trader.cancel(clientOrderId);
          continue;
        }
        const head = { side: each.do, qty: each.qty, price: priceTicks(each.price), reason: 'the script' };
        if (each.trigger !== undefined)
          trader.submit({ ...head, kind: 'stop', trigger: priceTicks(each.trigger) });
        else if (each.stopLoss !== undefined && each.takeProfit !== undefined) {
          const [stopLoss, takeProfit] = [priceTicks(each.stopLoss), priceTicks(each.takeProfit)];
          trader.submit({ ...head, kind: 'bracket', stopLoss, takeProfit });
        } else trader.submit({ ...head, kind: 'limit' });
      }
    });
  },
});
