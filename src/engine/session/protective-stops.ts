/**
 * Keeps one stop at the broker for each position of a strategy (rulings, 14; failure cases, 13 and 14). Its quantity is that of the
 * position, less what other stops of that side cover already: the strategy's own, a person's, a second program's. Another
 * quantity means cancel, the end in the book, a fresh position, and a new order. A position that is without a stop for too long
 * follows `policies.nakedPosition`. While positions are not proven nothing is changed, and one that seems to be without a stop
 * for as long follows `policies.unprovenPosition`. Where no protective stops are configured, one takes the place of an exit
 * that was withdrawn as too large, or of a stop that a flatten withdrew and that does not close the position at once, and one that an
 * earlier configuration left is kept, until the position is closed.
 */
import { isStandstill } from '../../domain/calendar.ts';
import { assert } from '../../domain/assert.ts';
import { valueOf } from '../../domain/contract.ts';
import { cover } from '../../domain/cover.ts';
import { type OrderIntent, type Side, signOf } from '../../domain/order.ts';
import {
  type InstrumentIndex,
  OPERATOR_INDEX,
  priceTicks,
  qty,
  seconds,
  tsUs,
  US_PER_MINUTE,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { ManagedOrder } from '../orders/managed-order.ts';
import {
  awaitedExitQty,
  coverOf,
  isNotBeingCanceled,
  isOver,
  ordersOf,
  type OrderView,
  whyUnproven,
} from '../engine-view.ts';
import type { EngineState } from '../engine-state.ts';
import { isSamePosition, type PositionKey } from './targets.ts';
import type { FailurePolicies } from './failure-policies.ts';

/** Pause between two requests, longer than a call may wait for positions: never two at once. */
const ASK_AGAIN = seconds(6);
/** Cancels in a row before a broker that refuses them is asked once a minute (failure cases, 32). */
const PROMPT_WITHDRAWALS = 3;

/** Time in which the position is read for which the broker withdrew an exit. */
const READ_LATER_MAX = seconds(60);

const NO_ORDERS: readonly ManagedOrder[] = [];

type StopTerms = Pick<OrderView, 'side' | 'triggerPrice' | 'limitPrice' | 'leavesQty'>;

/** Terms of a stop that takes the place of another. */
interface InheritedStop {
  readonly side: Side;
  readonly triggerTicks: number;
  readonly slipTicks: number;
  /** Never larger than that; 0 once the position is closed or has turned: its successor has none. */
  qty: number;
}

/** A stop that ended canceled, without a request. */
interface LostStop {
  readonly order: OrderView;
  /** Entries of its strategy were off; else the broker may have withdrawn it. */
  readonly wasOff: boolean;
  readonly endedUs: number;
}

/** One owner in one contract: its position, or the stop that it may still have. */
class WatchedPosition implements PositionKey {
  readonly strategy;
  readonly instrument;
  /** Null where the configuration says how far away the stop is. */
  readonly inherited: InheritedStop | null;
  /** Contracts and side to be covered; set by each check. */
  side: Side = 'sell';
  wantedQty = 0;
  uncoveredQty = 0;
  /** Contracts of the position that others cover: no stop is placed for them. */
  othersQty = 0;
  /** Earliest time of the next request. */
  askAtUs = -Infinity;
  /** Earliest time of the next cancel: a broker that refuses it is not asked at every answer. */
  withdrawAtUs = -Infinity;
  /** Cancels asked for since the last stop was placed. */
  withdrawals = 0;
  /** Contracts that the last stop was asked for. */
  askedQty = 0;
  nakedSinceUs = Infinity;
  /** The policy that answered it. */
  nakedPolicy: 'nakedPosition' | 'unprovenPosition' | null = null;
  /** Why the position is not proven; null when it is. */
  unproven: string | null = null;
  /** Alerted as without a stop: its end is, too. */
  isAlerted = false;

  constructor({ strategy, instrument }: PositionKey, inherited: InheritedStop | null) {
    this.strategy = strategy;
    this.instrument = instrument;
    this.inherited = inherited;
  }
}

export class ProtectiveStops {
  readonly #state: EngineState;
  readonly #policies: FailurePolicies;
  readonly #watches = new Map<string, WatchedPosition>();
  #lost: readonly LostStop[] = [];
  #wakeUs = Infinity;

  constructor(state: EngineState, policies: FailurePolicies) {
    this.#state = state;
    this.#policies = policies;
  }

  /** Something may need a stop, or may still have one. */
  get isWatching(): boolean {
    const { portfolio, orders, settings } = this.#state;
    const isLost = this.#lost.length > 0 || orders.canceledWaiting.length > 0;
    if (isLost || this.#watches.size > 0 || orders.hasWaiting) return true;
    return settings.risk.protectiveStop !== undefined && portfolio.isHolding;
  }

  /** After every event that can change positions or orders. */
  step(): void {
    const { settings, uncovered, session, targets } = this.#state;
    const { protectiveStop } = settings.risk;
    uncovered.clear();
    this.#restore(protectiveStop === undefined);
    this.#find(protectiveStop === undefined);
    if (this.#watches.size === 0) return;
    this.#check();
    for (const watch of this.#watches.values())
      if (watch.unproven === null) this.#adjust(watch);
      else this.#watch(watch, watch.unproven);
    // Most stops end with the day, and in the break none can be placed: it is missed there all the same.
    if (session.phase !== 'closed')
      for (const [key, watch] of this.#watches)
        if (!targets.isClosing(watch)) uncovered.set(key, watch.uncoveredQty);
    this.#setAlarm();
  }

  #find(isInheriting: boolean): void {
    const { portfolio, orders, targets } = this.#state;
    if (!isInheriting) for (const held of portfolio.held()) this.#begin(held, null);
    for (const order of orders.open) {
      const isWithdrawn = isRestingStop(order) && (isOversized(order) || targets.isClosing(order));
      if (!order.isProtective && !isWithdrawn) continue;
      if (isInheriting) this.#inherit(order, order);
      else this.#begin(order, null);
    }
  }

  /**
   * A halt takes the stop of an entry that has not filled: it could open a position. Where the entry turns out to have filled, the
   * stop comes back on its terms, also after a resume, unless the strategy has entered since. So does the stop of a bracket that the
   * broker withdraws because its account holds nothing: another owner's position, which may be read later, is against that of the strategy.
   */
  #restore(isInheriting: boolean): void {
    const { context, orders, registry, halt, portfolio } = this.#state;
    // A resume may come before the end is read.
    const isOff = ({ strategy, createdUs, triggerState }: OrderView): boolean =>
      halt.offUntilUs > Math.max(createdUs, triggerState.waitedUs) ||
      halt.strategyReason(strategy) !== null ||
      registry.isStopped(strategy);
    const ended = orders.canceledWaiting.length === 0 ? NO_ORDERS : orders.canceledWaiting.splice(0);
    if (ended.length === 0 && this.#lost.length === 0) return;
    const lost = ended
      .filter((order) => order.role === 'stop' && order.strategy !== OPERATOR_INDEX)
      .filter((order) => !order.extras.isCancelRequested && !order.isPartnerSent && !order.isProtective)
      .map((order) => ({ order, wasOff: isOff(order), endedUs: context.nowUs }))
      .filter(({ order, wasOff }) => wasOff || order.parent !== null);
    this.#lost = [...this.#lost, ...lost].filter(
      (each) => !this.#hasEntered(each) && (each.wasOff || this.#mayBeWithdrawn(each)),
    );
    const isAgainst = ({ strategy, instrument, side }: OrderView): boolean =>
      portfolio
        .held()
        .some(
          (each) =>
            each.instrument === instrument &&
            each.strategy !== strategy &&
            Math.sign(portfolio.position(each.strategy, instrument).qty) === signOf(side),
        );
    for (const { order, wasOff } of this.#lost) {
      if (!wasOff && !isAgainst(order)) continue;
      const { strategy, instrument, side, clientOrderId, triggerPrice, limitPrice } = order;
      if (whyUnproven(this.#state, instrument) !== null) continue;
      const held = portfolio.position(strategy, instrument).qty;
      if (Math.sign(held) !== -signOf(side) || this.#state.targets.isClosing(order)) continue;
      const isAlike = (other: LostStop): boolean =>
        isSamePosition(other.order, order) && other.order.side === side;
      const alike = this.#lost.filter(isAlike);
      this.#lost = this.#lost.filter((other) => !isAlike(other));
      const naked = coverOf(this.#state, order, isNotBeingCanceled).nakedQty;
      if (naked === 0 || alike.length === 0) continue;
      const code = this.#state.contracts.codeOf(instrument);
      const why = wasOff
        ? 'was canceled while entries are off'
        : 'was withdrawn, as another owner’s position is against it';
      const text = `${naked} of ${code} have no stop at the broker: ${clientOrderId} ${why}; another takes its place`;
      context.alert(strategy, 'critical', 'exits_missing', text, { about: code });
      const size = qty(alike.reduce((sum, each) => sum + each.order.qty, 0));
      if (isInheriting) this.#inherit(order, { side, triggerPrice, limitPrice, leavesQty: size });
    }
  }

  /** The position of the stop is still there; another owner's, which may have caused the withdrawal, may not be read yet. */
  #mayBeWithdrawn({ order, endedUs }: LostStop): boolean {
    const { context, portfolio } = this.#state;
    const held = portfolio.position(order.strategy, order.instrument).qty;
    return Math.sign(held) === -signOf(order.side) && context.nowUs - endedUs < READ_LATER_MAX;
  }

  /** A position entered since then has nothing to do with the stop. */
  #hasEntered({ order, endedUs }: LostStop): boolean {
    return ordersOf(this.#state, order).some(
      ({ purpose, createdUs }) => purpose === 'entry' && createdUs > endedUs,
    );
  }

  /** A process starts, perhaps with a clock that was set back: nothing waits longer than it would from now on. */
  restart(): void {
    const now = this.#state.context.nowUs;
    for (const watch of this.#watches.values()) {
      watch.askAtUs = Math.min(watch.askAtUs, now + ASK_AGAIN);
      watch.withdrawAtUs = Math.min(watch.withdrawAtUs, now + US_PER_MINUTE);
      if (watch.nakedSinceUs !== Infinity) watch.nakedSinceUs = Math.min(watch.nakedSinceUs, now);
    }
  }

  #check(): void {
    const { portfolio } = this.#state;
    /** By contract and side: cover of the account by others than the strategies' own stops. */
    const others = new Map<string, number>();
    for (const [key, watch] of this.#watches) {
      const { strategy, instrument } = watch;
      const held = portfolio.position(strategy, instrument).qty;
      if (held !== 0) watch.side = held > 0 ? 'sell' : 'buy';
      const pool = `${instrument} ${watch.side}`;
      const shared = others.get(pool) ?? this.#coveredByOthers(instrument, watch.side);
      const bare = coverOf(this.#state, watch, isClosing).nakedQty;
      const taken = Math.min(bare, shared);
      others.set(pool, shared - taken);
      watch.othersQty = taken;
      const { inherited } = watch;
      watch.unproven = whyUnproven(this.#state, instrument);
      if (inherited !== null && watch.unproven === null && (held === 0 || watch.side !== inherited.side))
        inherited.qty = 0;
      const most = inherited?.qty ?? Infinity;
      // A stop of ours and the exits that a bracket brings would close the position twice.
      const awaited = awaitedExitQty(this.#state, watch, watch.side);
      watch.wantedQty = Math.max(0, Math.min(bare - taken - awaited, most));
      const { stopQty } = coverOf(this.#state, watch, isInForce);
      watch.uncoveredQty = Math.max(0, Math.min(Math.abs(held), most) - taken - stopQty);
      if (watch.uncoveredQty === 0 && watch.isAlerted) this.#alertCovered(watch, held);
      const isOver = held === 0 || most === 0;
      if (isOver && this.#stopsOf(watch).length === 0 && !this.#isOversizedLeft(watch))
        this.#watches.delete(key);
    }
  }

  #alertCovered(watch: WatchedPosition, held: number): void {
    watch.isAlerted = false;
    const { context, contracts } = this.#state;
    const how = held === 0 ? 'it is closed' : 'it has a stop at the broker';
    const code = contracts.codeOf(watch.instrument);
    const text = `${code} has no position without a stop any more: ${how}`;
    context.alert(watch.strategy, 'info', 'position_covered', text, { about: code });
  }

  /** Only an order with a trigger price has a successor. */
  #inherit(position: PositionKey, { side, triggerPrice, limitPrice, leavesQty }: StopTerms): void {
    if (typeof triggerPrice !== 'number') return;
    const slipTicks = Math.max(0, signOf(side) * (limitPrice - triggerPrice));
    this.#begin(position, { side, triggerTicks: triggerPrice, slipTicks, qty: leavesQty });
  }

  #begin(position: PositionKey, inherited: InheritedStop | null): void {
    const key = `${position.strategy} ${position.instrument}`;
    if (position.strategy === OPERATOR_INDEX || this.#watches.has(key)) return;
    this.#watches.set(key, new WatchedPosition(position, inherited));
  }

  /**
   * Stops that are not ours, beyond the position of the same side that the operator holds; and the operator's position of the other
   * side, which closes as much of ours by itself.
   */
  #coveredByOthers(instrument: InstrumentIndex, side: Side): number {
    const { portfolio, orders } = this.#state;
    const held = -signOf(side) * portfolio.position(OPERATOR_INDEX, instrument).qty;
    const theirs = orders.open.filter(
      (order) => order.isAdopted && order.instrument === instrument && isNotBeingCanceled(order),
    );
    const { stopQty } = cover(-signOf(side), theirs, ({ asCover }) => asCover);
    return Math.max(0, -held) + Math.max(0, stopQty - Math.max(0, held));
  }

  #stopsOf(position: PositionKey): readonly OrderView[] {
    return ordersOf(this.#state, position).filter(({ isProtective }) => isProtective);
  }

  #adjust(watch: WatchedPosition): void {
    const { side, wantedQty } = watch;
    const [stop, ...more] = this.#stopsOf(watch);
    if (this.#state.targets.isClosing(watch)) {
      // The flatten withdraws it: nothing delays the next one.
      if (stop !== undefined) watch.askAtUs = -Infinity;
      return clearNaked(watch);
    }
    this.#explain(watch);
    this.#watch(watch, null);
    const trigger = this.#triggerOf(watch);
    if (stop === undefined) {
      if (wantedQty > 0 && trigger !== undefined) this.#ask(watch, trigger);
      return;
    }
    const isRight =
      stop.side === side &&
      stop.leavesQty === wantedQty &&
      (trigger === undefined || stop.triggerState.placedPrice === trigger || !isWhereWePutIt(stop));
    this.#withdraw(watch, isRight ? more : [stop, ...more]);
  }

  /** A position without a stop of its own must not look like a fault: alerted once. */
  #explain({ strategy, instrument, side, othersQty }: WatchedPosition): void {
    const { context, contracts, coveredByOthers, portfolio } = this.#state;
    if (othersQty === 0 && coveredByOthers.size === 0) return;
    const key = `${strategy} ${instrument}`;
    const isKnown = coveredByOthers.delete(key);
    if (othersQty === 0) return;
    const { qty: operators } = portfolio.position(OPERATOR_INDEX, instrument);
    const isOperators = signOf(side) * operators > 0;
    const by = isOperators
      ? `the operator’s ${operators > 0 ? '+' : ''}${operators}`
      : 'stops that are not ours';
    coveredByOthers.set(key, by);
    if (isKnown) return;
    const text = `${othersQty} of ${contracts.codeOf(instrument)} get no stop of their own: covered by ${by}; the stop is placed as soon as that ends`;
    context.alert(strategy, 'warning', 'covered_by_others', text);
  }

  #ask(watch: WatchedPosition, triggerTicks: number): void {
    const { settings, context } = this.#state;
    const { strategy, instrument, side, wantedQty } = watch;
    if (context.nowUs < watch.askAtUs || !this.#isMarketOpen || this.#isOversizedLeft(watch)) return;
    const terms = watch.inherited ?? settings.risk.protectiveStop;
    assert(terms !== undefined, 'a stop that inherits no terms has those of the configuration');
    watch.askAtUs = context.nowUs + ASK_AGAIN;
    watch.askedQty = wantedQty;
    watch.withdrawals = 0;
    watch.withdrawAtUs = -Infinity;
    const intent: OrderIntent = {
      kind: 'stop',
      instrument,
      side,
      qty: qty(wantedQty),
      limitPrice: priceTicks(this.#inBand(instrument, triggerTicks + signOf(side) * terms.slipTicks)),
      triggerPrice: priceTicks(triggerTicks),
      triggerWhen: side === 'sell' ? 'at_or_below' : 'at_or_above',
      reason: 'protective stop',
    };
    context.decisions.propose(strategy, 'system', { do: 'submit', intent });
  }

  /** An exit that was withdrawn as too large may trigger until its end is known. */
  #isOversizedLeft(watch: WatchedPosition): boolean {
    const side = watch.inherited?.side ?? watch.side;
    return ordersOf(this.#state, watch).some((order) => isOversized(order) && order.side === side);
  }

  /**
   * One that triggers at this moment is left alone: the order that it sends closes the position. A stop that could reverse the position
   * goes at once, and its successor follows as soon as it has gone; others keep the pace of new stops.
   */
  #withdraw(watch: WatchedPosition, stops: readonly OrderView[]): void {
    const { context } = this.#state;
    const now = context.nowUs;
    const waiting = stops.filter(({ status }) => status === 'pending_trigger');
    const isUrgent = waiting.some((stop) => isTooLarge(watch, stop));
    // Its successor could not be placed, and the next day knows the distance of a stop only from its configuration.
    const mayStay = !isUrgent || (watch.inherited !== null && watch.wantedQty > 0);
    if (mayStay && !this.#isMarketOpen) return;
    if (isUrgent) watch.askAtUs = -Infinity;
    if (waiting.length === 0 || now < watch.askAtUs || now < watch.withdrawAtUs) return;
    watch.withdrawals = waiting.some(({ extras }) => extras.isCancelUnsent) ? 1 : watch.withdrawals + 1;
    watch.withdrawAtUs = now + (watch.withdrawals < PROMPT_WITHDRAWALS ? ASK_AGAIN : US_PER_MINUTE);
    for (const { strategy, clientOrderId } of waiting) context.withdraw(strategy, clientOrderId);
  }

  get #isMarketOpen(): boolean {
    return !isStandstill(this.#state.session.phase);
  }

  /** Undefined while the contract or its band is not known, and once the contract is over: no exit of it leaves. */
  #triggerOf({ strategy, instrument, side, inherited }: WatchedPosition): number | undefined {
    const { settings, contracts, portfolio, market } = this.#state;
    const contract = contracts.at(instrument);
    const { qty: held, openValue } = portfolio.position(strategy, instrument);
    if (contract === undefined || market.of(instrument).band === undefined || held === 0) return undefined;
    if (isOver(this.#state, contract)) return undefined;
    if (inherited !== null) return this.#inBand(instrument, inherited.triggerTicks);
    const { protectiveStop } = settings.risk;
    assert(protectiveStop !== undefined, 'a stop that inherits no terms has those of the configuration');
    const average = Math.round(openValue / Math.abs(held) / valueOf(contract.spec, priceTicks(1), 1));
    return this.#inBand(instrument, average + signOf(side) * protectiveStop.distanceTicks);
  }

  /** No order is taken, and nothing is traded, outside the band. */
  #inBand(instrument: InstrumentIndex, price: number): number {
    const band = this.#state.market.of(instrument).band;
    assert(band !== undefined, 'a protective stop is priced within a known band');
    return Math.min(band.ceiling, Math.max(band.floor, price));
  }

  #watch(watch: WatchedPosition, unproven: string | null): void {
    const { settings, session, context } = this.#state;
    const { instrument, uncoveredQty } = watch;
    const { nakedSecondsMax = Infinity } = settings.risk;
    if (uncoveredQty === 0 || session.phase !== 'continuous' || this.#state.targets.isClosing(watch))
      return clearNaked(watch);
    const policy = unproven === null ? 'nakedPosition' : 'unprovenPosition';
    // A position that is proven at last gets the time to be given its stop.
    const isProvenAtLast = policy === 'nakedPosition' && watch.nakedPolicy === 'unprovenPosition';
    if (watch.nakedSinceUs === Infinity || isProvenAtLast) watch.nakedSinceUs = context.nowUs;
    if (isProvenAtLast) watch.nakedPolicy = null;
    if (watch.nakedPolicy !== null || context.nowUs < watch.nakedSinceUs + nakedSecondsMax * US_PER_SECOND)
      return;
    watch.nakedPolicy = policy;
    watch.isAlerted = true;
    const code = this.#state.contracts.codeOf(instrument);
    const naked = `${uncoveredQty} of ${code} have had no stop at the broker for ${nakedSecondsMax} s`;
    const text = unproven === null ? naked : `${naked}, and get none: ${unproven}`;
    this.#policies.act(policy, text, watch);
  }

  /** The next moment at which something is asked for again or a position has been without a stop for too long. */
  #setAlarm(): void {
    const { settings, timers, context } = this.#state;
    const { nakedSecondsMax = Infinity } = settings.risk;
    const now = context.nowUs;
    let next = Infinity;
    for (const { askAtUs, withdrawAtUs, nakedSinceUs, nakedPolicy } of this.#watches.values()) {
      if (askAtUs > now) next = Math.min(next, askAtUs);
      if (withdrawAtUs > now) next = Math.min(next, withdrawAtUs);
      if (nakedPolicy === null) next = Math.min(next, nakedSinceUs + nakedSecondsMax * US_PER_SECOND);
    }
    if (next === this.#wakeUs) return;
    this.#wakeUs = next;
    if (next === Infinity) timers.stop(this);
    else
      timers.at(this, tsUs(next), () => {
        this.#wakeUs = Infinity;
        this.step();
      });
  }
}

/** Withdrawn because it is larger than the position that it closes. */
const isOversized = ({ extras }: OrderView): boolean => extras.oversizedUs > -Infinity;

/** The position has shrunk or turned since the stop was asked for; rows that show more than was asked for do not count. */
const isTooLarge = ({ side, wantedQty, askedQty }: WatchedPosition, stop: OrderView): boolean =>
  stop.side !== side || wantedQty < Math.min(stop.leavesQty, askedQty);

/** A stop that a person moved stays where it is. */
const isWhereWePutIt = ({ triggerState: { placedPrice, price } }: OrderView): boolean =>
  placedPrice !== null && placedPrice === price;

function clearNaked(watch: WatchedPosition): void {
  watch.nakedSinceUs = Infinity;
  watch.nakedPolicy = null;
}

/** It waits for a price that is worse than the market's. */
const isRestingStop = (order: OrderView): boolean => order.isTriggerOrder && order.role === 'stop';

/** The strategy's own: a stop that waits or is on its way, or the order that a stop has sent. */
const isClosing = (order: OrderView): boolean => !order.isProtective && isNotBeingCanceled(order);

/** The broker shows it waiting. */
const isInForce = (order: OrderView): boolean =>
  isRestingStop(order) &&
  !order.isUnseen &&
  (order.status === 'pending_trigger' || order.status === 'pending_modify');
