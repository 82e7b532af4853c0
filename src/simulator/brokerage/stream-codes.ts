import { codedForm, contractMonthOf, legacyCode } from '../../domain/contract-code.ts';
import type { OrderCode } from '../../domain/ids.ts';

/** The stream's own code of a contract: the form that its order code does not have. */
export function internalStreamCode(code: OrderCode): string {
  const month = contractMonthOf(code);
  if (month === undefined) return code;
  const coded = codedForm(month);
  return coded === code ? legacyCode(month) : coded;
}
