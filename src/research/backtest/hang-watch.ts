/** Ends a backtest in which one event of a strategy takes too long. A thread of its own watches: an endless loop leaves no other. */
import { Script } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { hasCode } from '../../domain/failure.ts';
import { formatLocalMoment } from '../../text/dates.ts';
import { VirtualClock } from '../run/virtual-time.ts';
import { IN_EVENT, NO_STRATEGY } from '../../strategy/containment.ts';
import type { Backtest } from '../spec/load-backtest.ts';

/** One event of one strategy; raised by `--event-limit`. */
export const EVENT_MS_MAX = 20_000;

export interface HangWatchData {
  /** Slots as in `strategy/containment.ts`; in place of that of promises 1 where the watch has ended the run. */
  readonly running: SharedArrayBuffer;
  /** Number of that slot: the thread that watches loads no module of this one, and so begins at once. */
  readonly ended: number;
  readonly limitMs: number;
}

const SLOTS = 3;
const ENDED = 2;
const WORK = Symbol.for('tickwright.work');
const EXIT_SIGINT = 130;

export class StrategyHangs extends Error {
  override readonly name = 'StrategyHangs';
}

/** `place` of the strategy in the file; `nowUs` null in another thread, whose clock cannot be read. */
export function hangText(
  { strategies, market }: Backtest,
  index: number,
  limitMs: number,
  nowUs: number | null = null,
): string {
  const id = strategies[index]?.id ?? 'a strategy';
  const at = nowUs === null ? '' : ` at ${formatLocalMoment(nowUs, market.calendar.utcOffsetMinutes)}`;
  return (
    `${id} did not return from the event${at} within ${limitMs / 1_000} s, and the run was ended: ` +
    'fix the loop, or allow an event more time with --event-limit 5m'
  );
}

/** Runs `work`, which must be synchronous and pass `running` and `clock` to the run. */
export function endingHangs<T>(
  backtest: Backtest,
  limitMs: number,
  work: (running: Int32Array, clock: VirtualClock) => T,
): T {
  const memory = new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT);
  const running = new Int32Array(memory);
  running[IN_EVENT] = NO_STRATEGY;
  const clock = new VirtualClock();
  const workerData: HangWatchData = { running: memory, ended: ENDED, limitMs };
  const worker = new Worker(new URL('./hang-watch-worker.js', import.meta.url), { workerData });
  worker.unref();
  let outcome: { readonly value: T } | null = null;
  Reflect.set(globalThis, WORK, () => {
    outcome = { value: work(running, clock) };
  });
  try {
    // The signal of the watch ends no code but that of a script that asks for it.
    new Script(`globalThis[Symbol.for('${WORK.description}')]()`).runInThisContext({ breakOnSigint: true });
  } catch (error) {
    if (!hasCode(error, 'ERR_SCRIPT_EXECUTION_INTERRUPTED')) throw error;
    if (running[ENDED] !== 1) process.exit(EXIT_SIGINT);
    throw new StrategyHangs(hangText(backtest, running[IN_EVENT] ?? 0, limitMs, clock.nowUs));
  } finally {
    void worker.terminate();
    Reflect.deleteProperty(globalThis, WORK);
  }
  return (outcome as unknown as { readonly value: T }).value; // oxlint-disable-line typescript/no-unsafe-type-assertion -- set by the work that has returned
}
