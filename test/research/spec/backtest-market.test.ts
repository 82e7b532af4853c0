/** Ticks of any size, lots below one and any currency become whole numbers, and back. */
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  isWallTime,
  moneyDecimals,
  readBacktestMarket,
  shownZone,
  specOf,
  wallShiftOf,
} from '../../../src/research/spec/backtest-market.ts';
import { YamlSource } from '../../../src/config/yaml-source.ts';
import { formatPoints, pointsOf, valueOf } from '../../../src/domain/contract.ts';
import { priceTicks, US_PER_DAY, US_PER_HOUR } from '../../../src/domain/units.ts';
import { tempDir } from '../../support/temp-dir.ts';

const terms = (tick: number, lot = 1, pointValue = 1) => ({
  tick,
  lot,
  pointValue,
  orderQtyMax: 1_000,
});

test.each([
  ['ES', terms(0.25, 1, 50), 22_001, 2, '5500.25', 550_025],
  ['AAPL', terms(0.01), 18_762, 100, '187.62', 18_762],
  ['BTCUSDT', terms(0.01, 0.001), 6_512_345, 1_500, '65123.45', 97_685.175],
  ['EURUSD', terms(0.00001, 1_000), 108_123, 3, '1.08123', 3_243.69],
  ['ZN', terms(0.015625, 1, 1_000), 7_105, 1, '111.015625', 111_015.625],
  ['VN30', terms(0.1, 1, 100_000), 19_502, 1, '1950.2', 195_020_000],
])('%s: price, points and value agree to the last digit', (symbol, each, ticks, lots, points, money) => {
  const scale = 10 ** moneyDecimals([each]);
  const spec = specOf(symbol, each, scale);
  expect(formatPoints(spec, priceTicks(ticks))).toBe(points);
  expect(valueOf(spec, priceTicks(ticks), lots) / scale).toBe(money);
});

test('a tick of a lot is always whole money', () => {
  const decimal = fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 4 }))
    .map(([whole, digits]) => Number(`${whole}e-${digits}`));
  fc.assert(
    fc.property(
      decimal,
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 1_000 }),
      (tick, pointValue, ticks) => {
        const each = terms(tick, 1, pointValue);
        const spec = specOf('X', each, 10 ** moneyDecimals([each]));
        expect(
          Number.isSafeInteger(spec.hundredthsPerTick) && Number.isSafeInteger(spec.moneyPerHundredth),
        ).toBe(true);
        expect(pointsOf(spec, priceTicks(ticks))).toBeCloseTo(ticks * tick, 9);
      },
    ),
    { numRuns: 100 },
  );
});

/** Moments move to what the clocks on the wall showed. */

function readMarket(lines: string) {
  const dir = tempDir();
  const file = join(dir, 'market.yaml');
  writeFileSync(file, `market:\n  contracts: { X: { tick: 1 } }\n${lines}`);
  const source = YamlSource.read(file);
  if (!('source' in source)) throw new Error('not a file');
  return readBacktestMarket(source.source);
}

function market(lines: string) {
  const read = readMarket(lines);
  if (!read.ok) throw new Error('not a market');
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
  expect(isWallTime(found, everyUs)).toBe(moved);
  const shiftAt = wallShiftOf(found, everyUs);
  expect([shiftAt(WINTER), shiftAt(SUMMER), shiftAt(WINTER)]).toEqual([0, summerHours * US_PER_HOUR, 0]);
});

test.each([
  [`  timeZone: America/New_York\n${HOURS}`, 'America/New_York'],
  ['  timeZone: America/New_York\n', '-05:00 all year, without the summer time of America/New_York'],
  ['  timeZone: Australia/Sydney\n', '+10:00 all year, without the summer time of Australia/Sydney'],
  [`  timeZone: Asia/Ho_Chi_Minh\n${HOURS}`, 'Asia/Ho_Chi_Minh'],
  ['', 'UTC'],
])('the zone of the times that a run of %j shows', (lines, text) => {
  expect(shownZone(market(lines), null)).toBe(text);
});
