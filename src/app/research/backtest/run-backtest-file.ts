/** Runs a loaded backtest, writes its files, and returns what the command line prints as plain data. */
import { basename, join } from 'node:path';
import type { BacktestPlan } from '../../../backtest/backtest-plan.ts';
import type { BacktestResult } from '../../../backtest/backtest-result.ts';
import type { ReportFigure, ReportTable } from '../../../backtest/report/report-model.ts';
import { reportOf } from '../../../backtest/report/report-of.ts';
import {
  cutOff,
  type Decision,
  firstDifference,
  watchDecisions,
} from '../../../backtest/research/look-ahead.ts';
import { runBacktest } from '../../../backtest/run/run-backtest.ts';
import { runStatistics } from '../../../backtest/statistics/run-statistics.ts';
import { type TsUs, tsUs } from '../../../domain/units.ts';
import { formatLocalTime, formatUtcOffset } from '../../../text/dates.ts';
import { fixedZoneName, isMoved } from './backtest-market.ts';
import { type MachineUse, trapped } from './clock-trap.ts';
import { type Backtest, isOnBars } from './load-backtest.ts';
import { planBacktest } from './plan-backtest.ts';
import { resultJson, writeResultFiles } from './result-files.ts';

export interface BacktestProgress {
  readonly done: number;
  readonly all: number;
  readonly what: string;
}

export interface BacktestRunOptions {
  /** Null: beside the imported columns, in a folder with the name of the file. */
  readonly out: string | null;
  readonly seed: number | null;
  /** Runs again, and with the future cut off. */
  readonly isVerified: boolean;
  readonly onProgress?: (progress: BacktestProgress) => void;
}

/** Printed at the end. */
export interface BacktestOutcome {
  readonly title: string;
  readonly headlines: readonly ReportFigure[];
  readonly strategies: ReportTable | undefined;
  readonly warnings: readonly string[];
  readonly models: readonly (readonly [string, string])[];
  readonly journalHash: string;
  readonly rows: number;
  /** Null where it was not asked for. */
  readonly verification: Verification | null;
  readonly runSeconds: number;
  readonly reportSeconds: number;
  readonly report: string;
  readonly others: readonly string[];
  /** The same as in `report.json`. */
  readonly json: unknown;
}

export function runBacktestFile(backtest: Backtest, options: BacktestRunOptions): BacktestOutcome {
  const { seed, isVerified } = options;
  const plan = (): BacktestPlan => planBacktest(backtest, seed === null ? {} : { seed });
  const begunMs = performance.now();
  const { result, verification } = isVerified
    ? verified(backtest, plan, options)
    : once(backtest, plan(), options);
  const ranMs = performance.now();
  const outcome = reported(backtest, result, options);
  return { ...outcome, verification, ...spans(begunMs, ranMs) };
}

interface Played {
  readonly result: BacktestResult;
  readonly verification: Verification | null;
}

function once(backtest: Backtest, plan: BacktestPlan, { onProgress }: BacktestRunOptions): Played {
  const { value, uses } = trapped({ places: placesOf(backtest), isFalse: false }, () =>
    runBacktest(plan, {
      onProgress: ({ rowsDone, rows, day }) => onProgress?.({ done: rowsDone, all: rows, what: day }),
    }),
  );
  return {
    result: noted(value, [...useFindings(uses), ...idleFindings(value, backtest)]),
    verification: null,
  };
}

function verified(backtest: Backtest, plan: () => BacktestPlan, { onProgress }: BacktestRunOptions): Played {
  const all = Math.round(plan().data.rows * VERIFY_RUNS);
  const onRows = (done: number): void => onProgress?.({ done, all, what: 'verifying' });
  const { result, verification } = new BacktestVerifier(backtest, plan, onRows).verify();
  return {
    result: noted(result, [...verification.findings, ...idleFindings(result, backtest)]),
    verification,
  };
}

/** Strategies that placed no order, with the likely reason. */
function idleFindings({ strategies }: BacktestResult, { read }: Backtest): readonly string[] {
  const why = isOnBars(read) ? ': bars have no bid and ask, and some strategies wait for them' : '';
  return strategies
    .filter(({ orders, denialCount, stopped }) => orders === 0 && denialCount === 0 && stopped === null)
    .map(({ id }) => `${id} placed no order${why}`);
}

const noted = (result: BacktestResult, findings: readonly string[]): BacktestResult => ({
  ...result,
  notices: [...findings.map((text) => ({ tsUs: null, code: 'bias', text })), ...result.notices],
});

const MS_PER_SECOND = 1_000;

const spans = (begunMs: number, ranMs: number): Pick<BacktestOutcome, 'runSeconds' | 'reportSeconds'> => ({
  runSeconds: (ranMs - begunMs) / MS_PER_SECOND,
  reportSeconds: (performance.now() - ranMs) / MS_PER_SECOND,
});

const nameOf = (file: string): string => basename(file).replace(/\.ya?ml$/, '');

