/**
 * Explains why an order was filled on paper otherwise than by the model. Two things are unmeasured: the moment, between sending and
 * answer, at which a call reached the venue, and the quantity ahead in the queue. An explanation is proved: with the unknown at one
 * of its ends the model gives the fill of paper, or its ends lie on both sides of it. All other differences are `unexplained`.
 */
import { clauseText } from '../../venue/exchange/fill-models.ts';
import { Random } from '../../venue/market/random.ts';
import {
  type Guess,
  marketNear,
  type MarketOfDay,
  type ModelFill,
  modelFills,
  waysAtRows,
} from './model-fills.ts';
import type { SessionCall, SessionOrder } from '../recorded/session-orders.ts';

export type DifferenceClause = 'latency' | 'queue' | 'latency and queue' | 'between' | 'unexplained';

export const CLAUSE_WORDS: Readonly<Record<DifferenceClause, string>> = {
  latency:
    'filled the same when the call arrives at another moment between its sending and its answer (which the price stream shows late): the latency of the model',
  queue: 'filled the same with another quantity ahead of it: the queue of the model',
  'latency and queue': 'filled the same with another moment of arrival and another quantity ahead',
  between:
    'filled less favourably than with nobody ahead and more than with everybody ahead: the queue of the model',
  unexplained: 'neither the moment of arrival nor the queue explains it',
};

export type FillTotal = Pick<ModelFill, 'qty' | 'tickValue'>;

export type FillDifference = Exclude<ReturnType<typeof compareFills>[number], 'alike'>;

interface Variant {
  readonly guess: Guess;
  readonly fill: ModelFill | undefined;
}

/** Random arrivals tried for an order whose calls may each have had their own. */
const DRAWS = 3_000;
const MIDDLE = 0.5;
const NOTHING: FillTotal = { qty: 0, tickValue: 0 };

/** Default of the model: arrival in the middle, behind the quantity that was there. */
export const BEST_GUESS: Guess = { place: MIDDLE, change: MIDDLE, queue: 'queue' };

const QUEUES = ['queue', 'touch', 'through'] as const;

/** Shares of the way from sending to answer. */
export const ENDS_AND_MIDDLE = [0, MIDDLE, 1] as const;

export const guesses = (place: readonly number[], change: readonly number[]): readonly Guess[] =>
  QUEUES.flatMap((queue) =>
    place.flatMap((each) => change.map((other) => ({ place: each, change: other, queue }))),
  );

/** Draws an arrival for each call from its possible `ways`. */
function drawnGuesses(ways: ReadonlyMap<SessionCall, readonly number[]>): readonly Guess[] {
  const random = new Random(1);
  return Array.from({ length: DRAWS }, (_, draw) => {
    const drawn = [...ways].map(
      ([call, possible]) => [call, possible[random.below(possible.length)] ?? MIDDLE] as const,
    );
    return { ...BEST_GUESS, queue: QUEUES[draw % QUEUES.length] ?? 'queue', ways: new Map(drawn) };
  });
}

const isTimely = ({ place, change, ways }: Guess): boolean =>
  ways === undefined && place === MIDDLE && change === MIDDLE;

export function explainFill(paper: FillTotal, variants: readonly Variant[]): DifferenceClause {
  const same = variants.filter(({ fill = NOTHING }) => isSameFill(paper, fill)).map(({ guess }) => guess);
  if (same.some(({ queue }) => queue === 'queue')) return 'latency';
  if (same.some(isTimely)) return 'queue';
  if (same.length > 0) return 'latency and queue';
  return isBetween(paper, variants) ? 'between' : 'unexplained';
}

const isSameFill = (a: FillTotal, b: FillTotal): boolean => a.qty === b.qty && a.tickValue === b.tickValue;

const isWithin = (value: number, values: readonly number[]): boolean =>
  values.length > 0 && value >= Math.min(...values) && value <= Math.max(...values);

const average = ({ qty, tickValue }: FillTotal): number => tickValue / qty;

