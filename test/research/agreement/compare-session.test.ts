/** A session of a few orders over a recording of a few rows: what the model makes of them, and why it differs. */
import { describe, expect, it, test } from 'vitest';
import {
  BEST_GUESS,
  ENDS_AND_MIDDLE,
  explainFill,
  guesses,
  type Guess,
  modelFills,
} from '../../../src/research/agreement/compare-session.ts';
import type { SessionCall, SessionOrder } from '../../../src/research/recorded/session-orders.ts';

/** `[second, price, qty, side]`, the book `[bid, bidQty, ask, askQty]` after it. */
type Row = readonly [number, number, number, number, readonly [number, number, number, number]];

const ROWS: readonly Row[] = [
  [1, 100, 1, 1, [99, 5, 100, 5]],
  [2, 100, 0, 0, [99, 5, 100, 2]],
  [3, 101, 1, 1, [100, 4, 101, 3]],
  [4, 100, 2, -1, [100, 2, 101, 3]],
  [5, 100, 2, -1, [99, 5, 100, 1]],
  [6, 99, 1, -1, [99, 4, 100, 1]],
];

const column = (of: (row: Row) => number): Int32Array => Int32Array.from(ROWS, of);
const MARKET = {
  rows: {
    rows: ROWS.length,
    tsUs: Float64Array.from(ROWS, ([at]) => at * 1e6),
    priceTicks: column(([, price]) => price),
    qty: column(([, , qty]) => qty),
    side: Int8Array.from(ROWS, ([, , , side]) => side),
    book: {
      depth: 1,
      bidPrice: [column((row) => row[4][0])],
      bidQty: [column((row) => row[4][1])],
      askPrice: [column((row) => row[4][2])],
      askQty: [column((row) => row[4][3])],
    },
    bars: null,
    isQuotes: false,
  },
  phases: [{ atUs: 0, phase: 'continuous' as const }],
};

const order = (facts: Partial<SessionOrder> = {}): SessionOrder => ({
  id: 'H.1',
  strategy: 'ema',
  contract: 'VN30F2603',
  side: 'buy',
  qty: 1,
  limitPrice: 100,
  decidedUs: 1.5e6,
  filledQty: 0,
  filledValue: 0,
  ...facts,
});

const call = (
  of: SessionOrder,
  does: SessionCall['does'],
  from: number,
  to: number,
  limitPrice = of.limitPrice,
) => ({
  does,
  order: of,
  limitPrice,
  qty: of.qty,
  sentUs: from * 1e6,
  answeredUs: to * 1e6,
});

const fillOf = (calls: readonly SessionCall[], guess: Guess = BEST_GUESS) => {
  const [first] = calls;
  const fill = first === undefined ? undefined : modelFills(calls, MARKET, guess).get(first.order);
  return fill === undefined
    ? 'not'
    : `${fill.qty} at ${fill.tickValue / fill.qty}: ${[...fill.clauses].join()}`;
};

const variants = (calls: readonly SessionCall[]) =>
  guesses(ENDS_AND_MIDDLE, ENDS_AND_MIDDLE).map((guess) => ({
    guess,
    fill: modelFills(calls, MARKET, guess).get(calls[0]!.order),
  }));

describe('the model, given the calls of a session', () => {
  it('lets an order meet what the book showed when it arrived', () => {
    expect(fillOf([call(order(), 'place', 1.2, 1.8)])).toBe('1 at 100: shown');
    expect(fillOf([call(order({ limitPrice: 103 }), 'place', 3.2, 3.4)])).toBe('1 at 101: shown');
  });

  it('lets it wait behind what rested there, and be traded through', () => {
    // Four rested at 100 when it came; two and two were sold into them before the market fell to 99.
    expect(fillOf([call(order(), 'place', 3.2, 3.6)])).toBe('1 at 100: traded_through');
    expect(fillOf([call(order(), 'place', 3.2, 3.6)], { ...BEST_GUESS, queue: 'touch' })).toBe(
      '1 at 100: queue_reached',
    );
  });

  it('takes it out where it was canceled in time, and moves it where it was changed', () => {
    const canceled = order();
    const place = call(canceled, 'place', 3.2, 3.6);
    expect(fillOf([place, call(canceled, 'cancel', 3.7, 3.9)])).toBe('not');
    expect(fillOf([place, call(canceled, 'change', 3.7, 3.9, 101)])).toBe('1 at 101: shown');
  });

  it('lets no call of an order overtake the one before it', () => {
    const one = order();
    const calls = [call(one, 'place', 1.2, 5.8), call(one, 'cancel', 1.3, 1.4)];
    expect(fillOf(calls)).toBe('not');
  });
});

it('never shows the exchange an order that was canceled on its way there', () => {
  const one = order({ limitPrice: 103 });
  const calls = [call(one, 'place', 3.2, 3.4), call(one, 'cancel', 3.5, 3.6)];
  expect(fillOf(calls)).toBe('1 at 101: shown');
  // It would arrive at 3.7.
  expect(fillOf(calls, { ...BEST_GUESS, place: 2.5 })).toBe('not');
});

describe('why a fill differs', () => {
  test.each([
    // Sent at 2.4 and answered at 3.4: the ask was 100 before the third row and 101 after it.
    ['at the end of the way', 'latency', { qty: 1, tickValue: 100 }, [2.4, 3.4, 103]],
    ['not what any moment gives', 'unexplained', { qty: 1, tickValue: 98 }, [2.4, 3.4, 103]],
    ['more than was ordered', 'unexplained', { qty: 2, tickValue: 200 }, [2.4, 3.4, 103]],
  ] as const)('%s: %s', (_, clause, paper, [from, to, limitPrice]) => {
    const one = order({ limitPrice });
    expect(explainFill(paper, variants([call(one, 'place', from, to)]))).toBe(clause);
  });

  it('is the queue where only another quantity ahead gives the same', () => {
    const one = order();
    const calls = [call(one, 'place', 3.2, 3.6), call(one, 'cancel', 4.2, 4.6)];
    expect(fillOf(calls)).toBe('not');
    expect(explainFill({ qty: 1, tickValue: 100 }, variants(calls))).toBe('queue');
  });
});
