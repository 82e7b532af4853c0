/**
 * The sub-accounts of all customers: their cash, shares and waiting orders of stock. The money of a derivative one is the
 * venue's. Stored state counts; the options only open accounts that it lacks.
 */
import type { StateKind, StateStore } from '../state/state-store.ts';
import type {
  AccountSettings,
  StockOrderSettings,
  StockSettings,
  SubAccountSettings,
} from './account-settings.ts';

export interface SubAccount extends SubAccountSettings {
  readonly custodyCode: string;
  readonly holder: string;
}

/** `blocked` is promised to waiting orders to buy. */
interface CashFigures {
  readonly cash: number;
  readonly blocked: number;
  readonly available: number;
}

/** `available` is not promised to waiting orders to sell. */
interface StockFigures extends StockSettings {
  readonly available: number;
}

interface StoredAccount {
  readonly accountNo: string;
  readonly cash: number;
  readonly stocks: readonly StockSettings[];
  readonly stockOrders: readonly StockOrderSettings[];
}

interface OpeningCash {
  readonly day: string;
  readonly cash: number;
}

const STORED: StateKind<StoredAccount> = { name: 'sub_account' };
/** Written before the first move of money of a day. */
const OPENING: StateKind<OpeningCash> = { name: 'opening_cash' };

export class SubAccounts {
  readonly #store: StateStore;
  readonly #rows: readonly SubAccount[];

  constructor(store: StateStore, accounts: readonly AccountSettings[]) {
    this.#store = store;
    this.#rows = accounts.flatMap(({ custodyCode, name, subAccounts }) =>
      subAccounts.map((row) => ({ ...row, custodyCode, holder: name })),
    );
    store.commit(() => {
      for (const row of this.#rows) if (row.type !== 'DERIVATIVE') this.#open(row);
    });
  }

  of(custodyCode: string): readonly SubAccount[] {
    return this.#rows.filter((row) => row.custodyCode === custodyCode);
  }

  /** A customer's own sub-account; another customer's is not found. */
  named(custodyCode: string, accountNo: string): SubAccount | undefined {
    return this.of(custodyCode).find((row) => row.accountNo === accountNo);
  }

  /** Where margin is paid from and to: the default account, else the first that holds cash. */
  funding(custodyCode: string): SubAccount | undefined {
    const holdsCash = this.of(custodyCode).filter(({ type, isActive }) => type !== 'DERIVATIVE' && isActive);
    return holdsCash.find(({ isDefault }) => isDefault) ?? holdsCash[0];
  }

  /** Cash of a normal or margin sub-account; undefined for others. */
  cash(accountNo: string): CashFigures | undefined {
    const stored = this.#store.get(STORED, accountNo);
    if (stored === undefined) return undefined;
    const blocked = stored.stockOrders
      .filter(({ side }) => side === 'buy')
      .reduce((sum, { qty, price }) => sum + qty * price, 0);
    return { cash: stored.cash, blocked, available: Math.max(0, stored.cash - blocked) };
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

  stockOrders(accountNo: string): readonly StockOrderSettings[] {
    return this.#store.get(STORED, accountNo)?.stockOrders ?? [];
  }

  /** False, without effect, when there is no such account or less than asked for is available. */
  move(accountNo: string, amount: number): boolean {
    const stored = this.#store.get(STORED, accountNo);
    const available = this.cash(accountNo)?.available ?? 0;
    if (stored === undefined || available + amount < 0) return false;
    this.#store.put(STORED, accountNo, { ...stored, cash: stored.cash + amount });
    return true;
  }

  /** Cash at the beginning of `day`: the cash of now when no money has moved since. */
  openingCash(accountNo: string, day: string, cash: number): number {
    const opening = this.#store.get(OPENING, accountNo);
    return opening?.day === day ? opening.cash : cash;
  }

  /** Notes the cash of an account before money moves. */
  noteOpening(accountNo: string, day: string, cash: number): void {
    if (this.#store.get(OPENING, accountNo)?.day !== day) this.#store.put(OPENING, accountNo, { day, cash });
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

  #open({ accountNo, cash, stocks, stockOrders }: SubAccount): void {
    if (this.#store.get(STORED, accountNo) !== undefined) return;
    this.#store.put(STORED, accountNo, { accountNo, cash, stocks, stockOrders });
  }
}
