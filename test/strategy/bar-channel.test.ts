import { describe, expect, test } from 'vitest';
import { minutes } from '../../src/domain/units.ts';
import { at, contract } from '../support/strategy-fixtures.ts';
import { line, playBars } from './play-bars.ts';
import { startStrategy } from './start-strategy.ts';

const minute = { spec: { every: minutes(1) }, start: '09:30:00' };

describe('after a standby', () => {
  test('at most one bar comes out, and it says that it is late', () => {
    expect(
      playBars(
        minute,
        `09:30:10 13000
         10:15:30 sleep
         10:15:30 13050
         10:15:30 13051
         10:15:31 13052
         10:16:10 13053
         10:17:00`,
      ),
    ).toEqual([
      '09:30:00-09:31:00 13000 13000 13000 13000 v1 t1 incomplete late',
      '10:15:00-10:16:00 13050 13052 13050 13052 v3 t3 incomplete late skipped 44',
      '10:16:00-10:17:00 13053 13053 13053 13053 v1 t1',
    ]);
  });

  test('old ticks that arrive in one burst make no fresh bar by ticks', () => {
    expect(
      playBars(
        { spec: { everyTicks: 2 }, start: '09:30:00' },
        `09:30:10 13000
         10:15:30 sleep
         10:15:30 13050
         10:15:30 13051
         10:15:30 13052
         10:15:33 13053
         10:15:34 13054`,
      ),
    ).toEqual([
      '09:30:10-10:15:30 13000 13050 13000 13050 v2 t2 incomplete late',
      '10:15:30-10:15:30 13051 13052 13051 13052 v2 t2 incomplete late',
      '10:15:33-10:15:34 13053 13054 13053 13054 v2 t2',
    ]);
  });

  test('the pause between two sessions is none', () => {
    expect(
      playBars(
        { spec: { everyTicks: 1 }, start: '11:29:00' },
        `11:29:30 13000
         13:00:05 13001`,
      ),
    ).toEqual([
      '11:29:30-11:29:30 13000 13000 13000 13000 v1 t1',
      '13:00:05-13:00:05 13001 13001 13001 13001 v1 t1',
    ]);
  });
});

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
