/** A strategy that fails while only prices come: what it leaves is looked after at once, not when something else happens. */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { priceTicks, US_PER_SECOND } from '../../../src/domain/units.ts';
import { planOf, tapesOf, strategyOf } from '../../support/backtest-plan.ts';
import { parseScript } from '../fill/rig-script.ts';

const MINUTES = 60;

test('its position is closed', () => {
  let failedUs = 0;
  const strategy = strategyOf('fails', (ticks, trader) => {
    let trades = 0;
    ticks.trades$.subscribe(({ tsUs }) => {
      trades += 1;
      if (trades === 1) trader.buy({ qty: 1, price: priceTicks(1_001), reason: 'test' });
      if (trades < 60) return;
      failedUs = tsUs;
      throw new Error('drawn');
    });
  });
  const lines = Array.from({ length: MINUTES * 60 }, (_, second) => {
    const [minute, rest] = [Math.floor(second / 60), second % 60];
    const at = `09:${String(minute).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
    return `${at} trade ${1_000 + (second % 2)} x 5 ${second % 2 === 0 ? 'sold' : 'bought'}`;
  });
  const { rows } = parseScript(lines.join('\n'), 'high');
  const data = tapesOf([{ code: 'VN30F2603', day: '2026-03-04', rows, reference: 10_000 }]);
  const plan = planOf(data, [strategy]);
  const risk = { ...plan.settings.risk, onOrphan: 'flatten' } as const;
  const result = runBacktest({ ...plan, settings: { ...plan.settings, risk } });
  const [bought, sold] = result.strategies.flatMap(({ fills }) => [...fills]);
  expect(bought?.side).toBe('buy');
  expect(sold?.side).toBe('sell');
  expect(((sold?.tsUs ?? 0) - failedUs) / US_PER_SECOND).toBeLessThan(30);
});
