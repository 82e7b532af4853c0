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
import type { TradingDay } from '../../domain/civil-date.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { type Side, signOf } from '../../domain/order.ts';
import { money, type TsUs } from '../../domain/units.ts';
import { Holding, type HoldingState, type Rounds } from './holding.ts';
import type { MarginTerms } from './margin.ts';
import type { CashMessage, MarginLevel, Outbox } from '../venue-event.ts';

/** Fees of contracts, whatever their price is. */
export interface ContractFees {
  readonly brokerFee: number;
  readonly exchangeFee: number;
  readonly clearingFee: number;
}

/** Of what came or went without an order. */
export const NO_FEES: ContractFees = { brokerFee: 0, exchangeFee: 0, clearingFee: 0 };

export const contractFees = (costs: CostSchedule, day: TradingDay, qty: number): ContractFees => ({
  brokerFee: rateOn(costs.brokerFee, day) * qty,
  exchangeFee: rateOn(costs.exchangeFee, day) * qty,
  clearingFee: rateOn(costs.clearingFee, day) * qty,
});

/** `brokerFee` with fees on value. */
export interface AccruedCosts extends ContractFees {
  readonly tax: number;
}

/** Positions and accrued costs of one owner: an account, or a strategy inside it. */
export class OwnerBook {
  readonly holdings = new Map<OrderCode, Holding>();
  readonly accrued = { ...NO_FEES, tax: 0 };

  holding(code: OrderCode): Holding {
    let holding = this.holdings.get(code);
    if (holding === undefined) {
      holding = new Holding();
      this.holdings.set(code, holding);
    }
    return holding;
  }

  fill(
    { orderCode, side }: FilledOrder,
    { qty, value, fee, tax }: BookedFill,
    fees: ContractFees,
    at: TsUs,
  ): Holding {
    const { accrued } = this;
    const holding = this.holding(orderCode);
    holding.fill(signOf(side) * qty, value, fee, tax, at);
    accrued.brokerFee += fee - fees.exchangeFee - fees.clearingFee;
    accrued.exchangeFee += fees.exchangeFee;
    accrued.clearingFee += fees.clearingFee;
    accrued.tax += tax;
    return holding;
  }
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
  /** Strategies, by index: their positions and costs add up to the account's, and are never paid out. Empty where nobody asks. */
  readonly owners: readonly OwnerBook[];
}

interface FilledOrder {
  readonly accountId: AccountId;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly owner: number;
}

/** One execution, with the growth of the order's costs. */
interface BookedFill {
  readonly qty: number;
  readonly value: number;
  readonly fee: number;
  readonly tax: number;
}

/** An account as plain data. */
export interface AccountState extends Omit<LedgerAccount, 'holdings' | 'settled' | 'owners'> {
  readonly holdings: readonly (readonly [OrderCode, HoldingState])[];
  readonly settled: readonly (readonly [OrderCode, Rounds])[];
}

class OwnAccount extends OwnerBook implements LedgerAccount {
  readonly accountId: AccountId;
  readonly subAccountId: string;
  cash: number;
  level: MarginLevel = 'sound';
  readonly settled = new Map<OrderCode, Rounds>();
  readonly owners: readonly OwnerBook[];

  constructor(id: AccountId, subAccountId: string, cash: number, owners: number) {
    super();
    this.accountId = id;
    this.subAccountId = subAccountId;
    this.cash = money(cash);
    this.owners = Array.from({ length: owners }, () => new OwnerBook());
  }
}

export class Ledger {
  readonly #outbox: Pick<Outbox, 'emit'>;
  readonly #accounts = new Map<AccountId, OwnAccount>();

  constructor(outbox: Pick<Outbox, 'emit'>) {
    this.#outbox = outbox;
  }

  open(id: AccountId, subAccountId: string, cash: number, owners = 0): LedgerAccount {
    assert(!this.#accounts.has(id), 'an account is opened once');
    const account = new OwnAccount(id, subAccountId, cash, owners);
    this.#accounts.set(id, account);
    return account;
  }

  restore({ accountId: id, subAccountId, cash, accrued, level, holdings, settled }: AccountState): void {
    const account = new OwnAccount(id, subAccountId, cash, 0);
    Object.assign(account.accrued, accrued);
    account.level = level;
    for (const [code, holding] of holdings) account.holdings.set(code, Holding.restore(holding));
    for (const [code, rounds] of settled) account.settled.set(code, rounds);
    this.#accounts.set(id, account);
  }

  exportState(): AccountState[] {
    return Array.from(this.#accounts.values(), (account) => ({
      accountId: account.accountId,
      subAccountId: account.subAccountId,
      cash: account.cash,
      accrued: { ...account.accrued },
      level: account.level,
      holdings: Array.from(account.holdings, ([code, holding]) => [code, holding.exportState()] as const),
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

  /** The one place where an execution reaches positions and costs, the account's and its owner's; returns the owner's position. */
  bookFill(order: FilledOrder, fill: BookedFill, fees: ContractFees, at: TsUs): Holding {
    const account = this.#own(order.accountId);
    const holding = account.fill(order, fill, fees, at);
    return account.owners[order.owner]?.fill(order, fill, fees, at) ?? holding;
  }

  /** Pays out the day: profit of every contract at its settlement price, then fees, then tax. */
  settleDay(markOf: (code: OrderCode) => MarginTerms, at: TsUs): void {
    for (const account of this.#accounts.values()) {
      for (const [code, holding] of account.holdings) {
        const { unitValue } = markOf(code);
        this.#move(account, 'daily_profit', holding.dayProfitAt(unitValue), code, at);
        const after = holding.afterSettlement(unitValue);
        if (after === null) account.holdings.delete(code);
        else account.holdings.set(code, after);
      }
      const { accrued } = account;
      this.#move(account, 'fee', -(accrued.brokerFee + accrued.exchangeFee + accrued.clearingFee), null, at);
      this.#move(account, 'tax', -accrued.tax, null, at);
      Object.assign(accrued, NO_FEES, { tax: 0 });
    }
  }

  /** A new day shows what its own expiries close. */
  forgetSettled(): void {
    for (const { settled } of this.#accounts.values()) settled.clear();
  }

  /** Ends the positions in an expired contract, in cash; the tax falls due on their value (market rules, section 7). */
  settleFinal(code: OrderCode, { unitValue, costs }: MarginTerms, day: TradingDay, at: TsUs): void {
    for (const account of this.#accounts.values()) {
      const holding = account.holdings.get(code);
      if (holding === undefined) continue;
      this.#move(account, 'final_settlement', holding.dayProfitAt(unitValue), code, at);
      const tax = taxOn(costs, day, Math.abs(holding.entry.qty) * unitValue);
      account.accrued.tax += tax;
      account.holdings.delete(code);
      if (holding.entry.qty !== 0) account.settled.set(code, holding.roundsSettled(unitValue, tax, at));
    }
  }

  /** Deposit above zero, withdrawal below. */
  transfer(id: AccountId, amount: number, at: TsUs): void {
    this.#move(this.#own(id), amount > 0 ? 'deposit' : 'withdrawal', amount, null, at);
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

  #own(id: AccountId): OwnAccount {
    const account = this.#accounts.get(id);
    assert(account !== undefined, 'the account is open');
    return account;
  }
}
