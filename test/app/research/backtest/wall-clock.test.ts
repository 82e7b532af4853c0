/** Moments move to where the clocks on the wall stood, and are shown by a zone that does not move them back. */
import { formatUtcOffset } from '../../../../src/text/dates.ts';
import { expect, onTestFinished, test } from 'vitest';
import { readBacktestMarket } from '../../../../src/app/research/backtest/backtest-market.ts';
import { fixedZoneName, isMoved, wallClock } from '../../../../src/app/research/backtest/wall-clock.ts';
import { YamlSource } from '../../../../src/config/yaml-source.ts';
import { US_PER_DAY, US_PER_HOUR } from '../../../../src/domain/units.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function market(lines: string) {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-market-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'market.yaml');
  writeFileSync(file, `market:\n  contracts: { X: { tick: 1 } }\n${lines}`);
  const source = YamlSource.read(file);
  const read = 'source' in source ? readBacktestMarket(source.source) : undefined;
  if (read?.ok !== true) throw new Error('not a market');
  return read.market;
}

const HOURS = '  hours: [{ phase: continuous, from: "09:30", to: "16:00" }]\n';
const WINTER = Date.UTC(2024, 0, 16, 14, 30) * 1_000;
const SUMMER = Date.UTC(2024, 6, 16, 13, 30) * 1_000;

test.each([
  ['New York by day', `  timeZone: America/New_York\n${HOURS}`, null, true, 1],
  ['New York without a break', '  timeZone: America/New_York\n', null, false, 0],
  ['New York without a break, bars of a day', '  timeZone: America/New_York\n', US_PER_DAY, true, 1],
  ['Saigon', `  timeZone: Asia/Ho_Chi_Minh\n${HOURS}`, null, false, 0],
  ['Greenwich', '', US_PER_DAY, false, 0],
] as const)('%s', (_, lines, everyUs, moved, summerHours) => {
  const found = market(lines);
  expect(isMoved(found, everyUs)).toBe(moved);
  const shiftAt = wallClock(found, everyUs);
  expect([shiftAt(WINTER), shiftAt(SUMMER), shiftAt(WINTER)]).toEqual([0, summerHours * US_PER_HOUR, 0]);
});

test.each([
  [-300, 'Etc/GMT+5', '-05:00'],
  [420, 'Etc/GMT-7', '+07:00'],
  [0, 'UTC', '+00:00'],
  [570, undefined, '+09:30'],
  [-210, undefined, '-03:30'],
])('%d minutes', (minutes, name, text) => {
  expect([fixedZoneName(minutes), formatUtcOffset(minutes)]).toEqual([name, text]);
  if (name === undefined) return;
  const shown = new Intl.DateTimeFormat('en-GB', {
    timeZone: name,
    hour: '2-digit',
    hourCycle: 'h23',
  }).format(0);
  expect(Number(shown)).toBe((24 + minutes / 60) % 24);
});
