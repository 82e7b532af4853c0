import { expect, test } from 'vitest';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { orderCode, streamCode } from '../../../src/domain/ids.ts';
import { resolveSymbol } from '../../../src/engine/session/rollover.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { at, contract } from '../../support/strategy-fixtures.ts';
import { boardOn } from '../support/board.ts';

test.each([
  // What each alias means, from the board of that day: nearest month, next month, two quarters.
  ['2025-10-30', '10:00', '41I1FB000 41I1FC000 41I1G3000 41I1G6000'],
  ['2026-01-15', '10:00', '41I1G1000 41I1G2000 41I1G3000 41I1G6000'],
  ['2026-02-13', '08:47', '41I1G2000 41I1G3000 41I1G6000 41I1G9000'], // the last day, moved by Tet
  ['2026-02-13', '14:44:59', '41I1G2000 41I1G3000 41I1G6000 41I1G9000'],
  ['2026-02-13', '15:00', '41I1G2000 41I1G3000 41I1G6000 41I1G9000'], // bars with the last print
  ['2026-02-13', '15:00:01', '41I1G3000 41I1G6000 41I1G9000 -'], // its list is of the morning
  ['2026-02-23', '08:47', '41I1G3000 41I1G4000 41I1G6000 41I1G9000'],
])('on %s at %s the aliases mean %s', (day, time, expected) => {
  const board = boardOn(day).toReversed();
  const codes = ['VN30F1M', 'VN30F2M', 'VN30F1Q', 'VN30F2Q'].map((alias) => {
    const found = resolveSymbol(alias, board, MARKET_CALENDAR, at(time, tradingDay(day)));
    return found.ok ? found.value.orderCode : '-';
  });
  expect(codes.join(' ')).toBe(expected);
});

const DAY = '2026-03-04';
const NOW = at('10:00', tradingDay(DAY));
const BOARD = [
  ...boardOn(DAY),
  // The stream's code is its own, and the list still names a contract that is over.
  { ...contract(4, 'VN30F2612'), streamCode: streamCode('internal-4'), expiry: tradingDay('2026-12-17') },
  { ...contract(5, '41I1G2000'), expiry: tradingDay('2026-02-13') },
];

test.each([
  ['41I1G3000', '41I1G3000'],
  ['VN30F2603', '41I1G3000'],
  ['41I1G30006', '41I1G3000'],
  ['VN30F2612', 'VN30F2612'],
  ['41I1GC000', 'VN30F2612'],
  ['internal-4', 'VN30F2612'],
])('%s is the contract %s', (symbol, code) => {
  const found = resolveSymbol(symbol, BOARD, MARKET_CALENDAR, NOW);
  expect(found).toMatchObject({ ok: true, value: { orderCode: orderCode(code) } });
});

test.each([
  ['VN30F2602', 'a contract that has not expired', '2026-02-13'],
  ['VN30F2605', 'a listed contract', '41I1G3000 41I1G4000 41I1G6000 41I1G9000 VN30F2612 41I1G2000'],
  ['VN30F3M', 'a listed contract', '41I1G3000'],
  ['VN100F1M', 'a listed contract', '41I1G3000'],
  ['ACB', 'a listed contract', '41I1G3000'],
])('%s: expected %s', (symbol, wanted, received) => {
  const found = resolveSymbol(symbol, BOARD, MARKET_CALENDAR, NOW);
  expect(found).toMatchObject({ ok: false, issues: [{ path: symbol, expected: wanted }] });
  expect(JSON.stringify(found)).toContain(received);
});
