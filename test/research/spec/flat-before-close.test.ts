/** Positions that may not stay overnight, on bars of a market with hours. */
import { expect, it } from 'vitest';
import { loadBacktest } from '../../../src/research/spec/load-backtest.ts';
import { formatProblem } from '../../../src/config/problem.ts';
import { minutes } from '../../../src/domain/units.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { barFile, barPlan, playBars } from './bar-run.ts';

const DAYS = [2, 3, 4, 5];

/** Prices fall by a point within each bar and rise by one between two: a limit near the last close would miss the next open. */
function runOf(length: number, flatBeforeClose: string) {
  const rows = DAYS.flatMap((day) =>
    Array.from({ length: 360 / length }, (_, i) => {
      const at = new Date(Date.UTC(2026, 2, day, 10, i * length)).toISOString();
      return `${at},100,101.5,98.5,${i % 2 === 0 ? 101 : 99},1000\n`;
    }),
  );
  return {
    bars: `time,open,high,low,close,volume\n${rows.join('')}`,
    market: ", timeZone: UTC, hours: [{ phase: continuous, from: '10:00', to: '16:00' }]",
    file: `, every: ${length}m, stamp: start`,
    overnight: flatBeforeClose === 'off',
    more: `session: { flatBeforeClose: ${flatBeforeClose} }\n`,
  };
}

/** Bought on the first day at the open of the third bar. */
const played = (length: number, flatBeforeClose: string): Promise<readonly string[]> =>
  playBars(runOf(length, flatBeforeClose), minutes(length), (trader, bar) => {
    if (bar === 2) trader.buy({ qty: 1, price: 'market', reason: 'held from the third bar on' });
  });

it.each([
  [1, '5m', '15:55:00'],
  [3, '5m', '15:57:00'],
  [4, '5m', '15:56:00'],
  [5, '5m', '15:55:00'],
  [60, '1h', '15:00:00'],
])('are closed on bars of %i minutes at the open of a bar in the last %s', async (length, before, time) => {
  const [bought, sold, ...more] = await played(length, before);
  expect([bought, sold, more]).toEqual([
    expect.stringContaining('buy 1 at 100 bar_open'),
    `${time} sell 1 at 100 bar_open`,
    [],
  ]);
});

it.each([
  [3, '5m'],
  [60, '1h'],
])('are not reported as unclosed before bars of %i minutes could fill the order', async (length, before) => {
  let bar = 0;
  const plan = await barPlan({
    ...runOf(length, before),
    connect(ticks, trader) {
      ticks.bars({ every: minutes(length) }).subscribe(() => {
        bar += 1;
        if (bar === 2) trader.buy({ qty: 1, price: 'market', reason: 'held from the third bar on' });
      });
    },
  });
  expect(runBacktest(plan).notices).toEqual([]);
});

it('stay where that is off', async () => {
  expect(await played(60, 'off')).toEqual(['12:00:00 buy 1 at 100 bar_open']);
});

it('are refused on bars that leave no time to close them', async () => {
  const found = await loadBacktest(barFile(runOf(60, '5m')));
  expect(found.ok ? [] : found.problems.map(formatProblem)).toEqual([
    expect.stringMatching(/strategies\[0\]\.overnight: expected true on bars of 1h.*flatBeforeClose: 1h/),
  ]);
});
