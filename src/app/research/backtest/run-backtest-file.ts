/** Runs a loaded backtest, writes its files, and returns what the command line prints as plain data. */
import { formatUtcOffset } from '../../../text/dates.ts';
import { basename, join } from 'node:path';
import type { BacktestPlan } from '../../../backtest/backtest-plan.ts';
import type { BacktestResult } from '../../../backtest/backtest-result.ts';
import { reportOf } from '../../../backtest/report/report-of.ts';
import type { ReportFigure, ReportTable } from '../../../backtest/report/report-model.ts';
import { runBacktest } from '../../../backtest/run/run-backtest.ts';
import { runStatistics } from '../../../backtest/statistics/run-statistics.ts';
import { type Backtest, isOnBars } from './load-backtest.ts';
import { trapped } from './clock-trap.ts';
import { planBacktest } from './plan-backtest.ts';
import { resultJson, writeResultFiles } from './result-files.ts';
import {
  BacktestVerifier,
  placesOf,
  useFindings,
  type Verification,
  VERIFY_RUNS,
} from './verify-backtest.ts';
import { fixedZoneName, isMoved } from './backtest-market.ts';

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
