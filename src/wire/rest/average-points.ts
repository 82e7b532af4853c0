import type { ContractSpec } from '../../domain/contract.ts';
import type { Money } from '../../domain/units.ts';

/** Four decimals: an average is off the grid, and `vm_remain` is computed from it (notes, section 5). */
export const averagePoints = (value: Money, quantity: number, spec: ContractSpec): number =>
  quantity === 0 ? 0 : Math.round((value * 100) / (quantity * spec.moneyPerHundredth)) / 10_000;
