/**
 * The accounts: cash, positions, fees and tax. Within a day cash is constant; profit, fees and tax accrue. When the day is
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
import { type Money, type TsUs, money } from '../../domain/units.ts';
import { getOrCreate } from '../../domain/lists.ts';
import type { MarginTerms } from './margin.ts';
import type { CashMessage, MarginLevel, Outbox } from '../venue-event.ts';
import { FLAT_POSITION, type Position, applyFill, openProfit } from '../../domain/position.ts';

/** Fees of contracts, whatever their price is. */
export interface ContractFees {
  readonly brokerFee: number;
  readonly exchangeFee: number;
  readonly clearingFee: number;
}

/** Fees of changes without an order. */
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
    return getOrCreate(this.holdings, code, newHolding);
  }

  fill(
    { orderCode, side }: LedgerOrder,
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

const newHolding = (): Holding => new Holding();

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

interface LedgerOrder {
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

  restore({
    accountId: id,
    subAccountId,
    cash,
    accrued,
    level,
    holdings,
    settled,
  }: ReturnType<Ledger['exportState']>[number]): void {
    const account = new OwnAccount(id, subAccountId, cash, 0);
    Object.assign(account.accrued, accrued);
    account.level = level;
    for (const [code, holding] of holdings) account.holdings.set(code, Holding.restore(holding));
    for (const [code, rounds] of settled) account.settled.set(code, rounds);
    this.#accounts.set(id, account);
  }

  exportState() {
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
  bookFill(order: LedgerOrder, fill: BookedFill, fees: ContractFees, at: TsUs): Holding {
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

  /** A new day shows only the closes of its own expiries. */
  forgetSettled(): void {
    for (const { settled } of this.#accounts.values()) settled.clear();
  }

  /** Ends the positions in an expired contract, in cash; the tax falls due on their value (market rules, 7). */
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

/** Entry, exit and costs of the contracts closed today on one side, added up: against the entry, with costs of opening and closing trades. */
interface ClosedRound {
  qty: number;
  openValue: number;
  closeValue: number;
  fee: number;
  tax: number;
  lastUs: number;
}

const nothingClosed = (): ClosedRound => ({ qty: 0, openValue: 0, closeValue: 0, fee: 0, tax: 0, lastUs: 0 });

const copyOf = ({ long, short }: Rounds) => ({ long: { ...long }, short: { ...short } });

export interface Rounds {
  readonly long: Readonly<ClosedRound>;
  readonly short: Readonly<ClosedRound>;
}

/** Prices at which the market traded; none where the low is above the high. */
export interface HighLow {
  readonly high: number;
  readonly low: number;
}

export type HoldingState = Pick<
  Holding,
  'entry' | 'day' | 'boughtQty' | 'boughtValue' | 'soldQty' | 'soldValue' | 'rounds'
>;

export class Holding implements HighLow {
  entry: Position = FLAT_POSITION;
  day: Position = FLAT_POSITION;
  boughtQty = 0;
  boughtValue = 0;
  soldQty = 0;
  soldValue = 0;
  /** Contracts closed today. */
  readonly rounds = { long: nothingClosed(), short: nothingClosed() };
  /** Range of the market since the last fill, where it is followed. */
  high = -Infinity;
  low = Infinity;

  static restore({ rounds, ...state }: HoldingState): Holding {
    return Object.assign(new Holding(), state, { rounds: copyOf(rounds) });
  }

  exportState(): HoldingState {
    const { entry, day, boughtQty, boughtValue, soldQty, soldValue } = this;
    const traded = { boughtQty, boughtValue, soldQty, soldValue };
    return { entry, day, ...traded, rounds: copyOf(this.rounds) };
  }

  /** `change`: contracts with a sign, bought above zero. One that turns the position closes one direction and opens the other. */
  fill(change: number, value: number, fee: number, tax: number, atUs: number): void {
    const before = this.entry;
    const isOneDay = this.day === before;
    this.entry = applyFill(before, change, value);
    this.day = isOneDay ? this.entry : applyFill(this.day, change, value);
    const size = Math.abs(change);
    if (change > 0) {
      this.boughtQty += size;
      this.boughtValue += value;
    } else {
      this.soldQty += size;
      this.soldValue += value;
    }
    const closed = Math.min(size, Math.max(0, -Math.sign(change) * before.qty));
    if (closed === 0) return this.#charge(change > 0, fee, tax);
    const wasLong = before.qty > 0;
    const closedFee = Math.round((fee * closed) / size);
    const closedTax = Math.round((tax * closed) / size);
    this.#close(wasLong ? this.rounds.long : this.rounds.short, before, closed, atUs);
    this.#charge(wasLong, closedFee, closedTax);
    if (closed < size) this.#charge(!wasLong, fee - closedFee, tax - closedTax);
  }

  /** The market traded in this range with this position. */
  noteRange({ high, low }: HighLow): void {
    if (high > this.high) this.high = high;
    if (low < this.low) this.low = low;
  }

  restartRange(): void {
    this.high = -Infinity;
    this.low = Infinity;
  }

  #close(round: ClosedRound, before: Position, closed: number, atUs: number): void {
    const isAll = closed === Math.abs(before.qty);
    const entry = isAll ? before.openValue : before.openValue - this.entry.openValue;
    round.qty += closed;
    round.openValue += entry;
    round.closeValue += entry + Math.sign(before.qty) * (this.entry.realised - before.realised);
    round.lastUs = atUs;
  }

  #charge(isLong: boolean, fee: number, tax: number): void {
    const round = isLong ? this.rounds.long : this.rounds.short;
    round.fee += fee;
    round.tax += tax;
  }

  /** Profit of the day, open and closed: `position x mark - carried x last settlement - signed sum of trades`; without a mark the closed part. */
  dayProfitAt(unitValue: number): Money {
    const { realised } = this.day;
    return unitValue === 0 ? realised : money(realised + openProfit(this.day, unitValue));
  }

  /** The holding after its profit was paid out at `unitValue`, the money of one contract at the settlement price; null where it is flat. */
  afterSettlement(unitValue: number): Holding | null {
    const { qty } = this.entry;
    if (qty === 0) return null;
    const after = new Holding();
    after.entry = { ...this.entry, realised: money(0) };
    const openValue = unitValue === 0 ? this.day.openValue : money(Math.abs(qty) * unitValue);
    after.day = { qty, openValue, realised: money(0) };
    return after;
  }

  /** The round that an expiry ends, in cash at `unitValue`. */
  roundsSettled(unitValue: number, tax: number, atUs: number): Rounds {
    const last = new Holding();
    last.entry = this.entry;
    last.fill(0 - this.entry.qty, Math.abs(this.entry.qty) * unitValue, 0, tax, atUs);
    return last.rounds;
  }
}
