/** Runs a sweep: all trials, the windows, the best trial again for its report, and the statistics of the selection. */
import type { BacktestResult } from '../backtest-result.ts';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { RunProgress } from '../run/run-backtest.ts';
import { resampledTrades } from '../report/create-report.ts';
import { type Assignment, paramsOf, type SweepPlan } from './read-sweep.ts';
import {
  selectionBias,
  type TrialFigures,
  type WalkForwardResult,
  rankedPlaces,
  walkForwardFound,
} from './judgement.ts';
import { ratioBasis } from '../statistics/run-statistics.ts';
import { assertDefined } from '../../domain/assert.ts';
import { withPath } from '../../domain/failure.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { isRecord, parseJson, shown } from '../../domain/parsed.ts';
import type { Backtest } from '../spec/load-backtest.ts';
import {
  type SharedColumns,
  type TrialPool,
  type TrialPoolOptions,
  TrialRunner,
  type TrialTask,
  openTrialPool,
  readSharedColumns,
  sweepFingerprint,
  taskKey,
} from './trial-pool.ts';

export interface SweepOptions {
  readonly dir: string;
  readonly workers: number;
  readonly eventMsMax: number;
  readonly fresh: boolean;
  /** Counts the runs of this process; results known from earlier sweeps are left out. */
  readonly onProgress: (progress: RunProgress) => void;
  readonly openPool?: (options: TrialPoolOptions) => Promise<TrialPool>;
}

interface SweptTrial {
  readonly assignment: Assignment;
  readonly figures: TrialFigures;
}

/** A plan and its result. Equity of the best and of resampled paths is in whole units of money. */
export type SweepResult = Awaited<ReturnType<typeof runSweep>>;

const MS_PER_SECOND = 1_000;

export async function runSweep(backtest: Backtest, plan: SweepPlan, options: SweepOptions) {
  const { dir, workers, eventMsMax, fresh, openPool = openTrialPool } = options;
  const fingerprint = sweepFingerprint(backtest);
  const log = new TrialLog(dir, fingerprint, fresh);
  const columns = readSharedColumns(backtest);
  const begunMs = performance.now();
  const runs = new Runs(log, options, () =>
    openPool({ backtest, fingerprint, columns, workers, eventMsMax }),
  );
  try {
    const trials = await allTrials(runs, plan);
    const windows = await walkForward(runs, plan);
    const seconds = (performance.now() - begunMs) / MS_PER_SECOND;
    const figures = trials.map((each) => each.figures);
    const ranked = rankedPlaces(figures, plan.ranking);
    const best = runBestAgain(backtest, columns, plan, trials, ranked);
    const ever = [...log.entries()].filter(([key]) => key.startsWith(ON_ALL_DAYS));
    const bestReturns = best === null ? [] : (figures[best.index]?.dailyReturns ?? []);
    const basis = ratioBasis(backtest.sources.days, backtest.config.statistics);
    return {
      ...plan,
      /** `trials` in the order of the plan. */
      trials,
      walkForward: windows && walkForwardFound(windows, basis),
      /** Places of those that can be picked, best first. */
      ranked,
      /** The best trial, run again for the figures that a sweep does not store; null when none can be picked. */
      best,
      /** Different combinations ever tried on all days, this sweep's and those before it in the same file of results. */
      triedEver: ever.length,
      bias: selectionBias(
        bestReturns,
        ever.map(([, each]) => each.dailyReturns),
        basis,
      ),
      monteCarlo: best === null ? undefined : resampledTrades(best.result),
      resumed: runs.resumed,
      log: log.path,
      /** SHA-256 over parameters and figures of every run in their order: the same whatever the number of threads. */
      digest: runs.digest(),
      /** Duration of the runs alone. */
      seconds,
      ran: runs.ran,
      workers,
    };
  } finally {
    await runs.close();
  }
}

const ON_ALL_DAYS = '[null,';

/** Runs the tasks without a known result, and hashes all results in the order of the tasks. */
class Runs {
  readonly #log: TrialLog;
  readonly #options: SweepOptions;
  readonly #open: () => Promise<TrialPool>;
  readonly #hash = createHash('sha256');
  #pool: TrialPool | null = null;
  resumed = 0;
  ran = 0;

  constructor(log: TrialLog, options: SweepOptions, open: () => Promise<TrialPool>) {
    this.#log = log;
    this.#options = options;
    this.#open = open;
  }

  async all(tasks: readonly TrialTask[], what: string): Promise<readonly TrialFigures[]> {
    const missing = new Map(
      tasks.map((task) => [taskKey(task), task] as const).filter(([key]) => this.#log.get(key) === undefined),
    );
    this.resumed += tasks.length - missing.size;
    if (missing.size > 0) {
      this.#pool ??= await this.#open();
      let done = 0;
      this.#options.onProgress({ done, all: missing.size, what });
      await this.#pool.run([...missing.values()], (task, figures) => {
        this.#log.add(taskKey(task), figures);
        done += 1;
        this.#options.onProgress({ done, all: missing.size, what });
      });
      this.ran += missing.size;
    }
    return tasks.map((task) => this.#known(task));
  }

