/** The fourth strategy: written by a reader of strategies/README.md, with nothing but what that page says. */
import { z } from 'zod';
import { defineStrategy, PositionWorker, seconds } from '../../src/strategy/index.ts';
import { expect, test } from 'vitest';
import { startOn, strategyContract } from './strategy-contract.ts';

const meanRevert = defineStrategy({
  name: 'mean-revert',
  summary: 'buys what fell below the mean of its last closes, sells what rose above it',
  params: z.object({
    bars: z.int().min(2).default(20).describe('closes that make the mean'),
    awayTicks: z.int().min(1).default(10).describe('distance from the mean that is traded'),
  }),
  legs: ['contract'],
  connect(ticks, trader) {
    const worker = new PositionWorker(ticks, trader, { rest: seconds(2), reprice: seconds(1), slipTicks: 0 });
    let closes: number[] = [];
    ticks.rollovers$.subscribe(() => (closes = []));
    ticks.bars({ everyTicks: 5 }).subscribe((bar) => {
      closes = [...closes, bar.close].slice(-trader.params.bars);
      if (!bar.fresh || closes.length < trader.params.bars) return;
      const away = bar.close - closes.reduce((sum, close) => sum + close, 0) / closes.length;
      if (Math.abs(away) > trader.params.awayTicks)
        worker.aim(away > 0 ? -1 : 1, `${away.toFixed(1)} from the mean`);
    });
  },
});

strategyContract({ definition: meanRevert, params: { bars: 5, awayTicks: 3 }, qtyMax: 1 });

test('it trades as its author meant it', () => {
  const trader = startOn({ definition: meanRevert, params: { bars: 2, awayTicks: 3 } });
  const price = (level: number): void => {
    for (let i = 0; i < 5; i += 1) {
      trader.book(level - 1, level + 1);
      trader.trade(level);
    }
    trader.advance(seconds(5));
  };
  for (const level of [13_000, 13_000, 13_010, 13_010, 12_990]) price(level);
  expect(trader.calls.filter((call) => call.includes('submit'))).toEqual([
    '0 submit sell 1 VN30F1M @ 13011',
    '0 submit buy 1 VN30F1M @ 12989',
    '0 submit buy 1 VN30F1M @ 12991',
  ]);
  expect(trader.held()).toBe(1);
});
