import fc from 'fast-check';
import { expect, test } from 'vitest';
import { US_PER_DAY, addUs, minutes, seconds, tsUs } from '../../src/domain/units.ts';
import type { BarSpec } from '../../src/domain/bars.ts';
import { BarBuilder } from '../../src/strategy/bar-streams.ts';
import type { Bar } from '../../src/strategy/leg-ticks.ts';
import { at, EXCHANGE_DAY, tradeTick } from '../support/strategy-fixtures.ts';

const spec = fc.oneof(
  fc.record({ every: fc.integer({ min: 1, max: 7_200 }).map(seconds) }),
  fc.record({ everyTicks: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ everyVolume: fc.integer({ min: 1, max: 200 }) }),
);
const trades = fc.array(
  fc.record({
    afterUs: fc.integer({ min: 0, max: minutes(10) }),
    price: fc.integer({ min: 12_090, max: 13_910 }),
    qty: fc.integer({ min: 1, max: 400 }),
  }),
  { minLength: 1, maxLength: 200 },
);

/** The bars of a day, and its trades. */
function build(by: BarSpec, steps: readonly { afterUs: number; price: number; qty: number }[]) {
  const builder = new BarBuilder(by, EXCHANGE_DAY, at('08:00:00'));
  const bars: Bar[] = [];
  const keep = (bar: Bar | null): void => void (bar && bars.push(bar));
  let now = at('08:00:00');
  const ticks = steps.map(({ afterUs, price, qty }, seq) => {
    now = addUs(now, afterUs);
    return tradeTick({ seq, tsUs: now }, price, qty);
  });
  for (const tick of ticks) {
    keep(builder.closeDue(tick.tsUs));
    keep(builder.add(tick));
  }
  keep(builder.closeDue(tsUs(now + US_PER_DAY)));
  return { bars, ticks };
}

test('no trade is lost, doubled or put into the wrong bar', () => {
  fc.assert(
    fc.property(spec, trades, (by, steps) => {
      const { bars, ticks } = build(by, steps);
      let next = 0;
      for (const bar of bars) {
        const own = ticks.slice(next, next + bar.trades);
        next += bar.trades;
        const prices = own.map(({ price }) => price);
        expect(bar.volume).toBe(own.reduce((sum, { qty }) => sum + qty, 0));
        expect([bar.open, bar.close]).toEqual([prices[0], prices.at(-1)]);
        expect([bar.high, bar.low]).toEqual([Math.max(...prices), Math.min(...prices)]);
        for (const { tsUs: moment } of own) {
          expect(moment).toBeGreaterThanOrEqual(bar.startUs);
          expect(moment).toBeLessThanOrEqual(bar.endUs);
        }
      }
      expect(next, 'every trade is in a bar').toBe(ticks.length);
    }),
  );
});

test('bars do not overlap, and none is longer than it was asked to be', () => {
  fc.assert(
    fc.property(spec, trades, (by, steps) => {
      const { bars } = build(by, steps);
      for (const [place, bar] of bars.entries()) {
        expect(bar.endUs - bar.startUs).toBeLessThanOrEqual('every' in by ? by.every : Infinity);
        expect(bar.trades).toBeLessThanOrEqual('everyTicks' in by ? by.everyTicks : Infinity);
        expect(bar.startUs).toBeGreaterThanOrEqual(bars[place - 1]?.endUs ?? 0);
      }
    }),
  );
});

test('bars end in time when the clock was set back, and say that they have a hole', () => {
  const builder = new BarBuilder({ every: minutes(1) }, EXCHANGE_DAY, at('10:00:00'));
  builder.add(tradeTick({ seq: 1, tsUs: at('11:00:30') }, 13_000, 1));
  builder.onFeedLost();
  builder.onFeedBack(at('10:00:20'));
  expect(builder.closeDue(at('10:00:20'))).toBeNull();
  builder.add(tradeTick({ seq: 2, tsUs: at('10:00:30') }, 13_001, 1));
  const bar = builder.closeDue(at('10:01:00'));
  expect(bar).toMatchObject({ startUs: at('10:00:00'), trades: 1, complete: false });
});
