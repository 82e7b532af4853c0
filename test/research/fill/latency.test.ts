/** Time on the way: to the venue and back. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latencyDraws, type Latency } from '../../../src/research/run/virtual-time.ts';
import { formatTime } from '../../../src/domain/civil-date.ts';
import { durationUs, milliseconds, seconds } from '../../../src/domain/units.ts';
import { lines, playScript } from './fill-rig.ts';

const constant = (span: number): Latency => ({ kind: 'constant', span: durationUs(span) });

describe('latency in a run', () => {
  test.each([
    {
      // Decided at 02, at the venue at 04: the 1001 of 02 is gone, and 1004 of 03 is what is shown.
      name: 'an order meets the book of the moment when it arrives',
      order: constant(seconds(2)),
      script: `
        09:00:01 book 1000x10 999x20 | 1001x8 1002x9
        09:00:02 A buy 3 at 1005
        09:00:03 book 1002x10 999x20 | 1004x8 1005x9
        09:00:09 book 1002x10 999x20 | 1006x8 1007x9`,
      fills: `09:00:04 A buy 3 at 1004 shown`,
    },
    {
      // At the queue at 04, behind the 2 that rest there then. The trade at 03 was not for it.
      name: 'a place in the queue is taken on arrival',
      order: constant(seconds(2)),
      script: `
        09:00:01 book 1000x10 999x20 | 1001x8 1002x9
        09:00:02 A buy 3 at 1000
        09:00:03 trade 1000 x 8 sold
        09:00:03 book 1000x2 999x20 | 1001x8 1002x9
        09:00:05 trade 1000 x 4 sold`,
      fills: `09:00:05 A buy 2 at 1000 queue_reached`,
    },
    {
      // The cancel leaves at 04 and arrives at 06: what is traded at 05 is A's.
      name: 'what is traded before a cancel arrives is ours',
      order: constant(seconds(2)),
      script: `
        09:00:01 book 999x20 | 1001x8 1002x9
        09:00:02 A buy 3 at 1000
        09:00:04 A cancel
        09:00:05 trade 1000 x 1 sold
        09:00:07 trade 1000 x 9 sold`,
      fills: `09:00:05 A buy 1 at 1000 queue_reached`,
    },
    {
      // It leaves in the morning, and arrives in the break: refused there.
      name: 'what arrives in the break is refused',
      order: constant(seconds(2)),
      script: `
        11:29:00 book 999x20 | 1001x8 1002x9
        11:29:59 A buy 3 at 1005
        13:00:01 trade 1001 x 9 bought`,
      fills: '',
    },
  ])('$name', ({ order, script, fills }) => {
    expect(playScript(script, { order }).fills).toEqual(lines(fills));
  });

  test('we hear of it later, and nothing overtakes', () => {
    const spans = [seconds(3), seconds(1)];
    const report: Latency = { kind: 'measured', spans, source: 'a test' };
    const { heard } = playScript(
      `
      09:00:01 book 999x20 | 1001x8 1002x9
      09:00:02 A buy 3 at 1005
      09:00:03 B buy 1 at 1005
      09:00:30 trade 1001 x 1 bought`,
      { report },
    );
    const answers = heard.filter(({ kind }) => kind === 'execution_report');
    const times = answers.map(({ tsUs }) => tsUs);
    expect(answers).toHaveLength(2);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(formatTime(times[0]!, 420) > '09:00:02').toBe(true);
  });
});

const MODELS: readonly {
  readonly latency: Latency;
  readonly fits: (span: number) => boolean;
  readonly mean: number;
}[] = [
  { latency: constant(milliseconds(5)), fits: (span) => span === 5_000, mean: 5_000 },
  {
    latency: { kind: 'uniform', min: milliseconds(5), max: milliseconds(15) },
    fits: (span) => span >= 5_000 && span <= 15_000,
    mean: 10_000,
  },
  {
    latency: { kind: 'exponential', min: milliseconds(5), mean: milliseconds(20) },
    fits: (span) => span >= 5_000,
    mean: 25_000,
  },
  {
    latency: { kind: 'measured', spans: [7, 8, 30].map((ms) => milliseconds(ms)), source: 'a test' },
    fits: (span) => [7_000, 8_000, 30_000].includes(span),
    mean: 15_000,
  },
];

describe('draws of a latency', () => {
  test.each(MODELS)(
    '$latency.kind: in its bounds, whole, and the same for the same seed',
    ({ latency, fits }) => {
      const draws = fc.property(fc.nat(), (seed) => {
        const [one, two] = [latencyDraws(latency, seed), latencyDraws(latency, seed)];
        for (let draw = 0; draw < 20; draw += 1) {
          const span = one();
          expect(fits(span) && Number.isSafeInteger(span)).toBe(true);
          expect(two()).toBe(span);
        }
      });
      fc.assert(draws, { numRuns: 50 });
    },
  );

  test.each(MODELS)(
    '$latency.kind: its mean over many is what it says, within a twentieth',
    ({ latency, mean }) => {
      const draw = latencyDraws(latency, 1);
      let sum = 0;
      for (let i = 0; i < 20_000; i += 1) sum += draw();
      expect(Math.abs(sum / 20_000 / mean - 1)).toBeLessThan(0.05);
    },
  );
});
