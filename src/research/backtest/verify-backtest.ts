/** Verifies a backtest: names strategies that use the machine or look ahead, and strategies that were not checked. */
import type { BacktestPlan } from '../backtest-plan.ts';
import type { BacktestResult } from '../backtest-result.ts';
import { cutOff, DecisionLog, firstDifference } from './look-ahead.ts';
import { runBacktest, type RunOptions, type RunProgress } from '../run/run-backtest.ts';
import { type TsUs, tsUs } from '../../domain/units.ts';
import { formatLocalMoment } from '../../text/dates.ts';
import { type EnvironmentUse, trapped } from '../../host/strategy-files/clock-trap.ts';
import { type Backtest, placesOf } from '../spec/load-backtest.ts';
import { planBacktest } from '../spec/plan-backtest.ts';
import type { SecondRun } from './second-run.ts';

/** One sentence each. */
export interface Verification {
  /** None where the run is sound as far as it was checked. */
  readonly findings: readonly string[];
  readonly checked: readonly string[];
  /** Only a person can check these. */
  readonly unchecked: readonly string[];
}

export interface VerifiedRun {
  readonly result: BacktestResult;
  readonly findings: readonly string[];
  readonly verification: Verification | null;
}

/** Parts of the data after which it is cut off. */
const CUTS = [1 / 3, 2 / 3] as const;
/** Passes over all rows of one verification, the second run left out. */
const VERIFY_RUNS = 1 + CUTS.reduce((sum, part) => sum + part, 0);

interface ObservedRun extends Pick<SecondRun, 'decisions'> {
  readonly result: BacktestResult;
  readonly uses: readonly EnvironmentUse[];
  readonly changes: readonly string[];
}

type WatchedRun = Pick<RunOptions, 'running' | 'clock' | 'onDay'>;

export interface RunSettings {
  readonly seed?: number | undefined;
  /** For the watch of another thread. */
  readonly watched?: WatchedRun;
  readonly onProgress?: (progress: RunProgress) => void;
}

/** Runs with the later data cut off, and compares with the second run, which was at another time and had other random numbers. */
export function verifyBacktest(
  backtest: Backtest,
  second: SecondRun | string,
  { seed, watched, onProgress: report }: RunSettings,
): VerifiedRun {
  const whole = planBacktest(backtest, { seed });
  const all = Math.round(whole.data.rows * VERIFY_RUNS);
  let rowsBefore = 0;
  const run = (planned: BacktestPlan): ObservedRun => {
    const { decisions, onEntry } = new DecisionLog(planned.strategies.length);
    let rows = 0;
    const onProgress = ({ done }: RunProgress): void => {
      rows = done;
      report?.({ done: rowsBefore + done, all, what: 'verifying' });
    };
    const { value: result, ...found } = trapped({ places: placesOf(backtest), isFalse: false }, () =>
      runBacktest(planned, { ...watched, onEntry, onProgress }),
    );
    rowsBefore += rows;
    return { result, decisions, ...found };
  };
  const first = run(whole);
  const again = secondRunFinding(backtest, first, second);
  const cuts = CUTS.map((part) => {
    const shorter = planBacktest(backtest, { seed });
    const { data, cutUs } = cutOff(shorter.data, part);
    const warmUpDays = Math.min(shorter.warmUpDays, data.days.length);
    const found = earliest(backtest, first, run({ ...shorter, data, warmUpDays }), cutUs);
    return { when: momentText(backtest, tsUs(cutUs)), found };
  });
  // Later differences may only follow from the first one.
  const cut = cuts.find(({ found }) => found !== null);
  const known =
    cut === undefined
      ? null
      : `the future is known: without the data from ${cut.when} on, ${cut.found ?? ''}: it sees prices before their time, or keeps something of the run before outside of connect()`;
  const uses = useFindings(backtest, first);
  const findings = [...uses, ...[again, known].filter((each) => each !== null)];
  const moments = cuts.map(({ when }) => when).join(', and from ');
  const checked = [
    again === null && SAME_AGAIN,
    known === null && `without the data from ${moments} on, every decision before is the same`,
    uses.length === 0 && NO_USE,
  ].filter((each) => each !== false);
  return {
    result: first.result,
    findings,
    verification: { findings, checked, unchecked: uncheckedOf(whole) },
  };
}

function secondRunFinding(backtest: Backtest, first: ObservedRun, again: SecondRun | string): string | null {
  if (typeof again === 'string') return `a second run does not run the backtest: ${again}`;
  if (again.journalHash === first.result.journalHash) return null;
  const found = earliest(backtest, first, again, Infinity);
  return `a second run, at another time and with other random numbers, gives another journal${found === null ? '' : `; first ${found}`}`;
}

type Decided = Pick<SecondRun, 'decisions'>;

/** The strategy that differs first: others may only follow it. */
function earliest(backtest: Backtest, one: Decided, other: Decided, untilUs: number): string | null {
  const differences = backtest.strategies.flatMap(({ id }, place) => {
    const found = firstDifference(one.decisions[place] ?? [], other.decisions[place] ?? [], untilUs);
    return found === null ? [] : [{ id, ...found }];
  });
  const [first] = differences.toSorted((a, b) => a.atUs - b.atUs);
  if (first === undefined) return null;
  return `${first.id} decides otherwise at ${momentText(backtest, first.atUs)}: "${first.other}" instead of "${first.one}"`;
}

const momentText = ({ market }: Backtest, at: TsUs): string =>
  formatLocalMoment(at, market.calendar.utcOffsetMinutes);

export function useFindings(
  { strategies }: Backtest,
  { uses, changes }: Pick<ObservedRun, 'uses' | 'changes'>,
): readonly string[] {
  const loading = strategies.flatMap(({ id, loadUses }) => loadUses.map((what) => ({ strategy: id, what })));
  const all = [...loading, ...uses];
  const named = [...new Set(all.map(({ strategy }) => strategy))].map((strategy) => {
    const called = new Set(all.filter((use) => use.strategy === strategy).map(({ what }) => what));
    return `${strategy} uses the machine it runs on (${[...called].join(', ')}): expected trader.time(), trader.after() and the streams alone`;
  });
  const shared = `a strategy changes what all code shares (${changes.join(', ')}): it may keep something there, or change its own prices`;
  return changes.length === 0 ? named : [...named, shared];
}

const NO_USE =
  'no strategy names or calls clock, timers, chance, network or environment of the machine, makes code of text, or changes what all code shares';
const SAME_AGAIN =
  'a second run, with strategies loaded afresh, another clock, time zone, environment and other random numbers, gives the same journal';

/** Where a run may be too good without any rule being broken. */
function uncheckedOf({ fill }: BacktestPlan): readonly string[] {
  const always = [
    'symbols, days and parameters that were chosen because of what came after them (survivors, the best of many trials)',
    'prices that the code of a strategy holds itself, and code that hides what it does',
    'moments other than these cuts',
  ];
  if (fill.on === 'ticks') return always;
  const { bar, path } = fill;
  if (bar === 'close')
    always.unshift(
      'fills at the close that an order was decided on (models.fill: close): nobody gets a price that he has seen',
    );
  if (bar === 'ohlc' && path !== 'worst_first')
    always.unshift(
      `the order of the extremes within a bar (models.path: ${path}), on which brackets live: compare with worst_first`,
    );
  return always;
}
