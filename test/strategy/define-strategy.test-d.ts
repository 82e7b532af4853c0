import { assertType, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { BookTick, TradeTick } from '../../src/domain/ticks.ts';
import { type Bar, defineStrategy, minutes, type StrategyDefinition } from '../../src/strategy/index.ts';

test('a strategy sees its own parameters, its own legs and typed ticks', () => {
  const definition = defineStrategy({
    name: 'typed',
    summary: 'for the compiler',
    params: z.object({ fast: z.int().default(3), side: z.enum(['long', 'short']) }),
    legs: ['front', 'next'],
    connect(ticks, trader) {
      expectTypeOf(trader.params).toEqualTypeOf<{ fast: number; side: 'long' | 'short' }>();
      expectTypeOf<Parameters<typeof ticks.leg>[0]>().toEqualTypeOf<'front' | 'next'>();
      expectTypeOf<Parameters<typeof trader.leg>[0]>().toEqualTypeOf<'front' | 'next'>();
      ticks.trades$.subscribe((tick) => assertType<TradeTick>(tick));
      ticks.leg('next').books$.subscribe((tick) => assertType<BookTick>(tick));
      ticks.bars({ every: minutes(1) }).subscribe((bar) => assertType<Bar>(bar));
      // @ts-expect-error a price is minted by the trader or by a tick, not written as a number
      trader.buy({ qty: 1, price: 1300.5, reason: 'test' });
      // @ts-expect-error a change edits the price or the quantity, not both and not nothing
      trader.modify(trader.buy({ qty: 1, price: trader.ticks(1300), reason: 'test' }), {});
    },
  });
  expectTypeOf(definition).toEqualTypeOf<StrategyDefinition>();
});
