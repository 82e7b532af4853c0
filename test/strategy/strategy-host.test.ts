import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  instrumentIndex,
  minutes,
  priceTicks,
  qty,
  seconds,
  seq,
  strategyIndex,
} from '../../src/domain/units.ts';
import type { BarTick, BookTick, TradeTick } from '../../src/domain/ticks.ts';
import { defineStrategy } from '../../src/strategy/define-strategy.ts';
import { NO_STRATEGY, TIMERS_MAX } from '../../src/strategy/containment.ts';
import { createStrategyHost } from '../../src/strategy/strategy-host.ts';
import { FakeTrader } from '../support/fake-trader.ts';
import { contract, at } from '../support/strategy-fixtures.ts';
import { startStrategies, startStrategy, type TestTrader, type TestTicks } from './start-strategy.ts';

const boom = (): never => {
  throw new Error('boom');
};

describe('faults', () => {
  test('a strategy that threw sees nothing more: no tick, no order, no timer, no phase', () => {
    const seen: string[] = [];
    const trader = startStrategy((ticks, own) => {
      ticks.trades$.subscribe(boom);
      ticks.trades$.subscribe(() => seen.push('trade'));
      ticks.books$.subscribe(() => seen.push('book'));
      ticks.orders$.subscribe(() => seen.push('order'));
      ticks.phases$.subscribe(() => seen.push('phase'));
      own.after(seconds(1), () => seen.push('timer'));
      own.buy({ qty: 1, price: own.ticks(1300), reason: 'test' });
    });
    seen.length = 0;
    trader.trade(13_000);
    trader.book(12_999, 13_001);
    trader.advanceTo(at('12:00:00'));
    expect(seen).toEqual([]);
    expect(trader.faults).toHaveLength(1);
  });

  test.each<[string, string, (ticks: TestTicks, trader: TestTrader) => void]>([
    ['connect', 'connect', boom],
    ['a timer', 'a timer', (_ticks, trader) => trader.after(seconds(1), boom)],
    ['a bar', 'bars of front', (ticks) => ticks.bars({ everyTicks: 1 }).subscribe(boom)],
    [
      'an order update',
      'orders$',
      (ticks, trader) => {
        ticks.orders$.subscribe(boom);
        trader.buy({ qty: 1, price: trader.ticks(1300), reason: 'test' });
      },
    ],
    [
      'a nonsense quantity',
      'trades$ of front',
      (ticks, trader) =>
        ticks.trades$.subscribe(({ price }) => trader.buy({ qty: 1.5, price, reason: 'test' })),
    ],
    [
      'a price off the grid',
      'trades$ of front',
      (ticks, trader) =>
        ticks.trades$.subscribe(() => trader.buy({ qty: 1, price: trader.ticks(1300.05), reason: 'test' })),
    ],
    ['a leg that does not exist', 'connect', (ticks) => void ticks.leg('far' as 'next')],
  ])('in %s is contained', (_name, where, connect) => {
    const trader = startStrategy(connect);
    trader.trade(13_000);
    trader.advance(seconds(2));
    expect(trader.faults.map((fault) => fault.where)).toEqual([where]);
  });

  test('a strategy whose contract is not listed does not start; the others do', () => {
    const seen: number[] = [];
    const trader = startStrategy((ticks) => ticks.trades$.subscribe((tick) => seen.push(tick.price)), {
      contracts: [contract(0)],
    });
    trader.trade(13_000);
    expect(trader.faults).toEqual([
      { strategy: 0, message: 'no contract for leg 1', where: 'its contracts' },
    ]);
    expect(seen).toEqual([]);
  });
});

test('a strategy that is stopped before the start does not begin', () => {
  let begun = 0;
  const definition = defineStrategy({
    name: 'test',
    summary: 'counts',
    params: z.object({}),
    legs: ['contract'],
    connect: () => void (begun += 1),
  });
  const instances = [0, 1].map((place) => ({
    index: strategyIndex(place),
    id: `${place}`,
    definition,
    params: {},
  }));
  const host = createStrategyHost({ instances });
  host.stop(strategyIndex(0));
  const trader = new FakeTrader();
  trader.start(host);
  expect(begun).toBe(1);
  expect(trader.faults).toEqual([]);
});

