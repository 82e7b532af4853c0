/** Deposits and withdrawals: checked, then moved in the ledger. */
import type { AccountId } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import type { AccountFigures } from './account-figures.ts';
import type { Ledger } from './ledger.ts';
import { refusal, type Refusal } from '../venue-command.ts';

/** Largest balance of one account, VND: profits included, sums stay exact. */
const CASH_MAX = 1_000_000_000_000_000;

export class MoneyTransfers {
  readonly #ledger: Ledger;
  readonly #figuresOf: (id: AccountId) => AccountFigures | undefined;

  constructor(ledger: Ledger, figuresOf: (id: AccountId) => AccountFigures | undefined) {
    this.#ledger = ledger;
    this.#figuresOf = figuresOf;
  }

  deposit(id: AccountId, amount: number, at: TsUs): Refusal | null {
    return this.#refusalOf(id, amount, false) ?? this.#move(id, amount, at);
  }

  /** Refused as far as margin holds the money. */
  withdraw(id: AccountId, amount: number, at: TsUs): Refusal | null {
    return this.#refusalOf(id, amount, true) ?? this.#move(id, -amount, at);
  }

  #move(id: AccountId, amount: number, at: TsUs): null {
    this.#ledger.transfer(id, amount, at);
    return null;
  }

  #refusalOf(id: AccountId, amount: number, leaves: boolean): Refusal | null {
    const figures = this.#figuresOf(id);
    if (figures === undefined) return refusal(-6001);
    if (!Number.isSafeInteger(amount) || amount <= 0) return refusal(-6019, 'Invalid amount');
    if (leaves && amount > figures.withdrawable) return refusal(-6012, 'Not enough money to withdraw');
    const tooMuch = !leaves && figures.cash + amount > CASH_MAX;
    return tooMuch ? refusal(-6019, 'Invalid amount') : null;
  }
}
