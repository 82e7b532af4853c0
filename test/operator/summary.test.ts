import { expect, test } from 'vitest';
import { type SessionSummary, summaryText } from '../../src/operator/summary.ts';

const FACTS: SessionSummary = {
  session: '2026-03-04',
  strategies: [
    {
      strategy: 'ema-cross',
      orders: 12,
      fills: 9,
      filledQty: 14,
      rejected: 1,
      denials: new Map([
        ['stream_down', 2],
        ['order_rate', 5],
      ]),
      fee: 73_500,
      tax: 155_316,
      realised: 1_420_000,
      open: -30_000,
      net: 1_161_184,
    },
    {
      strategy: 'breakout',
      orders: 2,
      fills: 2,
      filledQty: 2,
      rejected: 0,
      denials: new Map(),
      fee: 10_500,
      tax: 22_188,
      realised: -250_000,
      open: 0,
      net: -282_688,
    },
  ],
  figures: [
    { what: 'fees today', ours: 84_000, broker: 84_000 },
    { what: 'tax today', ours: 177_504, broker: 177_500 },
  ],
  unresolved: 0,
  alerts: 0,
};

test('a session is two tables and a verdict', () => {
  expect(summaryText(FACTS)).toMatchInlineSnapshot(`
    "Session 2026-03-04

    strategy   orders  fills  contracts    costs    realised     open     net VND
    ---------  ------  -----  ---------  -------  ----------  -------  ----------
    ema-cross      12      9         14  228,816  +1,420,000  -30,000  +1,161,184
    breakout        2      2          2   32,688    -250,000        0    -282,688
    total          14     11         16  261,504  +1,170,000  -30,000    +878,496
    ema-cross: risk denied 7 (order_rate 5, stream_down 2), the broker rejected 1.

    figure         ours   broker
    ----------  -------  -------  -------------
    fees today   84,000   84,000  agrees
    tax today   177,504  177,500  DIFFERS by +4

    Our books are NOT the broker’s: 1 of 2 figures differ.
    No order is unresolved.
    No alerts."
  `);
});

test('equal books are said to be equal', () => {
  const figures = [{ what: 'cash', ours: -5, broker: -5 }];
  expect(summaryText({ ...FACTS, figures })).toContain(
    'Our books are the broker’s: 1 figure compared, all agree.',
  );
});

test('nothing compared is not called equal', () => {
  const text = summaryText({ ...FACTS, figures: [] });
  expect(text).toContain('nothing was compared');
  expect(text).not.toContain('agree');
});

test.each([
  [1, 1, '1 order unresolved', '1 alert.'],
  [3, 1_000, '3 orders unresolved', '1,000 alerts.'],
])('%d unresolved and %d alerts are told', (unresolved, alerts, first, second) => {
  const text = summaryText({ ...FACTS, unresolved, alerts });
  expect(text).toContain(first);
  expect(text).toContain(second);
});

test('a session without strategies says so', () => {
  expect(summaryText({ ...FACTS, strategies: [] })).toContain('No strategy did anything.');
});

test('a profit that needs a price nobody gave is unknown, and the total with it', () => {
  const [first, second] = FACTS.strategies;
  const text = summaryText({ ...FACTS, strategies: [{ ...first!, open: null, net: null }, second!] });
  const [held, flat, total] = text.split('\n').slice(4, 7);
  expect(held).toContain('+1,420,000  unknown   unknown');
  expect(flat).toContain('-282,688');
  expect(total).toContain('+1,170,000  unknown   unknown');
});
