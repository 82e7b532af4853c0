/** Runs trials in threads. The assignment to threads and the order of completion vary; the result of a trial does not. */
import type { BacktestResult } from '../backtest-result.ts';
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { BacktestData } from '../backtest-plan.ts';
import type { TrialParams } from './read-sweep.ts';
import { type TrialFigures, trialFigures } from './judgement.ts';
import { runBacktest, type RunOptions } from '../run/run-backtest.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { allocateTable, copyTable } from '../../recording/columns/row-table.ts';
import { rowTableOf, tickLayout, type TickRows, ticksOf } from '../../recording/columns/tick-file.ts';
import { assert } from '../../domain/assert.ts';
import { packageVersion } from '../../host/program-files.ts';
import { hangText, StrategyHangs } from '../backtest/hang-watch.ts';
import { watchCalls } from '../backtest/watch-calls.ts';
import { type Backtest, type BacktestInputs, inputsOf } from '../spec/load-backtest.ts';
import { BacktestDays, planBacktest } from '../spec/plan-backtest.ts';
import { type DayReader, rowReader, type SourceDay } from '../spec/source-days.ts';

export interface SweepWorkerData {
  readonly inputs: BacktestInputs;
  readonly columns: SharedColumns;
  /** Names the strategy whose code runs, and counts its calls: the slots are in `strategy/containment.ts`. */
  readonly running: SharedArrayBuffer;
}

export type FromSweepWorker =
  | { readonly kind: 'ready'; readonly fingerprint: string }
  | { readonly kind: 'done'; readonly figures: TrialFigures }
  | { readonly kind: 'failed'; readonly reason: string };

export type TrialPool = Awaited<ReturnType<typeof openTrialPool>>;

export interface TrialPoolOptions {
  readonly backtest: Backtest;
  readonly fingerprint: string;
  readonly columns: SharedColumns;
  readonly workers: number;
  readonly eventMsMax: number;
}

export async function openTrialPool(options: TrialPoolOptions) {
  const threads = Array.from({ length: options.workers }, () => new TrialThread(options));
  try {
    await Promise.all(threads.map((thread) => thread.start()));
  } catch (error) {
    await closeAll(threads);
    throw error;
  }
  return {
    /** `onDone` receives each trial as it ends. Rejects with the first failure. */
    async run(
      tasks: readonly TrialTask[],
      onDone: (task: TrialTask, figures: TrialFigures) => void,
    ): Promise<void> {
      const left = tasks.values();
      const take = async (thread: TrialThread): Promise<void> => {
        for (const task of left) onDone(task, await thread.run(task));
      };
      await Promise.all(threads.map(take));
    },
    close: () => closeAll(threads),
  };
}

/**
 * Twice the default of 48: a trial makes millions of ticks that die young, and each collection of them has helper threads compete
 * with the other trials for cores. Saves a tenth of a trial's processor time; twice as much again saves nothing more.
 */
const YOUNG_GENERATION_MB = 96;

const closeAll = async (threads: readonly TrialThread[]): Promise<void> =>
  void (await Promise.all(threads.map((thread) => thread.close())));

class TrialThread {
  readonly #options: TrialPoolOptions;
  readonly #running = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)).fill(-1);
  readonly #lost = new AbortController();
  readonly #worker: Worker;

  constructor(options: TrialPoolOptions) {
    const { backtest, columns } = options;
    this.#options = options;
    const workerData: SweepWorkerData = {
      inputs: inputsOf(backtest),
      columns,
      running: this.#running.buffer,
    };
    this.#worker = new Worker(new URL('./sweep-worker.js', import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on('error', (error) => this.#lost.abort(error));
    this.#worker.on('exit', (code) => this.#lost.abort(new Error(`a thread ended with code ${code}`)));
  }

  async start(): Promise<void> {
    const { backtest, fingerprint } = this.#options;
    const answer = await this.#answer();
    if (answer.kind !== 'ready' || answer.fingerprint !== fingerprint)
      throw new Error(`expected the same backtest of ${backtest.file} in each thread, was another one`);
  }

