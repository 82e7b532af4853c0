/** Orders at the exchange and orders that wait for a trigger: placed, changed and canceled, answered in the broker's envelope. */
import { parsePoints } from '../../domain/contract.ts';
import { brokerOrderKey, clientOrderId } from '../../domain/ids.ts';
import { type PriceTicks, qty } from '../../domain/units.ts';
import type { CommandOutcome, TriggerReport } from '../../venue/venue-event.ts';
import { type PlaceLimit, type PlaceTrigger, refusal } from '../../venue/venue-command.ts';
import type { VenueRules } from '../../venue/venue-options.ts';
import {
  cancelCondition,
  changeCondition,
  placeCondition,
  type PlaceConditionRequest,
} from '../../wire/rest/condition-calls.ts';
import { cancelOrder, changeOrder, type RequestedTerms, placeOrder } from '../../wire/rest/order-calls.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { BookDistortion } from '../faults/fault-board.ts';
import type { Readings } from '../simulator-options.ts';
import { accountHandler, type Handlers, type CustomerAccount, type RestRefusal } from './handler.ts';

export interface OrderParts {
  readonly brokerage: Brokerage;
  readonly book: BookDistortion;
  readonly readings: Readings;
  readonly triggerLife: VenueRules['triggerLife'];
  /** `HH:MM:SS` of the exchange's day. */
  readonly timeText: (atUs: number) => string;
}

const UNKNOWN_ORDER = refusal(-6003);
const BAD_PRICE = refusal(-6021);
const NOT_OFFERED = refusal(-6024, 'Order type not allowed');

export const orderHandlers = ({
  brokerage,
  book,
  readings,
  timeText,
}: OrderParts): Pick<Handlers, 'place' | 'change' | 'cancel'> => ({
  place: accountHandler(placeOrder, (request, account) => {
    const orderCode = brokerage.codeNamed(request.symbol);
    if (orderCode === undefined) return UNKNOWN_ORDER;
    const limitPrice = priceOf(brokerage, request.points);
    if (limitPrice === undefined) return BAD_PRICE;
    const refId = request.refId.trim();
    const { side, volume } = request;
    const order = {
      accountId: account.accountId,
      orderCode,
      side,
      limitPrice,
      qty: volume,
      refId: refIdOf(refId),
    };
    const outcome = enter(brokerage, readings, order, request.terms);
    if ('code' in outcome) return outcome;
    if (outcome.status === 'refused') return outcome.refusal;
    const { order: entered } = outcome;
    book.placed(entered);
    return placeOrder.encodeResponse({
      ...entered,
      refId,
      subAccountId: account.subAccountId,
      time: timeText(entered.placedUs),
      spec: brokerage.spec,
    });
  }),
  change: accountHandler(changeOrder, (request, { accountId }) => {
    const order = brokerage.orderNamed(accountId, request.orderNo);
    if (order === undefined) return UNKNOWN_ORDER;
    const limitPrice = priceOf(brokerage, request.points);
    if (limitPrice === undefined) return BAD_PRICE;
    const total = request.volume + (readings.changedVolume === 'total' ? 0 : order.filledQty);
    const { orderNo } = order;
    const outcome = brokerage.act((venue) => venue.change({ accountId, orderNo, limitPrice, qty: total }));
    if (outcome.status === 'refused') return outcome.refusal;
    // Echoes the request: the order itself changes when the exchange confirms it.
    return changeOrder.encodeResponse({
      ...outcome.order,
      limitPrice,
      qty: qty(request.volume),
      spec: brokerage.spec,
    });
  }),
  cancel: accountHandler(cancelOrder, (request, { accountId }) => {
    const orderNo = brokerage.orderNamed(accountId, request.orderNo)?.orderNo;
    if (orderNo === undefined) return UNKNOWN_ORDER;
    const outcome = brokerage.act((venue) => venue.cancel({ accountId, orderNo }));
    if (outcome.status === 'refused') return outcome.refusal;
    return cancelOrder.encodeResponse({ ...outcome.order, time: timeText(brokerage.nowUs()) });
  }),
});

const refIdOf = (text: string) => (text === '' ? null : clientOrderId(text));

