/** Turns cumulative figures of the book into fills (rulings, 2). The cumulative quantity is the key: reading twice counts once. */
import type { EngineView } from '../engine-view.ts';
import { assert } from '../../domain/assert.ts';
import type { BrokerOrder } from '../../domain/broker-order.ts';
import { ratesOf, valueOf } from '../../domain/contract.ts';
import { type Costs, orderCosts } from '../../domain/costs.ts';
import { type FillQuality, signOf } from '../../domain/order.ts';
import { type Money, money, priceTicks, qty, type TsUs } from '../../domain/units.ts';
import type { ManagedOrder } from './managed-order.ts';

const RANK: Readonly<Record<FillQuality, number>> = { estimated: 0, average: 1, exact: 2 };

export class FillSteps {
  readonly #view: EngineView;
  /** Fills of the session: two equal readings enclose a moment at which nothing was filled. */
  count = 0;
  /** When the last one was booked. */
  lastUs: TsUs | null = null;
  /** An order of another session got a fill or a value today: the broker charges it to another day than we do. */
  hasCarriedFills = false;
  /** Orders of the day whose money is an estimate. */
  readonly #estimated = new Set<ManagedOrder>();

  constructor(view: EngineView) {
    this.#view = view;
  }

  /** The money of each fill of the day is the broker's figure. */
  get areExact(): boolean {
    return this.#estimated.size === 0;
  }

  nextDay(): void {
    this.#estimated.clear();
    this.hasCarriedFills = false;
  }

  /** `isOlder`: a later scan was taken before this one. */
  take(order: ManagedOrder, row: BrokerOrder, isOlder: boolean): void {
    if (row.filledQty > order.filledQty) this.#bookStep(order, row);
    else if (row.filledQty === order.filledQty) this.#improve(order, row, isOlder);
    else if (!isOlder && order.markReported('decreased')) {
      this.#view.context.alert(
        order.strategy,
        'critical',
        'cumulative_decreased',
        `${order.clientOrderId}: the book shows ${row.filledQty} filled, it showed ${order.filledQty} before: kept`,
      );
    }
  }

  #bookStep(order: ManagedOrder, row: BrokerOrder): void {
    const stepQty = row.filledQty - order.filledQty;
    const cumValue = row.filledValue?.value ?? this.#estimate(order, stepQty);
    const quality = row.filledValue?.quality ?? 'estimated';
    // An earlier estimate may have been too high, and the rest would be below zero: correct it separately.
    const isBelow = cumValue <= order.filledValue;
    const booked = isBelow ? this.#estimate(order, stepQty) : cumValue;
    const knownCosts = row.filledValue?.costs;
    this.#book(order, stepQty, booked - order.filledValue, isBelow ? 'estimated' : quality, knownCosts);
    if (isBelow) this.#correct(order, cumValue, quality, knownCosts);
  }

  #book(
    order: ManagedOrder,
    stepQty: number,
    stepValue: number,
    quality: FillQuality,
    knownCosts: Costs | undefined,
  ): void {
    const { context, portfolio, life } = this.#view;
    assert(stepQty > 0 && Number.isSafeInteger(stepValue), 'a fill adds whole contracts and whole money');
    assert(!order.isTriggerOrder, 'fills of a trigger are fills of its child');
    const cumQty = qty(order.filledQty + stepQty);
    const cumValue = money(order.filledValue + stepValue);
    const total = knownCosts ?? this.#costsOf(order, cumQty, cumValue);
    const fee = money(total.fee - order.fee);
    const tax = money(total.tax - order.tax);
    portfolio.add(order.strategy, order.instrument, signOf(order.side) * stepQty, stepValue);
    portfolio.charge(order.strategy, fee, tax);
    portfolio.countFill(order.strategy);
    order.filledQty = cumQty;
    order.filledValue = cumValue;
    this.#setQuality(order, quality);
    this.hasCarriedFills ||= order.isCarriedOver;
    order.fee = total.fee;
    order.tax = total.tax;
    this.count += 1;
    this.lastUs = context.nowUs;
    context.append({
      kind: 'fill',
      cause: context.seq,
      tsUs: context.nowUs,
      strategy: order.strategy,
      clientOrderId: order.clientOrderId,
      orderNo: numberOf(order),
      instrument: order.instrument,
      side: order.side,
      qty: qty(stepQty),
      value: money(stepValue),
      cumQty,
      cumValue,
      quality,
      fee,
      tax,
    });
    life.onFilled(order, stepQty, stepValue);
  }

  /** The same quantity with another value: a better figure replaces a worse one, a newer one its equal. */
  #improve(order: ManagedOrder, row: BrokerOrder, isOlder: boolean): void {
    if (row.filledValue === null || order.filledQty === 0) return;
    const { value, quality, costs } = row.filledValue;
    const isBetter = RANK[quality] > RANK[order.fillQuality];
    const isNewer = RANK[quality] === RANK[order.fillQuality] && !isOlder;
    if (!isBetter && !isNewer) return;
    if (value === order.filledValue) this.#setQuality(order, quality);
    else this.#correct(order, value, quality, costs);
  }

  #correct(order: ManagedOrder, cumValue: Money, quality: FillQuality, knownCosts: Costs | undefined): void {
    const { context, portfolio } = this.#view;
    const value = money(cumValue - order.filledValue);
    const total = knownCosts ?? this.#costsOf(order, order.filledQty, cumValue);
    const tax = money(total.tax - order.tax);
    portfolio.correct(order.strategy, order.instrument, signOf(order.side), value);
    portfolio.charge(order.strategy, 0, tax);
    order.filledValue = cumValue;
    this.#setQuality(order, quality);
    this.hasCarriedFills ||= order.isCarriedOver;
    order.tax = total.tax;
    context.append({
      kind: 'fill_correction',
      ...context.head(order.strategy),
      clientOrderId: order.clientOrderId,
      orderNo: numberOf(order),
      instrument: order.instrument,
      side: order.side,
      value,
      tax,
      cumValue,
      quality,
    });
  }

  /** Costs by our own rates, where the broker reports none. */
  #costsOf({ instrument, side }: ManagedOrder, filledQty: number, filledValue: number): Costs {
    const { contracts, session, costs } = this.#view;
    const contract = contracts.at(instrument);
    const rates = contract === undefined ? costs : ratesOf(contract.spec, costs);
    return orderCosts(rates, session.tradingDay(), { side, filledQty, filledValue });
  }

  #setQuality(order: ManagedOrder, quality: FillQuality): void {
    order.fillQuality = quality;
    if (quality === 'estimated') this.#estimated.add(order);
    else this.#estimated.delete(order);
  }

  /**
   * Estimates the cumulative value: at the last print, before the first one at the reference price, where that is no worse than our limit,
   * else at the limit.
   */
  #estimate(order: ManagedOrder, stepQty: number): Money {
    const { contracts, market } = this.#view;
    const contract = contracts.at(order.instrument);
    assert(contract !== undefined, 'a filled order is in a listed contract');
    const last = Math.round(market.lastOrReference(contract) ?? order.limitPrice);
    const price = order.side === 'buy' ? Math.min(last, order.limitPrice) : Math.max(last, order.limitPrice);
    return money(order.filledValue + valueOf(contract.spec, priceTicks(price), stepQty));
  }
}

function numberOf(order: ManagedOrder): NonNullable<ManagedOrder['orderNo']> {
  assert(order.orderNo !== null, 'an order that is filled has a number');
  return order.orderNo;
}
