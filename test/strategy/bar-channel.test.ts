import { describe, expect, test } from 'vitest';
import { minutes } from '../../src/domain/units.ts';
import { at, contract } from '../support/strategy-fixtures.ts';
import { line } from './play-bars.ts';
import { startStrategy } from './start-strategy.ts';

describe('the stream of bars', () => {
  test('starts again with the new contract at a rollover', () => {
    const seen: string[] = [];
    const contracts = [contract(0), contract(1), contract(2)];
    const trader = startStrategy(
      (ticks) => void ticks.bars({ every: minutes(1) }).subscribe((bar) => seen.push(line(bar))),
      {
        contracts,
        start: at('09:30:00'),
      },
    );
    trader.advanceTo(at('09:30:10'));
    trader.trade(13_000);
    trader.roll(0, [{ leg: 0, contract: contract(2) }]);
    trader.trade(13_000);
    trader.trade(13_200, 1, 2);
    trader.advanceTo(at('09:31:00'));
    expect(seen).toEqual(['09:30:00-09:31:00 13200 13200 13200 13200 v1 t1 incomplete']);
  });

  test('keeps one timer, whatever the number of bars', () => {
    const trader = startStrategy((ticks) => void ticks.bars({ everyTicks: 1 }).subscribe());
    for (let i = 0; i < 100; i += 1) trader.trade(13_000);
    expect(trader.timersWaiting).toBeLessThanOrEqual(1);
  });

  test('closes nothing and sets no timer for a strategy that is stopped', () => {
    let count = 0;
    const trader = startStrategy((ticks) => {
      ticks.bars({ every: minutes(1) }).subscribe(() => (count += 1));
      ticks.books$.subscribe(() => {
        throw new Error('boom');
      });
    });
    trader.trade(13_000);
    trader.book(12_999, 13_001);
    trader.advance(minutes(5));
    expect(count).toBe(0);
    expect(trader.timersWaiting).toBe(0);
  });
});
