/**
 * Days drawn by chance: prints and books at any hour, also where none can be, and orders of all kinds. No fill breaks a rule.
 * `TICKWRIGHT_RUNS=20000` draws more of them, `TICKWRIGHT_SEED=7` others.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BarFillModel, TickFillModel } from '../../../src/venue/exchange/fill-models.ts';
import type { Latency } from '../../../src/research/run/virtual-time.ts';
import { durationUs, priceTicks } from '../../../src/domain/units.ts';
import { playScript } from '../fill/fill-rig.ts';
import { wrongBarFills } from './bar-check.ts';
import { wrongFills } from './tape-check.ts';

const BAND = { floor: priceTicks(950), ceiling: priceTicks(1_050) };
const RUNS = Number(process.env['TICKWRIGHT_RUNS'] ?? 150);
const SEED = Number(process.env['TICKWRIGHT_SEED'] ?? 1);
const ASSERT = { numRuns: RUNS, seed: SEED };

const price = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 985, max: 1_015 }) },
  { weight: 1, arbitrary: fc.constantFrom(949, 950, 1_050, 1_051) },
);
const size = fc.integer({ min: 1, max: 20 });
const side = fc.constantFrom('buy', 'sell');
const who = fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F');

const level = fc.tuple(fc.integer({ min: 1, max: 6 }), size);
const book = fc
  .tuple(fc.integer({ min: 985, max: 1_015 }), level, level, level, level)
  .map(([middle, b1, b2, a1, a2]) => {
    const bids = `${middle - b1[0]}x${b1[1]} ${middle - b1[0] - b2[0]}x${b2[1]}`;
    return `book ${bids} | ${middle + a1[0]}x${a1[1]} ${middle + a1[0] + a2[0]}x${a2[1]}`;
  });
const trade = fc
  .tuple(fc.integer({ min: 985, max: 1_015 }), size, fc.constantFrom('bought', 'sold', '-'))
  .map(([at, qty, by]) => `trade ${at} x ${qty} ${by}`);
const limit = fc.tuple(who, side, size, price).map(([a, s, q, p]) => `${a} ${s} ${q} at ${p}`);
const stop = fc
  .tuple(who, side, size, fc.constantFrom('above', 'below'), price, price)
  .map(([a, s, q, when, t, p]) => `${a} ${s} stop ${q} ${when} ${t} limit ${p}`);
const trail = fc
  .tuple(who, side, size, price, fc.integer({ min: 1, max: 9 }), price)
  .map(([a, s, q, from, by, p]) => `${a} ${s} trail ${q} from ${from} by ${by} limit ${p}`);
const bracket = fc
  .tuple(who, side, size, price, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .map(([a, s, q, p, loss, win]) => {
    const sign = s === 'buy' ? 1 : -1;
    return `${a} ${s} bracket ${q} at ${p} stop ${p - sign * loss} profit ${p + sign * win}`;
  });
const change = fc.oneof(
  fc.tuple(who, fc.constantFrom('price', 'move'), price).map(([a, verb, p]) => `${a} ${verb} ${p}`),
  fc.tuple(who, size).map(([a, q]) => `${a} qty ${q}`),
  fc.tuple(who, fc.constantFrom('cancel', 'drop')).map(([a, verb]) => `${a} ${verb}`),
);
const order = fc.oneof({ weight: 4, arbitrary: limit }, stop, trail, bracket, change);

/** Seconds of the day in which something may happen, most of them close to where the phase changes. */
const second = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 31_500, max: 53_102 }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(32_400, 41_400, 46_800, 52_200, 53_100)
      .chain((at) => fc.integer({ min: at - 30, max: at + 3 })),
  },
);
const clock = (at: number): string =>
  [Math.floor(at / 3_600), Math.floor(at / 60) % 60, at % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');

type Moment = readonly [second: number, what: string];
const momentsOf = (...kinds: readonly fc.Arbitrary<string>[]): fc.Arbitrary<readonly Moment[]> =>
  fc.array(fc.tuple(second, fc.oneof(...kinds)), { minLength: 10, maxLength: 90, size: 'max' });

const uncross = fc.tuple(
  fc.integer({ min: 985, max: 1_015 }),
  fc.array(size, { minLength: 1, maxLength: 4 }),
);
const printsOf = (at: number, [cross, sizes]: readonly [number, readonly number[]]): readonly Moment[] =>
  sizes.map((qty) => [at, `trade ${cross} x ${qty} -`]);

const scriptOf = (moments: readonly Moment[]): string =>
  moments
    .toSorted((a, b) => a[0] - b[0])
    .map(([at, what]) => `${clock(at)} ${what}`)
    .join('\n');

const latency = fc.constantFrom<Latency>(
  { kind: 'constant', span: durationUs(0) },
  { kind: 'exponential', min: durationUs(1_000), mean: durationUs(2_000_000) },
);
const tickModel = fc.record<TickFillModel>({
  on: fc.constant('ticks'),
  queue: fc.constantFrom('queue', 'touch', 'through'),
  cancels: fc.constantFrom('behind', 'proportional', 'ahead'),
  slippageTicks: fc.constantFrom(0, 0, 2),
});

/** Fills of all runs: a property that never fills anything shows nothing. */
const tickProperty = (market: readonly fc.Arbitrary<string>[], count: (fills: number) => void) =>
  fc.property(
    momentsOf(...market, order),
    uncross,
    uncross,
    tickModel,
    latency,
    (moments, opening, closing, model, span) => {
      const script = scriptOf([...printsOf(32_400, opening), ...moments, ...printsOf(53_100, closing)]);
      const { executions, rows } = playScript(script, { model, band: BAND, order: span, report: span });
      count(executions.length);
      expect(wrongFills(rows, executions, BAND)).toEqual([]);
    },
  );

test('days of prints', { timeout: 600_000 }, () => {
  let fills = 0;
  fc.assert(
    tickProperty([trade, trade], (more) => (fills += more)),
    ASSERT,
  );
  expect(fills).toBeGreaterThan(RUNS);
});

test('days of prints and books', { timeout: 600_000 }, () => {
  let fills = 0;
  fc.assert(
    tickProperty([trade, book, book], (more) => (fills += more)),
    ASSERT,
  );
  expect(fills).toBeGreaterThan(RUNS);
});

const bar = fc
  .tuple(
    fc.integer({ min: 985, max: 1_015 }),
    fc.integer({ min: 985, max: 1_015 }),
    fc.nat(8),
    fc.nat(8),
    fc.integer({ min: 4, max: 200 }),
  )
  .map(([open, close, up, down, volume]) => ({
    open,
    close,
    high: Math.max(open, close) + up,
    low: Math.min(open, close) - down,
    volume,
  }));
const barModel = fc.record<BarFillModel>({
  on: fc.constant('bars'),
  bar: fc.constantFrom('next_open', 'close', 'ohlc'),
  path: fc.constantFrom('high_first', 'worst_first'),
  trailingStop: fc.constantFrom('stop', 'worse_of_stop_and_close', 'next_open'),
  slippageTicks: fc.constant(0),
  volumeBps: fc.constantFrom(0, 0, 500),
});

test('days of bars', { timeout: 600_000 }, () => {
  let fills = 0;
  const minutes = fc.uniqueArray(fc.tuple(fc.integer({ min: 525, max: 885 }), bar), {
    minLength: 10,
    maxLength: 60,
    size: 'max',
    selector: ([minute]) => minute,
  });
  const play = fc.property(minutes, momentsOf(order), barModel, latency, (drawn, orders, model, span) => {
    const bars = drawn.toSorted((a, b) => a[0] - b[0]);
    const lines = bars.map(([minute, { open, high, low, close, volume }]): Moment => [
      60 * minute,
      `bar ${open} ${high} ${low} ${close} x ${volume}`,
    ]);
    const { executions } = playScript(scriptOf([...orders, ...lines]), { model, band: BAND, order: span });
    fills += executions.length;
    expect(wrongBarFills(bars, model, executions, BAND)).toEqual([]);
  });
  fc.assert(play, ASSERT);
  expect(fills).toBeGreaterThan(RUNS);
});
