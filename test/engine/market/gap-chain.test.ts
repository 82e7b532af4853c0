import { expect, it } from 'vitest';
import { GapChain } from '../../../src/engine/market/market.ts';

/** Quantity and total volume of each trade, what the last one is, and which total comes next. */
it.each([
  ['5/105', 'first', 105],
  ['5/105 2/107', 'next', 107],
  ['5/105 5/105', 'duplicate', 110],
  ['5/105 2/110', 'gap', 107],
  ['5/105 4/107', 'gap', 109],
  ['5/105 3/3', 'reset', 108],
  ['5/105 3/3 1/4', 'next', 4],
  ['5/105 2/110 1/111', 'next', 111],
])('%s ends in %s', (trades, link, expected) => {
  const chain = new GapChain();
  const links = trades.split(' ').map((trade) => {
    const [qty = 0, total = 0] = trade.split('/').map(Number);
    return chain.take(qty, total);
  });
  expect(links.at(-1)).toBe(link);
  expect(chain.expectedTotal).toBe(expected);
});

it('begins again with a day', () => {
  const chain = new GapChain();
  chain.take(5, 105);
  chain.restart();
  expect(chain.take(1, 300)).toBe('first');
});
