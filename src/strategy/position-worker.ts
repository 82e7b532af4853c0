/**
 * Brings the position of one contract to a target with limit orders at the touch, never more than one at a time. It counts
 * with proven fills alone: a position turns round only over a confirmed zero, and an order whose fate is unknown is waited
 * for, never sent again. On bars, where there is no book to follow, it takes any price.
 */
import { nextPhaseChange, phaseAt, type TradingCalendar } from '../domain/calendar.ts';
import type { CancelTimer } from '../domain/clock.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import { type OrderStatus, type Side, signOf, TERMINAL_STATUSES } from '../domain/order.ts';
import {
  type DurationUs,
  minutes,
  type PriceTicks,
  priceTicks,
  seconds,
  type TsUs,
} from '../domain/units.ts';
import type { OrderUpdate } from '../engine/ports/strategy-port.ts';
import type { LegTicks } from './leg-ticks.ts';
import type { LegTrader } from './trader.ts';
import type { PriceBand } from '../domain/contract.ts';
import type { BookTick } from '../domain/ticks.ts';
import { assert } from '../domain/assert.ts';

export interface WorkerSettings {
  /** How long an order waits at our own side of the book before it takes the price of the other side; 0 takes at once. */
  readonly rest: DurationUs;
  /** How often the price of a working order is compared with the touch. */
  readonly reprice: DurationUs;
  /** How far beyond the touch an urgent order goes. */
  readonly slipTicks: number;
}

/** `urgent` takes the other side's price and more; `patient` waits at our side first. */
export type Urgency = 'patient' | 'urgent';

interface OrderInFlight {
  readonly id: ClientOrderId;
  readonly side: Side;
  readonly isExit: boolean;
  /** A change we asked for and whose answer is not here yet. */
  openCall: { readonly what: 'modify' | 'cancel'; readonly atUs: TsUs } | null;
  isCancelSent: boolean;
  /** A change of price was refused: only a new order gets another price. */
  mustReplace: boolean;
  /** A rejected cancel mostly means that the order has just filled: the worker waits for the book before it asks again. */
  refusedUs: TsUs | undefined;
}

const inFlight = (id: ClientOrderId, side: Side, isExit: boolean): OrderInFlight => ({
  id,
  side,
  isExit,
  openCall: null,
  isCancelSent: false,
  mustReplace: false,
  refusedUs: undefined,
});

const isResting = (status: OrderStatus): boolean => status === 'accepted' || status === 'partially_filled';

/**
 * After this time a call that has not changed its order is given up: the engine lets none wait for positions for so long, and drops those
 * of a past that an earlier version decided. The next check decides again.
 */
const ANSWER_MAX: DurationUs = seconds(6);
/** On bars nothing changes more often. */
const POLL_WITHOUT_BOOK: DurationUs = minutes(1);
/** Orders that may still fill late, though they are final. */
const PAST_ORDERS_MAX = 100;

export class PositionWorker {
  readonly #trader: LegTrader;
  readonly #settings: WorkerSettings;
  readonly #pause = new RefusalPause();
  readonly #recentOrders: ClientOrderId[] = [];
  #target: number | null = null;
  #reason = '';
  #urgency: Urgency = 'patient';
  #order: OrderInFlight | null = null;
  /** When the way to the target began; from then on an order rests at our side. */
  #sinceUs: TsUs | null = null;
  #isFeedLive = true;
  #isBlockNoted = false;
  #timer: CancelTimer | null = null;

