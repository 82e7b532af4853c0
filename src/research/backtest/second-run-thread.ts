/** Thread of the second run of a verification; its clock is false before any strategy is loaded. */
import { parentPort, workerData } from 'node:worker_threads';
import { DecisionLog, type SecondRun, type SecondRunOrder } from './verify-backtest.ts';
import { runBacktest } from '../run/run-backtest.ts';
import { setTrap } from '../../host/strategy-files/clock-trap.ts';
import { loadBacktest } from '../spec/load-backtest.ts';
import { planBacktest } from '../spec/plan-backtest.ts';

const { file, seed, eventMsMax, stackNames, running }: SecondRunOrder = workerData;
setTrap({ stackNames, isFalse: true });
const loaded = await loadBacktest(file, { loadMsMax: eventMsMax });
if (!loaded.ok) throw new Error(`${file} is no longer what it was at the start`);
const plan = planBacktest(loaded.backtest, { seed });
const { decisions, onEntry } = new DecisionLog(plan.strategies.length);
const { journalHash } = runBacktest(plan, { onEntry, running: new Int32Array(running) });
parentPort?.postMessage({ journalHash, decisions } satisfies SecondRun); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
