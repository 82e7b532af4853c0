/** A random flow of orders into one book, made once and given to every book alike: as numbers, so that reading it costs nothing. */
import { Ladder } from '../../src/venue/exchange/ladder.ts';
import { Random } from '../../src/venue/market/random.ts';

export const FLOOR = 12_090;
export const CEILING = 13_910;

/** Nobody's handle. */
export const NONE = -1;

/** Step `i` places order `i` (`side` 0 buys, 1 sells) or, where `cancels` names one, takes that order out. */
export interface LadderFlow {
  readonly steps: number;
  readonly side: Uint8Array;
  readonly price: Int32Array;
  readonly qty: Int32Array;
  readonly cancels: Int32Array;
}

/** Orders stand this many ticks around the middle; the middle wanders. */
const AROUND = 40;
const QTY_MAX = 20;
/** Of 1,000 steps, so many take an order out that still stands; of 1,000 places, so many come through the touch. */
const CANCELS_PERMILLE = 350;
const TAKES_PERMILLE = 400;

export function ladderFlow(steps: number, seed: number): LadderFlow {
  const random = new Random(seed);
  const flow = {
    steps,
    side: new Uint8Array(steps),
    price: new Int32Array(steps),
    qty: new Int32Array(steps),
    cancels: new Int32Array(steps).fill(NONE),
  };
  const ladder = new Ladder(FLOOR, CEILING);
  const handles = new Int32Array(steps).fill(NONE);
  const alive: number[] = [];
  let middle = Math.round((FLOOR + CEILING) / 2);
  for (let i = 0; i < steps; i += 1) {
    const picked = random.chance(CANCELS_PERMILLE) ? pick(alive, handles, random) : NONE;
    if (picked !== NONE) {
      flow.cancels[i] = picked;
      ladder.cancel(handles[picked] ?? NONE);
      handles[picked] = NONE;
      continue;
    }
    if (random.chance(20)) middle += random.below(3) - 1;
    middle = Math.min(CEILING - 2 * AROUND, Math.max(FLOOR + 2 * AROUND, middle));
    const sells = random.below(2);
    const takes = random.chance(TAKES_PERMILLE);
    const behind = takes ? -random.below(4) : 1 + random.below(AROUND);
    flow.side[i] = sells;
    flow.price[i] = sells === 1 ? middle + behind : middle - behind;
    flow.qty[i] = 1 + random.below(QTY_MAX);
    enter(ladder, handles, flow, i);
    if (handles[i] !== NONE) alive.push(i);
  }
  return flow;
}

/** Matches order `i`, rests what is left, and keeps the handles of what stands. */
export function enter(ladder: Ladder, handles: Int32Array, flow: LadderFlow, i: number): number {
  const side = flow.side[i] === 1 ? 'sell' : 'buy';
  const price = flow.price[i] ?? 0;
  const quantity = flow.qty[i] ?? 0;
  const left = ladder.take(side, price, quantity);
  const { fills } = ladder;
  for (let f = 0; f < fills.count; f += 1) {
    if (fills.restingLeaves[f] === 0) handles[fills.restingTag[f] ?? 0] = NONE;
  }
  if (left > 0) handles[i] = ladder.rest(side, price, left, i);
  return quantity - left;
}

/** An order that still stands, or none; forgets those that do not. */
function pick(alive: number[], handles: Int32Array, random: Random): number {
  while (alive.length > 0) {
    const at = random.below(alive.length);
    const order = alive[at] ?? NONE;
    alive[at] = alive.at(-1) ?? NONE;
    alive.pop();
    if (handles[order] !== NONE) return order;
  }
  return NONE;
}
