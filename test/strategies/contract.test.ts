import { expect, test } from 'vitest';
import { calendarSpread } from '../../strategies/calendar-spread/calendar-spread.ts';
import { CATALOG } from '../../strategies/catalog.ts';
import { emaCross } from '../../strategies/ema-cross/ema-cross.ts';
import { openingRangeBreakout } from '../../strategies/opening-range-breakout/opening-range-breakout.ts';
import { strategyContract } from './strategy-contract.ts';

const CASES = [
  { definition: emaCross, params: { barSeconds: 2, fast: 3, slow: 8, qty: 2 }, qtyMax: 2 },
  {
    definition: openingRangeBreakout,
    params: { rangeSeconds: 20, qty: 2, entriesMax: 50, stopTicks: 10, trailTicks: 8 },
    qtyMax: 2,
  },
  {
    definition: calendarSpread,
    params: { sampleSeconds: 1, window: 20, entryZ: 1.5, entryTicks: 2, qty: 2, pauseSeconds: 5 },
    qtyMax: 2,
  },
];

for (const subject of CASES) strategyContract(subject);

test('every strategy of the catalogue is held to the contract', () => {
  expect(CASES.map(({ definition }) => definition)).toEqual(CATALOG);
});

test('the names of the catalogue are different', () => {
  expect(new Set(CATALOG.map(({ name }) => name)).size).toBe(CATALOG.length);
});
