/**
 * Paper and backtest agree on recorded days: the same orders, the same fills, the same money. A run takes a few of the days
 * next to the repository, drawn by its seed; `TICKWRIGHT_DAYS=all` takes all of them, `TICKWRIGHT_SEED=7` other orders.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/venue/market/random.ts';
import { SAMPLE } from '../support/backtest-plan.ts';
import { compareDay } from './compare.ts';

const DATA = process.env['TICKWRIGHT_DATA'] ?? join(import.meta.dirname, '../../../shared/data');
const TICKS = join(DATA, 'vn30f/ticks');
const REAL = existsSync(TICKS) ? readdirSync(TICKS).toSorted() : [];
const SEED = Number(process.env['TICKWRIGHT_SEED'] ?? 1);
const IS_ALL = process.env['TICKWRIGHT_DAYS'] === 'all';
const DRAWN = 2;
const STEPS = 400;
/** So many fills at least, or nothing was tried. */
const FILLS_MIN = 200;

function drawn(): readonly string[] {
  const random = new Random(SEED);
  const left = [...REAL];
  while (left.length > DRAWN) left.splice(random.below(left.length), 1);
  return left;
}

describe('recorded days', () => {
  test('the sample in the repository', async () => {
    const { backtest, wire } = await compareDay(SAMPLE, { seed: SEED, steps: STEPS });
    expect(wire).toEqual(backtest);
    expect(wire.fills.length).toBeGreaterThan(FILLS_MIN);
  });

  test('there are real days next to the repository', (context) => {
    context.skip(REAL.length === 0, `no recorded days in ${TICKS}: set TICKWRIGHT_DATA`);
    expect(REAL).toHaveLength(16);
  });

  test.each(IS_ALL ? REAL : drawn())('%s', async (name) => {
    const { backtest, wire } = await compareDay(join(TICKS, name), { seed: SEED, steps: STEPS });
    expect(wire).toEqual(backtest);
    expect(wire.fills.length).toBeGreaterThan(FILLS_MIN);
  });
});
