/**
 * Explains why an order was filled on paper otherwise than by the model. Two things are unmeasured: the moment, between sending and
 * answer, at which a call reached the venue, and the quantity ahead in the queue. An explanation is proved: with the unknown at one
 * of its ends the model gives the fill of paper, or its ends lie on both sides of it. All other differences are `unexplained`.
 */
import { clauseText, type FillClause } from '../../venue/exchange/fill-models.ts';
import { Random } from '../../venue/market/random.ts';
import type { Guess, ModelFill } from './model-fills.ts';
import type { SessionCall } from '../recorded/session-orders.ts';

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

export interface Variant {
  readonly guess: Guess;
  readonly fill: ModelFill | undefined;
}

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
export function drawnGuesses(
  ways: ReadonlyMap<SessionCall, readonly number[]>,
  draws: number,
): readonly Guess[] {
  const random = new Random(1);
  return Array.from({ length: draws }, (_, draw) => {
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

export const isSameFill = (a: FillTotal, b: FillTotal): boolean =>
  a.qty === b.qty && a.tickValue === b.tickValue;

const isWithin = (value: number, values: readonly number[]): boolean =>
  values.length > 0 && value >= Math.min(...values) && value <= Math.max(...values);

const average = ({ qty, tickValue }: FillTotal): number => tickValue / qty;

/** Quantity and average price both within the range of the variants. */
function isBetween(paper: FillTotal, variants: readonly Variant[]): boolean {
  const fills = variants.map(({ fill }) => fill ?? NOTHING);
  const prices = fills.filter(({ qty }) => qty > 0).map(average);
  const isPriceWithin = paper.qty === 0 || isWithin(average(paper), prices);
  return (
    isPriceWithin &&
    isWithin(
      paper.qty,
      fills.map(({ qty }) => qty),
    )
  );
}

export const clausesText = (clauses: Iterable<FillClause>): string => [...clauses].map(clauseText).join('; ');
