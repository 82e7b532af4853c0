/**
 * The accounts: cash, positions, fees and tax. Within a day cash stands still; profit, fees and tax accrue. When the day is
 * settled, everything moves at once, so that for each account and any span of whole days
 *
 *     cash at the end = cash at the start + deposits - withdrawals + profit of the settled days - fees - tax
 *
 * and the profits of the days add up to the realised profit once the account is flat. All sums are whole VND; the tax is
 * rounded once per order, on its cumulative value (rulings, 2), and once per contract at expiry.
 */
import { assert } from '../../domain/assert.ts';
import { type CostSchedule, rateOn, taxOn } from '../../domain/costs.ts';
import { type ContractSpec, valueAtHundredths } from '../../domain/contract.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { type Side, signOf } from '../../domain/order.ts';
import { money, type PriceHundredths, type TsUs } from '../../domain/units.ts';
import {
  afterFill,
  afterSettlement,
  dayProfitAt,
  type Holding,
  isEmpty,
  NO_HOLDING,
  type Rounds,
  roundsSettled,
} from './holding.ts';
import type { CashMessage, MarginLevel, Outbox } from '../venue-event.ts';

interface AccruedCosts {
  readonly brokerFee: number;
  readonly exchangeFee: number;
  readonly clearingFee: number;
  readonly tax: number;
}

export interface LedgerAccount {
  readonly accountId: AccountId;
  readonly subAccountId: string;
  readonly cash: number;
  readonly accrued: AccruedCosts;
  /** As last reported. */
  readonly level: MarginLevel;
  readonly holdings: ReadonlyMap<OrderCode, Holding>;
  /** Positions that the latest expiry closed. */
  readonly settled: ReadonlyMap<OrderCode, Rounds>;
}

/** One execution of one side, with the growth of the order's costs. */
interface LedgerFill {
  readonly accountId: AccountId;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: number;
  readonly value: number;
  readonly tax: number;
}

/** An account as plain data. */
export interface AccountState extends Omit<LedgerAccount, 'holdings' | 'settled'> {
  readonly holdings: readonly (readonly [OrderCode, Holding])[];
  readonly settled: readonly (readonly [OrderCode, Rounds])[];
}

interface OwnAccount extends LedgerAccount {
  cash: number;
  accrued: AccruedCosts;
  level: MarginLevel;
  readonly holdings: Map<OrderCode, Holding>;
  readonly settled: Map<OrderCode, Rounds>;
}

const NO_COSTS: AccruedCosts = { brokerFee: 0, exchangeFee: 0, clearingFee: 0, tax: 0 };

export class Ledger {
  readonly #spec: ContractSpec;
  readonly #costs: CostSchedule;
  readonly #outbox: Outbox;
  readonly #accounts = new Map<AccountId, OwnAccount>();

  constructor(spec: ContractSpec, costs: CostSchedule, outbox: Outbox) {
    this.#spec = spec;
    this.#costs = costs;
    this.#outbox = outbox;
  }