function enter(
  brokerage: Brokerage,
  readings: Readings,
  order: PlaceLimit,
  terms: RequestedTerms,
): CommandOutcome | RestRefusal {
  switch (terms.kind) {
    case 'regular':
      return brokerage.act((venue) => venue.place(order));
    case 'unreadable':
      return NOT_OFFERED;
    case 'arbitrage': {
      const leg = brokerage.codeNamed(terms.leg);
      if (readings.arbitrage === 'refuse') return NOT_OFFERED;
      if (leg === undefined) return UNKNOWN_ORDER;
      return brokerage.act((venue) => venue.place({ ...order, leg }));
    }
    case 'bracket': {
      const bracket = bracketOf(brokerage, readings, terms);
      if (bracket === undefined) return BAD_PRICE;
      return brokerage.act((venue) => venue.place({ ...order, bracket }));
    }
  }
}

/** Undefined when a price is not on the grid. */
function bracketOf(
  brokerage: Brokerage,
  { bracketOrder, bracketPrices }: Readings,
  { stopLossPoints, takeProfitPoints }: Extract<RequestedTerms, { readonly kind: 'bracket' }>,
): PlaceLimit['bracket'] | undefined {
  const first = priceOf(brokerage, stopLossPoints);
  const second = priceOf(brokerage, takeProfitPoints);
  if (first === undefined || second === undefined) return undefined;
  const [stopLoss, takeProfit] = bracketOrder === 'stop_loss_first' ? [first, second] : [second, first];
  return { is: bracketPrices === 'absolute' ? 'prices' : 'distances', stopLoss, takeProfit };
}

function priceOf({ spec }: Brokerage, points: number): PriceTicks | undefined {
  const price = parsePoints(spec, points, 'price');
  return price.ok ? price.value : undefined;
}

export const triggerHandlers = ({
  brokerage,
  book,
  timeText,
}: OrderParts): Pick<Handlers, 'condition-place' | 'condition-change' | 'condition-cancel'> => ({
  'condition-place': accountHandler(placeCondition, (request, account) => {
    const orderCode = brokerage.codeNamed(request.symbol);
    if (orderCode === undefined) return UNKNOWN_ORDER;
    const command = commandOf(brokerage, request, account);
    if (command === undefined) return BAD_PRICE;
    const outcome = brokerage.act((venue) => venue.placeTrigger({ ...command, orderCode }));
    if (outcome.status === 'refused') return outcome.refusal;
    const { trigger } = outcome;
    book.placed(trigger);
    return placeCondition.encodeResponse({
      ...trigger,
      subAccountId: account.subAccountId,
      time: timeText(trigger.placedUs),
      spec: brokerage.spec,
    });
  }),
  'condition-change': accountHandler(changeCondition, (request, { accountId }) => {
    const triggerPrice = priceOf(brokerage, request.triggerPoints);
    if (triggerPrice === undefined) return BAD_PRICE;
    const orderKey = brokerOrderKey(request.orderKey);
    const outcome = brokerage.act((venue) => venue.changeTrigger({ accountId, orderKey, triggerPrice }));
    if (outcome.status === 'refused') return outcome.refusal;
    const { trigger } = outcome;
    return changeCondition.encodeResponse({
      ...trigger,
      triggerPrice: shownTrigger(trigger) ?? triggerPrice,
      spec: brokerage.spec,
    });
  }),
  'condition-cancel': accountHandler(cancelCondition, (request, { accountId }) => {
    const orderKey = brokerOrderKey(request.orderKey);
    const outcome = brokerage.act((venue) => venue.cancelTrigger({ accountId, orderKey }));
    return outcome.status === 'refused' ? outcome.refusal : cancelCondition.encodeResponse();
  }),
});

/** Without the contract; undefined when a price is not on the grid. */
function commandOf(
  brokerage: Brokerage,
  { points, side, volume, refId, trigger }: PlaceConditionRequest,
  account: CustomerAccount,
): DistributiveOmit<PlaceTrigger, 'orderCode'> | undefined {
  const limitPrice = priceOf(brokerage, points);
  if (limitPrice === undefined) return undefined;
  const head = { accountId: account.accountId, side, qty: volume, limitPrice, refId: refIdOf(refId.trim()) };
  if (trigger.kind === 'stop') {
    const triggerPrice = priceOf(brokerage, trigger.points);
    if (triggerPrice === undefined) return undefined;
    return { ...head, kind: 'stop', triggerPrice, triggerWhen: trigger.when };
  }
  const activationPrice = priceOf(brokerage, trigger.activationPoints);
  const offset = priceOf(brokerage, trigger.offsetPoints);
  if (activationPrice === undefined || offset === undefined) return undefined;
  return { ...head, kind: 'trailing_stop', activationPrice, offset };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** A trailing stop that is not yet activated shows where it will be. */
export const shownTrigger = ({ triggerPrice, trailing }: TriggerReport): PriceTicks | null =>
  triggerPrice ?? trailing?.activationPrice ?? null;