  async run(task: TrialTask): Promise<TrialFigures> {
    this.#worker.postMessage(task); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
    const { backtest, eventMsMax: limitMs } = this.#options;
    const stopWatch = watchCalls(this.#running, limitMs, (index) => {
      const text = hangText(backtest, index, limitMs);
      this.#lost.abort(new StrategyHangs(`${text}; trial ${JSON.stringify(task.params)}`));
      void this.close();
    });
    const answer = await this.#answer().finally(stopWatch);
    if (answer.kind === 'done') return answer.figures;
    const reason = answer.kind === 'failed' ? answer.reason : 'a thread answered out of turn';
    throw new Error(`the trial ${JSON.stringify(task.params)} failed: ${reason}`);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Rejects with the first reason for which the thread is lost. */
  #answer(): Promise<FromSweepWorker> {
    const { signal } = this.#lost;
    return new Promise((resolve, reject) => {
      const lost = (): void => reject(signal.reason as Error); // oxlint-disable-line typescript/no-unsafe-type-assertion -- always aborted with one
      if (signal.aborted) return lost();
      signal.addEventListener('abort', lost, { once: true });
      this.#worker.once('message', (message: FromSweepWorker) => {
        signal.removeEventListener('abort', lost);
        resolve(message);
      });
    });
  }
}

export interface TrialTask {
  readonly params: TrialParams;
  /** Null: all days of the file. */
  readonly days: readonly TradingDay[] | null;
  /** Absent: those of the file. */
  readonly warmUpDays?: number;
}

export class TrialRunner {
  readonly #backtest: Backtest;
  readonly #readRows: DayReader;
  /** Days of the trial before: the next one mostly has the same. */
  #days: TrialTask['days'] = null;
  #data: BacktestData;

  /** A row that is not on the shared memory is read from its file: slower, and the same. */
  constructor(backtest: Backtest, columns: SharedColumns) {
    this.#backtest = backtest;
    const read = rowReader(backtest.config, backtest.market);
    this.#readRows = (source) => columns.get(columnKey(source)) ?? read(source);
    this.#data = new BacktestDays(backtest, undefined, this.#readRows);
  }

  /** `backtest`: the same one, with code that was loaded again. */
  result(
    { params, days, ...own }: TrialTask,
    backtest = this.#backtest,
    watched: Pick<RunOptions, 'running'> = {},
  ): BacktestResult {
    if (String(days) !== String(this.#days))
      this.#data = new BacktestDays(backtest, days ?? undefined, this.#readRows);
    this.#days = days;
    return runBacktest(planBacktest(backtest, { params, data: this.#data, ...own }), watched);
  }

  run(...how: Parameters<TrialRunner['result']>): TrialFigures {
    return trialFigures(this.result(...how));
  }
}

/** Key of the same work, also after a restart. The days of a task are consecutive, so the first and the last one name them. */
export function taskKey({ params, days, ...own }: TrialTask): string {
  const ids = Object.keys(params).toSorted();
  const sorted = ids.map((id) => [
    id,
    Object.entries(params[id] ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  return JSON.stringify([days === null ? null : [days[0], days.at(-1), ...Object.values(own)], sorted]);
}

/** Ticks of all days on memory that every thread shares, by `columnKey`: posting them copies nothing. */
export type SharedColumns = ReadonlyMap<string, TickRows>;

/** A file of bars holds many days. */
const columnKey = ({ path, day, code }: SourceDay): string => `${path} ${day} ${code}`;

/** The days that are played, and of each contract in them the one before, whose close is its first reference price. */
export function readSharedColumns(backtest: Backtest): SharedColumns {
  const { all, days } = backtest.sources;
  const [first = ''] = days;
  const played = all.filter(({ day }) => day >= first);
  const before = new Map(all.filter(({ day }) => day < first).map((source) => [source.code, source]));
  const codes = new Set(played.map(({ code }) => code));
  const wanted = [...[...before.values()].filter(({ code }) => codes.has(code)), ...played];
  const read = rowReader(backtest.config, backtest.market);
  return new Map(wanted.map((source) => [columnKey(source), shared(read(source))]));
}

/** Without the other columns of a file; on shared memory. */
function shared(rows: TickRows): TickRows {
  const { tsUs, priceTicks, qty, side, book, bars, isQuotes } = rows;
  if (tsUs.buffer instanceof SharedArrayBuffer)
    return { rows: rows.rows, tsUs, priceTicks, qty, side, book, bars, isQuotes };
  assert(bars === null, 'the path of bars is made on shared memory');
  const table = allocateTable(tickLayout(book?.depth ?? 0), rows.rows, 'shared');
  copyTable(table, 0, rowTableOf(rows), 0, rows.rows);
  return ticksOf(table, isQuotes);
}

/** Hash of all inputs of a trial other than its parameters and days: results with another one cannot be reused. */
export function sweepFingerprint(backtest: Backtest): string {
  const { configDigest, data } = planBacktest(backtest);
  const hash = createHash('sha256').update(`${packageVersion()}\n${configDigest}\n${data.digest}\n`);
  for (const { code } of backtest.strategies) {
    // A name in the catalogue belongs to the version; a file may change under the same name.
    if (code !== null) hash.update(code.digest);
  }
  return hash.digest('hex');
}
