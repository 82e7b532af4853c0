/** The sub-accounts of a customer. The money of the derivative one is the venue's; the others' is kept here. */
import type { AccountSettings } from '../simulator-options.ts';
import type { Kind, StateStore } from '../state/state-store.ts';

type SubAccountType = 'NORMAL' | 'MARGIN' | 'DERIVATIVE';

export interface SubAccount {
  readonly accountNo: string;
  readonly type: SubAccountType;
  readonly custodyCode: string;
  readonly holder: string;
}

interface CashAccount {
  readonly accountNo: string;
  readonly cash: number;
}

const CASH: Kind<CashAccount> = { name: 'cash_account' };
/** Customers are told apart by the last six characters of their custody code. */
const TAIL_LENGTH = 6;

export const derivativeAccountOf = (custodyCode: string): string => `${custodyCode}A`;

export class SubAccounts {
  readonly #store: StateStore;
  readonly #rows: readonly SubAccount[];

  /** Opens what the state does not know yet with the money of the options. */
  constructor(store: StateStore, accounts: readonly AccountSettings[]) {
    this.#store = store;
    this.#rows = accounts.flatMap(rowsOf);
    store.commit(() => {
      for (const { custodyCode, cash } of accounts) {
        this.#open(normalAccountOf(custodyCode), cash.normal);
        this.#open(marginAccountOf(custodyCode), cash.margin);
      }
    });
  }

  of(custodyCode: string): readonly SubAccount[] {
    return this.#rows.filter((row) => row.custodyCode === custodyCode);
  }

  /** Cash of a normal or margin sub-account, whole VND; undefined when it is not one. */
  cashOf(accountNo: string): number | undefined {
    return this.#store.get(CASH, accountNo)?.cash;
  }

  #open(accountNo: string, cash: number): void {
    if (this.#store.get(CASH, accountNo) === undefined) this.#store.put(CASH, accountNo, { accountNo, cash });
  }
}

function rowsOf({ custodyCode, name }: AccountSettings): readonly SubAccount[] {
  const row = (type: SubAccountType, accountNo: string): SubAccount => ({
    accountNo,
    type,
    custodyCode,
    holder: name,
  });
  return [
    row('NORMAL', normalAccountOf(custodyCode)),
    row('MARGIN', marginAccountOf(custodyCode)),
    row('DERIVATIVE', derivativeAccountOf(custodyCode)),
  ];
}

const normalAccountOf = (custodyCode: string): string => `0001${custodyCode.slice(-TAIL_LENGTH)}`;
const marginAccountOf = (custodyCode: string): string => `0002${custodyCode.slice(-TAIL_LENGTH)}`;
