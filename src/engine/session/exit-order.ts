/** The one order of a flatten: sized by the proven position, priced at the touch plus some ticks, repriced as the market moves. */
import { isAuction } from '../../domain/calendar.ts';
import { type Contract, marketLimit, valueOf } from '../../domain/contract.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { opposite, type OrderStatus, type Side, signOf, TERMINAL_STATUSES } from '../../domain/order.ts';
import { OPERATOR_INDEX, type PriceTicks, priceTicks, qty, signedQty } from '../../domain/units.ts';
import { touchOf } from '../market/market.ts';
import type { ManagedOrder } from '../orders/managed-order.ts';
import { changeWithoutFill } from '../engine-core.ts';
import { type EngineView, isOver, ordersOf, type OrderView, provenQty } from '../engine-view.ts';
import { crossedOrder, doMeet, isSentOrRests } from '../risk/risk-rules.ts';
import { isSamePosition, type Target } from './targets.ts';

/** Why the order was not asked for; null when it was. */
export type Obstacle = string | null;

export class ExitOrder {
  readonly #view: EngineView;
  readonly #target: Target;
  #id: ClientOrderId | null = null;
  /** The order of another owner that kept it from being placed. Changed here alone. */
  inWay: OrderView | undefined = undefined;

  constructor(view: EngineView, target: Target) {
    this.#view = view;
    this.#target = target;
  }

  get held(): number {
    const { strategy, instrument } = this.#target;
    return this.#view.portfolio.position(strategy, instrument).qty;
  }

  get side(): Side {
    return this.held > 0 ? 'sell' : 'buy';
  }

  get isPlaced(): boolean {
    return this.#id !== null;
  }

  /** Undefined before it was placed, and when it was denied. */
  get status(): OrderStatus | undefined {
    return this.#order?.status;
  }

  /** The exit rests, or its fate is unknown: a second one would be too many. */
  get isOpen(): boolean {
    const { status } = this;
    return status !== undefined && !TERMINAL_STATUSES.has(status);
  }

  /** Why it has not closed the position. */
  get outcome(): string {
    const order = this.#order;
    if (order === undefined) return 'its exit was denied, as the journal shows';
    if (this.isOpen && this.inWay !== undefined) return isInWay(this.inWay);
    if (this.isOpen) return 'the market did not take it';
    return `its exit ${order.clientOrderId} is ${order.status}, as the journal shows`;
  }

  /** The order, when the answer to it was lost. */
  get lost(): OrderView | undefined {
    return this.status === 'unknown' ? this.#order : undefined;
  }

  /** An order that no scan shows, where it may have closed all that is held. */
  get absent(): OrderView | undefined {
    const { held, side } = this;
    const absent = ordersOf(this.#view, this.#target).filter(
      (order) => order.status === 'presumed_absent' && order.side === side,
    );
    const left = absent.reduce((sum, { exposedQty }) => sum - exposedQty, Math.abs(held));
    return held !== 0 && left <= 0 ? absent[0] : undefined;
  }

  /** The broker has it, and it may still fill. */
  get isResting(): boolean {
    return this.isOpen && this.status !== 'unknown' && this.status !== 'submitted';
  }

  /** In an auction, orders that cannot be canceled cover all that is held. */
  get isAllResting(): boolean {
    return this.#restingQty >= Math.abs(this.held);
  }

