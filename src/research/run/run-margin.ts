/** Margin of a run's one account: its figures, refusals, and forced closes. */
import type { BrokerAccount } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { hasMaintenance, initialMargin, maintenanceMargin } from '../../domain/costs.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import { money } from '../../domain/units.ts';
import {
  type AccountContext,
  type Mark,
  marginFigures,
  riskRefusal,
} from '../../venue/account/account-figures.ts';
import {
  DEFAULT_MARGIN_RULES,
  type MarginRules,
  type WorkingQty,
  contractsToClose,
  marginOf,
} from '../../venue/account/margin.ts';
import type { ForcedClose, MarginBooks } from '../../venue/margin-monitor.ts';
import { type PlaceLimit, type Refusal, insufficientFunds } from '../../venue/venue-command.ts';
import type { OrderStore, VenueOrder } from '../../venue/orders/venue-order.ts';
import { ACCOUNT, type FundsNow, type RunAccount } from './run-account.ts';
import type { RunInstrument } from './run-instrument.ts';

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

  /** `scale`: money of the run in one unit of the currency. */
  constructor(margin: MarginRules | 'cash' | null, account: RunAccount, store: OrderStore, scale: number) {
    this.#margin = margin;
    this.#account = account;
    this.#store = store;
    this.#cash = margin === 'cash' ? new RunCash(account, store, scale) : null;
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
    return riskRefusal(command, this.#account.broker, this);
  }

  /** From those strategies whose position lies on the side of the account's net. */
  closings(_id: AccountId, alreadyClosing: (code: OrderCode) => number): readonly ForcedClose[] {
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
    const closings: ForcedClose[] = [];
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

type CashDemand = Pick<VenueOrder, 'orderCode' | 'side' | 'leavesQty' | 'price'>;

class RunCash {
  readonly #account: RunAccount;
  readonly #store: OrderStore;
  readonly #scale: number;

  constructor(account: RunAccount, store: OrderStore, scale: number) {
    this.#account = account;
    this.#store = store;
    this.#scale = scale;
  }

  /** An order that reduces the position, working orders considered, is never refused. */
  refusal({ orderCode, side, qty: leavesQty, limitPrice: price }: PlaceLimit): Refusal | null {
    const working = this.#store.open(ACCOUNT);
    const demand = { orderCode, side, leavesQty, price };
    const free = this.#free();
    const isSameSide = (order: CashDemand): boolean => order.orderCode === orderCode && order.side === side;
    const turning = this.#reversalMargin(demand, working.filter(isSameSide));
    const released = this.#releasedBy(working, orderCode);
    if (turning !== null) {
      const reserved = this.#reservedFor(working.filter((order) => !isSameSide(order)));
      return insufficientFunds(turning, free - reserved + released, this.#scale);
    }
    const before = this.#reservedFor(working);
    const needed = this.#reservedFor([...working, demand]) - before;
    if (needed <= 0) return null;
    return insufficientFunds(needed, free - before + released, this.#scale);
  }

  /** Margin of other contracts that working orders close at the last price: one event moves money from one to the other. */
  #releasedBy(working: readonly CashDemand[], code: OrderCode): number {
    if (working.length === 0) return 0;
    let released = 0;
    for (const [held, { entry }] of this.#account.broker.holdings) {
      const net = entry.qty;
      if (held === code || net === 0) continue;
      const instrument = this.#account.mark(held);
      const { mark } = instrument;
      const closing = working.filter(
        (each) => each.orderCode === held && (each.side === 'sell') === net > 0 && !rests(each, mark),
      );
      const size = Math.min(
        Math.abs(net),
        closing.reduce((sum, { leavesQty }) => sum + leavesQty, 0),
      );
      released += marginOf(instrument, this.#account.day, size);
    }
    return released;
  }

  funds(): FundsNow {
    const free = this.#free();
    return {
      cash: this.#account.cashInHand(),
      marginUsed: this.#account.equityNow() - free,
      buyingPower: Math.max(0, free - this.#reservedFor(this.#store.open(ACCOUNT))),
    };
  }

  /** Equity that margins no position; below zero where prices have fallen too far. */
  #free(): number {
    let free = this.#account.equityNow();
    for (const [code, { entry }] of this.#account.broker.holdings)
      free -= marginOf(this.#account.mark(code), this.#account.day, entry.qty);
    return free;
  }

  /**
   * Margin beyond that of the position, less the profit of closing it, once this order and those of `sameSide` are filled, where it
   * reverses the position; null for any other order. An order that fills at the last price comes behind others that do, one that waits
   * behind all.
   */
  #reversalMargin(demand: CashDemand, sameSide: readonly CashDemand[]): number | null {
    const { mark, unit, contract, costs } = this.#account.mark(demand.orderCode);
    const net = this.#account.netOf(contract.index);
    const held = -signOf(demand.side) * net;
    const total = (orders: readonly CashDemand[]): number =>
      orders.reduce((sum, { leavesQty }) => sum + leavesQty, demand.leavesQty);
    // A stop that has fired, or an exit at market, takes the place of a target that waits.
    const before = rests(demand, mark) ? sameSide : sameSide.filter((order) => !rests(order, mark));
    if (held <= 0 || total(before) <= held) return null;
    const paid = paidPrice(demand, mark);
    const marginAt = (size: number, price: number): number =>
      initialMargin(costs, this.#account.day, Math.round(size * price * unit), size);
    const opens = total(sameSide) - held;
    const earned = Math.round(net * (paid - mark) * unit);
    return marginAt(opens, paid) - marginAt(held, mark) - earned;
  }

  /** Margin of the quantities that orders may open, on the worse side of each contract. */
  #reservedFor(orders: readonly CashDemand[]): number {
    let margin = 0;
    for (const code of new Set(orders.map(({ orderCode }) => orderCode))) {
      const instrument = this.#account.mark(code);
      const own = orders.filter(({ orderCode }) => orderCode === code);
      const net = this.#account.netOf(instrument.contract.index);
      const sides = (['buy', 'sell'] as const).map((side) =>
        this.#openingMargin(
          instrument,
          side === 'buy' ? net : -net,
          own.filter((each) => each.side === side),
        ),
      );
      margin += Math.max(...sides);
    }
    return margin;
  }

  /** `net` is positive where these orders enlarge it. An order that reverses a position opens nothing until it is larger than that. */
  #openingMargin(instrument: RunInstrument, net: number, orders: readonly CashDemand[]): number {
    const { mark, unit, costs } = instrument;
    let free = net < 0 ? -2 * net : 0;
    let margin = 0;
    for (const order of orders) {
      const opens = Math.max(0, order.leavesQty - free);
      free = Math.max(0, free - order.leavesQty);
      const value = Math.round(opens * paidPrice(order, mark) * unit);
      margin += initialMargin(costs, this.#account.day, value, opens);
    }
    return margin;
  }
}

/** True where the order is not filled at the last price. */
const rests = ({ side, price }: Pick<CashDemand, 'side' | 'price'>, mark: number): boolean =>
  side === 'buy' ? price < mark : price > mark;

/** In ticks: the limit, or the last price where that is better. */
const paidPrice = ({ side, price }: Pick<CashDemand, 'side' | 'price'>, mark: number): number =>
  mark === 0 ? price : side === 'buy' ? Math.min(price, mark) : Math.max(price, mark);