  /** Create it in `connect`, before the strategy's own subscriptions: it then knows of each order first. */
  constructor(ticks: LegTicks, trader: LegTrader, settings: WorkerSettings) {
    this.#trader = trader;
    this.#settings = settings;
    ticks.orders$.subscribe((update) => this.#onOrder(update));
    ticks.phases$.subscribe(() => this.#step());
    // While prices are not seen, an entry that rests is withdrawn; an exit stays.
    ticks.feed$.subscribe(({ state }) => {
      this.#isFeedLive = state === 'live';
      this.#step();
    });
    ticks.rollovers$.subscribe(({ contract }) => {
      if (contract.index === trader.contract.index) this.#onRollover();
    });
  }

  /** The position that is aimed at, or null when none is. */
  get target(): number | null {
    return this.#target;
  }

  /** True while an order works or its fate is unknown. */
  get isWorking(): boolean {
    return this.#order !== null;
  }

  /** Orders refused in a row, by risk, by the broker or on the way. */
  get refusals(): number {
    return this.#pause.refusals;
  }

  /** Aims at a position: above zero long, below zero short. The same target again changes nothing. */
  aim(target: number, why: string, urgency: Urgency = 'patient'): void {
    if (target === this.#target && (urgency === this.#urgency || urgency === 'patient')) return;
    this.#target = target;
    this.#reason = why;
    this.#urgency = urgency;
    this.#sinceUs = null;
    this.#isBlockNoted = false;
    this.#step();
  }

  /** Leaves the position as it is and withdraws its working orders. */
  release(): void {
    this.#target = null;
    this.#step();
  }

  #onOrder(update: OrderUpdate): void {
    const order = this.#order;
    if (order !== null && update.clientOrderId === order.id) this.#takeUpdate(order, update);
    else if (this.#isForeignFill(update)) {
      this.#target = null;
      this.#trader.note('the position was moved by another order: waiting for the next decision');
    }
    this.#step();
  }

  /** The operator or the engine moved the position (flatten, expiry): it is not fought. */
  #isForeignFill(update: OrderUpdate): boolean {
    if (update.instrument !== this.#trader.contract.index || update.lastFilledQty === 0) return false;
    return this.#target !== null && !this.#recentOrders.includes(update.clientOrderId);
  }

  #takeUpdate(order: OrderInFlight, update: OrderUpdate): void {
    const isRefused = update.denial !== null || update.reason !== '';
    if (order.openCall !== null && isRefused) {
      if (order.openCall.what === 'modify') order.mustReplace = true;
      else order.refusedUs = this.#trader.time();
    }
    if (update.status !== 'pending_modify' && update.status !== 'pending_cancel') order.openCall = null;
    if (update.lastFilledQty > 0) this.#pause.accepted();
    if (!TERMINAL_STATUSES.has(update.status)) return;
    const isUnwanted = update.status === 'canceled' ? !order.isCancelSent : update.status !== 'filled';
    if (isUnwanted) this.#pause.refused(this.#trader.time());
    this.#recentOrders.push(order.id);
    if (this.#recentOrders.length > PAST_ORDERS_MAX) this.#recentOrders.shift();
    this.#order = null;
  }

  /** The new contract is flat until the strategy decides again; the old one's position stays with the engine's policy. */
  #onRollover(): void {
    const order = this.#order;
    this.#target = null;
    this.#order = null;
    if (order !== null) {
      this.#recentOrders.push(order.id);
      this.#trader.cancel(order.id);
    }
    this.#step();
  }

  #step(): void {
    const held = this.#trader.position().qty;
    const goal = this.#goalFrom(held);
    if (this.#order === null && this.#target !== null) this.#takeOver(held);
    if (this.#order !== null) this.#updateOrder(this.#order, goal - held);
    else if (goal === held) this.#sinceUs = null;
    else this.#place(goal, held);
    this.#armTimer(goal !== held);
  }

  /** The next position on the way to the target: a turn goes over zero. */
  #goalFrom(held: number): number {
    if (this.#target === null) return held;
    return held * this.#target < 0 ? 0 : this.#target;
  }

  #place(goal: number, held: number): void {
    const trader = this.#trader;
    const now = trader.time();
    const isExit = Math.abs(goal) < Math.abs(held);
    if (!this.#pause.isOver(now, isExit) || !this.#mayPlace(isExit, now)) return;
    // An order we did not make, such as the engine's own exit, comes first.
    const working = trader.workingOrders();
    if (working.length > 0) return this.#noteBlock(working);
    this.#sinceUs ??= now;
    const side = goal > held ? 'buy' : 'sell';
    const price = this.#priceFor(side);
    if (price === undefined) return;
    const qty = Math.min(Math.abs(goal - held), trader.contract.spec.orderQtyMax);
    const id = trader.submit({ kind: 'limit', side, qty, price, reason: this.#reason });
    this.#order = inFlight(id, side, isExit);
  }

  /** An order toward the target of an earlier version: it is moved, or withdrawn, as one of our own. */
  #takeOver(held: number): void {
    const working = this.#trader.workingOrders();
    const left = working.find(({ isLeftBehind, status }) => isLeftBehind && isResting(status));
    if (left === undefined) return;
    this.#sinceUs ??= this.#trader.time();
    this.#order = inFlight(left.clientOrderId, left.side, held * signOf(left.side) < 0);
  }

  /** One that waits for its trigger may wait for days, and only its strategy knows whether it still protects. */
  #noteBlock(working: readonly OrderUpdate[]): void {
    const stop = working.find(({ status }) => status === 'pending_trigger');
    if (stop === undefined || this.#isBlockNoted) return;
    this.#isBlockNoted = true;
    this.#trader.note(
      `no order toward ${this.#target} while order ${stop.clientOrderId} of this strategy waits for its trigger: cancel it first`,
    );
  }

  #mayPlace(isExit: boolean, now: TsUs): boolean {
    if (isExit) return this.#trader.phase() === 'continuous';
    return this.#isFeedLive && mayEnter(this.#trader.calendar(), now);
  }

  /** Withdraws an order that is not wanted any more, moves one whose price is left behind. */
  #updateOrder(order: OrderInFlight, need: number): void {
    const now = this.#trader.time();
    if (isWithin(order.refusedUs, this.#settings.reprice, now)) return;
    if (order.openCall !== null && Math.abs(now - order.openCall.atUs) <= ANSWER_MAX) return;
    // The order as it is now: updates carry single steps, the trader has the final state.
    const live = this.#trader.workingOrders().find(({ clientOrderId }) => clientOrderId === order.id);
    if (live === undefined || !isResting(live.status)) return;
    // Nothing can be changed or canceled outside continuous trading.
    if (this.#trader.phase() !== 'continuous') return;
    const isWanted = need * signOf(order.side) >= live.leavesQty;
    const isBlind = !this.#isFeedLive && !order.isExit;
    const price = this.#priceFor(order.side);
    const isLeftBehind = typeof price === 'number' && price !== live.limitPrice;
    if (!isWanted || isBlind || (isLeftBehind && (order.mustReplace || live.filledQty > 0))) {
      order.openCall = { what: 'cancel', atUs: now };
      order.isCancelSent = true;
      this.#trader.cancel(order.id);
    } else if (isLeftBehind) {
      order.openCall = { what: 'modify', atUs: now };
      this.#trader.modify(order.id, { price });
    }
  }

  #priceFor(side: Side): PriceTicks | 'market' | undefined {
    if (!this.#trader.hasBooks()) return 'market';
    const { rest, slipTicks } = this.#settings;
    const isUrgent = this.#urgency === 'urgent';
    const now = this.#trader.time();
    // The wait starts again where the clock was set back.
    if (this.#sinceUs !== null && this.#sinceUs > now) this.#sinceUs = now;
    const waited = this.#sinceUs === null ? 0 : now - this.#sinceUs;
    const at = isUrgent || waited >= rest ? 'cross' : 'join';
    return touchPrice(side, at, isUrgent ? slipTicks : 0, this.#trader.lastBook(), this.#trader.band());
  }

  #armTimer(isUnderWay: boolean): void {
    const hasBooks = this.#trader.hasBooks();
    // An order that takes any price follows no book: its updates and the phases trigger the checks. Outside continuous trading the phases do.
    const isOpen = this.#trader.phase() === 'continuous';
    const isUseful = hasBooks ? isUnderWay || this.#order !== null : isUnderWay && this.#order === null;
    const isNeeded = isOpen && isUseful;
    if (isNeeded && this.#timer === null) {
      this.#timer = this.#trader.after(hasBooks ? this.#settings.reprice : POLL_WITHOUT_BOOK, () => {
        this.#timer = null;
        this.#step();
      });
    } else if (!isNeeded && this.#timer !== null) {
      this.#timer();
      this.#timer = null;
    }
  }
}

const PAUSE_FIRST: DurationUs = seconds(2);
const ENTRY_PAUSE_MAX: DurationUs = seconds(60);
/** An exit is tried again sooner: an open position may cost more than a refused order. */
const EXIT_PAUSE_MAX: DurationUs = seconds(5);

/** After each refusal in a row the next order waits twice as long. */
class RefusalPause {
  refusals = 0;
  #lastUs: TsUs | null = null;

  refused(now: TsUs): void {
    this.refusals += 1;
    this.#lastUs = now;
  }

  accepted(): void {
    this.refusals = 0;
    this.#lastUs = null;
  }

  isOver(now: TsUs, isExit: boolean): boolean {
    if (this.#lastUs === null) return true;
    const doubled = PAUSE_FIRST * 2 ** Math.min(this.refusals - 1, 10);
    return !isWithin(this.#lastUs, Math.min(doubled, isExit ? EXIT_PAUSE_MAX : ENTRY_PAUSE_MAX), now);
  }
}

/** At most this long ago. A moment that is further ahead than that is of a clock that was set back. */
const isWithin = (at: TsUs | undefined, span: number, now: TsUs): boolean =>
  at !== undefined && Math.abs(now - at) < span;

/** No entry starts this shortly before continuous trading ends: in the auction it could not be withdrawn. */
const LAST_ENTRY_BEFORE: DurationUs = minutes(1);

/** Whether an entry may start at `now`: continuous trading, and at least `before` until it ends. */
export function mayEnter(calendar: TradingCalendar, now: TsUs, before = LAST_ENTRY_BEFORE): boolean {
  if (phaseAt(calendar, now) !== 'continuous') return false;
  const change = nextPhaseChange(calendar, now);
  return change - now > before || phaseAt(calendar, change) === 'continuous';
}

/** `join` waits at the best price of our own side, `cross` takes that of the other side. */
export type TouchSide = 'join' | 'cross';

/**
 * A limit price at the touch, `slipTicks` towards the other side, inside the band. Undefined while no price is known:
 * no book, a torn one, or no band of the day. When one side of the book is empty (a locked limit) the other one counts.
 */
export function touchPrice(
  side: Side,
  at: TouchSide,
  slipTicks: number,
  book: BookTick | undefined,
  band: PriceBand | undefined,
): PriceTicks | undefined {
  if (book === undefined || book.crossed || band === undefined) return undefined;
  const bid = book.bids[0]?.price;
  const ask = book.asks[0]?.price;
  const [own, other] = side === 'buy' ? [bid, ask] : [ask, bid];
  const base = at === 'join' ? (own ?? other) : (other ?? own);
  if (base === undefined) return undefined;
  return priceTicks(Math.min(band.ceiling, Math.max(band.floor, base + signOf(side) * slipTicks)));
}

/**
 * The level at which a position is given up. It may be tightened and is never widened. It has no size of its own: it closes the position as
 * proven when the level is reached. It lives in this process and dies with it.
 */
export class ProtectiveStop {
  #protects: 'long' | 'short' | null = null;
  #level: PriceTicks | null = null;

  /** The level, or null when nothing is protected. */
  get level(): PriceTicks | null {
    return this.#level;
  }

  /** Starts to protect a position; protecting the same side again can only tighten. */
  protect(side: 'long' | 'short', level: PriceTicks): void {
    if (this.#protects === side) {
      this.tighten(level);
      return;
    }
    this.#protects = side;
    this.#level = level;
  }

  /** Moves the level nearer to the market; true when it moved. */
  tighten(level: PriceTicks): boolean {
    assert(this.#level !== null, 'only a set stop can be tightened');
    const isTighter = this.#protects === 'long' ? level > this.#level : level < this.#level;
    if (isTighter) this.#level = level;
    return isTighter;
  }

  isHit(price: PriceTicks): boolean {
    if (this.#level === null) return false;
    return this.#protects === 'long' ? price <= this.#level : price >= this.#level;
  }

  clear(): void {
    this.#protects = null;
    this.#level = null;
  }
}