  get #restingQty(): number {
    return this.#restingOf(ordersOf(this.#view, this.#target));
  }

  /** Contracts that these may still trade on its side, without those that wait for a price. */
  #restingOf(orders: readonly OrderView[]): number {
    const resting = orders.filter(({ side, isTriggerOrder }) => side === this.side && !isTriggerOrder);
    return resting.reduce((sum, { exposedQty }) => sum + exposedQty, 0);
  }

  /** The account's position on the side that it closes, net of opposite positions and of all orders that rest to close it. */
  get #netLeft(): number {
    const { orders, positionReconciler } = this.#view;
    const { instrument } = this.#target;
    const resting = this.#restingOf(orders.open.filter((order) => order.instrument === instrument));
    return Math.max(0, -signOf(this.side) * (positionReconciler.brokerQty(instrument) ?? 0) - resting);
  }

  /** The broker forbids a change: another price needs a new order. */
  get mustBeReplaced(): boolean {
    return this.#order?.canModify === false;
  }

  /**
   * It would no longer trade with what kept it from being placed (that is over, its answer is lost, or the price is another one), or it
   * goes first.
   */
  get isWayFree(): boolean {
    const { inWay } = this;
    if (inWay === undefined || !this.canBePriced) return false;
    return this.#crossed((order) => order === inWay && !this.#mayPass(order)) === undefined;
  }

  /** The answer to what kept it from being placed is under way. */
  get isWayInDoubt(): boolean {
    return this.inWay?.status === 'submitted';
  }

  forget(): void {
    this.#id = null;
    this.inWay = undefined;
  }

  withdraw(): void {
    if (this.#id === null || !this.isOpen) return;
    if (this.lost !== undefined) this.#view.targets.lostExits.set(this.#id, this.#target);
    else this.#view.context.cancel(this.#target.strategy, this.#id);
  }

  get #price(): ExitPrice | undefined {
    const contract = this.#view.contracts.at(this.#target.instrument);
    return contract && exitPrice(this.#view, contract, this.side);
  }

  /** True also when there is nothing to close. */
  get canBePriced(): boolean {
    return this.held === 0 || this.#price !== undefined;
  }

  /** It would trade with an order on this side at this price. */
  meets(side: Side, limitPrice: number): boolean {
    const { contracts, market } = this.#view;
    const contract = contracts.at(this.#target.instrument);
    const price = this.#price?.price;
    if (this.held === 0 || side === this.side || contract === undefined || price === undefined) return false;
    return doMeet(this.side, price, limitPrice, market.lastOrReference(contract));
  }

  place(): Obstacle {
    const { settings, context, contracts, session } = this.#view;
    const { strategy, instrument, reason } = this.#target;
    const { side } = this;
    const contract = contracts.at(instrument);
    const price = this.#price;
    if (contract !== undefined && isOver(this.#view, contract))
      return `it expired on ${contract.expiry}, and nothing of it trades: the broker settles what is held`;
    if (contract === undefined || price === undefined) return 'no price of it is known';
    const proven = provenQty(this.#view, strategy, instrument, side);
    if (proven === 0 && this.#restingQty > 0) return 'its orders that may still fill are all it can close';
    if (proven === 0) return this.#setOffOpposites(contract, price);
    const netQty = isAuction(session.phase) ? this.#netLeft : Infinity;
    if (netQty === 0)
      return 'another owner holds the opposite: in an auction only one of the two exits could trade, and the account would hold what they offset now';
    const obstacle = this.makeWay();
    if (obstacle !== null) return obstacle;
    this.#alertLocked(price);
    const size = qty(Math.min(proven, netQty, settings.risk.orderQtyMax, contract.spec.orderQtyMax));
    const terms = { instrument, side, qty: size, limitPrice: price.price, reason: `flatten: ${reason}` };
    this.#id = context.decisions.propose(strategy, 'system', {
      do: 'submit',
      intent: { kind: 'limit', ...terms },
    });
    return null;
  }

  reprice(): void {
    const { context, contracts, positionReconciler } = this.#view;
    const order = this.#order;
    const contract = contracts.at(this.#target.instrument);
    if (order === undefined || contract === undefined || !positionReconciler.isFresh) return;
    if (order.status !== 'accepted' && order.status !== 'partially_filled') return;
    const price = exitPrice(this.#view, contract, order.side);
    if (price === undefined) return;
    this.#alertLocked(price);
    if (this.makeWay() !== null || price.price === order.limitPrice) return;
    const { clientOrderId } = order;
    const change = { kind: 'price', clientOrderId, limitPrice: price.price } as const;
    context.decisions.propose(this.#target.strategy, 'system', { do: 'modify', change });
  }

  get #order(): OrderView | undefined {
    return this.#id === null ? undefined : this.#view.orders.get(this.#id);
  }

  /** A close by hand left opposite positions: both end without a trade where the broker shows the sum, as an exit would open one. */
  #setOffOpposites(contract: Contract, { price }: ExitPrice): Obstacle {
    const { context, registry, portfolio, positionReconciler, market } = this.#view;
    const { strategy, instrument } = this.#target;
    const isAgreed =
      positionReconciler.isFresh &&
      positionReconciler.brokerQty(instrument) === portfolio.accountQty(instrument);
    const others =
      strategy === OPERATOR_INDEX ? registry.registered.map(({ index }) => index) : [OPERATOR_INDEX];
    for (const other of isAgreed ? others : []) {
      const heldQty = portfolio.position(other, instrument).qty;
      if (this.held * heldQty >= 0) continue;
      const closed = portfolio.closedByHand(
        instrument,
        strategy === OPERATOR_INDEX ? opposite(this.side) : this.side,
      );
      const contracts = Math.min(Math.abs(this.held), Math.abs(heldQty), closed);
      if (contracts === 0) continue;
      const working = ordersOf(this.#view, { strategy: other, instrument }).find(
        ({ isAdopted }) => !isAdopted,
      );
      if (working !== undefined) return `order ${working.clientOrderId} of another owner works`;
      const value = valueOf(contract.spec, market.of(instrument).last.price ?? price, contracts);
      const sign = Math.sign(heldQty);
      changeWithoutFill(this.#view, this.#target, 'forced_close', signedQty(sign * contracts), value);
      const theirs = { strategy: other, instrument };
      changeWithoutFill(this.#view, theirs, 'forced_close', signedQty(0 - sign * contracts), value);
      const text = `${contracts} of ${contract.orderCode} were closed by hand: nothing is traded`;
      const owner = strategy === OPERATOR_INDEX ? other : strategy;
      context.alert(owner, 'warning', 'position_closed', text);
    }
    return "the broker's position and the orders that work leave nothing to close";
  }

  /** Why an order that the exit would trade with stays; null where there is none, or a flatten withdraws it. */
  #findBlockade(): Obstacle {
    this.inWay = this.#crossed((order) => this.#whyStays(order) !== null);
    return this.inWay === undefined ? null : this.#whyStays(this.inWay);
  }

  #crossed(counts: (order: OrderView) => boolean): ManagedOrder | undefined {
    const { contracts, market } = this.#view;
    const { held, side } = this;
    const contract = contracts.at(this.#target.instrument);
    const price = this.#price;
    if (held === 0 || contract === undefined || price === undefined) return undefined;
    const last = market.lastOrReference(contract);
    const exit = { contract, side, limitPrice: price.price, otherPrices: [], isWaiting: false, last };
    return crossedOrder(this.#view, exit, (order) => isSentOrRests(order) && counts(order));
  }

  #whyStays(order: OrderView): Obstacle {
    const { targets, session, withdrawal } = this.#view;
    const name = `order ${order.clientOrderId}`;
    const isOwn = order.strategy === this.#target.strategy;
    if (!isOwn && order.isAdopted) return `${name} of the operator is in the way`;
    // Two exits of opposite positions take turns, and what a stop has sent is all that protects the other one.
    if (!isOwn && !this.#mayPass(order) && (targets.has(order) || withdrawal.isCover(order.clientOrderId)))
      return `the exit ${name} of another owner is in the way`;
    return isAuction(session.phase)
      ? `${name} rests in the auction, where it cannot be canceled: the exit would trade with it`
      : null;
  }

  /** What the stop of a flatten has sent that waits for this one in turn: else both would wait, and the later one gives way. */
  #mayPass(order: OrderView): boolean {
    const { targets } = this.#view;
    const theirs = targets.of(order);
    if (theirs?.inWay === undefined || order.parent === null) return false;
    const isLater = targets.all.indexOf(theirs) > targets.all.indexOf(this.#target);
    return isSamePosition(theirs.inWay, this.#target) && (isLater || theirs.progress === 'given_up');
  }

  /** Orders of other strategies that the exit would trade with are withdrawn, reductions too; those that stay are a blockade. */
  makeWay(): Obstacle {
    const blockade = this.#findBlockade();
    if (blockade !== null) return blockade;
    const { strategy } = this.#target;
    const all: ManagedOrder[] = [];
    const next = (): ManagedOrder | undefined =>
      this.#crossed((order) => order.strategy !== strategy && all.every((each) => each !== order));
    for (let order = next(); order !== undefined; order = next()) all.push(order);
    for (const order of all) {
      if (order.status === 'submitted' || order.status === 'pending_cancel') continue;
      this.#view.withdrawal.withdrawOrder(order);
      const name = `order ${order.clientOrderId}`;
      const text = `cancels ${name} of another owner, which the exit would trade with`;
      this.#target.alertOnce(name, 'warning', 'flatten_makes_way', text);
    }
    this.inWay = all[0];
    return this.inWay === undefined ? null : isInWay(this.inWay);
  }

  get queuedText(): string {
    const phase = this.#view.session.phase;
    if (!isAuction(phase)) return `waits: the phase is ${phase}, nothing can be closed at will`;
    const rule = `in the ${phase.replace('_', ' ')} an order can be neither changed nor canceled`;
    const rest =
      this.#restingQty === 0
        ? `${rule}, and none was asked for; tickwright flatten --in-auction sends one at the ${this.side === 'sell' ? 'floor' : 'ceiling'}, which trades at the price of the auction`
        : `${rule}: its exit stays in it as it is`;
    return phase === 'closing_auction'
      ? `${rest}. What is not closed there stays open overnight, and its stops end with the close`
      : `waits for continuous trading: ${rest}`;
  }

  get restingText(): string {
    const { held, side } = this;
    const text = 'nothing of it can be changed or canceled before the auction ends';
    if (held === 0) return `nothing is held, and an entry rests in the auction: ${text}`;
    const rests = ordersOf(this.#view, this.#target).filter(
      (order) => order.side === side && !order.isTriggerOrder,
    );
    const prices = rests.map(({ limitPrice }) => this.#priceText(limitPrice)).join(', ');
    return `orders to ${side} ${Math.abs(held)} rest in the auction at ${prices} and may not fill: ${text}`;
  }

  #priceText(price: PriceTicks): string {
    return this.#view.contracts.priceText(this.#target.instrument, price);
  }

  #alertLocked({ isLocked, price }: ExitPrice): void {
    if (!isLocked) return;
    const text = `the market is locked at its limit ${this.#priceText(price)}: no ${opposite(this.side)}er, the exit waits in the queue`;
    this.#target.alertOnce('locked', 'critical', 'locked_limit', text);
  }
}

const isInWay = ({ clientOrderId }: OrderView): string =>
  `order ${clientOrderId} of another owner is in the way`;

/** Where an exit is priced: at the touch plus some ticks, inside the band (rulings, 38), in an auction at its edge; at market where the exchange takes that. */
interface ExitPrice {
  readonly price: PriceTicks;
  /** The other side is empty at the price limit: the order can only queue there. */
  readonly isLocked: boolean;
}

function exitPrice(
  { market, session, settings }: Pick<EngineView, 'market' | 'session' | 'settings'>,
  contract: Contract,
  side: Side,
): ExitPrice | undefined {
  const { flatten, marketOrders } = settings;
  if (marketOrders === true) return { price: marketLimit(side), isLocked: false };
  const sign = side === 'buy' ? 1 : -1;
  const { band, book, last } = market.of(contract.index);
  // All trade at the price of the auction: the edge comes first and gets no worse.
  if (isAuction(session.phase)) {
    const edge = side === 'buy' ? band?.ceiling : band?.floor;
    return edge === undefined ? undefined : { price: edge, isLocked: false };
  }
  const touch = touchOf(book.last, side);
  const base = touch ?? market.lastOrReference(contract);
  if (base === undefined) return undefined;
  const limit = side === 'buy' ? band?.ceiling : band?.floor;
  const wanted = Math.round(base) + sign * flatten.slipTicks;
  const price = limit === undefined ? wanted : sign * Math.min(sign * wanted, sign * limit);
  const isLocked = touch === undefined && limit !== undefined && last.price === limit;
  return { price: priceTicks(Math.max(1, price)), isLocked };
}
