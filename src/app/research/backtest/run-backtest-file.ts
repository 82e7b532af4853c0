/** Runs a loaded backtest, verifies it where that is asked for, and writes its files. */
import { join } from 'node:path';
import type { BacktestPlan } from '../../../backtest/backtest-plan.ts';
import type { BacktestResult } from '../../../backtest/backtest-result.ts';
import type { ReportModel } from '../../../backtest/report/report-model.ts';
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
import { type ReportFiles, type ResearchProgress, titleOf, writeReport } from '../report-files.ts';
import { fixedZoneName, isMoved } from './backtest-market.ts';
import { type MachineUse, trapped } from './clock-trap.ts';
import { isOnBars } from './backtest-schema.ts';
import type { Backtest } from './load-backtest.ts';
import { planBacktest } from './plan-backtest.ts';
import { resultCsv, resultJson } from './result-files.ts';

export interface BacktestRunOptions {
  /** Absent: beside the imported columns, in a folder with the name of the file. */
  readonly out?: string;
  readonly seed?: number;
  /** Runs again, and with the future cut off. */
  readonly verify?: boolean;
  readonly onProgress?: (progress: ResearchProgress) => void;
}

export interface BacktestOutcome extends ReportFiles {
  readonly result: BacktestResult;
  readonly model: ReportModel;
  /** Null where it was not asked for; without findings the run is sound. */
  readonly verification: { readonly isSame: boolean; readonly findings: readonly string[] } | null;
  readonly runSeconds: number;
  readonly reportSeconds: number;
  /** The same as in `report.json`. */
  readonly json: unknown;
}

const MS_PER_SECOND = 1_000;

export function runBacktestFile(backtest: Backtest, options: BacktestRunOptions): BacktestOutcome {
  const plan = (): BacktestPlan => planBacktest(backtest, options);
  const begunMs = performance.now();
  const played =
    options.verify === true ? verified(backtest, plan, options) : once(backtest, plan(), options);
  const ranMs = performance.now();
  const { findings, isSame } = played;
  const result = noted(played.result, [...findings, ...idleFindings(played.result, backtest)]);
  const { market, sources, read } = backtest;
  const found = runStatistics(result);
  const { utcOffsetMinutes } = result;
  const isOnWall = isMoved(market, sources.all[0]?.bars?.everyUs ?? null);
  const timeZone = (isOnWall ? fixedZoneName(utcOffsetMinutes) : undefined) ?? result.timeZone;
  const model = reportOf({ ...result, timeZone }, titleOf(backtest));
  const json = resultJson(result, model, found);
  const csv = resultCsv(result, found, isOnWall ? '' : formatUtcOffset(utcOffsetMinutes));
  const { out = join(read.state, titleOf(backtest)) } = options;
  return {
    result,
    model,
    verification: isSame === null ? null : { isSame, findings },
    json,
    ...writeReport(out, { model, json: ['report.json', json], csv }),
    runSeconds: (ranMs - begunMs) / MS_PER_SECOND,
    reportSeconds: (performance.now() - ranMs) / MS_PER_SECOND,
  };
}

interface Played {
  readonly result: BacktestResult;
  /** One sentence each. */
  readonly findings: readonly string[];
  /** A second run gives the same journal; null without one. */
  readonly isSame: boolean | null;
}

function once(backtest: Backtest, plan: BacktestPlan, { onProgress }: BacktestRunOptions): Played {
  const { value, uses } = trapped({ places: placesOf(backtest), isFalse: false }, () =>
    runBacktest(plan, {
      onProgress: ({ rowsDone, rows, day }) => onProgress?.({ done: rowsDone, all: rows, what: day }),
    }),
  );
  return { result: value, findings: useFindings(uses), isSame: null };
}

function verified(backtest: Backtest, plan: () => BacktestPlan, { onProgress }: BacktestRunOptions): Played {
  const all = Math.round(plan().data.rows * VERIFY_RUNS);
  const onRows = (done: number): void => onProgress?.({ done, all, what: 'verifying' });
  return new BacktestVerifier(backtest, plan, onRows).verify();
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

/** Parts of the data after which it is cut off. */
const CUTS = [1 / 3, 2 / 3] as const;
/** Passes over all rows of one verification. */
const VERIFY_RUNS = 2 + CUTS.reduce((sum, part) => sum + part, 0);

interface Watched {
  readonly result: BacktestResult;
  readonly decisions: readonly (readonly Decision[])[];
  readonly uses: readonly MachineUse[];
}

/** Runs again, at another time and with other random numbers of the machine, and with the later data cut off. */
class BacktestVerifier {
  readonly #backtest: Backtest;
  readonly #plan: () => BacktestPlan;
  readonly #onRows: (rows: number) => void;
  #rowsBefore = 0;

  /** `plan` makes the run anew each time it is called. */
  constructor(backtest: Backtest, plan: () => BacktestPlan, onRows: (rows: number) => void) {
    this.#backtest = backtest;
    this.#plan = plan;
    this.#onRows = onRows;
  }

  verify(): Played {
    const first = this.#run(this.#plan(), false);
    const again = this.#run(this.#plan(), true);
    const isSame = first.result.journalHash === again.result.journalHash;
    const findings = [
      ...useFindings(first.uses),
      ...(isSame ? [] : [this.#secondRunFinding(first, again)]),
      ...this.#cutFindings(first),
    ];
    return { result: first.result, findings, isSame };
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

const useFindings = (uses: readonly MachineUse[]): readonly string[] =>
  [...new Set(uses.map(({ strategy }) => strategy))].map((strategy) => {
    const called = uses.filter((use) => use.strategy === strategy).map(({ what }) => what);
    return `${strategy} reads the clock or the random numbers of the machine (${called.join(', ')}): expected trader.time() and trader.after() alone`;
  });
