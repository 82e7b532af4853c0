import { tradingDay } from '../../../src/domain/civil-date.ts';
import type { Contract, ContractSpec } from '../../../src/domain/contract.ts';
import { orderCode, streamCode } from '../../../src/domain/ids.ts';
import { instrumentIndex } from '../../../src/domain/units.ts';

export const VN30_SPEC: ContractSpec = {
  underlying: 'VN30',
  hundredthsPerTick: 10,
  moneyPerHundredth: 1000,
  orderQtyMax: 500,
  bandBps: 700,
};

export const createContract = (index: number, code: string, expiry = '2026-01-15'): Contract => ({
  index: instrumentIndex(index),
  orderCode: orderCode(code),
  streamCode: streamCode(code),
  expiry: tradingDay(expiry),
  spec: VN30_SPEC,
});
