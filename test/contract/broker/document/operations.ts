/** The 23 operations, in the order of the document (contract, 4). */
import { ACCOUNT_OPERATIONS } from './account-operations.ts';
import { CONDITION_OPERATIONS } from './condition-operations.ts';
import type { Operation } from './operation.ts';
import { ORDER_OPERATIONS } from './order-operations.ts';
import { CASH_OPERATIONS, MARKET_OPERATIONS, STOCK_OPERATIONS } from './other-operations.ts';

export const DOCUMENTED: readonly Operation[] = [
  ...ACCOUNT_OPERATIONS,
  ...ORDER_OPERATIONS,
  ...CONDITION_OPERATIONS,
  ...MARKET_OPERATIONS,
  ...CASH_OPERATIONS,
  ...STOCK_OPERATIONS,
];

export function operationNamed(name: string): Operation {
  const found = DOCUMENTED.find((operation) => operation.name === name);
  if (found === undefined) throw new Error(`the document has no operation ${name}`);
  return found;
}
