/**
 * Input of the rules: a new order, or an order as it would be after a change. One object serves all checks, so an order allocates none, and
 * counts over the open orders that several rules need are made in one pass.
 */
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
import type { Contract, PriceBand } from '../../domain/contract.ts';
import { cover } from '../../domain/cover.ts';
import { type OrderIntent, type Side, signOf } from '../../domain/order.ts';
import type { EngineSettings, StrategySettings } from '../../domain/settings.ts';
import {
  type DurationUs,
  type InstrumentIndex,
  instrumentIndex,
  OPERATOR_INDEX,
  type StrategyIndex,
  type TsUs,
} from '../../domain/units.ts';
import type { EngineView, OrderView } from '../engine-view.ts';
import type { Purpose } from '../ports/approved.ts';
import { shownQty } from './exposure.ts';
import { type ChangedTerms, isTriggerIntent, NO_PRICES, otherPrices } from './order-request.ts';

// Phases, and moments from which a day's entries are denied, computed once each: orders ask by the thousand, and date arithmetic is slow.

export class ClosingHours {
  readonly #calendar: TradingCalendar;
  readonly #before: DurationUs | null;
  readonly #expiries = new Map<Contract, number>();
  #day: TradingDay | null = null;
  /** Closures of the day's moments: a newer calendar has others. */
  #closures: ReadonlySet<TradingDay> | null = null;
  #auctions: readonly TsUs[] = [];
  #nightUs = Infinity;
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

  get auctions(): readonly TsUs[] {
    return this.#auctions;
  }

  /** For positions that do not stay overnight; infinite where they may, or there is no night. */
  get nightUs(): number {
    return this.#nightUs;
  }

  /** For a contract on its last day; infinite on any other. */
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
    this.#auctions = auctionStarts(this.#calendar, day);
    this.#nightUs = flatFrom(this.#calendar, day, this.#before) ?? Infinity;
    this.#expiries.clear();
  }
}

export class RiskRequest {
  readonly view: EngineView;
  readonly settings: EngineSettings;
  readonly hours: ClosingHours;
  strategy: StrategyIndex = OPERATOR_INDEX;
  /** Undefined for the operator, who has no limits and therefore enters nothing. */
  own: StrategySettings | undefined = undefined;
  contract: Contract;
  instrument: InstrumentIndex = instrumentIndex(0);
  side: Side = 'buy';
  /** Total quantity as asked for, not validated yet. */
  qty = 0;
  limitPrice = 0;
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
  /** As it is judged: `judge` says which it is. */
  purpose: Purpose = 'entry';
  /** Its owner holds a position that it could close. */
  isHeld = false;
  /** Our own books say that it shrinks the position. */
  shrinks = false;
  /** Contracts that other open orders may still trade on its side: of the account, of its owner, and of those its owner's that do not protect. */
  workingQty = 0;
  ownWorkingQty = 0;
  closingQty = 0;
  /** Open orders of the account and of its owner, without protective stops. */
  open = 0;
  ownOpen = 0;

  constructor(view: EngineView, first: Contract) {
    this.view = view;
    this.settings = view.settings;
    this.hours = new ClosingHours(view.session.calendar, view.settings.flatBeforeClose);
    this.contract = first;
    this.nowUs = view.context.nowUs;
    this.day = view.session.tradingDay();
  }

  ofIntent(strategy: StrategyIndex, contract: Contract, intent: OrderIntent, isSystem: boolean): void {
    this.changed = null;
    this.qty = intent.qty;
    this.exposedQty = intent.qty;
    this.limitPrice = intent.limitPrice;
    this.otherPrices = otherPrices(intent);
    this.isWaiting = isTriggerIntent(intent);
    this.isProtective = isSystem && intent.kind === 'stop';
    this.#read(strategy, contract, intent.side, isSystem);
  }

  ofChange(order: OrderView, contract: Contract, terms: ChangedTerms, isSystem: boolean): void {
    const { qty, limitPrice, triggerPrice, exposedQty } = terms;
    this.changed = order;
    this.qty = qty;
    this.exposedQty = exposedQty;
    this.limitPrice = limitPrice;
    this.otherPrices = triggerPrice === null ? NO_PRICES : [triggerPrice];
    this.isWaiting = order.isWaiting;
    this.isProtective = order.isProtective;
    this.#read(order.strategy, contract, order.side, isSystem);
  }

  #read(strategy: StrategyIndex, contract: Contract, side: Side, isSystem: boolean): void {
    this.strategy = strategy;
    this.own = this.settings.strategies[strategy];
    this.contract = contract;
    this.instrument = contract.index;
    this.side = side;
    this.isSystem = isSystem;
    const { context, session, market } = this.view;
    this.nowUs = context.nowUs;
    this.day = session.tradingDay();
    this.hours.turnTo(this.day);
    this.band = market.band(contract.index);
    this.last = market.lastOrReference(contract);
    this.#count();
  }

  #count(): void {
    const { open } = this.view.orders;
    this.workingQty = 0;
    this.ownWorkingQty = 0;
    this.closingQty = 0;
    this.open = 0;
    this.ownOpen = 0;
    for (let at = 0; at < open.length; at += 1) {
      const order = open[at];
      if (order === undefined) continue;
      const isOwn = order.strategy === this.strategy;
      if (!order.isProtective) {
        this.open += 1;
        if (isOwn) this.ownOpen += 1;
      }
      const isOnSide = order.instrument === this.instrument && order.side === this.side;
      if (!isOnSide || order === this.changed) continue;
      const { exposedQty } = order;
      this.workingQty += exposedQty;
      if (isOwn) this.ownWorkingQty += exposedQty;
      if (isOwn && !order.isProtective) this.closingQty += exposedQty;
    }
  }

  /**
   * A reduction (rulings, 36) is an order that can only shrink the position of its owner, whatever else fills, as shown by a read of
   * the position less than 5 s old.
   */
  judge(): void {
    const { view, strategy, instrument, side, exposedQty } = this;
    const working = this.#takenQty();
    const held = -signOf(side) * view.portfolio.position(strategy, instrument).qty;
    // The account's figure includes unseen fills of any owner. A flatten or a policy uses that figure alone: it never waits for a person.
    const unseen = this.isSystem ? 0 : view.earlier.unseenQty(strategy, instrument, side);
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
    const { view, strategy, instrument, side, changed } = this;
    const awaited = view.exits.awaitedQty(strategy, instrument, side);
    if (!this.isProtective) return awaited + this.closingQty;
    const others = view.orders.open.filter(
      (order) =>
        order.instrument === instrument &&
        order.side === side &&
        order.strategy === strategy &&
        order !== changed,
    );
    return awaited + cover(-signOf(side), others, ({ asCover }) => asCover).stopQty;
  }
}
