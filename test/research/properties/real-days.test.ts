/**
 * Whatever is ordered, on all the days of real prints that are next to the repository and on the sample in it: no fill breaks a rule
 * of the hours, of the band or of the tape. `TICKWRIGHT_SEEDS=20` plays each day with more seeds, `TICKWRIGHT_SEED=7` begins with
 * another one.
 */
import type { BacktestFill } from '../../../src/research/backtest-result.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TickFillModel } from '../../../src/venue/exchange/fill-models.ts';
import type { Latency } from '../../../src/research/run/virtual-time.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { priceBand } from '../../../src/domain/contract.ts';
import type { Side } from '../../../src/domain/order.ts';
import { durationUs, milliseconds, priceHundredths } from '../../../src/domain/units.ts';
import { Random } from '../../../src/venue/market/random.ts';
import { fileTape, planOf, SAMPLE, tapesOf, type TestTape } from '../../support/backtest-plan.ts';
import { contract } from '../../support/strategy-fixtures.ts';
import { randomTrader } from './random-trader.ts';
import { wrongFills } from './tape-check.ts';

const DATA = process.env['TICKWRIGHT_DATA'] ?? join(import.meta.dirname, '../../../../shared/data');
const TICKS = join(DATA, 'vn30f/ticks');
const REAL = existsSync(TICKS) ? readdirSync(TICKS).toSorted() : [];
const SEED = Number(process.env['TICKWRIGHT_SEED'] ?? 1);
const SEEDS = Number(process.env['TICKWRIGHT_SEEDS'] ?? 1);

/** A model of the run, drawn. */
function modelOf(seed: number): { readonly fill: TickFillModel; readonly latency: Latency } {
  const random = new Random(seed);
  const fill: TickFillModel = {
    on: 'ticks',
    queue: (['queue', 'queue', 'touch', 'through'] as const)[random.below(4)]!,
    cancels: 'behind',
    slippageTicks: random.chance(300) ? 2 : 0,
  };
  const latency: Latency = random.chance(400)
    ? { kind: 'constant', span: durationUs(0) }
    : { kind: 'exponential', min: milliseconds(5), mean: milliseconds(300) };
  return { fill, latency };
}

interface Placed {
  readonly side: Side;
  /** The worst it ever asked for. */
  limit: number;
}

const limitOf = ({
  side,
  limitPrice,
}: {
  readonly side: Side;
  readonly limitPrice: number | null;
}): Placed => ({
  side,
  limit: limitPrice ?? 0,
});

/** Fills of one day, and what is wrong with them. */
function play(
  tape: TestTape,
  seed: number,
): { readonly fills: readonly BacktestFill[]; readonly wrong: readonly string[] } {
  const { fill, latency } = modelOf(seed);
  const traders = [0, 1].map((place) => ({
    id: `r${place}`,
    definition: randomTrader,
    params: { seed: seed * 10 + place, every: 200 },
  }));
  const plan = planOf(tapesOf([tape]), traders, { fill, latency: { order: latency, report: latency }, seed });
  const placed = new Map<string, Placed>();
  const wrong: string[] = [];
  const result = runBacktest(plan, {
    onEntry: (entry) => {
      if (entry.kind === 'place') placed.set(entry.order.clientOrderId, limitOf(entry.order));
      // What a stop sent, or an exit.
      if (entry.kind === 'order_adopted') placed.set(entry.clientOrderId, limitOf(entry.order));
      const order = entry.kind === 'modify' ? placed.get(entry.modify.clientOrderId) : undefined;
      if (order !== undefined && entry.kind === 'modify')
        order.limit = Math[order.side === 'buy' ? 'max' : 'min'](order.limit, entry.modify.limitPrice);
      if (entry.kind !== 'fill') return;
      const { side, limit } = placed.get(entry.clientOrderId)!;
      const average = entry.value / entry.qty / 10_000;
      if (side === 'buy' ? average > limit : average < limit)
        wrong.push(`${side} at ${average}, the limit was ${limit}`);
    },
  });
  const fills = result.strategies.flatMap(({ fills: own }) => [...own]);
  const { spec } = contract(0);
  const band = priceBand(
    spec,
    priceHundredths(tape.reference ?? tape.rows.priceTicks[0]! * spec.hundredthsPerTick),
  );
  return { fills, wrong: [...wrong, ...wrongFills(tape.rows, fills, band)] };
}

/** With all seeds of this run: how many fills there were, by which clauses, and the first things that are wrong. */
function playSeeds(tape: TestTape): {
  readonly fills: number;
  readonly clauses: number;
  readonly wrong: readonly string[];
} {
  const clauses = new Set<string>();
  const wrong: string[] = [];
  let fills = 0;
  for (let seed = SEED; seed < SEED + SEEDS; seed += 1) {
    const played = play(tape, seed);
    for (const { clause } of played.fills) clauses.add(clause);
    fills += played.fills.length;
    wrong.push(...played.wrong.slice(0, 5).map((text) => `seed ${seed}: ${text}`));
  }
  return { fills, clauses: clauses.size, wrong };
}

/** So many fills of so many kinds at least, or nothing was tried. */
const FILLS_MIN = 100;
const CLAUSES_MIN = 4;

describe('random orders on recorded days', () => {
  test('the sample in the repository', () => {
    const { fills, clauses, wrong } = playSeeds(fileTape(SAMPLE));
    expect(wrong).toEqual([]);
    expect(fills).toBeGreaterThan(FILLS_MIN);
    expect(clauses).toBeGreaterThanOrEqual(CLAUSES_MIN);
  });

  test('there are real days next to the repository', (context) => {
    context.skip(REAL.length === 0, `no recorded days in ${TICKS}: set TICKWRIGHT_DATA`);
    expect(REAL).toHaveLength(16);
  });

  test.each(REAL)('%s', (name) => {
    const { fills, clauses, wrong } = playSeeds(fileTape(join(TICKS, name)));
    expect(wrong).toEqual([]);
    expect(fills).toBeGreaterThan(FILLS_MIN);
    expect(clauses).toBeGreaterThanOrEqual(CLAUSES_MIN);
  });
});
