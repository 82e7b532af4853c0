/**
 * Conditional orders as a reader of the rules would check them by hand: every row keeps all trades it has seen, and for each
 * question the whole list is walked again. It hears of commands and of the venue's events, in order, and of nothing else.
 */
import type { OrderCode } from '../../src/domain/ids.ts';
import type { OrderReport, TriggerReport, VenueEvent } from '../../src/venue/venue-event.ts';

export interface NaiveRow {
  readonly kind: TriggerReport['kind'];
  readonly half: TriggerReport['half'];
  readonly account: string;
  readonly code: OrderCode;
  readonly side: 'buy' | 'sell';
  readonly when: 'at_or_above' | 'at_or_below';
  readonly parent: string | null;
  /** Of a stop its trigger, of a trailing stop its activation price. */
  price: number;
  readonly offset: number;
  qty: number;
  sent: number;
  status: TriggerReport['status'];
  /** Trades since it was placed, or its price moved. */
  seen: number[];
}

/** An arbitrage order, and own fills in its leg since it was placed; once they cover its volume it is sent. */
export interface NaiveLeg {
  order: OrderReport;
  filled: number;
  isSent: boolean;
}

type Spec = Pick<NaiveRow, 'kind' | 'account' | 'code' | 'side' | 'price' | 'qty'> & Partial<NaiveRow>;

const touches = (when: NaiveRow['when'], price: number, traded: number): boolean =>
  when === 'at_or_above' ? traded >= price : traded <= price;

/** Best trade from the one on that touched the activation price; the last trade only counts on request. */
function bestOf({ side, price, seen }: NaiveRow, trades: number): number | null {
  const sells = side === 'sell';
  const from = seen.findIndex((traded) => (sells ? traded >= price : traded <= price));
  if (from === -1 || from >= trades) return null;
  const followed = seen.slice(from, trades);
  return sells ? Math.max(...followed) : Math.min(...followed);
}

export function triggerOf(row: NaiveRow, trades = row.seen.length): number | null {
  if (row.kind !== 'trailing_stop') return row.price;
  const best = bestOf(row, trades);
  return best === null ? null : best + (row.side === 'sell' ? -row.offset : row.offset);
}

export class NaiveConditions {
  readonly rows: NaiveRow[] = [];
  /** By key. */
  readonly legs = new Map<string, NaiveLeg>();
  /** Orders with a bracket, by their key. */
  readonly #parents = new Map<string, OrderReport>();
  readonly #nets = new Map<string, number>();

  add(spec: Spec): void {
    const trails = spec.side === 'sell' ? 'at_or_below' : 'at_or_above';
    const rest = { half: null, when: trails, parent: null, offset: 0, sent: 0 } as const;
    this.rows.push({ ...rest, status: 'pending', seen: [], ...spec });
  }

  of(account: string): NaiveRow[] {
    return this.rows.filter((row) => row.account === account);
  }

  hear(events: readonly VenueEvent[]): void {
    for (const event of events) {
      if (event.kind === 'order' && event.order.bracket !== null)
        this.#parents.set(event.order.orderKey, event.order);
      if (event.kind === 'order' && event.order.leg !== null) {
        const { order } = event;
        const { filled, isSent } = this.legs.get(order.orderKey) ?? { filled: 0, isSent: false };
        this.legs.set(order.orderKey, { order, filled, isSent: isSent || filled >= order.qty });
      }
      if (event.kind === 'trade') this.#trade(event.orderCode, event.price);
      if (event.kind === 'fill') {
        this.#exits(event.orderKey, event.price, event.qty);
        this.#legs(event.accountId, event.orderCode, event.qty);
        this.#holds(event.accountId, event.orderCode, event.side === 'buy' ? event.qty : 0 - event.qty);
      }
    }
  }

  #trade(code: OrderCode, traded: number): void {
    for (const row of this.rows) {
      if (row.code !== code || row.status !== 'pending') continue;
      const trigger = triggerOf(row);
      row.seen.push(traded);
      if (trigger === null || !touches(row.when, trigger, traded)) continue;
      // The trade that sends it moves it no more.
      row.seen.pop();
      row.status = 'activated';
      row.sent = row.qty;
      const other = this.#otherHalf(row);
      if (other?.status === 'pending') other.status = 'canceled';
    }
  }

  #otherHalf(row: NaiveRow): NaiveRow | undefined {
    if (row.half === null) return undefined;
    const at = this.rows.indexOf(row);
    return this.rows[row.half === 'stop_loss' ? at + 1 : at - 1];
  }

  #exits(parentKey: string, price: number, qty: number): void {
    const parent = this.#parents.get(parentKey);
    if (parent === undefined || parent.bracket === null) return;
    const own = this.rows.filter((row) => row.parent === parentKey);
    const [stopLoss, takeProfit] = own.slice(-2);
    if (stopLoss !== undefined && stopLoss.status !== 'activated' && takeProfit?.status !== 'activated') {
      for (const half of [stopLoss, takeProfit]) if (half?.status === 'pending') half.qty += qty;
      return;
    }
    const buys = parent.side === 'sell';
    const [low, high] = ['at_or_below', 'at_or_above'] as const;
    const common = {
      kind: 'exit',
      account: parent.accountId,
      code: parent.orderCode,
      parent: parentKey,
      qty,
    } as const;
    const side = buys ? 'buy' : 'sell';
    const sign = buys ? -1 : 1;
    const stopAt = stopLoss?.price ?? price - sign * parent.bracket.stopLoss;
    const takeAt = takeProfit?.price ?? price + sign * parent.bracket.takeProfit;
    this.add({ ...common, side, half: 'stop_loss', when: buys ? high : low, price: stopAt });
    this.add({ ...common, side, half: 'take_profit', when: buys ? low : high, price: takeAt });
  }

  /** A position that is closed takes its exits along. */
  #holds(account: string, code: OrderCode, change: number): void {
    const key = `${account} ${code}`;
    const net = (this.#nets.get(key) ?? 0) + change;
    this.#nets.set(key, net);
    if (net !== 0) return;
    for (const row of this.rows) {
      const isIts = row.kind === 'exit' && row.account === account && row.code === code;
      if (isIts && row.status === 'pending') row.status = 'canceled';
    }
  }

  #legs(account: string, code: OrderCode, qty: number): void {
    for (const row of this.legs.values()) {
      if (row.order.leg !== code || row.order.accountId !== account) continue;
      row.filled += qty;
      row.isSent ||= row.filled >= row.order.qty;
    }
  }
}
