import { z } from 'zod';
import type { BrokerOrderStatus } from '../../domain/broker-order.ts';
import { type ContractSpec, formatPoints, pointsOf } from '../../domain/contract.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { Parsed } from '../../domain/parsed.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';
import {
  canceledOrderAnswer,
  type canceledOrderRow,
  changedOrderAnswer,
  type changedOrderRow,
  placedOrderAnswer,
  type placedOrderRow,
} from '../answers/order-answers.ts';
import { numberFromText } from '../json.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';
import { codeText, idText, looseText, neededNumber, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './operation.ts';
import { encodeStatus } from './order-status.ts';
import { accountCodeOf, sideCode, sideField } from './trade-fields.ts';
/** `orderType` of a normal order (contract, 4.3; rulings, 13): regular, with stop-loss and take-profit, or after another leg. */

/** What goes with a normal order. */
export type OrderTerms =
  | { readonly kind: 'regular' }
  /** For the quantity that fills; one cancels the other. */
  | { readonly kind: 'bracket'; readonly stopLossPrice: PriceTicks; readonly takeProfitPrice: PriceTicks }
  /** Placed when our order in `leg` fills. */
  | { readonly kind: 'arbitrage'; readonly leg: OrderCode };

/** As a client asked, in points: the venue refuses what it must. */
export type OrderTermsAsked =
  | { readonly kind: 'regular' }
  | { readonly kind: 'bracket'; readonly stopLossPoints: number; readonly takeProfitPoints: number }
  | { readonly kind: 'arbitrage'; readonly leg: string }
  | { readonly kind: 'unreadable'; readonly text: string };

const REGULAR: OrderTerms = { kind: 'regular' };

const REGULAR_WORD = '0';
const BRACKET_WORD = 'SLP';
const ARBITRAGE_WORD = 'ABI';

export function encodeOrderType(terms: OrderTerms, spec: ContractSpec): string {
  switch (terms.kind) {
    case 'regular':
      return REGULAR_WORD;
    case 'bracket':
      return `${BRACKET_WORD}=${formatPoints(spec, terms.stopLossPrice)},${formatPoints(spec, terms.takeProfitPrice)}`;
    case 'arbitrage':
      return `${ARBITRAGE_WORD}=${terms.leg}`;
  }
}

/** Left out is regular, as clients do. */
export function decodeOrderType(text: string): OrderTermsAsked {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === REGULAR_WORD) return { kind: 'regular' };
  const unreadable: OrderTermsAsked = { kind: 'unreadable', text: trimmed };
  const sign = trimmed.indexOf('=');
  if (sign === -1) return unreadable;
  const word = trimmed.slice(0, sign).trim().toUpperCase();
  const parts = trimmed
    .slice(sign + 1)
    .split(',')
    .map((part) => part.trim());
  const [first = '', second = '', ...rest] = parts;
  if (word === ARBITRAGE_WORD && parts.length === 1 && first !== '') return { kind: 'arbitrage', leg: first };
  const stopLossPoints = numberFromText(first);
  const takeProfitPoints = numberFromText(second);
  const isPair = stopLossPoints !== undefined && takeProfitPoints !== undefined && rest.length === 0;
  return word === BRACKET_WORD && isPair ? { kind: 'bracket', stopLossPoints, takeProfitPoints } : unreadable;
}

/** POST /khronos/v1/order/place (contract, 4.3): a normal limit order, also with stop-loss and take-profit or after a leg. */

const PLACE_CMD = 'Web.newOrder';

interface PlaceParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly clientOrderId: ClientOrderId;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly spec: ContractSpec;
  /** Absent: regular. */
  readonly terms?: OrderTerms;
}

/** As a client asked: the numbers may be anything, the venue refuses what it must. */
interface PlaceAsked {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly side: Side;
  readonly symbol: string;
  readonly points: number;
  readonly volume: number;
  readonly terms: OrderTermsAsked;
  /** Empty when the client gave none. */
  readonly refId: string;
}

/** Fields that nobody knows (`advance`, `pin`, `type`) are accepted and dropped. */
const placeRequest = z
  .object({
    accountId: idText,
    subAccountId: codeText,
    side: sideField,
    symbol: codeText,
    price: neededNumber,
    volume: neededNumber,
    orderType: looseText,
    refId: looseText,
  })
  .transform(({ price, orderType, ...rest }): PlaceAsked => ({
    ...rest,
    points: price,
    terms: decodeOrderType(orderType),
  }));

interface PlacedOrder {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
  readonly refId: string;
  readonly subAccountId: string;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly status: BrokerOrderStatus;
  /** `HH:MM:SS`. */
  readonly time: string;
  readonly spec: ContractSpec;
}