  open(id: AccountId, subAccountId: string, cash: number): void {
    assert(!this.#accounts.has(id), 'an account is opened once');
    this.#accounts.set(id, {
      accountId: id,
      subAccountId,
      cash: money(cash),
      accrued: NO_COSTS,
      level: 'sound',
      holdings: new Map(),
      settled: new Map(),
    });
  }

  restore(state: AccountState): void {
    const account = { ...state, holdings: new Map(state.holdings), settled: new Map(state.settled) };
    this.#accounts.set(state.accountId, account);
  }

  exportState(): AccountState[] {
    return Array.from(this.#accounts.values(), (account) => ({
      ...account,
      holdings: [...account.holdings],
      settled: [...account.settled],
    }));
  }

  accounts(): Iterable<LedgerAccount> {
    return this.#accounts.values();
  }

  account(id: AccountId): LedgerAccount | undefined {
    return this.#accounts.get(id);
  }

  setLevel(id: AccountId, level: MarginLevel): void {
    this.#own(id).level = level;
  }

  netOf(id: AccountId, code: OrderCode): number {
    return this.#own(id).holdings.get(code)?.entry.qty ?? 0;
  }

  bookFill(fill: LedgerFill, day: TradingDay, at: TsUs): void {
    const account = this.#own(fill.accountId);
    const brokerFee = rateOn(this.#costs.brokerFee, day) * fill.qty;
    const exchangeFee = rateOn(this.#costs.exchangeFee, day) * fill.qty;
    const clearingFee = rateOn(this.#costs.clearingFee, day) * fill.qty;
    const fee = brokerFee + exchangeFee + clearingFee;
    this.#hold(account, fill, { fee, tax: fill.tax, atUs: at });
    const { accrued } = account;
    account.accrued = {
      brokerFee: accrued.brokerFee + brokerFee,
      exchangeFee: accrued.exchangeFee + exchangeFee,
      clearingFee: accrued.clearingFee + clearingFee,
      tax: accrued.tax + fill.tax,
    };
  }

  /** Contracts that came without an order, and so without fee and tax. */
  inject(position: Omit<LedgerFill, 'tax'>, at: TsUs): void {
    this.#hold(this.#own(position.accountId), position, { fee: 0, tax: 0, atUs: at });
  }

  /** Pays out the day: profit of every contract at its settlement price, then fees, then tax. */
  settleDay(priceOf: (code: OrderCode) => PriceHundredths, at: TsUs): void {
    for (const account of this.#accounts.values()) {
      for (const [code, holding] of account.holdings) {
        const unitValue = this.#unitValue(priceOf(code));
        this.#move(account, 'daily_profit', dayProfitAt(holding, unitValue), code, at);
        const after = afterSettlement(holding, unitValue);
        if (isEmpty(after)) account.holdings.delete(code);
        else account.holdings.set(code, after);
      }
      const { accrued } = account;
      this.#move(account, 'fee', -(accrued.brokerFee + accrued.exchangeFee + accrued.clearingFee), null, at);
      this.#move(account, 'tax', -accrued.tax, null, at);
      account.accrued = NO_COSTS;
    }
  }

  /** A new day shows what its own expiries close. */
  forgetSettled(): void {
    for (const { settled } of this.#accounts.values()) settled.clear();
  }

  /** Ends the positions in an expired contract, in cash; the tax falls due on their value (market rules, section 7). */
  settleFinal(code: OrderCode, price: PriceHundredths, day: TradingDay, at: TsUs): void {
    const unitValue = this.#unitValue(price);
    for (const account of this.#accounts.values()) {
      const holding = account.holdings.get(code);
      if (holding === undefined) continue;
      this.#move(account, 'final_settlement', dayProfitAt(holding, unitValue), code, at);
      const tax = taxOn(this.#costs, day, Math.abs(holding.entry.qty) * unitValue);
      account.accrued = { ...account.accrued, tax: account.accrued.tax + tax };
      account.holdings.delete(code);
      if (holding.entry.qty !== 0) account.settled.set(code, roundsSettled(holding, unitValue, tax, at));
    }
  }

  /** Deposit above zero, withdrawal below. */
  transfer(id: AccountId, amount: number, at: TsUs): void {
    this.#move(this.#own(id), amount > 0 ? 'deposit' : 'withdrawal', amount, null, at);
  }

  #hold(
    account: OwnAccount,
    { orderCode: code, side, qty, value }: Omit<LedgerFill, 'tax'>,
    costs: { readonly fee: number; readonly tax: number; readonly atUs: number },
  ): void {
    const before = account.holdings.get(code) ?? NO_HOLDING;
    account.holdings.set(code, afterFill(before, { change: signOf(side) * qty, ...costs }, value));
  }

  #move(
    account: OwnAccount,
    reason: CashMessage['reason'],
    amount: number,
    code: OrderCode | null,
    at: TsUs,
  ): void {
    if (amount === 0) return;
    account.cash = money(account.cash + amount);
    this.#outbox.emit({
      kind: 'cash',
      tsUs: at,
      accountId: account.accountId,
      reason,
      amount: money(amount),
      cash: money(account.cash),
      orderCode: code,
    });
  }

  #unitValue(price: PriceHundredths): number {
    return valueAtHundredths(this.#spec, price, 1);
  }

  #own(id: AccountId): OwnAccount {
    const account = this.#accounts.get(id);
    assert(account !== undefined, 'the account is open');
    return account;
  }
}
