/**
 * Verifies a run: the same run again, at another time and with another random seed of the machine, gives the same journal, and
 * decisions before a moment do not change when all data after it is cut off.
 */
import type { BacktestPlan } from '../../../backtest/backtest-plan.ts';
import type { BacktestResult } from '../../../backtest/backtest-result.ts';
import {
  cutOff,
  type Decision,
  firstDifference,
  watchDecisions,
} from '../../../backtest/research/look-ahead.ts';
import { runBacktest } from '../../../backtest/run/run-backtest.ts';
import { formatLocalTime } from '../../../text/dates.ts';
import { type TsUs, tsUs } from '../../../domain/units.ts';
import { type MachineUse, trapped } from './clock-trap.ts';
import type { Backtest } from './load-backtest.ts';

/** Parts of the data after which it is cut off. */
const CUTS = [1 / 3, 2 / 3] as const;
/** Passes over all rows of one verification. */
export const VERIFY_RUNS = 2 + CUTS.reduce((sum, part) => sum + part, 0);

interface Watched {
  readonly result: BacktestResult;
  readonly decisions: readonly (readonly Decision[])[];
  readonly uses: readonly MachineUse[];
}

export interface Verification {
  readonly isSame: boolean;
  /** One sentence each; empty when the run is sound. */
  readonly findings: readonly string[];
}

type OnRows = (rows: number) => void;

export class BacktestVerifier {
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
export const placesOf = ({ strategies }: Backtest): ReadonlyMap<string, string> =>
  new Map(strategies.map(({ id, place }) => [id, place]));

export const useFindings = (uses: readonly MachineUse[]): readonly string[] => {
  const byStrategy = new Map<string, string[]>();
  for (const { strategy, what } of uses)
    byStrategy.set(strategy, [...(byStrategy.get(strategy) ?? []), what]);
  return [...byStrategy].map(
    ([strategy, whats]) =>
      `${strategy} reads the clock or the random numbers of the machine (${whats.join(', ')}): expected trader.time() and trader.after() alone`,
  );
};
