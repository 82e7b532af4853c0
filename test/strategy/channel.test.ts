import {
  combineLatest,
  filter,
  finalize,
  map,
  merge,
  of,
  scan,
  share,
  switchMap,
  take,
  withLatestFrom,
} from 'rxjs';
import { describe, expect, test, vi } from 'vitest';
import { type DurationUs, seconds, strategyIndex } from '../../src/domain/units.ts';
import { HANDLERS_MAX } from '../../src/strategy/tick-hub.ts';
import { Containment } from '../../src/strategy/containment.ts';
import { startStrategies, startStrategy, type TestTicks } from './start-strategy.ts';

const boom = (): never => {
  throw new Error('boom');
};

describe('a throw is reported at once, whatever the subscriber looks like', () => {
  const cases: Record<string, (ticks: TestTicks) => void> = {
    'a plain subscriber': (ticks) => ticks.trades$.subscribe(boom),
    'an observer object': (ticks) => ticks.trades$.subscribe({ next: boom }),
    'an observer that would handle errors itself': (ticks) =>
      ticks.trades$.subscribe({ next: boom, error: () => {} }),
    'a subscriber after a pipe': (ticks) => ticks.trades$.pipe(map((tick) => tick.price)).subscribe(boom),
    'an observer after a pipe': (ticks) => ticks.trades$.pipe(filter(() => true)).subscribe({ next: boom }),
    'inside map': (ticks) => ticks.trades$.pipe(map(boom)).subscribe(),
    'deep in a chain': (ticks) =>
      ticks.trades$
        .pipe(
          filter(Boolean),
          scan((n) => n + 1, 0),
          map(boom),
          filter(Boolean),
        )
        .subscribe(() => {}),
    'in the completion of a stream': (ticks) => ticks.trades$.pipe(take(1)).subscribe({ complete: boom }),
    'below merge': (ticks) => merge(ticks.trades$, ticks.books$).subscribe(boom),
    'in an operator below merge': (ticks) => merge(ticks.trades$.pipe(map(boom)), ticks.books$).subscribe(),
    'below combineLatest': (ticks) =>
      combineLatest([ticks.trades$, ticks.trades$.pipe(map(({ price }) => price))]).subscribe(boom),
    'below share': (ticks) => ticks.trades$.pipe(share()).subscribe(boom),
    'below withLatestFrom': (ticks) => ticks.trades$.pipe(withLatestFrom(ticks.trades$)).subscribe(boom),
    'in a stream that another one opens': (ticks) =>
      ticks.trades$.pipe(switchMap((tick) => of(tick).pipe(map(boom)))).subscribe(),
    'in a stream that is subscribed while it is delivered': (ticks) =>
      ticks.trades$.pipe(take(1)).subscribe(() => of(1).subscribe(boom)),
  };

  test.each(Object.entries(cases))('%s, and nothing more reaches it', (_name, connect) => {
    const trader = startStrategy(connect);
    expect(trader.faults).toEqual([]);
    trader.trade(13_000);
    expect(trader.faults).toEqual([{ strategy: 0, message: 'boom', where: 'trades$ of front' }]);
    trader.trade(13_001);
    trader.trade(13_002);
    expect(trader.faults).toHaveLength(1);
  });
});

describe('what RxJS does by itself, and a channel does not', () => {
  test('3: nothing is emitted from inside an emission', () => {
    const seen: string[] = [];
    const trader = startStrategies([
      (ticks, own) =>
        ticks.trades$.subscribe((tick) => {
          seen.push(`a ${tick.price}`);
          if (tick.price === 13_000) own.buy({ qty: 1, price: tick.price, reason: 'test' });
        }),
      (ticks) => {
        ticks.trades$.subscribe((tick) => seen.push(`b ${tick.price}`));
        ticks.orders$.subscribe((update) => seen.push(`b ${update.status}`));
      },
    ]);
    trader.trade(13_000);
    expect(seen).toEqual(['a 13000', 'b 13000']);
    const entered = startStrategy((ticks) => ticks.trades$.subscribe(() => entered.trade(13_001)));
    entered.trade(13_000);
    expect(entered.faults[0]?.message).toBe('Invariant: no event enters while a strategy handles another');
  });

  test('4: joined streams are complete after each message, and torn within one', () => {
    const seen: string[] = [];
    const trader = startStrategy((ticks) =>
      combineLatest([
        ticks.trades$.pipe(map(({ price }) => price)),
        ticks.trades$.pipe(scan((n) => n + 1, 0)),
      ]).subscribe(([price, count]) => seen.push(`${price} ${count}`)),
    );
    for (const price of [13_000, 13_001]) trader.trade(price);
    expect(seen).toEqual(['13000 1', '13001 1', '13001 2']);
  });

  test('5: a throw of one strategy ends its streams alone, each time', () => {
    const seen: number[] = [];
    const trader = startStrategies([
      (ticks) => ticks.trades$.pipe(map(boom)).subscribe(),
      (ticks) => merge(ticks.trades$, ticks.books$).subscribe(boom),
      (ticks) => ticks.trades$.pipe(map(({ price }) => price)).subscribe((price) => seen.push(price)),
    ]);
    for (const price of [13_000, 13_001, 13_002]) trader.trade(price);
    expect(trader.faults.map(({ strategy }) => strategy)).toEqual([0, 1]);
    expect(seen).toEqual([13_000, 13_001, 13_002]);
  });

  test('6: the first throw of an event ends all streams of its strategy, and what they say at their end follows from it', () => {
    const ended: string[] = [];
    const trader = startStrategy((ticks) => {
      ticks.trades$.pipe(map(boom)).subscribe();
      ticks.trades$.pipe(map(() => ended.push('the same event'))).subscribe();
      ticks.books$.subscribe({
        complete: () => {
          ended.push('complete');
          boom();
        },
      });
    });
    trader.trade(13_000);
    trader.trade(13_001);
    expect(ended).toEqual(['complete']);
    expect(trader.faults).toHaveLength(1);
  });
});

