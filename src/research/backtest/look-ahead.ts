/** Finds strategies that look ahead: data cut off at a moment, and decisions written down to be compared. */
import { assert } from '../../domain/assert.ts';
import type { TsUs } from '../../domain/units.ts';
import { firstRowAt, rowsBetween, type TickRows } from '../../recording/columns/tick-file.ts';
import type { JournalEntry, Proposal } from '../../engine/ports/journal-entry.ts';
import { ROWS_PER_BAR } from '../../venue/exchange/bar-exchange.ts';
import type { BacktestData, BacktestDay, DayTape } from '../backtest-plan.ts';

/** Cuts after about `part` of the rows, 0 to 1: before `cutUs` the rest cannot be distinguished from the whole. */
export function cutOff(data: BacktestData, part: number) {
  const wanted = Math.floor(data.rows * part);
  let rows = 0;
  for (const [place, day] of data.days.entries()) {
    const opened = data.open(day);
    const today = opened.tapes.reduce((sum, tape) => sum + tape.rows.rows, 0);
    if (rows + today > wanted || place === data.days.length - 1) {
      const atUs = momentAt(opened, wanted - rows);
      const days = data.days.slice(0, place + 1);
      const cutUs = Math.min(atUs, ...opened.tapes.map((tape) => firstLost(tape, atUs)));
      return {
        data: { ...data, days, open: (each: typeof day) => withoutFuture(data.open(each), atUs) },
        cutUs,
      };
    }
    rows += today;
  }
  throw new Error('Invariant: a run has a day');
}

/** Time of the row before which the wanted part of the day's longest tape lies. */
function momentAt({ tapes }: BacktestDay, row: number): number {
  const longest = tapes.toSorted((a, b) => b.rows.rows - a.rows.rows)[0];
  assert(longest !== undefined, 'a day has a tape');
  const { rows } = longest;
  const all = tapes.reduce((sum, tape) => sum + tape.rows.rows, 0);
  const place = Math.floor((row / Math.max(1, all)) * rows.rows);
  return rows.tsUs[Math.min(Math.max(0, place), rows.rows - 1)] ?? 0;
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
  tapes: day.tapes.map(({ contract, rows }) => ({
    contract,
    rows: rowsBetween(rows, 0, rowsBefore(rows, atUs)),
  })),
});

export interface DecisionRecord {
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
