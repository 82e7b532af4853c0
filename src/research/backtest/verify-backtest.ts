/** Verifies a backtest: names strategies that use the machine or look ahead, and strategies that were not checked. */
import type { BacktestResult } from '../backtest-result.ts';
import type { BacktestPlan, BacktestData, BacktestDay, DayTape } from '../backtest-plan.ts';
import { runBacktest, type RunOptions, type RunProgress } from '../run/run-backtest.ts';
import { type TsUs, tsUs } from '../../domain/units.ts';
import { formatLocalMoment } from '../../text/dates.ts';
import { type EnvironmentUse, trapped } from '../../host/strategy-files/clock-trap.ts';
import { type Backtest, stackNamesOf } from '../spec/load-backtest.ts';
import { planBacktest } from '../spec/plan-backtest.ts';
import { InvariantError, assertDefined } from '../../domain/assert.ts';
import { firstRowAt, rowsBetween, type TickRows } from '../../recording/columns/tick-file.ts';
import type { JournalEntry, Proposal } from '../../engine/ports/journal-entry.ts';
import { ROWS_PER_BAR } from '../../venue/exchange/bar-exchange.ts';
import { Worker } from 'node:worker_threads';
import { errorText } from '../../domain/failure.ts';
import { hangText } from './hang-watch.ts';
import { watchCalls } from './watch-calls.ts';

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

export interface RunSettings {
  readonly seed?: number | undefined;
  /** For the watch of another thread. */
  readonly watched?: Pick<RunOptions, 'running' | 'clock' | 'onDay'>;
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
    const { value: result, ...found } = trapped({ stackNames: stackNamesOf(backtest), isFalse: false }, () =>
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
  const differences = backtest.strategies.flatMap(({ id }, index) => {
    const found = firstDifference(one.decisions[index] ?? [], other.decisions[index] ?? [], untilUs);
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

// Strategies that look ahead: data cut off at a moment, and decisions written down to be compared.

/** Cuts after about `part` of the rows, 0 to 1: before `cutUs` the rest cannot be distinguished from the whole. */
export function cutOff(data: BacktestData, part: number) {
  const wanted = Math.floor(data.rows * part);
  let rows = 0;
  for (const [index, day] of data.days.entries()) {
    const opened = data.open(day);
    const today = opened.tapes.reduce((sum, tape) => sum + tape.rows.rows, 0);
    if (rows + today > wanted || index === data.days.length - 1) {
      const atUs = momentAt(opened, wanted - rows);
      const days = data.days.slice(0, index + 1);
      const cutUs = Math.min(atUs, ...opened.tapes.map((tape) => firstLost(tape, atUs)));
      return {
        data: { ...data, days, open: (each: typeof day) => withoutFuture(data.open(each), atUs) },
        cutUs,
      };
    }
    rows += today;
  }
  throw new InvariantError('Invariant: a run has a day');
}

/** Time of the row before which the wanted part of the day's longest tape lies. */
function momentAt({ tapes }: BacktestDay, row: number): number {
  const longest = assertDefined(tapes.toSorted((a, b) => b.rows.rows - a.rows.rows)[0], 'a day has a tape');
  const { rows } = longest;
  const all = tapes.reduce((sum, tape) => sum + tape.rows.rows, 0);
  const index = Math.floor((row / Math.max(1, all)) * rows.rows);
  return rows.tsUs[Math.min(Math.max(0, index), rows.rows - 1)] ?? 0;
}

/** Rows before a moment; of bars those that were over by then. */
function rowsBefore(rows: TickRows, atUs: number): number {
  const count = firstRowAt(rows, atUs);
  return rows.bars === null ? count : count - (count % ROWS_PER_BAR);
}

/** A bar that is cut off may have begun before the moment of the cut, and may have filled orders by then. */
const firstLost = ({ rows }: DayTape, atUs: number): number => rows.tsUs[rowsBefore(rows, atUs)] ?? Infinity;

const withoutFuture = (day: BacktestDay, atUs: number): BacktestDay => ({
  ...day,
  tapes: day.tapes.map((tape) => ({
    ...tape,
    rows: rowsBetween(tape.rows, 0, rowsBefore(tape.rows, atUs)),
  })),
});

interface DecisionRecord {
  readonly atUs: TsUs;
  /** `buy 1 at 19502 (fast is 1.20 ticks from slow)`. */
  readonly text: string;
}

/** Decisions kept of one strategy; later ones are not compared. */
const DECISIONS_MAX = 500_000;

/** Reads the decisions of each strategy from the journal of a run, in order. */
export class DecisionLog {
  readonly decisions: readonly DecisionRecord[][];

  constructor(strategies: number) {
    this.decisions = Array.from({ length: strategies }, () => []);
  }

  readonly onEntry = (entry: JournalEntry): void => {
    if (entry.kind !== 'proposal' || entry.by !== 'strategy') return;
    const log = this.decisions[entry.strategy ?? -1];
    if (log === undefined || log.length >= DECISIONS_MAX) return;
    log.push({ atUs: entry.tsUs, text: wordsOf(entry.proposal) });
  };
}

/** Ids of orders are left out: they count the orders of all strategies. */
function wordsOf(proposal: Proposal): string {
  if (proposal.do === 'cancel') return 'cancel';
  if (proposal.do === 'modify') {
    const { clientOrderId: _id, ...change } = proposal.change;
    return `change to ${JSON.stringify(change)}`;
  }
  const { kind, side, qty, limitPrice, reason, ...more } = proposal.intent;
  const terms = kind === 'limit' ? '' : ` ${kind}`;
  return `${side} ${qty}${terms} at ${limitPrice} (${reason}) ${JSON.stringify(more)}`;
}

/** The first place in which `other` decided differently before `untilUs`; null when nothing differs. */
export function firstDifference(
  one: readonly DecisionRecord[],
  other: readonly DecisionRecord[],
  untilUs: number,
): { readonly atUs: TsUs; readonly one: string; readonly other: string } | null {
  for (let i = 0; ; i += 1) {
    const [a, b] = [before(one[i], untilUs), before(other[i], untilUs)];
    if (a === undefined && b === undefined) return null;
    if (a?.atUs === b?.atUs && a?.text === b?.text) continue;
    const atUs = Math.min(a?.atUs ?? Infinity, b?.atUs ?? Infinity) as TsUs; // oxlint-disable-line typescript/no-unsafe-type-assertion -- one of the two is there
    return { atUs, one: a?.text ?? 'nothing', other: b?.text ?? 'nothing' };
  }
}

const before = (decision: DecisionRecord | undefined, untilUs: number): DecisionRecord | undefined =>
  decision !== undefined && decision.atUs < untilUs ? decision : undefined;

// The second run is in a thread of its own: strategies are loaded afresh, under another clock, in another time zone and language, without
// the environment of the first.

export interface SecondRunOrder {
  readonly file: string;
  readonly seed: number | undefined;
  /** Longest time that a strategy may take for one event. */
  readonly eventMsMax: number;
  readonly stackNames: ReadonlyMap<string, string>;
  /** Names the strategy whose code runs, and counts its calls: the slots are in `strategy/containment.ts`. */
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
  const [{ file }, stackNames] = [backtest, stackNamesOf(backtest)];
  const workerData: SecondRunOrder = { file, seed, eventMsMax, stackNames, running: running.buffer };
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
    const stopWatch = watchCalls(running, eventMsMax, (index) =>
      resolve(hangText(backtest, index, eventMsMax)),
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