/** Quantity and average price both within the range of the variants. */
function isBetween(paper: FillTotal, variants: readonly Variant[]): boolean {
  const fills = variants.map(({ fill }) => fill ?? NOTHING);
  const prices = fills.filter(({ qty }) => qty > 0).map(average);
  const qtys = fills.map(({ qty }) => qty);
  return (paper.qty === 0 || isWithin(average(paper), prices)) && isWithin(paper.qty, qtys);
}

/** `alike`, or the difference, of each order that either side filled. */
export function compareFills(calls: readonly SessionCall[], market: MarketOfDay, tickMoney: number) {
  const best = modelFills(calls, market, BEST_GUESS);
  const placed = calls.filter(({ does }) => does === 'place').map(({ order }) => order);
  const filled = placed.filter((order) => order.filledQty > 0 || best.has(order));
  const paperOf = ({ filledQty: qty, filledValue }: SessionOrder): FillTotal => ({
    qty,
    tickValue: filledValue / tickMoney,
  });
  const modelOf = (order: SessionOrder): FillTotal => best.get(order) ?? NOTHING;
  const isAlike = (order: SessionOrder): boolean => isSameFill(paperOf(order), modelOf(order));
  const open = filled.filter((order) => !isAlike(order));
  const explained = explainAll(open, paperOf, calls, market);
  return filled.map((order) => {
    const clause = explained.get(order);
    if (clause === undefined) return 'alike';
    /** Empty where the model filled nothing. */
    const filledBy = [...(best.get(order)?.clauses ?? [])].map(clauseText).join('; ');
    const { qty, tickValue } = modelOf(order);
    return { order, paper: paperOf(order), backtest: { qty, tickValue }, clause, filledBy };
  });
}

/** Tries the ends and the middle of each interval first; for orders left unexplained, every change of the market inside it. */
function explainAll(
  orders: readonly SessionOrder[],
  paperOf: (order: SessionOrder) => FillTotal,
  calls: readonly SessionCall[],
  market: MarketOfDay,
): ReadonlyMap<SessionOrder, DifferenceClause> {
  const explained = new Map<SessionOrder, DifferenceClause>();
  // Prices and answers come from one venue to one process: no price was later than the slowest answer.
  const streamBehindUs = Math.max(0, ...calls.map(({ sentUs, answeredUs }) => answeredUs - sentUs));
  const explain = (some: readonly SessionOrder[], over: MarketOfDay, tried: readonly Guess[]): void => {
    const wanted = new Set(some);
    const theirs = calls.filter(({ order }) => wanted.has(order));
    const variants = tried.map((guess) => ({ guess, fills: modelFills(theirs, over, guess) }));
    for (const order of some) {
      const its = variants.map(({ guess, fills }) => ({ guess, fill: fills.get(order) }));
      const clause = explainFill(paperOf(order), its);
      if (clause !== 'unexplained' || !explained.has(order)) explained.set(order, clause);
    }
  };
  if (orders.length > 0) explain(orders, market, guesses(ENDS_AND_MIDDLE, ENDS_AND_MIDDLE));
  const isOpen = (order: SessionOrder): boolean =>
    explained.get(order) === 'unexplained' || explained.get(order) === 'between';
  for (const order of orders.filter(isOpen)) {
    const theirs = calls.filter((call) => call.order === order);
    const near = marketNear(theirs, market);
    const ways = new Map(theirs.map((call) => [call, waysAtRows(call, near.rows, streamBehindUs)]));
    const waysOf = (isPlace: boolean): readonly number[] =>
      theirs.flatMap((call) => ((call.does === 'place') === isPlace ? (ways.get(call) ?? []) : []));
    const oneByOne = [...guesses(waysOf(true), ENDS_AND_MIDDLE), ...guesses(ENDS_AND_MIDDLE, waysOf(false))];
    explain([order], near, oneByOne);
    if (isOpen(order)) explain([order], near, drawnGuesses(ways));
  }
  return explained;
}
