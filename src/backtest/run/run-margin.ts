/** Margin of a run's one account: its figures, what it is refused, and what the broker closes. */
import type { BrokerAccount } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { hasMaintenance, maintenanceMargin } from '../../domain/costs.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import { money } from '../../domain/units.ts';
import {
  type AccountContext,
  type Mark,
  marginFigures,
  marginView,
} from '../../venue/account/account-figures.ts';
import {
  contractsToClose,
  DEFAULT_MARGIN_RULES,
  marginOf,
  type MarginRules,
  riskRefusal,
  type WorkingQty,
} from '../../venue/account/margin.ts';
import type { Closing, MarginBooks } from '../../venue/margin-monitor.ts';
import type { PlaceLimit, Refusal } from '../../venue/venue-command.ts';
import type { OrderStore } from '../../venue/orders/order-store.ts';
import { ACCOUNT, type FundsNow, type RunAccount } from './run-account.ts';
import { RunCash } from './run-cash.ts';

const WHOLE_BPS = 10_000;
/** As few contracts are closed as bring maintenance margin down to equity. */
const AT_MAINTENANCE = { warnBps: WHOLE_BPS + 1, forceBps: WHOLE_BPS + 1 };
/** Where the broker has no ratios, all of the cash buys. */
const NO_RATIOS: MarginRules = { ...DEFAULT_MARGIN_RULES, entryBps: WHOLE_BPS };

export class RunMargin implements MarginBooks, AccountContext {
  /** `cash`: the broker closes where equity falls below maintenance margin. Null where it takes any order and closes nothing. */
  readonly #margin: MarginRules | 'cash' | null;
  readonly #account: RunAccount;
  readonly #store: OrderStore;
  readonly #cash: RunCash | null;
  readonly rules: MarginRules;
  /** Some contract has maintenance margin. */
  isMaintained = false;

  constructor(margin: MarginRules | 'cash' | null, account: RunAccount, store: OrderStore) {
    this.#margin = margin;
    this.#account = account;
    this.#store = store;
    this.#cash = margin === 'cash' ? new RunCash(account, store) : null;
    this.rules = margin === 'cash' || margin === null ? NO_RATIOS : margin;
  }

  /** After the markets of the day were opened. */
  openDay(): void {
    this.isMaintained =
      this.#cash !== null && this.#account.instruments.some(({ costs }) => hasMaintenance(costs));
  }

  /** The broker measures margin while a position is held. */
  get isWatched(): boolean {
    return this.#margin === 'cash' ? this.isMaintained : this.#margin !== null;
  }

  get isExposed(): boolean {
    for (const { entry } of this.#account.broker.holdings.values()) if (entry.qty !== 0) return true;
    return false;
  }

  measure(): readonly AccountId[] {
    const account = this.#account;
    const isReached =
      this.#margin === 'cash'
        ? account.equityNow() < account.maintenance()
        : marginFigures(account.broker, this).level === 'forced_close';
    return isReached ? [ACCOUNT] : [];
  }

  /** As the broker shows them; `buyingPower` replaces its own. */
  accountFigures(buyingPower: number | null): BrokerAccount {
    const figures = marginFigures(this.#account.broker, this);
    return {
      cash: figures.cash,
      netAssetValue: figures.netAssetValue,
      initialMargin: figures.initialMargin,
      requiredMargin: figures.requiredMargin,
      buyingPower: buyingPower === null ? figures.buyingPower : money(buyingPower),
      profit: figures.dayProfit,
      uncollected: figures.uncollected,
      fee: money(0),
      tax: money(0),
      withdrawable: null,
      usageBps: figures.usageBps,
    };
  }

  funds(): FundsNow {
    if (this.#cash !== null) return this.#cash.funds();
    const { cash, requiredMargin: marginUsed, buyingPower } = marginFigures(this.#account.broker, this);
    return { cash, marginUsed, buyingPower };
  }

  refusal(command: PlaceLimit): Refusal | null {
    if (this.#cash !== null) return this.#cash.refusal(command);
    if (this.#margin === null) return null;
    const { broker } = this.#account;
    return riskRefusal(command, marginView(broker, this), this.rules, () => marginFigures(broker, this));
  }

  /** From those strategies whose position lies on the side of the account's net. */
  closings(_id: AccountId, alreadyClosing: (code: OrderCode) => number): readonly Closing[] {
    const [account, margin] = [this.#account, this.#margin];
    if (margin === null) return [];
    const { day } = account;
    const isMaintained = margin === 'cash';
    const held = account.instruments.map((instrument) => {
      const { contract, costs, unitValue } = instrument;
      const { index, orderCode: code, expiry } = contract;
      const marginOfOne = isMaintained
        ? maintenanceMargin(costs, day, unitValue, 1)
        : marginOf(instrument, day, 1);
      return { code, expiry, net: account.netOf(index), closing: alreadyClosing(code), marginOfOne };
    });
    const closings: Closing[] = [];
    for (const { code, side, qty: total } of contractsToClose(
      held.filter(({ marginOfOne }) => marginOfOne > 0),
      isMaintained
        ? { requiredMargin: account.maintenance(), collateral: account.equityNow() }
        : marginFigures(account.broker, this),
      isMaintained ? AT_MAINTENANCE : margin,
    )) {
      let left = total;
      account.broker.owners.forEach(({ holdings }, owner) => {
        const position = holdings.get(code)?.entry.qty ?? 0;
        const qty = Math.min(left, -signOf(side) * position);
        if (qty <= 0) return;
        left -= qty;
        closings.push({ code, side, qty, owner });
      });
    }
    return closings;
  }

  get day(): TradingDay {
    return this.#account.day;
  }

  mark(code: OrderCode): Mark {
    return this.#account.mark(code);
  }

  working(id: AccountId): ReadonlyMap<OrderCode, WorkingQty> {
    return this.#store.working(id);
  }
}
