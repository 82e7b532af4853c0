import { expect, test } from 'vitest';
import { money, qty, tsUs } from '../../src/domain/units.ts';
import type { EntryOf } from '../../src/engine/ports/journal-entry.ts';
import { foldSession, type NamedEntry, sessionResult } from '../../src/journal/fold-session.ts';
import { ENTRIES } from '../operator/entries.ts';

const fill = (at: number, side: 'buy' | 'sell', count: number, price: number): NamedEntry => ({
  strategyName: 'alpha',
  entry: {
    ...ENTRIES.fill,
    tsUs: tsUs(at),
    side,
    qty: qty(count),
    value: money(price * count),
    fee: money(3 * count),
    tax: money(2 * count),
  },
});

const named = (entry: NamedEntry['entry']): NamedEntry => ({ strategyName: 'alpha', entry });

const short = ({
  side,
  qty: count,
  entryValue,
  exitValue,
  net,
}: ReturnType<typeof sessionResult>['trades'][number]) => [side, count, entryValue, exitValue, net];

test('a trade goes from flat to flat, and its costs are in its result', () => {
  const { trades, curve, net } = sessionResult([
    fill(1, 'buy', 2, 1_000),
    fill(2, 'buy', 1, 1_030),
    fill(3, 'sell', 1, 1_050),
    fill(4, 'sell', 2, 1_040),
    fill(5, 'sell', 1, 1_000),
  ]);
  expect(trades.map(short)).toEqual([['long', 3, 3_030, 3_130, 100 - 30]]);
  expect(trades[0]).toMatchObject({ strategy: 'alpha', openedUs: 1, closedUs: 4 });
  expect(curve.map(([at]) => at)).toEqual([1, 2, 3, 4, 5]);
  expect(net).toBe(curve.at(-1)![1]);
  expect(net, 'what is open has paid its costs').toBe(100 - 35);
});

test('a fill that turns the position ends one trade and begins the next', () => {
  const { trades, net } = sessionResult([
    fill(1, 'sell', 2, 1_000),
    fill(2, 'buy', 3, 990),
    fill(3, 'sell', 1, 1_010),
  ]);
  expect(trades.map(short)).toEqual([
    ['short', 2, 2_000, 1_980, 20 - 20],
    ['long', 1, 990, 1_010, 20 - 10],
  ]);
  expect(net).toBe(10);
});

test('the result is that of the accounts, with corrections, settled positions and accepted money', () => {
  const figures = [{ what: 'fee', ours: money(5), broker: money(9) } as const];
  const correction: EntryOf<'fill_correction'> = {
    ...ENTRIES.fill_correction,
    side: 'sell',
    value: money(-7),
    tax: money(1),
  };
  const rows = [
    fill(1, 'buy', 2, 1_000),
    fill(2, 'sell', 1, 1_100),
    named(correction),
    named({ ...ENTRIES.money_checked, verdict: 'accepted', figures }),
    named({ ...ENTRIES.position_event, qty: ENTRIES.position_event.qty }),
  ];
  const accounts = foldSession(rows);
  const expected = accounts.reduce((sum, { realised, fee, tax }) => sum + realised - fee - tax, 0);
  expect(sessionResult(rows).net).toBe(expected);
});
