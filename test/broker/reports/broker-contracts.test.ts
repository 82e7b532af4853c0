import { expect, it } from 'vitest';
import { BrokerContracts } from '../../../src/broker/reports/broker-contracts.ts';
import type { ResolvedContract } from '../../../src/broker/reports/resolve-contracts.ts';
import type { Contract } from '../../../src/domain/contract.ts';
import { streamCode } from '../../../src/domain/ids.ts';
import { createContract } from '../support/contracts.ts';

const resolved = (code: string): ResolvedContract => {
  const { orderCode, streamCode: stream, expiry, spec } = createContract(0, code);
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
  table.reset([createContract(0, 'B'), createContract(1, 'A')]);
  table.update([resolved('A'), resolved('B')]);
  expect(codes(table.contracts)).toEqual(['0 B', '1 A']);
  expect(() => table.reset([createContract(1, 'A')])).toThrow('Invariant');
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
