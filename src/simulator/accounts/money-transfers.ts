/**
 * Money on its way between the sub-accounts of one customer. Each move debits one and credits another in the same commit, so
 * that the total stays the same.
 */
import { assert } from '../../domain/assert.ts';
import { accountId } from '../../domain/ids.ts';
import type { CashOutcome, Refusal } from '../../venue/venue-command.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { StateStore } from '../state/state-store.ts';
import type { SubAccount, SubAccounts } from './sub-accounts.ts';

const NO_ACCOUNT: Refusal = { code: -6001, text: 'Account not found' };
const NO_FUNDING: Refusal = {
  code: -6001,
  text: 'There is no account the money could come from or go to',
};
const NOT_ENOUGH: Refusal = { code: -6012, text: 'Not enough money' };
const BAD_AMOUNT: Refusal = { code: -6019, text: 'Invalid amount' };
const SAME_ACCOUNT: Refusal = { code: -6001, text: 'Source and destination are the same account' };

export class MoneyTransfers {
  readonly #store: StateStore;
  readonly #subAccounts: SubAccounts;
  readonly #brokerage: Brokerage;

  constructor(store: StateStore, subAccounts: SubAccounts, brokerage: Brokerage) {
    this.#store = store;
    this.#subAccounts = subAccounts;
    this.#brokerage = brokerage;
  }

  /** Into margin, from the account that funds it. Null when it is done. */
  deposit(custodyCode: string, derivativeNo: string, amount: number): Refusal | null {
    const funding = this.#subAccounts.funding(custodyCode);
    if (funding === undefined) return NO_FUNDING;
    return this.transfer(custodyCode, funding.accountNo, derivativeNo, amount);
  }

  withdraw(custodyCode: string, derivativeNo: string, amount: number): Refusal | null {
    const funding = this.#subAccounts.funding(custodyCode);
    if (funding === undefined) return NO_FUNDING;
    return this.transfer(custodyCode, derivativeNo, funding.accountNo, amount);
  }

  transfer(custodyCode: string, fromNo: string, toNo: string, amount: number): Refusal | null {
    const from = this.#subAccounts.named(custodyCode, fromNo);
    const to = this.#subAccounts.named(custodyCode, toNo);
    if (from?.isActive !== true || to?.isActive !== true) return NO_ACCOUNT;
    if (from === to) return SAME_ACCOUNT;
    if (!Number.isSafeInteger(amount) || amount <= 0) return BAD_AMOUNT;
    let refusal: Refusal | null = null;
    this.#store.commit(() => {
      for (const account of [from, to]) this.#noteOpening(account);
      refusal = this.#take(from, amount);
      if (refusal === null) this.#give(to, amount);
    });
    return refusal;
  }

  #noteOpening({ accountNo, custodyCode, type }: SubAccount): void {
    const figures =
      type === 'DERIVATIVE'
        ? this.#brokerage.account(accountId(custodyCode))
        : this.#subAccounts.cash(accountNo);
    if (figures !== undefined)
      this.#subAccounts.noteOpening(accountNo, this.#brokerage.today(), figures.cash);
  }

  #take(from: SubAccount, amount: number): Refusal | null {
    if (from.type !== 'DERIVATIVE')
      return this.#subAccounts.move(from.accountNo, -amount) ? null : NOT_ENOUGH;
    const account = accountId(from.custodyCode);
    return refusalOf(this.#brokerage.act((venue) => venue.withdraw(account, amount)));
  }

  /** Must succeed after a take: the total of one customer stays the same. */
  #give(to: SubAccount, amount: number): void {
    const account = accountId(to.custodyCode);
    const refusal =
      to.type === 'DERIVATIVE'
        ? refusalOf(this.#brokerage.act((venue) => venue.deposit(account, amount)))
        : this.#subAccounts.move(to.accountNo, amount)
          ? null
          : NO_ACCOUNT;
    assert(refusal === null, 'money that left an account arrives in another');
  }
}

const refusalOf = (outcome: CashOutcome): Refusal | null =>
  outcome.status === 'refused' ? outcome.refusal : null;
