/** The broker's two books as the engine reads them: rows that are still to be reported, and scans of the whole. */
import type {
  BrokerOrder,
  BrokerOrderStatus,
  BrokerTriggerOrder,
  CallOutcome,
} from '../../domain/broker-order.ts';
import { isMarketLimit } from '../../domain/contract.ts';
import type { BrokerOrderKey, OrderCode } from '../../domain/ids.ts';
import { appended } from '../../domain/lists.ts';
import { type BracketIntent, type Side, signOf } from '../../domain/order.ts';
import { money, priceTicks, qty } from '../../domain/units.ts';
import type { VenueContext } from '../../venue/orders/order-checks.ts';
import type { OrderStore, VenueOrder } from '../../venue/orders/venue-order.ts';
import { type Bracket, isRefusal, type Refusal } from '../../venue/venue-command.ts';
import type { Outbox, TriggerReport } from '../../venue/venue-event.ts';
import { ACCOUNT, type RunAccount } from './run-account.ts';

const NO_ORDERS: VenueOrder[] = [];
const NO_ROWS: BrokerOrder[] = [];

export class BrokerBooks {
  /** An order waits for trades. */
  isWatching = false;
  readonly #store: OrderStore;
  readonly #outbox: Outbox;
  readonly #account: RunAccount;
  readonly #venue: VenueContext;
  /** Changed since they were reported. */
  #changed = NO_ORDERS;
  /** Ended, in order, and not forgotten yet. The next scan of the book shows those that it still has to report. */
  #ended = NO_ORDERS;
  #forgotten = NO_ORDERS;
  /** Ended in the scan before: a cancel that was sent before its rows arrived still finds them. */
  #scanned: readonly VenueOrder[] = [];
  readonly #waiting = new Map<BrokerOrderKey, TriggerReport>();
  #endedTriggers = new Map<BrokerOrderKey, TriggerReport>();
  #areTriggersChanged = false;
  /** Changes of waiting orders, oldest first, not yet reported. */
  #triggerChanges: TriggerReport[] = [];

  constructor(store: OrderStore, outbox: Outbox, account: RunAccount, venue: VenueContext) {
    this.#store = store;
    this.#outbox = outbox;
    this.#account = account;
    this.#venue = venue;
  }

  get hasChanges(): boolean {
    return this.#changed.length > 0 || this.#triggerChanges.length > 0;
  }

  /** A field of it changed. An expired order has no row of its own. */
  mark(order: VenueOrder): void {
    if (!order.isOpen) this.#ended = appended(this.#ended, order);
    if (order.isUnreported || order.expired) return;
    order.isUnreported = true;
    this.#changed = appended(this.#changed, order);
  }

