/** The checker of fills finds what is wrong: each row is a fill that cannot be, on a tape of seven prints. */
import type { BacktestFill } from '../../../src/research/backtest-result.ts';
import { describe, expect, test } from 'vitest';
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { money, priceTicks, tsUs } from '../../../src/domain/units.ts';
import { allocateRows } from '../../../src/recording/columns/tick-file.ts';
import { wrongFills } from './tape-check.ts';

const DAY = tradingDay('2026-03-04');
const BAND = { floor: priceTicks(900), ceiling: priceTicks(1_100) };

function at(time: string) {
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  return tsUs(momentOf(DAY, ((hour * 60 + minute) * 60 + second) * 1_000_000, 420));
}

const PRINTS = [
  ['09:00:00', 1_000, 7, 0],
  ['09:00:00', 1_000, 5, 0],
  ['09:00:01', 1_001, 3, 1],
  ['10:00:00', 999, 4, -1],
  ['12:00:00', 999, 4, -1],
  ['14:40:00', 999, 4, -1],
  ['14:45:00', 998, 9, 1],
] as const;

const TAPE = allocateRows(0, PRINTS.length);
PRINTS.forEach(([time, price, qty, side], row) => {
  TAPE.tsUs[row] = at(time);
  TAPE.priceTicks[row] = price;
  TAPE.qty[row] = qty;
  TAPE.side[row] = side;
});

type Line = readonly [
  time: string,
  side: 'buy' | 'sell',
  qty: number,
  price: number,
  clause: BacktestFill['clause'],
];

const fillOf = ([time, side, qty, price, clause]: Line): BacktestFill => ({
  tsUs: at(time),
  decidedUs: at(time),
  instrument: 0,
  strategy: 0,
  side,
  qty,
  priceTicks: price,
  value: money(price * qty * 10_000),
  fee: money(0),
  tax: money(0),
  liquidity: 'maker',
  clause,
  cause: 'order',
  midTwice: 0,
  decidedMidTwice: 0,
  orderNo: 1,
  positionAfter: 0,
});

const wrongOf = (...fills: readonly Line[]): string =>
  wrongFills(TAPE, fills.map(fillOf), BAND)
    .map((text) => text.slice(text.indexOf('Z: ') + 3))
    .join('; ');

describe('the checker of fills', () => {
  test.each<{ why: string; fills: readonly Line[]; wrong: string }>([
    { why: 'all is well', fills: [['10:00:00', 'buy', 4, 999, 'queue_reached']], wrong: '' },
    { why: 'an uncross', fills: [['09:00:00', 'buy', 9, 1_000, 'uncross']], wrong: '' },
    {
      why: 'in the break',
      fills: [['12:00:00', 'buy', 1, 999, 'queue_reached']],
      wrong: 'not at this time (none)',
    },
    {
      why: 'after the close',
      fills: [['14:45:00', 'buy', 1, 998, 'queue_reached']],
      wrong: 'not at this time (closing_second)',
    },
    {
      why: 'an uncross that is none',
      fills: [['10:00:00', 'buy', 1, 999, 'uncross']],
      wrong: 'not at this time (continuous)',
    },
    {
      why: 'not at its price',
      fills: [['09:00:00', 'buy', 1, 999, 'uncross']],
      wrong: 'the tape was worse; 1 in all, and 0 were printed',
    },
    {
      why: 'more than the uncross',
      fills: [
        ['09:00:00', 'buy', 9, 1_000, 'uncross'],
        ['09:00:00', 'sell', 4, 1_000, 'uncross'],
      ],
      wrong: '13 in all, and 12 were printed',
    },
    { why: 'outside the band', fills: [['10:00:00', 'sell', 1, 899, 'shown']], wrong: 'outside 900 to 1100' },
    {
      why: 'nobody traded there',
      fills: [['10:00:00', 'buy', 1, 998, 'queue_reached']],
      wrong: 'the tape was worse; 1 in all, and 0 were printed',
    },
    {
      why: 'more than was printed',
      fills: [
        ['10:00:00', 'buy', 3, 999, 'queue_reached'],
        ['10:00:00', 'buy', 2, 999, 'queue_reached'],
      ],
      wrong: '5 in all, and 4 were printed',
    },
    {
      why: 'cheaper than the last trade',
      fills: [['09:30:00', 'buy', 1, 1_000, 'shown']],
      wrong: 'the tape was worse',
    },
  ])('$why', ({ fills, wrong }) => {
    expect(wrongOf(...fills)).toBe(wrong);
  });
});