describe('what a teardown throws', () => {
  const ends: Record<string, (ticks: TestTicks) => void> = {
    'when a chain breaks': (ticks) =>
      ticks.trades$
        .pipe(
          map(boom),
          finalize(boom),
          map((x) => x),
        )
        .subscribe(),
    'when the streams of a strategy end': (ticks) => {
      ticks.books$.pipe(finalize(boom)).subscribe();
      ticks.trades$.subscribe(boom);
    },
    'when a chain completes': (ticks) => ticks.trades$.pipe(take(1)).subscribe().add(boom),
  };

  test.each(Object.entries(ends))('%s, leaves the faults of others alone', (_name, connect) => {
    const trader = startStrategies([connect, (ticks) => ticks.trades$.pipe(map(boom)).subscribe()]);
    trader.trade(13_000);
    expect(trader.faults).toContainEqual({ strategy: 1, message: 'boom', where: 'trades$ of front' });
  });
});

test('a promise of a stream is a fault where it is made', () => {
  const trader = startStrategies([
    (ticks) => void ticks.trades$.forEach(boom),
    (ticks) => void ticks.trades$.pipe(map(boom)).forEach(() => {}),
  ]);
  expect(trader.faults.map(({ where, message }) => `${where}: ${message}`)).toEqual(
    [0, 1].map(() => 'connect: a promise of a stream comes after the event: expected a subscription'),
  );
});

test('the code that runs at the end of a stream is that of its strategy, for the watchdog', () => {
  const currentStrategy = new Int32Array(2);
  const seen: (number | undefined)[] = [];
  const trader = startStrategy(
    (ticks) => ticks.trades$.subscribe({ complete: () => seen.push(currentStrategy[0]) }),
    { currentStrategy },
  );
  trader.host?.stop(strategyIndex(0));
  expect([seen, currentStrategy[0]]).toEqual([[0], -1]);
});

describe('moments', () => {
  test.each([0, -1, 0.5, Number.NaN, undefined])('have no pace of %s', (span) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as JavaScript may ask
    const trader = startStrategy((ticks) => ticks.every(span as DurationUs).subscribe(() => {}));
    expect(trader.faults).toMatchObject([{ where: 'connect' }]);
    expect(trader.faults[0]?.message).toMatch(/^ticks\.every: expected a whole number of microseconds/);
  });

  test('that begin again at each tick hold nothing of those before', () => {
    const added = vi.spyOn(Containment.prototype, 'atClose');
    const forgotten = vi.spyOn(Containment.prototype, 'forget');
    const seen: number[] = [];
    const trader = startStrategy((ticks) =>
      ticks.trades$.pipe(switchMap(() => ticks.every(seconds(5)))).subscribe((at) => seen.push(at)),
    );
    const held = (): number =>
      new Set(added.mock.calls.map(([drop]) => drop)).size -
      new Set(forgotten.mock.calls.map(([drop]) => drop)).size;
    trader.trade(13_000);
    const first = held();
    for (let i = 0; i < 2 * HANDLERS_MAX; i += 1) trader.trade(13_000);
    expect(trader.faults).toEqual([]);
    expect(held()).toBe(first);
    trader.advance(seconds(5));
    expect(seen).toHaveLength(1);
    trader.host?.stop(strategyIndex(0));
    trader.advance(seconds(60));
    expect(seen).toHaveLength(1);
  });
});

describe('a channel', () => {
  test('is hot and has no replay', () => {
    const early: number[] = [];
    const late: number[] = [];
    const trader = startStrategy((ticks) => {
      ticks.trades$.subscribe((tick) => early.push(tick.price));
      ticks.trades$.pipe(take(1)).subscribe(() => ticks.trades$.subscribe((tick) => late.push(tick.price)));
    });
    trader.trade(13_000);
    trader.trade(13_001);
    expect(early).toEqual([13_000, 13_001]);
    expect(late, 'a subscriber begins with the next tick').toEqual([13_001]);
  });

  test('keeps its order and its other subscribers when one leaves in the middle of a tick', () => {
    const seen: string[] = [];
    const trader = startStrategy((ticks) => {
      const first = ticks.trades$.subscribe(() => {
        seen.push('first');
        third.unsubscribe();
        first.unsubscribe();
      });
      ticks.trades$.subscribe(() => seen.push('second'));
      const third = ticks.trades$.subscribe(() => seen.push('third'));
    });
    trader.trade(13_000);
    trader.trade(13_001);
    expect(seen).toEqual(['first', 'second', 'second']);
  });

  test('has a limit: a strategy that subscribes on every tick is stopped', () => {
    const trader = startStrategy((ticks) => ticks.trades$.subscribe(() => ticks.books$.subscribe(() => {})));
    for (let i = 0; i <= HANDLERS_MAX; i += 1) trader.trade(13_000);
    expect(trader.faults).toEqual([
      {
        strategy: 0,
        message: `more than ${HANDLERS_MAX} subscriptions to books$ of front`,
        where: 'books$ of front',
      },
    ]);
  });
});
