/** Orders a second of the ladder next to the package nodejs-order-book, on the same flow of places, matches and cancels. */
import { OrderBook, Side } from 'nodejs-order-book';
import { Ladder } from '../../src/venue/exchange/ladder.ts';
import { CEILING, enter, FLOOR, ladderFlow, type LadderFlow, NONE } from './ladder-flow.ts';
import { type Candidate, timed } from './rounds.ts';

const SEED = 20_261_121;

/** What must be the same whoever does the work. */
interface Outcome {
  readonly traded: number;
  readonly bidQty: number;
  readonly askQty: number;
}

function sumOf(quantities: Iterable<number>): number {
  let sum = 0;
  for (const quantity of quantities) sum += quantity;
  return sum;
}

function throughLadder(flow: LadderFlow): Outcome {
  const ladder = new Ladder(FLOOR, CEILING);
  const handles = new Int32Array(flow.steps).fill(NONE);
  let traded = 0;
  for (let i = 0; i < flow.steps; i += 1) {
    const canceled = flow.cancels[i] ?? NONE;
    if (canceled === NONE) traded += enter(ladder, handles, flow, i);
    else ladder.cancel(handles[canceled] ?? NONE);
  }
  return { traded, bidQty: sumOf(ladder.depth('buy')), askQty: sumOf(ladder.depth('sell')) };
}

/** `ids` are made beforehand: the names of orders are not the book's work. */
function throughPackage(flow: LadderFlow, ids: readonly string[]): Outcome {
  const book = new OrderBook();
  let entered = 0;
  let canceledQty = 0;
  for (let i = 0; i < flow.steps; i += 1) {
    const canceled = flow.cancels[i] ?? NONE;
    if (canceled === NONE) {
      const size = flow.qty[i] ?? 0;
      const side = flow.side[i] === 1 ? Side.SELL : Side.BUY;
      const { err } = book.limit({ id: ids[i] ?? '', side, size, price: flow.price[i] ?? 0 });
      if (err !== null) throw new Error(`order ${i} was refused`, { cause: err });
      entered += size;
    } else {
      const order = book.cancel(ids[canceled] ?? '')?.order;
      canceledQty += order === undefined || !('size' in order) ? 0 : order.size;
    }
  }
  const [asks, bids] = book.depth();
  const bidQty = sumOf(bids.map(([, qty]) => qty));
  const askQty = sumOf(asks.map(([, qty]) => qty));
  // What entered was traded by two, taken out, or stands.
  return { traded: (entered - canceledQty - bidQty - askQty) / 2, bidQty, askQty };
}

export function ladderCandidates(steps: number): {
  readonly candidates: readonly Candidate[];
  readonly about: string;
} {
  const flow = ladderFlow(steps, SEED);
  const ids = Array.from({ length: steps }, (_, i) => `o${i}`);
  const ours = throughLadder(flow);
  const theirs = throughPackage(flow, ids);
  if (JSON.stringify(ours) !== JSON.stringify(theirs)) {
    throw new Error(`the books disagree: ${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`);
  }
  const cancels = flow.cancels.reduce((count, order) => count + (order === NONE ? 0 : 1), 0);
  return {
    about: `${steps - cancels} places, ${cancels} cancels, ${ours.traded} contracts traded: both books end alike`,
    candidates: [
      { name: 'ladder', run: () => timed(steps, () => throughLadder(flow)) },
      { name: 'nodejs-order-book', run: () => timed(steps, () => throughPackage(flow, ids)) },
    ],
  };
}
