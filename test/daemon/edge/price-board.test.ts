import { expect, test } from 'vitest';
import { joinedBars } from '../../../src/operator/cockpit/candles.ts';
import { PriceBoard } from '../../../src/daemon/edge/price-board.ts';

import { priceTicks, qty, seq, tsUs, US_PER_MINUTE } from '../../../src/domain/units.ts';
import type { MarketEvent } from '../../../src/engine/ports/engine-event.ts';
import { contract } from '../../support/strategy-fixtures.ts';

const FRONT = contract(0);
const MINUTE_MS = 60_000;

let total = 0;

function trade(at: number, price: number, quantity: number, minute = 0): MarketEvent {
  total += quantity;
  return {
    kind: 'trade',
    seq: seq(at),
    tsUs: tsUs(minute * US_PER_MINUTE + at),
    instrument: FRONT.index,
    price: priceTicks(price),
    qty: qty(quantity),
    totalVolume: total,
  };
}

const bid = (at: number, price: number): MarketEvent => ({
  kind: 'book_update',
  seq: seq(at),
  tsUs: tsUs(at),
  instrument: FRONT.index,
  side: 'bid',
  levels: [{ price: priceTicks(price), qty: qty(5) }],
});

const ask = (at: number, price: number): MarketEvent => ({ ...bid(at, price), side: 'ask' }) as MarketEvent;

test('gives what changed since the last read, merged, and nothing twice', () => {
  const board = new PriceBoard(() => [FRONT]);
  board.take(trade(1, 13_000, 1));
  board.take(trade(2, 13_001, 2));
  const first = board.since(0);
  expect(first.prices).toMatchObject([{ contract: FRONT.orderCode, last: [1_300.1, 2] }]);
  expect(board.since(first.version).prices).toEqual([]);
  board.take(bid(3, 13_000));
  board.take(ask(4, 13_002));
  expect(board.since(first.version).prices).toMatchObject([
    { last: [1_300.1, 2], bids: [[1_300, 5]], asks: [[1_300.2, 5]] },
  ]);
});

test('shows no levels of before a disconnect', () => {
  const board = new PriceBoard(() => [FRONT]);
  board.take(bid(1, 13_000));
  board.take(ask(2, 13_002));
  board.down();
  expect(board.since(0).prices).toMatchObject([{ bids: [], asks: [] }]);
});

test('the last price of a day stays until the next one has its own', () => {
  const board = new PriceBoard(() => [FRONT]);
  board.take(trade(1, 13_000, 1));
  const { version } = board.since(0);
  board.restart();
  expect(board.bars(FRONT)).toEqual([]);
  expect(board.since(version).prices).toMatchObject([{ last: [1_300, 1], atMs: 0 }]);
  board.take(bid(2, 12_000));
  board.take(ask(2, 12_001));
  expect(board.since(0).prices.at(-1)).toMatchObject({ last: [1_300, 1], bids: [[1_200, 5]] });
  board.remember(board.since(0).prices);
  expect(board.since(0).prices.at(-1)).toMatchObject({ last: [1_300, 1], bids: [[1_200, 5]] });
  board.take(trade(3, 12_010, 2));
  board.remember(board.since(version).prices.map((each) => ({ ...each, last: [1, 1] as const })));
  expect(board.since(version).prices, 'what was read late is older').toMatchObject([{ last: [1_201, 2] }]);
});

test('a duplicate trade adds nothing to a candle', () => {
  const board = new PriceBoard(() => [FRONT]);
  const one = trade(1, 13_000, 1);
  board.take(one);
  board.take(one);
  board.take(trade(2, 13_010, 2));
  board.take(trade(3, 12_990, 3, 1));
  expect(board.bars(FRONT)).toEqual([
    [0, 1_300, 1_301, 1_300, 1_301, 3],
    [MINUTE_MS, 1_299, 1_299, 1_299, 1_299, 3],
  ]);
});

test('joins the candles of the past and the present at their common minute', () => {
  const past = [[0, 10, 12, 9, 11, 5] as const, [MINUTE_MS, 11, 11, 8, 9, 2] as const];
  const present = [[MINUTE_MS, 9, 13, 9, 12, 4] as const, [2 * MINUTE_MS, 12, 12, 12, 12, 1] as const];
  expect(joinedBars([...past, ...present], 1)).toEqual([past[0], [MINUTE_MS, 11, 13, 8, 12, 6], present[1]]);
  expect(joinedBars(present, 1)).toEqual(present);
  expect(joinedBars(past, 1)).toEqual(past);
});
