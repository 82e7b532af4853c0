/**
 * Which order of the one run is which of the other. Orders of a strategy are compared in their order; two are the same when
 * strategy, contract, side, quantity and price are. The longest common sequence is taken, so that one order more or less does
 * not make all that follow it different.
 */
import type { OrderFact } from './order-facts.ts';

export interface OrderPair {
  readonly paper: OrderFact;
  readonly backtest: OrderFact;
}

export function matchOrders(
  paper: readonly OrderFact[],
  backtest: readonly OrderFact[],
): readonly OrderPair[] {
  const strategies = [...new Set(paper.map(({ strategy }) => strategy))];
  return strategies.flatMap((wanted) => {
    const isIts = ({ strategy }: OrderFact): boolean => strategy === wanted;
    return longestCommon(paper.filter(isIts), backtest.filter(isIts));
  });
}

const isSame = (a: OrderFact, b: OrderFact): boolean =>
  a.contract === b.contract && a.side === b.side && a.qty === b.qty && a.limitPrice === b.limitPrice;

/** Orders that are the same but for much longer than this were not decided on the same news. */
const APART_US_MAX = 60_000_000;

/** Dynamic programming over lengths of common tails; equal pairs that lie far apart in time do not count. */
function longestCommon(paper: readonly OrderFact[], backtest: readonly OrderFact[]): OrderPair[] {
  const width = backtest.length + 1;
  const lengths = new Uint32Array((paper.length + 1) * width);
  const pairAt = (i: number, j: number): OrderPair | undefined => {
    const [a, b] = [paper[i], backtest[j]];
    if (a === undefined || b === undefined || !isSame(a, b)) return undefined;
    return Math.abs(a.decidedUs - b.decidedUs) <= APART_US_MAX ? { paper: a, backtest: b } : undefined;
  };
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = paper.length - 1; i >= 0; i -= 1) {
    for (let j = backtest.length - 1; j >= 0; j -= 1) {
      const skipped = Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
      const taken = pairAt(i, j) === undefined ? 0 : lengthAt(i + 1, j + 1) + 1;
      lengths[i * width + j] = Math.max(skipped, taken);
    }
  }
  const pairs: OrderPair[] = [];
  let [i, j] = [0, 0];
  while (i < paper.length && j < backtest.length) {
    const pair = pairAt(i, j);
    if (pair !== undefined && lengthAt(i, j) === lengthAt(i + 1, j + 1) + 1) {
      pairs.push(pair);
      i += 1;
      j += 1;
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
