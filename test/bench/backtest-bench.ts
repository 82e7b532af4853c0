/** A backtest's ticks a second in one thread, against a loop that only reads the same columns and keeps the same two averages. */
import { runBacktest } from '../../src/backtest/run/run-backtest.ts';
import { benchData, benchPlan } from './backtest-plan.ts';
import { benchRows } from './backtest-ticks.ts';
import { FAST, SLOW } from './bench-figures.ts';
import { type Candidate, timed } from './rounds.ts';

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
