/** A backtest's ticks a second in one thread, against a loop that only reads the same columns and keeps the same two averages. */
import { join } from 'node:path';
import type { BacktestData } from '../../src/research/backtest-plan.ts';
import { runBacktest } from '../../src/research/run/run-backtest.ts';
import { addDays } from '../../src/domain/civil-date.ts';
import { US_PER_DAY } from '../../src/domain/units.ts';
import { benchData, benchDays, benchPlan } from './backtest-plan.ts';
import { BENCH_DAY, benchRows, benchTapes, BenchWalk } from './backtest-ticks.ts';
import { FAST, SLOW } from './bench-figures.ts';
import { measureProcess } from './peers/measured-process.ts';
import { type Candidate, medianOf, timed } from './rounds.ts';

let seen = 0;

export function backtestCandidates(ticks: number): Candidate[] {
  const rows = benchRows(ticks);
  const data = benchData(rows);
  const bare = (): void => {
    let [fast, slow] = [0, 0];
    for (const price of rows.priceTicks) {
      fast += (2 / (FAST + 1)) * (price - fast);
      slow += (2 / (SLOW + 1)) * (price - slow);
    }
    seen += fast - slow;
  };
  const whole = (name: string, strategies: number, trade: boolean): Candidate => ({
    name,
    run: () =>
      timed(ticks, () => {
        const plan = benchPlan(data, { strategies, trade, fast: FAST, slow: SLOW }, { crosses: 0, sum: 0 });
        seen += runBacktest(plan).counts.events;
      }),
  });
  return [
    { name: 'a bare loop over the columns, two averages', run: () => timed(ticks, bare) },
    whole('backtest, 1 strategy, no orders', 1, false),
    whole('backtest, 1 strategy, an order at each cross', 1, true),
    whole('backtest, 3 strategies, an order at each cross', 3, true),
  ];
}

/** Trading days of 24 hours; the plan's market never closes. */
const LONG_DAYS = 100;

const trading = (name: string, data: BacktestData, contracts = 1): Candidate => ({
  name,
  run: () =>
    timed(data.rows, () => {
      const choice = { strategies: 1, contracts, trade: true, fast: FAST, slow: SLOW };
      seen += runBacktest(benchPlan(data, choice, { crosses: 0, sum: 0 })).counts.events;
    }),
});

/** The same prints over more contracts and more days: a tick may cost no more where there are many. */
export function wideCandidates(ticks: number): Candidate[] {
  return [
    trading('1 contract, 1 day', benchData(benchRows(ticks))),
    ...[100, 300].map((count) =>
      trading(`${count} contracts, 1 day`, benchData(...benchTapes(ticks, count)), count),
    ),
    trading(`1 contract, ${LONG_DAYS} days of 24 hours`, longDays(Math.ceil(ticks / LONG_DAYS))),
  ];
}

function longDays(rowsADay: number): BacktestData {
  const walk = new BenchWalk(1);
  const days = Array.from({ length: LONG_DAYS }, (_, place) => addDays(BENCH_DAY, place));
  const rows = new Map(
    days.map((day) => [day, walk.next(rowsADay, day, 0, Math.floor(US_PER_DAY / rowsADay))]),
  );
  return benchDays(days, rowsADay, 1, (day) => rows.get(day) ?? benchRows(0));
}

/** The first round of a process pays for its compiler: nanoseconds a tick of it, and of the rounds that follow. */
export function firstRoundCandidates(ticks: number): Candidate[] {
  const args = [join(import.meta.dirname, 'backtest-run.js'), ticks, 1, 'orders', 5, 1].map(String);
  let rounds: readonly number[] = [];
  const later = (): number => {
    const figures = measureProcess(process.execPath, args);
    if (typeof figures === 'string') throw new Error(figures);
    rounds = figures.seconds;
    return (medianOf(rounds.slice(1)) * 1e9) / ticks;
  };
  const first = (): number => ((rounds[0] ?? NaN) * 1e9) / ticks;
  return [
    { name: 'a later round', run: later },
    { name: 'the first round', run: first },
  ];
}
