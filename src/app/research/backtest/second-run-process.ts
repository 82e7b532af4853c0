/** Entry of the second process of a verification; its clock is false before any strategy is loaded. */
import { writeFileSync } from 'node:fs';
import { watchDecisions } from '../../../backtest/research/look-ahead.ts';
import { runBacktest } from '../../../backtest/run/run-backtest.ts';
import { setTrap } from '../../host/strategy-files/clock-trap.ts';
import { endingHangs, StrategyHangs } from './hang-watch.ts';
import { loadBacktest } from './load-backtest.ts';
import { planBacktest } from './plan-backtest.ts';
import type { SecondRun, SecondRunFailure, SecondRunOrder } from './second-run.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by our own process
const { file, seed, eventMsMax, out } = JSON.parse(process.argv[2] ?? '') as SecondRunOrder;
setTrap({ places: new Map(), isFalse: true });
const loaded = await loadBacktest(file, { loadMsMax: eventMsMax });
if (!loaded.ok) throw new Error(`${file} is no longer what it was at the start`);
const { backtest } = loaded;
const plan = planBacktest(backtest, seed === undefined ? {} : { seed });
const { strategies, decisions } = watchDecisions(plan.strategies);
writeFileSync(out, JSON.stringify(played()));
// A timer or a port that a strategy left open would keep the process for ever.
process.exit();

function played(): SecondRun | SecondRunFailure {
  try {
    const { journalHash } = endingHangs(backtest, eventMsMax, (running, clock) =>
      runBacktest({ ...plan, strategies }, { running, clock }),
    );
    return { journalHash, decisions };
  } catch (error) {
    if (error instanceof StrategyHangs) return { failure: error.message };
    throw error;
  }
}
