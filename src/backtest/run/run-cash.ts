/** The cash of a run's one account where no broker's ratios hold: an order that opens needs cash for the price that it will pay. */
import { initialMargin } from '../../domain/costs.ts';
import type { OrderCode } from '../../domain/ids.ts';
import { signOf } from '../../domain/order.ts';
import { marginOf } from '../../venue/account/margin.ts';
import { type PlaceLimit, refusal, type Refusal } from '../../venue/venue-command.ts';
import type { OrderStore } from '../../venue/orders/order-store.ts';
import { ACCOUNT, type FundsNow, type RunAccount } from './run-account.ts';
import type { RunInstrument } from './run-instrument.ts';

/** An order, as far as it needs cash. */
interface Asked {
  readonly orderCode: OrderCode;
  readonly side: PlaceLimit['side'];
  readonly qty: number;
  /** Limit, ticks. */
  readonly price: number;
}

export class RunCash {
  readonly #account: RunAccount;
  readonly #store: OrderStore;

  constructor(account: RunAccount, store: OrderStore) {
    this.#account = account;
    this.#store = store;
  }

  /** An order that reduces the position, working orders considered, is never refused. */
  refusal({ orderCode, side, qty, limitPrice: price }: PlaceLimit): Refusal | null {
    const working = this.#working();
    const asked = { orderCode, side, qty, price };
    const free = this.#free();
    const isBeside = (order: Asked): boolean => order.orderCode === orderCode && order.side === side;
    const turning = this.#turningMargin(asked, working.filter(isBeside));
    const released = this.#releasedBy(working, orderCode);
    if (turning !== null) {
      const reserved = this.#heldFor(working.filter((order) => !isBeside(order)));
      return turning > free - reserved + released ? refusal(-6012) : null;
    }
    const before = this.#heldFor(working);
    const needed = this.#heldFor([...working, asked]) - before;
    if (needed <= 0) return null;
    return needed > free - before + released ? refusal(-6012) : null;
  }

  /**
   * Margin of other contracts, as far as orders that work close them at the last price: one event moves money from one to the other.
   */
  #releasedBy(working: readonly Asked[], code: OrderCode): number {
    if (working.length === 0) return 0;
    let released = 0;
    for (const [held, { entry }] of this.#account.broker.holdings) {
      const net = entry.qty;
      if (held === code || net === 0) continue;
      const instrument = this.#account.mark(held);
      const { mark } = instrument;
      const closing = working.filter(
        (each) => each.orderCode === held && (each.side === 'sell') === net > 0 && !waits(each, mark),
      );
      const size = Math.min(
        Math.abs(net),
        closing.reduce((sum, { qty }) => sum + qty, 0),
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
      buyingPower: Math.max(0, free - this.#heldFor(this.#working())),
    };
  }

  /** Equity that margins no position; below zero where prices have fallen too far. */
  #free(): number {
    let free = this.#account.equityNow();
    for (const [code, { entry }] of this.#account.broker.holdings)
      free -= marginOf(this.#account.mark(code), this.#account.day, entry.qty);
    return free;
  }

  #working(): readonly Asked[] {
    const working: Asked[] = [];
    for (const { orderCode, side, leavesQty: qty, price } of this.#store.open(ACCOUNT))
      working.push({ orderCode, side, qty, price });
    return working;
  }

  /**
   * Margin beyond that of what is held, less what closing it earns, once this order and those `beside` it are filled, where it turns the position
   * round; null for any other order. An order that fills at the last price stands behind others that do, one that waits behind all.
   */
  #turningMargin(asked: Asked, beside: readonly Asked[]): number | null {
    const { mark, unit, contract, costs } = this.#account.mark(asked.orderCode);
    const net = this.#account.netOf(contract.index);
    const held = -signOf(asked.side) * net;
    const total = (orders: readonly Asked[]): number => orders.reduce((sum, { qty }) => sum + qty, asked.qty);
    // A stop that has fired, or an exit at market, takes the place of a target that waits.
    const before = waits(asked, mark) ? beside : beside.filter((order) => !waits(order, mark));
    if (held <= 0 || total(before) <= held) return null;
    const paid = paidPrice(asked, mark);
    const marginAt = (size: number, price: number): number =>
      initialMargin(costs, this.#account.day, Math.round(size * price * unit), size);
    const opens = total(beside) - held;
    const earned = Math.round(net * (paid - mark) * unit);
    return marginAt(opens, paid) - marginAt(held, mark) - earned;
  }

  /** Margin of what orders may open, on the worse side of each contract. */
  #heldFor(orders: readonly Asked[]): number {
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

  /** `net` is positive where these orders enlarge it. What turns a position round opens no more than is held until it is beyond that. */
  #openingMargin(instrument: RunInstrument, net: number, orders: readonly Asked[]): number {
    const { mark, unit, costs } = instrument;
    let free = net < 0 ? -2 * net : 0;
    let margin = 0;
    for (const order of orders) {
      const opens = Math.max(0, order.qty - free);
      free = Math.max(0, free - order.qty);
      const value = Math.round(opens * paidPrice(order, mark) * unit);
      margin += initialMargin(costs, this.#account.day, value, opens);
    }
    return margin;
  }
}

/** At the last price it is not filled. */
const waits = ({ side, price }: Pick<Asked, 'side' | 'price'>, mark: number): boolean =>
  side === 'buy' ? price < mark : price > mark;

/** In ticks: the limit, or the last price where that is better. */
const paidPrice = ({ side, price }: Pick<Asked, 'side' | 'price'>, mark: number): number =>
  mark === 0 ? price : side === 'buy' ? Math.min(price, mark) : Math.max(price, mark);
