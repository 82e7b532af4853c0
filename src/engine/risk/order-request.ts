/** Requests as risk rules read them, and the faults that are found before any rule. */
import { assert } from '../../domain/assert.ts';
import { isMarketLimit } from '../../domain/contract.ts';
import type {
  ModifyIntent,
  OrderIntent,
  Side,
  Trigger,
  TriggerIntent,
  TriggerWhen,
} from '../../domain/order.ts';
import type { Assumption, EngineSettings } from '../../domain/settings.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';
import type { Denial } from '../ports/denial.ts';
import type { EngineView, OrderView } from '../engine-view.ts';

/** A change as the rules see it: the order as it would be afterwards. */
export interface ChangedTerms {
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  /** Null for an order at the exchange. */
  readonly triggerPrice: PriceTicks | null;
  /** Until the change is confirmed either quantity may fill. */
  readonly exposedQty: number;
}

/** One of the two repeats the old value: a change is of price or volume (market rules, 4). */
export function changedTerms(order: OrderView, change: ModifyIntent): ChangedTerms {
  const qty = change.kind === 'qty' ? change.qty : order.qty;
  const limitPrice = change.kind === 'price' ? change.limitPrice : order.limitPrice;
  const triggerPrice = change.kind === 'trigger' ? change.triggerPrice : null;
  const exposedQty = order.isWaiting ? order.exposedQty : Math.max(order.exposedQty, qty - order.filledQty);
  return { qty, limitPrice, triggerPrice, exposedQty };
}

/** Reasons that forbid any change of this order, before the rules check price and quantity. */
export function modifyDenial(order: OrderView, change: ModifyIntent): Denial | undefined {
  const status = workingStatus(order);
  if (status !== null) return { code: 'order_not_working', status };
  if (change.kind === 'trigger') return { code: 'modify_not_possible', change: 'trigger', order: 'limit' };
  if (change.kind === 'price')
    return change.limitPrice === order.limitPrice ? { code: 'modify_changes_nothing' } : undefined;
  // Whether the new volume is the total or the rest is not known: not of an order that has a part filled (rulings, 10).
  if (order.filledQty > 0) return { code: 'modify_partly_filled', filledQty: order.filledQty };
  return change.qty === order.qty ? { code: 'modify_changes_nothing' } : undefined;
}

/** Null when the order rests and can be changed; else why not. One change at a time. */
function workingStatus({ status, orderNo, canModify, cancelQueued }: OrderView): string | null {
  if (status !== 'accepted' && status !== 'partially_filled') return status;
  if (orderNo === null) return `${status}, without a number`;
  if (cancelQueued) return `${status}, a cancel waits`;
  return canModify ? null : `${status}, the broker says it cannot be changed`;
}

/** How long an order lasts is the market's to say, unless it takes both. */
export function timeInForceDenial(
  { timeInForce: asked }: OrderIntent,
  { orders = 'day', gtcOrders = false }: Pick<EngineSettings, 'orders' | 'gtcOrders'>,
): Denial | undefined {
  if (asked === undefined || gtcOrders) return undefined;
  return asked === (orders === 'day' ? 'day' : 'gtc') ? undefined : { code: 'time_in_force', asked };
}

// Orders with a trigger: the terms that are sent, and the faults that no risk rule checks.

/** Kinds that rest on an unconfirmed reading of the broker's contract (rulings, 13). */
const RESTS_ON: Readonly<Record<TriggerIntent['kind'], Assumption | null>> = {
  stop: null,
  trailing_stop: null,
  bracket: 'entry-with-exits',
  arbitrage: 'order-after-order',
};

/** True for an order of the trigger book. The entry of a bracket and an arbitrage order are orders of the in-day book (rulings, 13). */
export const isTriggerIntent = ({ kind }: Pick<OrderIntent, 'kind'>): boolean =>
  kind === 'stop' || kind === 'trailing_stop';

export function triggerOf(intent: OrderIntent, { contracts }: Pick<EngineView, 'contracts'>): Trigger | null {
  switch (intent.kind) {
    case 'limit':
      return null;
    case 'stop':
      return { kind: 'stop', triggerPrice: intent.triggerPrice, triggerWhen: intent.triggerWhen };
    case 'trailing_stop': {
      const { activationPrice, trailingOffset } = intent;
      return { kind: 'trailing_stop', activationPrice, trailingOffset };
    }
    case 'bracket': {
      const { stopLossPrice, takeProfitPrice } = intent;
      return { kind: 'bracket', stopLossPrice, takeProfitPrice };
    }
    case 'arbitrage': {
      const leg = contracts.at(intent.leg);
      assert(leg !== undefined, 'the leg of an arbitrage order is a contract');
      return { kind: 'arbitrage', leg: intent.leg, legCode: leg.orderCode };
    }
  }
}