function reported(
  { file, read, market, sources }: Backtest,
  result: BacktestResult,
  { out }: BacktestRunOptions,
): Omit<BacktestOutcome, 'verification' | 'runSeconds' | 'reportSeconds'> {
  const found = runStatistics(result);
  const { utcOffsetMinutes } = result;
  const isOnWall = isMoved(market, sources.all[0]?.bars?.everyUs ?? null);
  const timeZone = (isOnWall ? fixedZoneName(utcOffsetMinutes) : undefined) ?? result.timeZone;
  const model = reportOf({ ...result, timeZone }, nameOf(file));
  const zone = isOnWall ? '' : formatUtcOffset(utcOffsetMinutes);
  const files = writeResultFiles(out ?? join(read.state, nameOf(file)), { result, model, found, zone });
  return {
    title: model.subtitle,
    headlines: model.headlines,
    strategies: model.tables[0],
    warnings: model.warnings,
    models: result.models,
    journalHash: result.journalHash,
    rows: result.counts.rows,
    ...files,
    json: resultJson(result, model, found),
  };
}

/** Parts of the data after which it is cut off. */
const CUTS = [1 / 3, 2 / 3] as const;
/** Passes over all rows of one verification. */
const VERIFY_RUNS = 2 + CUTS.reduce((sum, part) => sum + part, 0);

interface Watched {
  readonly result: BacktestResult;
  readonly decisions: readonly (readonly Decision[])[];
  readonly uses: readonly MachineUse[];
}

interface Verification {
  readonly isSame: boolean;
  /** One sentence each; empty when the run is sound. */
  readonly findings: readonly string[];
}

type OnRows = (rows: number) => void;

/** Runs again, at another time and with other random numbers of the machine, and with the later data cut off. */
class BacktestVerifier {
  readonly #backtest: Backtest;
  readonly #plan: () => BacktestPlan;
  readonly #onRows: OnRows;
  #rowsBefore = 0;

  /** `plan` makes the run anew each time it is called. */
  constructor(backtest: Backtest, plan: () => BacktestPlan, onRows: OnRows) {
    this.#backtest = backtest;
    this.#plan = plan;
    this.#onRows = onRows;
  }

  verify(): { readonly result: BacktestResult; readonly verification: Verification } {
    const first = this.#run(this.#plan(), false);
    const again = this.#run(this.#plan(), true);
    const isSame = first.result.journalHash === again.result.journalHash;
    const findings = [
      ...useFindings(first.uses),
      ...(isSame ? [] : [this.#secondRunFinding(first, again)]),
      ...this.#cutFindings(first),
    ];
    return { result: first.result, verification: { isSame, findings } };
  }

  #run(plan: BacktestPlan, isFalse: boolean): Watched {
    const { strategies, decisions } = watchDecisions(plan.strategies);
    let rows = 0;
    const { value: result, uses } = trapped({ places: placesOf(this.#backtest), isFalse }, () =>
      runBacktest(
        { ...plan, strategies },
        {
          onProgress: ({ rowsDone }) => {
            rows = rowsDone;
            this.#onRows(this.#rowsBefore + rowsDone);
          },
        },
      ),
    );
    this.#rowsBefore += rows;
    return { result, decisions, uses };
  }

  #secondRunFinding(first: Watched, again: Watched): string {
    const found = this.#earliest(first, again, Infinity);
    const where = found === null ? '' : `; first ${found}`;
    return `a second run, at another time and with other random numbers, gives another journal${where}`;
  }

  /** The first one found: later differences may only follow from it. */
  #cutFindings(first: Watched): readonly string[] {
    for (const part of CUTS) {
      const plan = this.#plan();
      const { data, cutUs } = cutOff(plan.data, part);
      const warmUpDays = Math.min(plan.warmUpDays, data.days.length);
      const cut = this.#run({ ...plan, data, warmUpDays }, false);
      const found = this.#earliest(first, cut, cutUs);
      if (found !== null)
        return [`the future is known: without the data from ${this.#when(tsUs(cutUs))} on, ${found}`];
    }
    return [];
  }

  /** The strategy that differs first: others may only follow it. */
  #earliest(one: Watched, other: Watched, untilUs: number): string | null {
    const differences = this.#backtest.strategies.flatMap(({ id }, place) => {
      const found = firstDifference(one.decisions[place] ?? [], other.decisions[place] ?? [], untilUs);
      return found === null ? [] : [{ id, ...found }];
    });
    const [first] = differences.toSorted((a, b) => a.atUs - b.atUs);
    if (first === undefined) return null;
    return `${first.id} decides otherwise at ${this.#when(first.atUs)}: "${first.other}" instead of "${first.one}"`;
  }

  #when(at: TsUs): string {
    const { utcOffsetMinutes } = this.#backtest.market.calendar;
    return formatLocalTime(at, utcOffsetMinutes).replace('T', ' ');
  }
}

/** Text by which a stack trace shows the code of each strategy, by id. */
const placesOf = ({ strategies }: Backtest): ReadonlyMap<string, string> =>
  new Map(strategies.map(({ id, place }) => [id, place]));

const useFindings = (uses: readonly MachineUse[]): readonly string[] => {
  const byStrategy = new Map<string, string[]>();
  for (const { strategy, what } of uses)
    byStrategy.set(strategy, [...(byStrategy.get(strategy) ?? []), what]);
  return [...byStrategy].map(
    ([strategy, whats]) =>
      `${strategy} reads the clock or the random numbers of the machine (${whats.join(', ')}): expected trader.time() and trader.after() alone`,
  );
};
