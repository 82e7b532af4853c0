/** The sub-accounts of all customers; the money of derivative ones is the venue's. Options only open what the stored state lacks. */
import { assert } from '../../domain/assert.ts';
import { accountId } from '../../domain/ids.ts';
import { type Refusal, refusal } from '../../venue/venue-command.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { AccountSettings, SubAccountSettings } from '../simulator-options.ts';
import type { StateKind, StateStore } from '../state/state-store.ts';

export interface SubAccount extends SubAccountSettings {
  readonly custodyCode: string;
  readonly holder: string;
}

/** `blocked` is promised to waiting orders to buy, or to margin. */
interface CashFigures {
  readonly cash: number;
  readonly blocked: number;
  readonly available: number;
}

/** `available` is not promised to waiting orders to sell. */
type StockFigures = SubAccountSettings['stocks'][number] & { readonly available: number };

type StoredAccount = Pick<SubAccountSettings, 'accountNo' | 'cash' | 'stocks' | 'stockOrders'>;

interface OpeningCash {
  readonly day: string;
  readonly cash: number;
}

const STORED: StateKind<StoredAccount> = { name: 'sub_account' };
/** Written before the first move of money of a day. */
const OPENING: StateKind<OpeningCash> = { name: 'opening_cash' };

const NO_ACCOUNT = refusal(-6001);
const NO_FUNDING = refusal(-6001, 'There is no account the money could come from or go to');
const NOT_ENOUGH = refusal(-6012, 'Not enough money');
const BAD_AMOUNT = refusal(-6019, 'Invalid amount');
const SAME_ACCOUNT = refusal(-6001, 'Source and destination are the same account');

export class SubAccounts {
  readonly #store: StateStore;
  readonly #brokerage: Brokerage;
  readonly #rows: readonly SubAccount[];

  constructor(store: StateStore, brokerage: Brokerage, accounts: readonly AccountSettings[]) {
    this.#store = store;
    this.#brokerage = brokerage;
    this.#rows = accounts.flatMap(({ custodyCode, name, subAccounts }) =>
      subAccounts.map((row) => ({ ...row, custodyCode, holder: name })),
    );
    store.commit(() => {
      for (const { type, accountNo, cash, stocks, stockOrders } of this.#rows)
        if (type !== 'DERIVATIVE' && store.get(STORED, accountNo) === undefined)
          store.put(STORED, accountNo, { accountNo, cash, stocks, stockOrders });
    });
  }

  of(custodyCode: string): readonly SubAccount[] {
    return this.#rows.filter((row) => row.custodyCode === custodyCode);
  }

  /** A customer's own sub-account; another customer's is not found. */
  named(custodyCode: string, accountNo: string): SubAccount | undefined {
    return this.of(custodyCode).find((row) => row.accountNo === accountNo);
  }

  cash({ type, accountNo, custodyCode }: SubAccount): CashFigures {
    if (type === 'DERIVATIVE') {
      const { cash = 0, withdrawable = 0 } = this.#brokerage.account(accountId(custodyCode)) ?? {};
      return { cash, blocked: Math.max(0, cash - withdrawable), available: withdrawable };
    }
    const { cash = 0, stockOrders = [] } = this.#store.get(STORED, accountNo) ?? {};
    const blocked = stockOrders
      .filter(({ side }) => side === 'buy')
      .reduce((sum, { qty, price }) => sum + qty * price, 0);
    return { cash, blocked, available: Math.max(0, cash - blocked) };
  }

  /** At the beginning of the day: the cash of now when no money has moved since. */
  openingCash(account: SubAccount): number {
    const opening = this.#store.get(OPENING, account.accountNo);
    return opening?.day === this.#brokerage.today() ? opening.cash : this.cash(account).cash;
  }

  stocks(accountNo: string): readonly StockFigures[] {
    const { stocks = [], stockOrders = [] } = this.#store.get(STORED, accountNo) ?? {};
    return stocks.map((row) => {
      const promised = stockOrders
        .filter(({ side, symbol }) => side === 'sell' && symbol === row.symbol)
        .reduce((sum, { qty }) => sum + qty, 0);
      return { ...row, available: Math.max(0, row.qty - promised) };
    });
  }

  /** Cancels all of them, or none; `unknown` is the first id that does not wait. */
  cancelStockOrders(accountNo: string, ids: readonly string[]): { readonly unknown: string | null } {
    const stored = this.#store.get(STORED, accountNo);
    const waiting = new Set(stored?.stockOrders.map(({ orderId }) => orderId));
    const unknown = ids.find((id) => !waiting.has(id)) ?? null;
    if (stored === undefined || unknown !== null) return { unknown };
    const left = stored.stockOrders.filter(({ orderId }) => !ids.includes(orderId));
    this.#store.put(STORED, accountNo, { ...stored, stockOrders: left });
    return { unknown: null };
  }

  /** Into margin or out of it, from or to the default account, else the first that holds cash. Null when it is done. */
  moveMargin(
    way: 'deposit' | 'withdraw',
    custodyCode: string,
    derivativeNo: string,
    amount: number,
  ): Refusal | null {
    const holdsCash = this.of(custodyCode).filter(({ type, isActive }) => type !== 'DERIVATIVE' && isActive);
    const funding = holdsCash.find(({ isDefault }) => isDefault) ?? holdsCash[0];
    if (funding === undefined) return NO_FUNDING;
    return way === 'deposit'
      ? this.transfer(custodyCode, funding.accountNo, derivativeNo, amount)
      : this.transfer(custodyCode, derivativeNo, funding.accountNo, amount);
  }

  /** Debits one and credits another in the same commit, so that the total stays the same. */
  transfer(custodyCode: string, fromNo: string, toNo: string, amount: number): Refusal | null {
    const from = this.named(custodyCode, fromNo);
    const to = this.named(custodyCode, toNo);
    if (from?.isActive !== true || to?.isActive !== true) return NO_ACCOUNT;
    if (from === to) return SAME_ACCOUNT;
    if (!Number.isSafeInteger(amount) || amount <= 0) return BAD_AMOUNT;
    let refused: Refusal | null = null;
    this.#store.commit(() => {
      for (const account of [from, to]) this.#noteOpening(account);
      refused = this.#move(from, -amount);
      if (refused === null)
        assert(this.#move(to, amount) === null, 'money that left an account arrives in another');
    });
    return refused;
  }

  #noteOpening(account: SubAccount): void {
    const day = this.#brokerage.today();
    if (this.#store.get(OPENING, account.accountNo)?.day !== day)
      this.#store.put(OPENING, account.accountNo, { day, cash: this.cash(account).cash });
  }

  #move(account: SubAccount, amount: number): Refusal | null {
    if (account.type === 'DERIVATIVE') {
      const id = accountId(account.custodyCode);
      const outcome = this.#brokerage.act((venue) =>
        amount < 0 ? venue.withdraw(id, -amount) : venue.deposit(id, amount),
      );
      return outcome.status === 'refused' ? outcome.refusal : null;
    }
    const stored = this.#store.get(STORED, account.accountNo);
    if (stored === undefined || this.cash(account).available + amount < 0) return NOT_ENOUGH;
    this.#store.put(STORED, account.accountNo, { ...stored, cash: stored.cash + amount });
    return null;
  }
}