export const placeOrder = {
  name: 'place',
  asks: placeRequest,
  answers: placedOrderAnswer,
  method: 'POST',
  path: '/khronos/v1/order/place',
  encodeRequest: (order: PlaceParameters): WireRequest =>
    bodyRequest({
      accountId: order.accountId,
      subAccountId: order.subAccountId,
      side: sideCode(order.side),
      symbol: order.orderCode,
      price: pointsOf(order.spec, order.limitPrice),
      volume: order.qty,
      orderType: encodeOrderType(order.terms ?? REGULAR, order.spec),
      refId: order.clientOrderId,
    }),
  decodeRequest: (raw: RawRequest): Parsed<PlaceAsked> => parseWith(placeRequest, raw.body, 'body'),
  encodeResponse: (order: PlacedOrder): Envelope => {
    // The answer is the gateway's: it says P, whatever the exchange has made of the order by then.
    const { quote } = encodeStatus(order.status === 'resting' ? 'resting' : 'queued');
    const row: z.output<typeof placedOrderRow> = {
      symbol: order.orderCode,
      status: 'P',
      msg_type: '1I',
      showPrice: formatPoints(order.spec, order.limitPrice),
      orderTime: order.time,
      type: 'I',
      accountCode: accountCodeOf(order.subAccountId),
      orderNo: order.orderNo,
      matchVolume: '0',
      side: sideCode(order.side),
      volume: String(order.qty),
      pk_orderNo: order.orderKey,
      channel: 'I',
      refID: order.refId,
      group: 'FU',
      quote,
    };
    return succeeded(PLACE_CMD, [row], order.orderKey);
  },
  encodeRefusal: (code: number, text: string): Envelope => refused(PLACE_CMD, code, text),
} as const;

/** POST /khronos/v1/order/change (contract, 4.3). `nvol` is the new total volume (rulings, 10). */

const CHANGE_CMD = 'Web.changeOrder';

interface ChangeParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly orderNo: BrokerOrderNo;
  readonly callId: ClientOrderId;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly spec: ContractSpec;
}

interface ChangeAsked {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly orderNo: string;
  readonly refId: string;
  readonly volume: number;
  readonly points: number;
}

const changeRequest = z
  .object({
    accountId: idText,
    subAccountId: looseText,
    orderNo: idText,
    refId: looseText,
    nvol: neededNumber,
    nprice: neededNumber,
  })
  .transform(({ nvol, nprice, ...rest }): ChangeAsked => ({ ...rest, volume: nvol, points: nprice }));

interface ChangedOrder {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly spec: ContractSpec;
}

export const changeOrder = {
  name: 'change',
  asks: changeRequest,
  answers: changedOrderAnswer,
  method: 'POST',
  path: '/khronos/v1/order/change',
  encodeRequest: (change: ChangeParameters): WireRequest =>
    bodyRequest({
      accountId: change.accountId,
      subAccountId: change.subAccountId,
      orderNo: change.orderNo,
      refId: change.callId,
      nvol: change.qty,
      nprice: pointsOf(change.spec, change.limitPrice),
    }),
  decodeRequest: (raw: RawRequest): Parsed<ChangeAsked> => parseWith(changeRequest, raw.body, 'body'),
  encodeResponse: (order: ChangedOrder): Envelope =>
    succeeded(
      CHANGE_CMD,
      [
        {
          orderNo: order.orderNo,
          status: 'PC',
          msg_type: '1P',
          showPrice: formatPoints(order.spec, order.limitPrice),
          volume: String(order.qty),
          pk_orderNo: order.orderKey,
        } satisfies z.output<typeof changedOrderRow>,
      ],
      order.orderKey,
    ),
  encodeRefusal: (code: number, text: string): Envelope => refused(CHANGE_CMD, code, text),
} as const;

/** POST /khronos/v1/order/cancel (contract, 4.3). */

/** The answer names the change operation (notes, section 3). */
const CANCEL_CMD = 'Web.changeOrder';

interface CancelParameters {
  readonly accountId: string;
  readonly orderNo: BrokerOrderNo;
  /** Null for a cancel that belongs to nobody's memory (kill path). */
  readonly callId: ClientOrderId | null;
}

interface CancelAsked {
  readonly accountId: string;
  readonly orderNo: string;
  readonly refId: string;
}

const cancelRequest = z
  .looseObject({ accountId: idText, orderNo: idText, refId: looseText })
  .transform(({ accountId, orderNo, refId }): CancelAsked => ({ accountId, orderNo, refId }));

interface CanceledOrder {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
  /** `HH:MM:SS`. */
  readonly time: string;
}

export const cancelOrder = {
  name: 'cancel',
  asks: cancelRequest,
  answers: canceledOrderAnswer,
  method: 'POST',
  path: '/khronos/v1/order/cancel',
  encodeRequest: ({ accountId, orderNo, callId }: CancelParameters): WireRequest => {
    const body = { accountId, orderNo, cmd: 'Web.cancelOrder', pin: 'F' };
    return bodyRequest(callId === null ? body : { ...body, refId: callId });
  },
  decodeRequest: (raw: RawRequest): Parsed<CancelAsked> => parseWith(cancelRequest, raw.body, 'body'),
  encodeResponse: (order: CanceledOrder): Envelope =>
    succeeded(
      CANCEL_CMD,
      [
        {
          orderNo: order.orderNo,
          status: 'PW',
          msg_type: '1C',
          pk_orderNo: order.orderKey,
          cancelTime: order.time,
        } satisfies z.output<typeof canceledOrderRow>,
      ],
      order.orderKey,
    ),
  encodeRefusal: (code: number, text: string): Envelope => refused(CANCEL_CMD, code, text),
} as const;
