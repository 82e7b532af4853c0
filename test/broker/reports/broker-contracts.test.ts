import { expect, it, describe } from 'vitest';
import {
  BrokerContracts,
  type ResolvedContract,
  resolveContracts,
} from '../../../src/broker/reports/broker-contracts.ts';
import type { Contract } from '../../../src/domain/contract.ts';
import { streamCode, type OrderCode, orderCode } from '../../../src/domain/ids.ts';
import type { ListedContract } from '../../../src/wire/rest/market-reads.ts';
import type { ContractQuote } from '../../../src/domain/broker-order.ts';
import { type TradingDay, tradingDay } from '../../../src/domain/civil-date.ts';
import { contractMonthOf } from '../../../src/domain/contract-code.ts';
import { contract, VN30_SPEC, OPEN_ALL_DAY } from '../../support/strategy-fixtures.ts';

const resolved = (code: string): ResolvedContract => {
  const { orderCode, streamCode: stream, expiry, spec } = contract(0, code, '2026-01-15');
  return { orderCode, streamCode: stream, expiry, spec };
};

const codes = (contracts: readonly Contract[]): string[] =>
  contracts.map(({ index, orderCode }) => `${index} ${orderCode}`);

it('keeps an index for the whole session, also when the list changes', () => {
  const table = new BrokerContracts();
  table.update([resolved('A'), resolved('B')]);
  table.update([resolved('B'), resolved('C')]);
  expect(codes(table.contracts)).toEqual(['0 A', '1 B', '2 C']);
  expect(codes(table.listed)).toEqual(['1 B', '2 C']);
});

it('goes on with the numbers of an earlier start', () => {
  const table = new BrokerContracts();
  table.reset([contract(0, 'B', '2026-01-15'), contract(1, 'A', '2026-01-15')]);
  table.update([resolved('A'), resolved('B')]);
  expect(codes(table.contracts)).toEqual(['0 B', '1 A']);
  expect(() => table.reset([contract(1, 'A', '2026-01-15')])).toThrow('Invariant');
});

it('finds a contract by either code, and no longer by one it had before', () => {
  const table = new BrokerContracts();
  table.update([{ ...resolved('A'), streamCode: streamCode('X-1') }]);
  table.update([{ ...resolved('A'), streamCode: streamCode('X-2') }]);
  expect(table.byOrderCode('A')?.streamCode).toBe('X-2');
  expect(table.byStreamCode('X-2')?.orderCode).toBe('A');
  expect(table.byStreamCode('X-1')).toBeUndefined();
});

it('gives a code that moved to the contract that is listed', () => {
  const table = new BrokerContracts();
  table.update([{ ...resolved('A'), streamCode: streamCode('FRONT') }]);
  table.update([{ ...resolved('B'), streamCode: streamCode('FRONT') }]);
  expect(table.byStreamCode('FRONT')?.orderCode).toBe('B');
});

const quote = (code: string, expiry?: string): ContractQuote => ({
  orderCode: orderCode(code),
  ceiling: null,
  floor: null,
  reference: null,
  lastPrice: null,
  expiry: dayOrNull(expiry),
});

const listed = (code: string, expiry?: string): ListedContract => ({ code, expiry: dayOrNull(expiry) });
const dayOrNull = (text: string | undefined): TradingDay | null =>
  text === undefined ? null : tradingDay(text);

const specOf = (code: OrderCode) =>
  code.startsWith('VN30') || code.startsWith('41I1') || contractMonthOf(code) !== undefined
    ? VN30_SPEC
    : undefined;

function pairs(list: readonly ListedContract[] | undefined, quotes: readonly ContractQuote[]): string[] {
  const { contracts, orphans } = resolveContracts(list, quotes, { specOf, calendar: OPEN_ALL_DAY });
  return [
    ...contracts.map(({ orderCode, streamCode, expiry }) => `${orderCode}/${streamCode} ${expiry}`),
    ...orphans.map((code) => `orphan ${code}`),
  ];
}

describe('joining stream codes and order codes', () => {
  it.each<{ name: string; list?: ListedContract[]; quotes: ContractQuote[]; expected: string[] }>([
    {
      name: 'the same code on both sides, nearest expiry first',
      list: [listed('VN30F2602'), listed('VN30F2601')],
      quotes: [quote('VN30F2602'), quote('VN30F2601')],
      expected: ['VN30F2601/VN30F2601 2026-01-15', 'VN30F2602/VN30F2602 2026-02-19'],
    },
    {
      name: 'the stated expiry before the computed one',
      list: [listed('VN30F2601')],
      quotes: [quote('VN30F2601', '2026-01-14')],
      expected: ['VN30F2601/VN30F2601 2026-01-14'],
    },
    {
      name: 'no list: the board alone',
      quotes: [quote('VN30F2601')],
      expected: ['VN30F2601/VN30F2601 2026-01-15'],
    },
    {
      name: 'a row that comes twice, on either side',
      list: [listed('VN30F2601'), listed('VN30F2602'), listed('VN30F2602')],
      quotes: [quote('VN30F2601'), quote('VN30F2601'), quote('VN30F2602')],
      expected: ['VN30F2601/VN30F2601 2026-01-15', 'VN30F2602/VN30F2602 2026-02-19'],
    },
    {
      name: 'two forms of one month',
      list: [listed('41I1G1000'), listed('41I2G1000')],
      quotes: [quote('VN30F2601'), quote('VN100F2601')],
      expected: ['VN100F2601/41I2G1000 2026-01-15', 'VN30F2601/41I1G1000 2026-01-15'],
    },
    {
      name: 'internal codes, joined by an expiry that is alone on both sides',
      list: [listed('X-1', '2026-01-15'), listed('X-2', '2026-02-19')],
      quotes: [quote('VN30F2601'), quote('VN30F2602')],
      expected: ['VN30F2601/X-1 2026-01-15', 'VN30F2602/X-2 2026-02-19'],
    },
    {
      name: 'two candidates: neither is traded',
      list: [listed('X-1', '2026-01-15'), listed('X-2', '2026-01-15')],
      quotes: [quote('VN30F2601')],
      expected: ['orphan X-1', 'orphan X-2'],
    },
    {
      name: 'a stream code without an order code',
      list: [listed('VN30F2601'), listed('VN30F1M')],
      quotes: [quote('VN30F2601')],
      expected: ['VN30F2601/VN30F2601 2026-01-15', 'orphan VN30F1M'],
    },
    {
      name: "what is not traded here is nobody's orphan",
      list: [listed('VN30F2601'), listed('GB05F2603')],
      quotes: [quote('VN30F2601'), quote('GB05F2603')],
      expected: ['VN30F2601/VN30F2601 2026-01-15'],
    },
    {
      name: 'an order code that is not listed is not traded',
      list: [listed('VN30F2602')],
      quotes: [quote('VN30F2601'), quote('VN30F2602')],
      expected: ['VN30F2602/VN30F2602 2026-02-19'],
    },
  ])('$name', ({ list, quotes, expected }) => {
    expect(pairs(list, quotes)).toEqual(expected);
  });
});
