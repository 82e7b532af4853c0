/**
 * The second run of a verification, in a thread of its own: strategies are loaded afresh, under another clock, in another time zone
 * and language, without the environment of the first.
 */
import { Worker } from 'node:worker_threads';
import type { DecisionRecord } from './look-ahead.ts';
import { errorText } from '../../domain/failure.ts';
import { hangText } from './hang-watch.ts';
import { watchCalls } from './watch-calls.ts';
import { type Backtest, placesOf } from '../spec/load-backtest.ts';

export interface SecondRunOrder {
  readonly file: string;
  readonly seed: number | undefined;
  /** Longest time that a strategy may take for one event. */
  readonly eventMsMax: number;
  readonly places: ReadonlyMap<string, string>;
  /** Slot 0: index of the strategy whose code runs, else -1; slot 1 counts its calls. */
  readonly running: SharedArrayBuffer;
}

export interface SecondRun {
  readonly journalHash: string;
  readonly decisions: readonly (readonly DecisionRecord[])[];
}

const ZONES = ['Pacific/Kiritimati', 'America/Los_Angeles'] as const;

/** The reason where it failed. */
export async function secondRun(
  backtest: Backtest,
  { seed, eventMsMax }: Pick<SecondRunOrder, 'seed' | 'eventMsMax'>,
): Promise<SecondRun | string> {
  const running = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)).fill(-1);
  const [{ file }, places] = [backtest, placesOf(backtest)];
  const workerData: SecondRunOrder = { file, seed, eventMsMax, places, running: running.buffer };
  const zone = process.env['TZ'];
  // A time zone is the whole process's.
  process.env['TZ'] = zone === ZONES[0] ? ZONES[1] : ZONES[0];
  const thread = new Worker(new URL('./second-run-thread.js', import.meta.url), {
    workerData,
    env: {},
    stdout: true,
    stderr: true,
  });
  const answer = new Promise<SecondRun | string>((resolve) => {
    thread.on('message', (found: SecondRun) => resolve(found));
    thread.on('error', (error) => resolve(`${error.name}: ${errorText(error)}`));
    thread.on('exit', () => resolve('it ended before the last price'));
    const stopWatch = watchCalls(running, eventMsMax, (place) =>
      resolve(hangText(backtest, place, eventMsMax)),
    );
    thread.on('exit', stopWatch);
  });
  try {
    return await answer;
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
    // A timer that a strategy left open would keep the thread for ever.
    await thread.terminate();
  }
}
