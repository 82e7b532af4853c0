import { expect, it } from 'vitest';
import { orderCode } from '../../../src/domain/ids.ts';
import { priceTicks, qty, tsUs } from '../../../src/domain/units.ts';
import type { Print } from '../../../src/recording/read-prints.ts';
import { PrintFeed } from '../../../src/simulator/brokerage/open-market.ts';

const CODE = orderCode('41I1G3000');
const print = (at: number, aggressor: Print['aggressor']): Print => ({
  tsUs: tsUs(at),
  price: priceTicks(13_000 + at),
  qty: qty(1),
  aggressor,
});
const PRINTS = [print(10, null), print(20, 'buy'), print(20, 'sell'), print(30, 'buy')];

function drain(feed: PrintFeed, nowUs: number): (string | null)[] {
  const taken: (string | null)[] = [];
  for (let next = feed.take(tsUs(nowUs)); next !== undefined; next = feed.take(tsUs(nowUs)))
    taken.push(next.aggressor);
  return taken;
}

it('hands out what is due, in order, once', () => {
  const feed = new PrintFeed(PRINTS, CODE, undefined);
  expect(drain(feed, 9)).toEqual([]);
  expect(feed.nextDueUs()).toBe(10);
  expect(drain(feed, 20)).toEqual([null, 'buy', 'sell']);
  expect(drain(feed, 20)).toEqual([]);
  expect(drain(feed, 99)).toEqual(['buy']);
  expect(feed.nextDueUs()).toBe(Infinity);
});

it.each([
  [5, 10],
  [10, 20],
  [20, 30],
  [30, Infinity],
])('carries on after %d with the print at %d', (after, next) => {
  expect(new PrintFeed(PRINTS, CODE, tsUs(after)).nextDueUs()).toBe(next);
});
