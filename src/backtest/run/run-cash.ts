/** The cash of a run's one account where no broker's ratios hold: an order that opens needs cash for the price that it will pay. */
import { assert } from '../../domain/assert.ts';
import { ratesOf } from '../../domain/contract.ts';
import { initialMargin } from '../../domain/costs.ts';
import type { OrderCode } from '../../domain/ids.ts';
import { type PlaceLimit, refusal, type Refusal } from '../../venue/venue-command.ts';
import type { VenueOrder } from '../../venue/orders/venue-order.ts';
import type { FundsNow, RunAccount } from './run-account.ts';
import type { RunInstrument } from './run-instrument.ts';
import type { DayCosts } from './strategy-ledger.ts';

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
  readonly #instruments: readonly RunInstrument[];
  readonly #open: () => Iterable<VenueOrder>;
  #costs: DayCosts | null = null;

  /** `open`: orders that work. */
  constructor(account: RunAccount, instruments: readonly RunInstrument[], open: () => Iterable<VenueOrder>) {
    this.#account = account;
    this.#instruments = instruments;
    this.#open = open;
  }

  openDay(costs: DayCosts): void {
    this.#costs = costs;
  }

  /** An order that reduces the position, working orders considered, is never refused. */
  refusal({ orderCode, side, qty, limitPrice: price }: PlaceLimit): Refusal | null {
    assert(this.#costs !== null, 'orders are sent on a day that is open');
    const working = this.#working();
    const before = this.#heldFor(working);
    const needed = this.#heldFor([...working, { orderCode, side, qty, price }]) - before;
    if (needed <= 0) return null;
    return needed > this.#account.freeEquity(this.#costs) - before ? refusal(-6012) : null;
  }

  funds(): FundsNow {
    assert(this.#costs !== null, 'money is measured on a day that is open');
    const account = this.#account;
    const free = account.freeEquity(this.#costs);
    return {
      cash: account.cashInHand(this.#costs),
      marginUsed: account.equityNow() - free,
      buyingPower: Math.max(0, free - this.#heldFor(this.#working())),
    };
  }

  #working(): readonly Asked[] {
    const working: Asked[] = [];
    for (const { orderCode, side, leavesQty: qty, price } of this.#open())
      working.push({ orderCode, side, qty, price });
    return working;
  }

  /** Margin of what orders may open, on the worse side of each contract. */
  #heldFor(orders: readonly Asked[]): number {
    let margin = 0;
    for (const instrument of this.#instruments) {
      const own = orders.filter(({ orderCode }) => orderCode === instrument.contract.orderCode);
      if (own.length === 0) continue;
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
  #openingMargin(
    { mark, unit, rate, contract }: RunInstrument,
    net: number,
    orders: readonly Asked[],
  ): number {
    assert(this.#costs !== null, 'margin is measured on a day that is open');
    const { schedule, day } = this.#costs;
    let free = net < 0 ? -2 * net : 0;
    const rates = ratesOf(contract.spec, schedule);
    let margin = 0;
    for (const { side, qty, price } of orders) {
      const opens = Math.max(0, qty - free);
      free = Math.max(0, free - qty);
      const paid = mark === 0 ? price : side === 'buy' ? Math.min(price, mark) : Math.max(price, mark);
      margin += initialMargin(rates, day, Math.round(opens * paid * unit), opens);
    }
    return rate.of(margin);
  }
}