export function triggerDenial(
  view: EngineView,
  intent: TriggerIntent,
  assumed: readonly Assumption[],
): Denial | undefined {
  const assumption = RESTS_ON[intent.kind];
  if (assumption !== null && !assumed.includes(assumption)) return { code: 'not_assumed', assumption };
  // Rows carry no id of ours: an order of unknown fate is found by comparing with the rows of before (rulings, 8).
  if (view.session.triggersReadUs === -Infinity) return { code: 'triggers_unread' };
  return shapeDenial(view, intent);
}

function shapeDenial(
  { contracts, market }: Pick<EngineView, 'contracts' | 'market'>,
  intent: TriggerIntent,
): Denial | undefined {
  const { side, limitPrice } = intent;
  switch (intent.kind) {
    case 'stop':
      return behindTrigger(side, intent.triggerWhen, intent.triggerPrice, limitPrice);
    case 'trailing_stop': {
      const { trailingOffset: offset, activationPrice } = intent;
      if (!Number.isSafeInteger(offset) || offset < 1)
        return { code: 'trailing_offset_not_positive', offset };
      return behindTrigger(side, against(side), firstTrigger(side, activationPrice, offset), limitPrice);
    }
    case 'bracket': {
      const { stopLossPrice: stopLoss, takeProfitPrice: takeProfit } = intent;
      const [low, high] = side === 'buy' ? [stopLoss, takeProfit] : [takeProfit, stopLoss];
      // A market order will pay about the price of the last trade.
      const isMarket = isMarketLimit(side, limitPrice);
      const limit = isMarket ? (market.tradedPrice(intent.instrument) ?? limitPrice) : limitPrice;
      const isBetween = low < limit && limit < high;
      return isBetween ? undefined : { code: 'exit_price_side', stopLoss, limit, takeProfit };
    }
    case 'arbitrage':
      if (intent.leg === intent.instrument) return { code: 'leg_is_own_contract' };
      return contracts.at(intent.leg) === undefined
        ? { code: 'contract_unknown', instrument: intent.leg }
        : undefined;
  }
}

/** Direction in which the market moves against the sender: a limit behind the trigger would never be filled. */
const against = (side: Side): TriggerWhen => (side === 'buy' ? 'at_or_above' : 'at_or_below');

function behindTrigger(side: Side, when: TriggerWhen, trigger: number, limit: number): Denial | undefined {
  if (when !== against(side)) return undefined;
  const isBehind = side === 'buy' ? limit < trigger : limit > trigger;
  return isBehind ? { code: 'limit_behind_trigger', limit, trigger } : undefined;
}

/** Trigger price of a trailing stop if the market turns at once. */
const firstTrigger = (side: Side, activation: number, offset: number): number =>
  side === 'sell' ? activation - offset : activation + offset;

export const NO_PRICES: readonly number[] = [];

/** Prices sent with the limit: on the grid, and inside the band and the collar like it. */
export function otherPrices(intent: OrderIntent): readonly number[] {
  switch (intent.kind) {
    case 'stop':
      return [intent.triggerPrice];
    case 'trailing_stop':
      return [intent.activationPrice];
    case 'bracket':
      return [intent.stopLossPrice, intent.takeProfitPrice];
    case 'limit':
    case 'arbitrage':
      return NO_PRICES;
  }
}

/** Undefined when the trigger of this order may be moved, as far as its state goes. */
export function moveDenial(
  order: OrderView,
  change: ModifyIntent,
  assumed: readonly Assumption[],
): Denial | undefined {
  if (order.status !== 'pending_trigger') return { code: 'order_not_working', status: order.status };
  const kind = order.trigger?.kind ?? 'exit';
  if (change.kind !== 'trigger') return { code: 'modify_not_possible', change: change.kind, order: kind };
  if (!assumed.includes('conditional-change'))
    return { code: 'not_assumed', assumption: 'conditional-change' };
  const { orderKey, triggerPrice } = order;
  if (order.orderNo === null || orderKey === null)
    return { code: 'order_not_working', status: `${order.status}, without a key` };
  if (order.cancelQueued) return { code: 'order_not_working', status: `${order.status}, a cancel waits` };
  if (triggerPrice === change.triggerPrice) return { code: 'modify_changes_nothing' };
  return movedBehind(order, change.triggerPrice);
}

function movedBehind({ side, limitPrice, trigger, triggerWhen }: OrderView, to: number): Denial | undefined {
  switch (trigger?.kind) {
    case 'stop':
      return behindTrigger(side, trigger.triggerWhen, to, limitPrice);
    case 'trailing_stop':
      // Following the market already, it has no activation price any more.
      if (triggerWhen === against(side))
        return { code: 'modify_not_possible', change: 'trigger', order: 'an active trailing_stop' };
      return behindTrigger(side, against(side), firstTrigger(side, to, trigger.trailingOffset), limitPrice);
    // The broker moves the limit of an exit along with its trigger.
    case undefined:
    case 'bracket':
    case 'arbitrage':
      return undefined;
  }
}
