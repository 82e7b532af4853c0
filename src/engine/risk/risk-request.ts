/** Requests as risk rules read them, and the faults that are found before any rule. */
import {
  auctionStarts,
  expiryFlatFrom,
  flatFrom,
  nextPhaseChange,
  phaseAt,
  type SessionPhase,
  type TradingCalendar,
} from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { type Contract, isMarketLimit, type PriceBand } from '../../domain/contract.ts';
import { cover } from '../../domain/cover.ts';
import {
  firstTrigger,
  type ModifyIntent,
  type OrderIntent,
  type Side,
  signOf,
  type StopIntent,
  type TrailingStopIntent,
  type Trigger,
  type TriggerIntent,
  type TriggerWhen,
  waitsInTriggerBook,
} from '../../domain/order.ts';
import type { Assumption, EngineSettings, StrategySettings } from '../../domain/settings.ts';
import {
  type DurationUs,
  type InstrumentIndex,
  instrumentIndex,
  OPERATOR_INDEX,
  type PriceTicks,
  type Qty,
  type StrategyIndex,
  type TsUs,
} from '../../domain/units.ts';
import { awaitedExitQty, type EngineView, ordersOf, type OrderView, shownQty } from '../engine-view.ts';
import type { Purpose } from '../ports/approved.ts';
import { assert } from '../../domain/assert.ts';
import type { Denial } from '../ports/denial.ts';

/** Phases, and moments from which a day's entries are denied, computed once each: orders ask by the thousand, and date arithmetic is slow. */
export class ClosingHours {
  readonly #calendar: TradingCalendar;
  readonly #before: DurationUs | null;
  readonly #expiries = new Map<Contract, number>();
  #day: TradingDay | null = null;
  /** Closures of the day's moments: a newer calendar has others. */
  #closures: ReadonlySet<TradingDay> | null = null;
  auctions: readonly TsUs[] = [];
  /** From here on positions that do not stay overnight are closed; infinite where they may stay, or there is no night. */
  nightUs = Infinity;
  #phase: SessionPhase = 'closed';
  /** The phase holds from here, and until there. */
  #phaseUs = Infinity;
  #phaseUntilUs = -Infinity;

  /** `before`: how long before the end of continuous trading positions are closed; null: they are not. */
  constructor(calendar: TradingCalendar, before: DurationUs | null) {
    this.#calendar = calendar;
    this.#before = before;
  }

  phaseAt(at: TsUs): SessionPhase {
    if (at < this.#phaseUs || at >= this.#phaseUntilUs) {
      this.#phase = phaseAt(this.#calendar, at);
      this.#phaseUs = at;
      this.#phaseUntilUs = nextPhaseChange(this.#calendar, at);
    }
    return this.#phase;
  }

