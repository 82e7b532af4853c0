import { expect, test } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { money } from '../../../src/domain/units.ts';
import { type SessionSummary, summaryText } from '../../../src/daemon/program/daemon-screen.ts';

const FACTS: SessionSummary = {
  session: tradingDay('2026-03-04'),
  strategies: [
    {
      strategy: 'ema-cross',
      orders: 12,
      fills: 9,
      filledQty: 14,
      rejected: 1,
      refusedChanges: 0,
      positions: [],
      denials: new Map([
        ['stream_down', 2],
        ['order_rate', 5],
      ]),
      fee: money(73_500),
      tax: money(155_316),
      realised: money(1_420_000),
      open: -30_000,
      net: 1_161_184,
    },
    {
      strategy: 'breakout',
      orders: 2,
      fills: 2,
      filledQty: 2,
      rejected: 0,
      refusedChanges: 0,
      positions: [],
      denials: new Map(),
      fee: money(10_500),
      tax: money(22_188),
      realised: money(-250_000),
      open: 0,
      net: -282_688,
    },
  ],
  books: [
    ['books', 'our positions are the broker’s at 14:30:05'],
    ['money', 'DIFFERS from the broker’s at 14:29:50: tax 177,504, broker 177,500'],
  ],
  unresolved: 0,
  alerts: 0,
};

test('a session is a table and how the books compare', () => {
  expect(summaryText(FACTS)).toMatchInlineSnapshot(`
    "Session 2026-03-04

    strategy   orders  fills  contracts    costs    realised     open     net VND
    ---------  ------  -----  ---------  -------  ----------  -------  ----------
    ema-cross      12      9         14  228,816  +1,420,000  -30,000  +1,161,184
    breakout        2      2          2   32,688    -250,000        0    -282,688
    total          14     11         16  261,504  +1,170,000  -30,000    +878,496
    ema-cross: risk denied 7 (order_rate 5, stream_down 2), the broker rejected 1.

    books: our positions are the broker’s at 14:30:05
    money: DIFFERS from the broker’s at 14:29:50: tax 177,504, broker 177,500
    No order is unresolved.
    No alerts."
  `);
});

test('nothing compared is not called equal', () => {
  expect(summaryText({ ...FACTS, books: [] })).toContain('it is not known how our books compare');
});

test('a profit that no engine could compute is unknown, and the total with it', () => {
  const [first, second] = FACTS.strategies;
  const text = summaryText({ ...FACTS, strategies: [{ ...first!, open: null, net: null }, second!] });
  const [held, flat, total] = text.split('\n').slice(4, 7);
  expect(held).toContain('+1,420,000  unknown   unknown');
  expect(flat).toContain('-282,688');
  expect(total).toContain('+1,170,000  unknown   unknown');
});
