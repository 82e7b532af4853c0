import { tradingDay } from '../../../src/domain/civil-date.ts';
import type { Contract, ContractSpec } from '../../../src/domain/contract.ts';
import { orderCode, streamCode } from '../../../src/domain/ids.ts';
import { instrumentIndex } from '../../../src/domain/units.ts';
import type { ContractLookup } from '../../../src/wire/stream/server-frame.ts';

export const VN30: ContractSpec = {
  underlying: 'VN30',
  hundredthsPerTick: 10,
  moneyPerHundredth: 1_000,
  orderQtyMax: 500,
  bandBps: 700,
};

const contractOf = (index: number, code: string): Contract => ({
  index: instrumentIndex(index),
  orderCode: orderCode(code),
  streamCode: streamCode(code),
  expiry: tradingDay('2025-11-20'),
  spec: VN30,
});

export const FRONT = contractOf(0, 'VN30F2511');
export const NEXT = contractOf(1, '41I1FC000');

export const LISTED: ContractLookup = {
  byStreamCode: (code) => [FRONT, NEXT].find((contract) => contract.streamCode === code),
};

export const specOf = (code: string): ContractSpec | undefined => LISTED.byStreamCode(code)?.spec;