  /** From here on a contract is closed on its last day; infinite on any other day. */
  expiryUs(contract: Contract): number {
    const known = this.#expiries.get(contract);
    if (known !== undefined || this.#day === null) return known ?? Infinity;
    const from = expiryFlatFrom(this.#calendar, contract, this.#day, this.#before) ?? Infinity;
    this.#expiries.set(contract, from);
    return from;
  }

  turnTo(day: TradingDay): void {
    const { closures } = this.#calendar;
    if (day === this.#day && closures === this.#closures) return;
    this.#day = day;
    this.#closures = closures;
    this.auctions = auctionStarts(this.#calendar, day);
    this.nightUs = flatFrom(this.#calendar, day, this.#before) ?? Infinity;
    this.#expiries.clear();
  }
}

/**
 * Input of the rules: a new order, or an order as it would be after a change. One object serves all checks, so an order allocates none, and
 * counts over the open orders that several rules need are made in one pass.
 */
export class RiskRequest {
  readonly view: EngineView;
  readonly settings: EngineSettings;
  readonly hours: ClosingHours;
  strategy: StrategyIndex = OPERATOR_INDEX;
  /** Undefined for the operator, who has no limits and therefore enters nothing. */
  ownerSettings: StrategySettings | undefined = undefined;
  contract: Contract;
  instrument: InstrumentIndex = instrumentIndex(0);
  side: Side = 'buy';
  /** Total quantity as asked for, not validated yet. */
  qty = 0;
  limitPrice = 0;
  /** Trigger of a new order; null for a limit order. */
  trigger: Trigger | null = null;
  /** Triggers and exits, which have to fit the market like the limit. */
  otherPrices: readonly number[] = NO_PRICES;
  /** It waits at the broker: nothing of it rests at the exchange yet. */
  isWaiting = false;
  /** The engine asks for it on the strategy's behalf. */
  isSystem = false;
  /** A stop of the engine itself. */
  isProtective = false;
  /** Largest quantity that may still fill once it is sent; of a change, the larger of before and after. */
  exposedQty = 0;
  changed: OrderView | null = null;
  nowUs: TsUs;
  day: TradingDay;
  band: PriceBand | undefined = undefined;
  /** Price of the last trade, else of the reference. */
  last: number | undefined = undefined;
  /** Set by `classify`. */
  purpose: Purpose = 'entry';
  /** Its owner holds a position that it could close. */
  isHeld = false;
  /** Our own books say that it shrinks the position. */
  shrinks = false;
  /** Contracts that other open orders may still trade on its side: of the account, of its owner, and of those its owner's that do not protect. */
  workingQty = 0;
  ownerWorkingQty = 0;
  closingQty = 0;
  /** Open orders of the account and of its owner, without protective stops. */
  openOrders = 0;
  ownerOpenOrders = 0;

  constructor(view: EngineView, first: Contract) {
    this.view = view;
    this.settings = view.settings;
    this.hours = new ClosingHours(view.calendar, view.settings.flatBeforeClose);
    this.contract = first;
    this.nowUs = view.context.nowUs;
    this.day = view.session.tradingDay();
  }

  loadIntent(strategy: StrategyIndex, contract: Contract, intent: OrderIntent, isSystem: boolean): void {
    this.changed = null;
    this.qty = intent.qty;
    this.exposedQty = intent.qty;
    this.limitPrice = intent.limitPrice;
    this.trigger = intent.kind === 'limit' ? null : triggerOf(intent, this.view);
    this.otherPrices = this.trigger === null ? NO_PRICES : pricesOf(this.trigger);
    this.isWaiting = this.trigger !== null && waitsInTriggerBook(this.trigger);
    this.isProtective = isSystem && intent.kind === 'stop';
    this.#read(strategy, contract, intent.side, isSystem);
  }

  loadChange(order: OrderView, contract: Contract, terms: ChangedTerms, isSystem: boolean): void {
    const { qty, limitPrice, triggerPrice, exposedQty } = terms;
    this.changed = order;
    this.qty = qty;
    this.exposedQty = exposedQty;
    this.limitPrice = limitPrice;
    this.trigger = order.trigger;
    this.otherPrices = triggerPrice === null ? NO_PRICES : [triggerPrice];
    this.isWaiting = order.isTriggerOrder;
    this.isProtective = order.isProtective;
    this.#read(order.strategy, contract, order.side, isSystem);
  }

  #read(strategy: StrategyIndex, contract: Contract, side: Side, isSystem: boolean): void {
    this.strategy = strategy;
    this.ownerSettings = this.settings.strategies[strategy];
    this.contract = contract;
    this.instrument = contract.index;
    this.side = side;
    this.isSystem = isSystem;
    const { context, session, market } = this.view;
    this.nowUs = context.nowUs;
    this.day = session.tradingDay();
    this.hours.turnTo(this.day);
    this.band = market.of(contract.index).band;
    this.last = market.lastOrReference(contract);
    this.#count();
  }

  #count(): void {
    const { open } = this.view.orders;
    this.workingQty = 0;
    this.ownerWorkingQty = 0;
    this.closingQty = 0;
    this.openOrders = 0;
    this.ownerOpenOrders = 0;
    for (let at = 0; at < open.length; at += 1) {
      const order = open[at];
      if (order === undefined) continue;
      const isOfOwner = order.strategy === this.strategy;
      if (!order.isProtective) {
        this.openOrders += 1;
        if (isOfOwner) this.ownerOpenOrders += 1;
      }
      const isOnSide = order.instrument === this.instrument && order.side === this.side;
      if (!isOnSide || order === this.changed) continue;
      const { exposedQty } = order;
      this.workingQty += exposedQty;
      if (isOfOwner) this.ownerWorkingQty += exposedQty;
      if (isOfOwner && !order.isProtective) this.closingQty += exposedQty;
    }
  }

  /**
   * A reduction (rulings, 36) is an order that can only shrink the position of its owner, whatever else fills, as shown by a read of
   * the position less than 5 s old.
   */
  classify(): void {
    const { view, strategy, instrument, side, exposedQty } = this;
    const working = this.#takenQty();
    const held = -signOf(side) * view.portfolio.position(strategy, instrument).qty;
    // The account's figure includes unseen fills of any owner. A flatten or a policy uses that figure alone: it never waits for a person.
    const unseen = this.isSystem ? 0 : view.carriedOrders.unseenQty(strategy, instrument, side);
    this.isHeld = held > 0;
    this.shrinks = exposedQty <= held - working - unseen;
    const isProven = this.shrinks && exposedQty <= shownQty(view, strategy, instrument, side) - working;
    this.purpose = isProven ? 'reduce' : 'entry';
  }

  /**
   * Contracts that other orders may take from its owner's position. A protective stop and an exit do not wait for each other: the stop is
   * withdrawn as the position shrinks, and only other stops block it.
   */
  #takenQty(): number {
    const { view, side, changed } = this;
    const awaited = awaitedExitQty(view, this, side);
    if (!this.isProtective) return awaited + this.closingQty;
    const others = ordersOf(view, this).filter((order) => order.side === side && order !== changed);
    return awaited + cover(-signOf(side), others, ({ asCover }) => asCover).stopQty;
  }
}

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
  const exposedQty = order.isTriggerOrder
    ? order.exposedQty
    : Math.max(order.exposedQty, qty - order.filledQty);
  return { qty, limitPrice, triggerPrice, exposedQty };
}

/** Reasons that forbid any change of this order, before the rules check price and quantity. */
export function modifyDenial(order: OrderView, change: ModifyIntent): Denial | undefined {
  const status = whyFixed(order);
  if (status !== null) return { code: 'order_not_working', status };
  if (change.kind === 'trigger') return { code: 'modify_not_possible', change: 'trigger', order: 'limit' };
  if (change.kind === 'price')
    return change.limitPrice === order.limitPrice ? { code: 'modify_changes_nothing' } : undefined;
  // Whether the new volume is the total or what is left is not known: not of an order that has a part filled (rulings, 10).
  if (order.filledQty > 0) return { code: 'modify_partly_filled', filledQty: order.filledQty };
  return change.qty === order.qty ? { code: 'modify_changes_nothing' } : undefined;
}

/** Null when the order rests and can be changed; else why not. One change at a time. */
function whyFixed({ status, orderNo, canModify, cancelQueued }: OrderView): string | null {
  if (status !== 'accepted' && status !== 'partially_filled') return status;
  if (orderNo === null) return `${status}, without a number`;
  if (cancelQueued) return `${status}, a cancel waits`;
  return canModify ? null : `${status}, the broker says it cannot be changed`;
}

/** Denies a time in force that the market does not support. */
export function timeInForceDenial(
  { timeInForce: asked }: OrderIntent,
  { orders = 'day', gtcOrders = false }: Pick<EngineSettings, 'orders' | 'gtcOrders'>,
): Denial | undefined {
  if (asked === undefined || gtcOrders) return undefined;
  return asked === (orders === 'day' ? 'day' : 'gtc') ? undefined : { code: 'time_in_force', asked };
}

// Orders with a trigger: the terms that are sent, and the faults that no risk rule checks.

/** Kinds that need an unconfirmed reading of the broker's contract (rulings, 13). */
const RESTS_ON: Readonly<Record<TriggerIntent['kind'], Assumption | null>> = {
  stop: null,
  trailing_stop: null,
  bracket: 'entry-with-exits',
  arbitrage: 'order-after-order',
};

function triggerOf(intent: TriggerIntent, { contracts }: Pick<EngineView, 'contracts'>): Trigger {
  switch (intent.kind) {
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
      return behindDenial(side, intent, intent.triggerPrice, limitPrice);
    case 'trailing_stop': {
      const { trailingOffset: offset, activationPrice } = intent;
      if (!Number.isSafeInteger(offset) || offset < 1)
        return { code: 'trailing_offset_not_positive', offset };
      return behindDenial(side, intent, activationPrice, limitPrice);
    }
    case 'bracket': {
      const { stopLossPrice: stopLoss, takeProfitPrice: takeProfit } = intent;
      const [low, high] = side === 'buy' ? [stopLoss, takeProfit] : [takeProfit, stopLoss];
      // A market order will pay about the price of the last trade.
      const isMarket = isMarketLimit(side, limitPrice);
      const limit = isMarket ? (market.of(intent.instrument).last.price ?? limitPrice) : limitPrice;
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
const adverse = (side: Side): TriggerWhen => (side === 'buy' ? 'at_or_above' : 'at_or_below');

/** `at`: its trigger price, or the activation price of a trailing stop that does not follow the market yet. */
function behindDenial(
  side: Side,
  order: Pick<StopIntent, 'kind' | 'triggerWhen'> | Pick<TrailingStopIntent, 'kind' | 'trailingOffset'>,
  at: number,
  limit: number,
): Denial | undefined {
  if (order.kind === 'stop' && order.triggerWhen !== adverse(side)) return undefined;
  const trigger = order.kind === 'stop' ? at : firstTrigger(side, at, order.trailingOffset);
  const isBehind = side === 'buy' ? limit < trigger : limit > trigger;
  return isBehind ? { code: 'limit_behind_trigger', limit, trigger } : undefined;
}

const NO_PRICES: readonly number[] = [];

/** Prices sent with the limit: on the grid, and inside the band and the collar like it. */
function pricesOf(trigger: Trigger): readonly number[] {
  switch (trigger.kind) {
    case 'stop':
      return [trigger.triggerPrice];
    case 'trailing_stop':
      return [trigger.activationPrice];
    case 'bracket':
      return [trigger.stopLossPrice, trigger.takeProfitPrice];
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
  return movedDenial(order, change.triggerPrice);
}

function movedDenial({ side, limitPrice, trigger, triggerWhen }: OrderView, to: number): Denial | undefined {
  // The broker moves the limit of an exit along with its trigger.
  if (trigger?.kind !== 'stop' && trigger?.kind !== 'trailing_stop') return undefined;
  // Following the market already, it has no activation price any more.
  if (trigger.kind === 'trailing_stop' && triggerWhen === adverse(side))
    return { code: 'modify_not_possible', change: 'trigger', order: 'an active trailing_stop' };
  return behindDenial(side, trigger, to, limitPrice);
}