  /** Rows of orders that changed, but of those whose market keeps them to itself. */
  drainChanged(): readonly BrokerOrder[] {
    const changed = this.#changed;
    this.#changed = NO_ORDERS;
    let rows = NO_ROWS;
    for (const order of changed) {
      if (this.#isSilent(order.orderCode)) this.#changed = appended(this.#changed, order);
      else {
        order.isUnreported = false;
        rows = appended(rows, this.#rowOf(order));
      }
    }
    return rows;
  }

  /** Every open order, and those that ended since the last scan without a row of theirs. */
  scan(): readonly BrokerOrder[] {
    const ended = this.#ended.filter((order) => !isReported(order));
    const rows = [...ended, ...this.#store.open(ACCOUNT)].map((order) => this.#rowOf(order));
    for (const order of this.#scanned) this.#store.forget(order);
    this.#scanned = ended;
    this.#ended = this.#ended.filter(isReported);
    return rows;
  }

  /** No row and no call is under way. Those reported just now may have a call made before their row was read: the next time forgets them. */
  forgetReported(): void {
    const ended = this.#ended;
    for (const order of this.#forgotten) this.#store.forget(order);
    this.#forgotten = NO_ORDERS;
    this.#ended = NO_ORDERS;
    for (const order of ended) {
      if (isReported(order)) this.#forgotten = appended(this.#forgotten, order);
      else this.#ended = appended(this.#ended, order);
    }
  }

  /** Every order that waits for its trigger, and those that ended since the last call. */
  scanTriggers(): readonly BrokerTriggerOrder[] {
    const rows = [...this.#waiting.values(), ...this.#endedTriggers.values()].map(triggerRow);
    this.#endedTriggers = new Map();
    return rows;
  }

  /** True once after a change of the trigger book. */
  consumeTriggerChange(): boolean {
    this.readTriggers();
    const areChanged = this.#areTriggersChanged;
    this.#areTriggersChanged = false;
    return areChanged;
  }

  readTriggers(): void {
    for (const event of this.#outbox.drain())
      if (event.kind === 'trigger') this.#triggerChanges.push(event.trigger);
    if (this.#triggerChanges.length > 0)
      this.#triggerChanges = this.#triggerChanges.filter((change) => !this.#takeTrigger(change));
    this.isWatching = this.#waiting.size > 0 || this.#triggerChanges.length > 0;
  }

  /** False while its market keeps it to itself. */
  #takeTrigger(change: TriggerReport): boolean {
    if (this.#isSilent(change.orderCode)) return false;
    this.#areTriggersChanged = true;
    if (change.status === 'pending') this.#waiting.set(change.orderKey, change);
    else {
      this.#waiting.delete(change.orderKey);
      this.#endedTriggers.set(change.orderKey, change);
    }
    return true;
  }

  #isSilent(code: OrderCode): boolean {
    const until = this.#account.find(code)?.exchange?.silentUntilUs;
    return until !== undefined && until > this.#venue.nowUs;
  }

  /** A contract with rates of its own may be charged by liquidity or by fill, which rows do not show: its costs are reported. */
  #rowOf(order: VenueOrder): BrokerOrder {
    const hasOwnCosts = this.#account.find(order.orderCode)?.listing?.contract.spec.costs !== undefined;
    const isWorking = order.isOpen && this.#venue.phase === 'continuous';
    const value = money(order.filledValue);
    return {
      orderNo: order.orderNo,
      orderKey: order.orderKey,
      refId: order.refId,
      orderCode: order.orderCode,
      side: order.side,
      qty: qty(order.qty),
      limitPrice: priceTicks(order.price),
      filledQty: qty(order.filledQty),
      filledValue:
        order.filledQty === 0
          ? null
          : hasOwnCosts
            ? { value, quality: 'exact', costs: { fee: money(order.fee), tax: money(order.tax) } }
            : { value, quality: 'exact' },
      status: statusOf(order),
      statusText: '',
      canCancel: isWorking,
      canModify: isWorking,
      source: order.source,
      reason: '',
    };
  }
}

/** Its row has said that it ended, and whose it is: a scan has nothing to add. Those that expire have no row of their own. */
const isReported = ({ expired, origin, isUnreported }: VenueOrder): boolean =>
  !expired && origin === 'plain' && !isUnreported;

type BracketPrices = Pick<BracketIntent, 'stopLossPrice' | 'takeProfitPrice'>;

/** Exits rest as far from the price paid as they were requested from the limit; those of a market order at their prices. */
export function bracketOf(
  side: Side,
  limit: number,
  { stopLossPrice: stopLoss, takeProfitPrice: takeProfit }: BracketPrices,
): Bracket {
  if (isMarketLimit(side, limit)) return { is: 'prices', stopLoss, takeProfit };
  const sign = signOf(side);
  return { is: 'distances', stopLoss: sign * (limit - stopLoss), takeProfit: sign * (takeProfit - limit) };
}

/** An order that expired shows its last status. */
function statusOf(order: VenueOrder): BrokerOrderStatus {
  const isCanceled = order.canceledUs !== null && !order.expired;
  if (order.filledQty === 0) return isCanceled ? 'canceled' : 'resting';
  return isCanceled ? 'matched_canceled' : 'matched';
}

export function outcomeOf(answer: VenueOrder | TriggerReport | Refusal): CallOutcome {
  if (isRefusal(answer)) return { status: 'rejected', code: String(answer.code), text: answer.text };
  return { status: 'accepted', orderNo: answer.orderNo, orderKey: answer.orderKey };
}

/** A trailing stop that is not active yet shows its activation price. */
const triggerRow = (row: TriggerReport): BrokerTriggerOrder => ({
  orderNo: row.orderNo,
  orderKey: row.orderKey,
  orderCode: row.orderCode,
  side: row.side,
  qty: row.qty,
  limitPrice: row.limitPrice,
  kind: row.kind,
  triggerPrice: row.triggerPrice ?? row.trailing?.activationPrice ?? null,
  triggerWhen: row.triggerWhen,
  status: row.status,
  statusText: row.reason,
  children: row.children,
  parent: row.parentOrderNo,
});
