import { expect, it } from 'vitest';
import { GapChain } from '../../../src/engine/market/market.ts';

it.each([
  // qty and total volume of each trade, and what the last one is
  { trades: [[5, 105]], link: 'first', expected: 105 },
  { trades: [[5, 105], [2, 107]], link: 'next', expected: 107 }, // prettier-ignore
  {
    trades: [
      [5, 105],
      [5, 105],
    ],
    link: 'duplicate',
    expected: 110,
  },
  {
    trades: [
      [5, 105],
      [2, 110],
    ],
    link: 'gap',
    expected: 107,
  },
  {
    trades: [
      [5, 105],
      [4, 107],
    ],
    link: 'gap',
    expected: 109,
  },
  {
    trades: [
      [5, 105],
      [3, 3],
    ],
    link: 'reset',
    expected: 108,
  },
  {
    trades: [
      [5, 105],
      [3, 3],
      [1, 4],
    ],
    link: 'next',
    expected: 4,
  },
  {
    trades: [
      [5, 105],
      [2, 110],
      [1, 111],
    ],
    link: 'next',
    expected: 111,
  },
])('$trades ends in $link', ({ trades, link, expected }) => {
  const chain = new GapChain();
  const links = trades.map(([qty = 0, total = 0]) => chain.check(qty, total));
  expect(links.at(-1)).toBe(link);
  expect(chain.expectedTotal).toBe(expected);
});

it('begins anew with a day', () => {
  const chain = new GapChain();
  chain.check(5, 105);
  chain.restart();
  expect(chain.check(1, 300)).toBe('first');
});
