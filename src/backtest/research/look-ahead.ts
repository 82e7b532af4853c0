/** Finds strategies that look ahead: data cut off at a moment, and decisions written down to be compared. */
import { assert } from '../../domain/assert.ts';
import type { TsUs } from '../../domain/units.ts';
import { firstRowAt, rowsBetween, type TickRows } from '../../recording/columns/tick-columns.ts';
import type { LegTrader, OrderChange, StrategyDefinition, StrategyInstance } from '../../strategy/index.ts';
import { ROWS_PER_BAR } from '../../venue/exchange/bar-exchange.ts';
import type { BacktestData, BacktestDay, DayTape } from '../backtest-plan.ts';

/** Cuts after about `part` of the rows, 0 to 1: before `cutUs` nobody can tell the rest of the data from the whole. */
export function cutOff(
  data: BacktestData,
  part: number,
): { readonly data: BacktestData; readonly cutUs: number } {
  const wanted = Math.floor(data.rows * part);
  let rows = 0;
  for (const [place, day] of data.days.entries()) {
    const opened = data.open(day);
    const today = opened.tapes.reduce((sum, tape) => sum + tape.rows.rows, 0);
    if (rows + today > wanted || place === data.days.length - 1) {
      const atUs = momentAt(opened, wanted - rows);
      const days = data.days.slice(0, place + 1);
      const cutUs = Math.min(atUs, ...opened.tapes.map((tape) => firstLost(tape, atUs)));
      return { data: { ...data, days, open: (each) => withoutFuture(data.open(each), atUs) }, cutUs };
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

export interface Decision {
  readonly atUs: TsUs;
  /** `buy 1 VN30F2603 at 19502 (fast is 1.20 ticks from slow)`. */
  readonly text: string;
}

/** Decisions kept of one strategy; later ones are not compared. */
const DECISIONS_MAX = 500_000;

/** The same strategies, and the decisions of each in the order in which it took them. */
export function watchDecisions(strategies: readonly StrategyInstance[]): {
  readonly strategies: readonly StrategyInstance[];
  readonly decisions: readonly (readonly Decision[])[];
} {
  const decisions = strategies.map((): Decision[] => []);
  return {
    strategies: strategies.map((instance, place) => ({
      ...instance,
      definition: watched(instance.definition, decisions[place] ?? []),
    })),
    decisions,
  };
}

const watched = (definition: StrategyDefinition, log: Decision[]): StrategyDefinition => ({
  ...definition,
  connect: (ticks, trader) => {
    const seen = watchedLeg(trader, log);
    const legs = new Map<string, LegTrader>();
    Object.defineProperty(seen, 'leg', {
      value: (name: string) => {
        const known = legs.get(name) ?? watchedLeg(trader.leg(name), log);
        legs.set(name, known);
        return known;
      },
    });
    definition.connect(ticks, seen);
  },
});

const words = ({ qty, price, reason }: Parameters<LegTrader['buy']>[0]): string =>
  `${qty} at ${price} (${reason})`;

function changeWords(change: OrderChange): string {
  if ('price' in change) return `price ${change.price}`;
  return 'qty' in change ? `quantity ${change.qty}` : `trigger ${change.trigger}`;
}

/** Ids of orders are left out: they count the orders of all strategies. */
function watchedLeg<D extends LegTrader>(trader: D, log: Decision[]): D {
  const note = (text: string): void => {
    if (log.length < DECISIONS_MAX)
      log.push({ atUs: trader.time(), text: `${text} ${trader.contract.orderCode}` });
  };
  const seen: Pick<LegTrader, 'submit' | 'buy' | 'sell' | 'modify' | 'cancel'> = {
    submit: (...asked) => {
      note(asked.length === 1 ? JSON.stringify(asked[0]) : `${asked[0]} ${words(asked[1])}`);
      return trader.submit(...asked);
    },
    buy: (order) => {
      note(`buy ${words(order)}`);
      return trader.buy(order);
    },
    sell: (order) => {
      note(`sell ${words(order)}`);
      return trader.sell(order);
    },
    modify: (id, change) => {
      note(`change to ${changeWords(change)}`);
      trader.modify(id, change);
    },
    cancel: (id) => {
      note('cancel');
      trader.cancel(id);
    },
  };
  const made: D = Object.create(trader); // oxlint-disable-line typescript/no-unsafe-assignment -- the trader itself, with five calls seen
  return Object.assign(made, seen);
}

/** The first place in which `other` decided differently before `untilUs`; null when nothing differs. */
export function firstDifference(
  one: readonly Decision[],
  other: readonly Decision[],
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

const before = (decision: Decision | undefined, untilUs: number): Decision | undefined =>
  decision !== undefined && decision.atUs < untilUs ? decision : undefined;
