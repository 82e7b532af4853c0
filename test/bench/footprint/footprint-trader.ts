/** Buys one contract through the touch, sells it, and so on; says when a tick is over and when an order is filled. */
import { identity, type MonoTypeOperatorFunction } from 'rxjs';
import { z } from 'zod';
import type { TradeTick } from '../../../src/domain/ticks.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { defineStrategy, type OrderUpdate } from '../../../src/strategy/index.ts';
import type { Samples } from './coverage.ts';

/** Trades between two orders: enough without one for each with one. */
const EVERY = 12;
const THROUGH_TICKS = 10;
/** On a busy machine prices are late, and an entry is withdrawn. */
const UNFILLED: ReadonlySet<OrderUpdate['status']> = new Set(['denied', 'rejected', 'canceled', 'expired']);

/** `through`: with the identity the hub calls a bare callback. */
export const footprintTrader = (
  samples: Samples,
  onFull: () => void,
  through: MonoTypeOperatorFunction<TradeTick> = identity,
) =>
  defineStrategy({
    name: 'footprint',
    summary: 'buys and sells one contract in turn',
    params: z.looseObject({}),
    legs: ['contract'],
    connect(ticks, trader) {
      let seen = 0;
      let isReported = false;
      ticks.trades$.pipe(through).subscribe(({ price }) => {
        samples.tick();
        seen += 1;
        if (samples.isFull && !isReported) {
          isReported = true;
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
        else if (UNFILLED.has(status)) samples.dropped();
      });
    },
  });
