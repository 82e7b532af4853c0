import type { ContractSpec } from '../../domain/contract.ts';
import type { AccountId, SubAccountId } from '../../domain/ids.ts';

/** The derivative account that orders and margin belong to. */
export interface TradedAccount {
  readonly accountId: AccountId;
  readonly subAccountId: SubAccountId;
}

/** Undefined for what is not traded here. */
export type SpecOf = (code: string) => ContractSpec | undefined;
