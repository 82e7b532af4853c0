import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Priority,
  RateLimiter,
  type RateLimiterOptions,
} from '../../../src/broker/rest/rate-limiter.ts';
import { milliseconds, seconds } from '../../../src/domain/units.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const PRIORITIES: readonly Priority[] = ['exit', 'lookup', 'book', 'positions', 'entry', 'background'];
const isOrder = (priority: Priority): boolean => priority === 'exit' || priority === 'entry';

function createLimiter(changes: Partial<RateLimiterOptions> = {}): {
  timers: VirtualTimers;
  limiter: RateLimiter;
} {
  const timers = new VirtualTimers();
  const limiter = new RateLimiter({
    timers,
    callsPerSecond: 1,
    burst: 1,
    waitingMax: 100,
    ordersInFlightMax: 100,
    entriesInFlightMax: 99,
    readsInFlightMax: 100,
    ...changes,
  });
  return { timers, limiter };
}

/** Lets everything that waits go, a second at a time, and says in which order it went. */
function drain(limiter: RateLimiter, timers: VirtualTimers, asked: readonly Priority[]): Priority[] {
  const order: Priority[] = [];
  const blocker = limiter.enqueue('background', (done) => done());
  expect(blocker).toBeDefined();
  for (const priority of asked) {
    limiter.enqueue(priority, (done) => {
      order.push(priority);
      done();
    });
  }
  for (let i = 0; i < asked.length; i += 1) timers.advance(seconds(1));
  return order;
}

describe('the order in which calls go', () => {
  it.each<{ name: string; asked: Priority[]; expected: Priority[] }>([
    {
      name: 'exits first, the rest last',
      asked: ['background', 'positions', 'exit'],
      expected: ['exit', 'positions', 'background'],
    },
    {
      name: 'look-ups before the book before positions',
      asked: ['positions', 'book', 'lookup'],
      expected: ['lookup', 'book', 'positions'],
    },
    {
      name: 'reads keep a third under a flood of exits',
      asked: ['book', 'book', 'exit', 'exit', 'exit', 'exit', 'exit'],
      expected: ['exit', 'exit', 'book', 'exit', 'exit', 'book', 'exit'],
    },
    {
      name: 'an entry is not starved by polls',
      asked: ['entry', 'book', 'book', 'book', 'book'],
      expected: ['book', 'book', 'entry', 'book', 'book'],
    },
    {
      name: 'a read in the background is not starved by reads that follow each other',
      asked: ['background', 'book', 'positions', 'book', 'positions', 'book', 'positions'],
      expected: ['book', 'book', 'book', 'positions', 'background', 'positions', 'positions'],
    },
  ])('$name', ({ asked, expected }) => {
    const { limiter, timers } = createLimiter();
    expect(drain(limiter, timers, asked)).toEqual(expected);
  });

  it('gives whoever waits at least three of any ten calls', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PRIORITIES), { minLength: 20, maxLength: 60 }), (asked) => {
        const { limiter, timers } = createLimiter();
        const order = drain(limiter, timers, asked);
        expect(order.toSorted()).toEqual(asked.toSorted());
        for (const mine of [isOrder, (priority: Priority) => !isOrder(priority)]) {
          let left = asked.filter(mine).length;
          for (let from = 0; from + 10 <= order.length; from += 1) {
            const got = order.slice(from, from + 10).filter(mine).length;
            expect(got).toBeGreaterThanOrEqual(left >= 10 ? 3 : 0);
            if (mine(order[from]!)) left -= 1;
          }
        }
      }),
    );
  });
});

describe('the pace', () => {
  it('lets no more than burst plus rate times time go', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 50 }),
        (callsPerSecond, burst, pauses) => {
          const { limiter, timers } = createLimiter({ callsPerSecond, burst, waitingMax: 1000 });
          const start = timers.nowUs();
          let gone = 0;
          for (const pause of pauses) {
            for (let i = 0; i < 5; i += 1) {
              limiter.enqueue('background', (done) => {
                gone += 1;
                done();
              });
            }
            timers.advance(milliseconds(pause));
            const earned = ((timers.nowUs() - start) / 1e6) * callsPerSecond;
            expect(gone).toBeLessThanOrEqual(burst + Math.ceil(earned));
          }
        },
      ),
    );
  });

  it('reaches a pace that is finer than timers are', () => {
    const { limiter, timers } = createLimiter({ callsPerSecond: 300, burst: 20, waitingMax: 1000 });
    let gone = 0;
    for (let i = 0; i < 1000; i += 1) limiter.enqueue('background', (done) => ((gone += 1), done()));
    timers.advance(seconds(2));
    expect(gone).toBe(20 + 600);
  });

  it('halves after a 429 and lets only exits and the reads that they need go until the wait is over', () => {
    const { limiter, timers } = createLimiter();
    const gone: Priority[] = [];
    limiter.slowDown(seconds(8));
    expect(limiter.slowness).toBe(2);
    for (const priority of ['book', 'entry', 'background', 'positions', 'lookup', 'exit'] as const) {
      limiter.enqueue(priority, (done) => (gone.push(priority), done()));
    }
    timers.advance(seconds(7));
    expect(gone).toEqual(['exit', 'lookup', 'positions']);
    timers.advance(seconds(8));
    expect(gone.slice(3)).toEqual(['book', 'entry', 'background']);
    timers.advance(seconds(30));
    expect(limiter.slowness).toBe(1);
  });

  it('never becomes slower than eight times', () => {
    const { limiter } = createLimiter();
    for (let i = 0; i < 10; i += 1) limiter.slowDown(seconds(1));
    expect(limiter.slowness).toBe(8);
  });
});

describe('bounds', () => {
  it('refuses what would wait behind too many of its kind, and only that', () => {
    const { limiter } = createLimiter({ waitingMax: 2 });
    limiter.enqueue('background', (done) => done());
    expect(limiter.enqueue('entry', () => {})).toBeDefined();
    expect(limiter.enqueue('entry', () => {})).toBeDefined();
    expect(limiter.enqueue('entry', () => {})).toBeUndefined();
    expect(limiter.enqueue('exit', () => {})).toBeDefined();
  });

  it('keeps room for exits while entries hang', () => {
    const { limiter } = createLimiter({ burst: 10, ordersInFlightMax: 3, entriesInFlightMax: 1 });
    const gone: string[] = [];
    limiter.enqueue('entry', () => gone.push('entry 1'));
    limiter.enqueue('entry', () => gone.push('entry 2'));
    limiter.enqueue('exit', () => gone.push('exit'));
    expect(gone).toEqual(['entry 1', 'exit']);
  });

  it('lets the next one go when one is done', () => {
    const { limiter } = createLimiter({ burst: 10, readsInFlightMax: 1 });
    const gone: string[] = [];
    let finish: (() => void) | undefined;
    limiter.enqueue('book', (done) => {
      finish = done;
    });
    limiter.enqueue('background', () => gone.push('background'));
    expect(gone).toEqual([]);
    finish?.();
    finish?.();
    expect(gone).toEqual(['background']);
  });

  it('forgets who gives up his place, and says when it is too late for that', () => {
    const { limiter, timers } = createLimiter();
    const gone: string[] = [];
    const first = limiter.enqueue('background', () => gone.push('first'));
    const second = limiter.enqueue('background', () => gone.push('second'));
    expect(first?.()).toBe(false);
    expect(second?.()).toBe(true);
    timers.advance(seconds(5));
    expect(gone).toEqual(['first']);
  });
});
