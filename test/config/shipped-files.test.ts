import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblem } from '../../src/config/problem.ts';
import { assertCalendar, phaseAt } from '../../src/domain/calendar.ts';
import { momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import { US_PER_HOUR } from '../../src/domain/units.ts';
import { CATALOG } from '../../strategies/catalog.ts';
import { SHIPPED } from './config-files.ts';

/** Not of the daemon: markets, the simulator, and backtests, which have a test of their own. */
const OTHERS = /^(vn30f|simulator|backtest.*)\.yaml$/;
const runnable = readdirSync(SHIPPED).filter((name) => name.endsWith('.yaml') && !OTHERS.test(name));

it('finds the shipped files', () => {
  expect(runnable).toEqual(expect.arrayContaining(['paper.yaml', 'live.example.yaml']));
});

it.each(runnable)('%s is right as it is shipped', (name) => {
  const loaded = loadConfig(join(SHIPPED, name), CATALOG);
  expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([]);
});

it('ships no file that would send real orders', () => {
  for (const name of runnable) {
    const loaded = loadConfig(join(SHIPPED, name), CATALOG);
    expect(loaded.ok && loaded.config.live.arm).toBe(false);
    expect(loaded.ok && loaded.config.mode).not.toBe('live');
  }
});

it('keeps the hours of the exchange and of a simulator that never closes apart', () => {
  const loaded = loadConfig(join(SHIPPED, 'paper.yaml'), CATALOG);
  if (!loaded.ok) throw new Error('the shipped file loads');
  const { calendar, exchangeCalendar } = loaded.config;
  assertCalendar(exchangeCalendar);
  const night = momentOf(tradingDay('2026-03-04'), 3 * US_PER_HOUR, 420);
  expect(phaseAt(calendar, night)).toBe('continuous');
  expect(phaseAt(exchangeCalendar, night)).toBe('closed');
});
