/** A strategy that orders anything at any time: every draw comes from its seed. Nothing it does makes sense, all of it is allowed. */
import { z } from 'zod';
import { defineStrategy, seconds } from '../../../src/strategy/index.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { Random } from '../../../src/venue/market/random.ts';

const params = z.object({
  seed: z.int(),
  /** An order about every so many trades. */
  every: z.int().default(120),
});

const reason = 'drawn';
const THOUSAND = 1_000;

export const randomTrader = defineStrategy({
  name: 'random-trader',
  summary: 'orders, changes and cancels by chance',
  params,
  legs: ['contract'],

  connect(ticks, trader) {
    const random = new Random(trader.params.seed);
    const near = (): number => {
      const last = trader.lastTrade()?.price ?? Math.round((trader.band()?.reference ?? 19_0000) / 10);
      const { floor, ceiling } = trader.band() ?? { floor: last - 50, ceiling: last + 50 };
      if (random.chance(50)) return random.chance(500) ? floor : ceiling;
      const reach = random.chance(800) ? 4 : 60;
      return Math.min(ceiling, Math.max(floor, last + random.below(2 * reach + 1) - reach));
    };
    /** A stop, a trailing stop or a bracket; most of what is drawn makes sense to the broker. */
    const wait = (side: 'buy' | 'sell', qty: number): void => {
      const [price, other] = [near(), near()];
      const against = side === 'buy' ? 1 : -1;
      const behind = (ticks: number) => priceTicks(price + against * ticks);
      const head = { side, qty, reason } as const;
      const kind = random.below(3);
      if (kind === 0)
        trader.submit({ ...head, kind: 'stop', trigger: priceTicks(price), price: behind(random.below(20)) });
      else if (kind === 1)
        trader.submit({
          ...head,
          kind: 'trailing_stop',
          activation: priceTicks(price),
          offset: 1 + random.below(20),
          price: priceTicks(other),
        });
      else
        trader.submit({
          ...head,
          kind: 'bracket',
          price: priceTicks(price),
          stopLoss: behind(-1 - random.below(20)),
          takeProfit: behind(1 + random.below(20)),
        });
    };
    const act = (): void => {
      const working = trader.workingOrders();
      const order = working[random.below(Math.max(1, working.length))];
      const what = random.below(THOUSAND);
      // A dozen at a time is enough to get into each other's way.
      if (working.length > 12 && order !== undefined) return trader.cancel(order.clientOrderId);
      if (order === undefined || what < 400 || working.length < 3) {
        if (random.chance(60)) return wait(random.chance(500) ? 'buy' : 'sell', 1 + random.below(9));
        const request = {
          qty: 1 + random.below(random.chance(900) ? 9 : 80),
          price: priceTicks(near()),
          reason,
        };
        if (random.chance(500)) trader.buy(request);
        else trader.sell(request);
      } else if (order.triggerPrice !== undefined && what < 650)
        trader.modify(order.clientOrderId, { trigger: priceTicks(near()) });
      else if (what < 550) trader.modify(order.clientOrderId, { price: priceTicks(near()) });
      else if (what < 650) trader.modify(order.clientOrderId, { qty: 1 + random.below(order.qty + 3) });
      else trader.cancel(order.clientOrderId);
    };
    ticks.trades$.subscribe(() => {
      if (random.below(trader.params.every) === 0) act();
    });
    // Also where nothing is traded: before the open, in the break, in the auctions.
    const tick = (): void => {
      act();
      trader.after(seconds(1 + random.below(120)), tick);
    };
    trader.after(seconds(1), tick);
  },
});