describe('what a strategy writes to', () => {
  const scribble = (message: object): void => {
    for (const [key, value] of Object.entries(message)) {
      if (Array.isArray(value)) value.reverse();
      if (typeof value === 'object' && value !== null) scribble(value);
      else Reflect.set(message, key, -1);
    }
  };
  const levels = [1_301, 1_302].map((price) => ({ price: priceTicks(price), qty: qty(5) }));
  const head = { seq: seq(1), tsUs: at('10:00:00'), instrument: instrumentIndex(0) };
  const trade: TradeTick = {
    kind: 'trade',
    ...head,
    price: priceTicks(1_300),
    qty: qty(1),
    totalVolume: 1,
  };
  const stretch = { every: minutes(1), startUs: head.tsUs, endUs: head.tsUs };
  const prices = { open: priceTicks(1_300), high: priceTicks(1_300), low: priceTicks(1_300) };
  const bar: BarTick = { ...trade, bar: { ...stretch, ...prices, volume: 1 } };
  const book: BookTick = { kind: 'book', ...head, bids: levels, asks: levels, crossed: false };

  test.each([
    ['trade', trade],
    ['bar', bar],
    ['book', book],
  ])('a %s is its own copy', (_kind, message) => {
    const before = JSON.stringify(message);
    const seen: string[] = [];
    const look = (tick: object): void => {
      seen.push(JSON.stringify(tick));
      scribble(tick);
    };
    const trader = startStrategies(
      [1, 2].map(() => (ticks: TestTicks) => {
        ticks.trades$.subscribe(look);
        ticks.books$.subscribe(look);
      }),
    );
    if (message.kind === 'book') trader.host?.onBook(message);
    else trader.host?.onTrade(message);
    if (message.kind === 'trade') trader.host?.listenersOf(head.instrument).trade(structuredClone(message));
    expect(new Set(seen)).toEqual(new Set([before]));
    expect(JSON.stringify(message)).toBe(before);
  });

  test('an answer of the trader is its own copy, or refuses', () => {
    const seen: string[] = [];
    const trader = startStrategy((ticks, own) =>
      ticks.trades$.subscribe(() => {
        const answers = [own.position(), own.band(), own.lastBook(), own.lastTrade()];
        seen.push(JSON.stringify(answers));
        for (const answer of answers) if (answer !== undefined) scribble(answer);
      }),
    );
    trader.book(12_999, 13_001);
    trader.trade(13_000);
    trader.trade(13_000);
    expect(JSON.parse(seen[1] ?? '').slice(0, 3)).toEqual(JSON.parse(seen[0] ?? '').slice(0, 3));
  });
});

describe('the watchdog', () => {
  test('reads who runs, in every kind of call, and nobody afterwards', () => {
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const seen: Record<string, number> = {};
    const mark = (what: string) => () => {
      seen[what] = shared[0]!;
    };
    const trader = startStrategies(
      [
        () => {},
        (ticks, own) => {
          mark('connect')();
          ticks.trades$.subscribe(mark('trade'));
          ticks.bars({ everyTicks: 1 }).subscribe(mark('bar'));
          ticks.orders$.subscribe(mark('order'));
          ticks.phases$.subscribe(mark('phase'));
          ticks.feed$.subscribe(mark('feed'));
          ticks.gaps$.subscribe(mark('gap'));
          ticks.rollovers$.subscribe(mark('rollover'));
          own.after(seconds(1), mark('timer'));
          own.buy({ qty: 1, price: own.ticks(1300), reason: 'test' });
        },
      ],
      { currentStrategy: shared },
    );
    trader.trade(13_000);
    trader.gap();
    trader.feed('down');
    trader.roll(1, [{ leg: 1, contract: contract(0) }]);
    trader.advanceTo(at('11:31:00'));
    expect(seen).toEqual({
      connect: 1,
      trade: 1,
      bar: 1,
      order: 1,
      phase: 1,
      feed: 1,
      gap: 1,
      rollover: 1,
      timer: 1,
    });
    expect(shared[0]).toBe(NO_STRATEGY);
  });

  test('reads nobody after a throw', () => {
    const shared = new Int32Array(1);
    const trader = startStrategy((ticks) => ticks.trades$.subscribe(boom), { currentStrategy: shared });
    trader.trade(13_000);
    expect(shared[0]).toBe(NO_STRATEGY);
  });
});

describe('legs', () => {
  test('each sees its own contract; the first one is the strategy’s own', () => {
    const seen: string[] = [];
    const trader = startStrategy((ticks, own) => {
      ticks.trades$.subscribe((tick) => seen.push(`own ${tick.price}`));
      ticks.leg('front').trades$.subscribe((tick) => seen.push(`front ${tick.price}`));
      ticks.leg('next').trades$.subscribe((tick) => {
        seen.push(`next ${tick.price}`);
        own.leg('next').sell({ qty: 2, price: tick.price, reason: 'test' });
      });
    });
    trader.trade(13_000, 1, 0);
    trader.trade(13_020, 1, 1);
    expect(seen).toEqual(['own 13000', 'front 13000', 'next 13020']);
    expect(trader.calls).toEqual(['0 submit sell 2 VN30F2M @ 13020']);
  });
});

describe('timers', () => {
  test('have a limit', () => {
    const trader = startStrategy((ticks, own) =>
      ticks.trades$.subscribe(() => own.after(seconds(60), () => {})),
    );
    for (let i = 0; i <= TIMERS_MAX; i += 1) trader.trade(13_000);
    expect(trader.faults[0]?.message).toBe(`more than ${TIMERS_MAX} timers wait at the same time`);
    expect(trader.timersWaiting, 'nothing stays behind').toBe(0);
  });
});

test('two strategies with one index are refused before anything starts', () => {
  const instance = { index: strategyIndex(0), id: 'a', definition: {} as never, params: {} };
  expect(() => createStrategyHost({ instances: [instance, instance] })).toThrow(
    'each strategy has its own index',
  );
});
