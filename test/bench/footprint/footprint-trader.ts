/** Buys one contract through the touch, sells it, and so on; says when a tick is over and when an order is filled. */
import { z } from 'zod';
import { priceTicks } from '../../../src/domain/units.ts';
import { defineStrategy } from '../../../src/strategy/index.ts';
import type { Samples } from './coverage.ts';

/** Trades between two orders: enough without one for each with one. */
const EVERY = 12;
const THROUGH_TICKS = 10;

export const footprintTrader = (samples: Samples, onFull: () => void) =>
  defineStrategy({
    name: 'footprint',
    summary: 'buys and sells one contract in turn',
    params: z.looseObject({}),
    legs: ['contract'],
    connect(ticks, trader) {
      let seen = 0;
      let isTold = false;
      ticks.trades$.subscribe(({ price }) => {
        samples.tick();
        seen += 1;
        if (samples.isFull && !isTold) {
          isTold = true;
          onFull();
        }
        if (samples.isInOrder || samples.isFull || seen % EVERY > 0) return;
        if (trader.phase() !== 'continuous' || trader.workingOrders().length > 0) return;
        samples.ordered();
        const qty = 1;
        if (trader.position().qty > 0)
          trader.sell({ qty, price: priceTicks(price - THROUGH_TICKS), reason: 'x' });
        else trader.buy({ qty, price: priceTicks(price + THROUGH_TICKS), reason: 'x' });
      });
      ticks.orders$.subscribe(({ status }) => {
        if (status === 'filled') samples.filled();
        else if (status === 'denied' || status === 'rejected') samples.dropped();
      });
    },
  });