  #known(task: TrialTask): TrialFigures {
    const key = taskKey(task);
    const figures = assertDefined(this.#log.get(key), 'every trial was run');
    this.#hash.update(`${key}\n${JSON.stringify(figures)}\n`);
    return figures;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }
}

async function allTrials(runs: Runs, { space, trials }: SweepPlan): Promise<readonly SweptTrial[]> {
  const tasks = trials.map((assignment) => ({ params: paramsOf(space, assignment), days: null }));
  const figures = await runs.all(tasks, 'trials');
  return trials.map((assignment, i) => ({
    assignment,
    figures: assertDefined(figures[i], 'every trial was run'),
  }));
}

/** Picks the best trial in sample, window by window, and runs it on the days after. */
async function walkForward(runs: Runs, plan: SweepPlan): Promise<WalkForwardResult['windows'] | null> {
  const { space, trials, windows, ranking } = plan;
  if (windows.length === 0) return null;
  const task = (index: number, days: readonly TradingDay[], own: Partial<TrialTask> = {}): TrialTask => ({
    params: paramsOf(space, trials[index] ?? []),
    days,
    ...own,
  });
  const inside = await runs.all(
    windows.flatMap(({ inSample }) => trials.map((_, index) => task(index, inSample))),
    'in sample',
  );
  const chosen = windows.map((window, i) => {
    const figures = inside.slice(i * trials.length, (i + 1) * trials.length);
    const trial = rankedPlaces(figures, ranking)[0] ?? null;
    return { window, trial, inSample: trial === null ? null : (figures[trial] ?? null) };
  });
  const picked = chosen.flatMap(({ window, trial }) =>
    trial === null
      ? []
      : [task(trial, [...window.warmUp, ...window.outOfSample], { warmUpDays: window.warmUp.length })],
  );
  const outside = (await runs.all(picked, 'out of sample')).values();
  return chosen.map((each) => ({
    ...each,
    outOfSample: each.trial === null ? null : (outside.next().value ?? null),
  }));
}

function runBestAgain(
  backtest: Backtest,
  columns: SharedColumns,
  { space }: SweepPlan,
  trials: readonly SweptTrial[],
  ranked: readonly number[],
): { readonly index: number; readonly result: BacktestResult } | null {
  const [index] = ranked;
  const best = index === undefined ? undefined : trials[index];
  if (index === undefined || best === undefined) return null;
  const task = { params: paramsOf(space, best.assignment), days: null };
  const result = new TrialRunner(backtest, columns).result(task);
  if (result.journalHash !== best.figures.journalHash)
    throw new Error(
      'the best trial run again gave another journal: results are of another build (use --fresh)',
    );
  return { index, result };
}

const NAME_LENGTH = 12;

/** One line for each finished trial, in a file named after the fingerprint: a sweep that was killed resumes from it. */
export class TrialLog {
  readonly path: string;
  readonly #known = new Map<string, TrialFigures>();

  constructor(dir: string, fingerprint: string, isFresh: boolean) {
    mkdirSync(dir, { recursive: true });
    this.path = join(dir, `trials-${fingerprint.slice(0, NAME_LENGTH)}.jsonl`);
    if (isFresh) rmSync(this.path, { force: true });
    if (existsSync(this.path)) this.#read();
  }

  get(key: string): TrialFigures | undefined {
    return this.#known.get(key);
  }

  /** Trials of all sweeps of this backtest so far. */
  entries(): Iterable<readonly [string, TrialFigures]> {
    return this.#known.entries();
  }

  add(key: string, figures: TrialFigures): void {
    withPath(this.path, () => appendFileSync(this.path, `${JSON.stringify({ key, figures })}\n`));
    this.#known.set(key, figures);
  }

  #read(): void {
    const text = readFileSync(this.path);
    const whole = text.lastIndexOf('\n') + 1;
    if (whole < text.length) truncateSync(this.path, whole);
    const lines = text.toString('utf8', 0, whole).split('\n');
    for (const [i, line] of lines.slice(0, -1).entries()) {
      const found = finishedTrial(line);
      // Not a torn write, which is the last line alone: the file was edited, or its disk is bad.
      if (found === undefined) {
        throw new Error(
          `${this.path}:${i + 1}: expected a finished trial, was ${shown(line)} (--fresh starts again)`,
        );
      }
      this.#known.set(found.key, found.figures);
    }
  }
}

function finishedTrial(line: string): { readonly key: string; readonly figures: TrialFigures } | undefined {
  const read = parseJson(line, 'line');
  const isOne = read.ok && isRecord(read.value) && 'key' in read.value && 'figures' in read.value;
  return isOne ? (read.value as unknown as ReturnType<typeof finishedTrial>) : undefined; // oxlint-disable-line typescript/no-unsafe-type-assertion -- written by `add`
}
