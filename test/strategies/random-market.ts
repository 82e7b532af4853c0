/** A seeded market for the fake trader: two contracts that move together, with everything that can go wrong on the way. */
import type { Contract } from '../../src/domain/contract.ts';
import type { OrderIntent } from '../../src/domain/order.ts';
import { seconds } from '../../src/domain/units.ts';
import type { FakeTrader } from '../support/fake-trader.ts';
import type { Answer } from '../support/fake-orders.ts';

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Trouble {
  /** Chances a step, 0 to 1. */
  readonly gap?: number;
  readonly feedDown?: number;
  readonly tornBook?: number;
  /** Chance that an order is refused, in one of the ways. */
  readonly refusal?: number;
  /** Chance that an order's fate is unknown for a while. */
  readonly unknown?: number;
  /** Seconds of a step, 1 when not given. */
  readonly stepSeconds?: number;
}

const REFUSALS: readonly Answer[] = ['deny', 'reject', 'not_sent'];

export function answersOf(seed: number, trouble: Trouble): (intent: OrderIntent) => Answer {
  const random = randomOf(seed ^ 0x5bd1e995);
  return () => {
    const chance = random();
    if (chance < (trouble.refusal ?? 0)) return REFUSALS[Math.floor(random() * REFUSALS.length)]!;
    return chance < (trouble.refusal ?? 0) + (trouble.unknown ?? 0) ? 'unknown' : 'accept';
  };
}

/** Some seconds of market a step; `look` is called after each. */
export function playMarket(
  trader: FakeTrader,
  seed: number,
  steps: number,
  trouble: Trouble = {},
  look: () => void = () => {},
): void {
  const random = randomOf(seed);
  let middle = 13_000;
  let spread = 20;
  let isUp = true;
  for (let step = 0; step < steps; step += 1) {
    trader.advance(seconds(trouble.stepSeconds ?? 1));
    look();
    middle += Math.round((random() - 0.5) * 8 + 3 * Math.sin(step / 40));
    spread += Math.round((random() - 0.5) * 4 - (spread - 20) / 10);
    if (!isUp || random() < (trouble.feedDown ?? 0)) {
      isUp = random() < 0.2;
      trader.feed(isUp ? 'live' : 'down');
      if (!isUp) continue;
    }
    if (random() < (trouble.gap ?? 0)) trader.gap(random() < 0.5 ? 0 : 1);
    for (const { index } of trader.contracts)
      quote(trader, index, middle + index * spread, random() < (trouble.tornBook ?? 0));
    if (random() < 0.2) lookUp(trader, random() < 0.5);
    look();
  }
}

function quote(trader: FakeTrader, instrument: Contract['index'], middle: number, isTorn: boolean): void {
  if (isTorn) trader.book(middle + 1, middle, instrument);
  else trader.book(middle - 1, middle + 1, instrument);
  if (trader.phase() === 'continuous') trader.trade(middle, 1, instrument);
}

/** The look-up of an order whose fate was unknown: it lives, or it never arrived. */
function lookUp(trader: FakeTrader, isAlive: boolean): void {
  for (const strategy of [0, 1]) {
    for (const { clientOrderId, status } of trader.workingOrders(strategy)) {
      if (status !== 'unknown') continue;
      trader.dispatch(() => trader.orders.answer(clientOrderId, isAlive ? 'accept' : 'not_sent'));
    }
  }
}
