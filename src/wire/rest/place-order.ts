/** POST /khronos/v1/order/place (contract, 4.3): a normal limit order, also with stop-loss and take-profit or after a leg. */
import { placedOrderAnswer, type placedOrderRow } from '../answers/order-answers.ts';
import { z } from 'zod';
import { type ContractSpec, formatPoints, pointsOf } from '../../domain/contract.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { Parsed } from '../../domain/parsed.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';
import type { BrokerOrderStatus } from '../../domain/broker-order.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';
import { codeText, idText, looseText, neededNumber, parseWith } from './lenient.ts';
import { encodeStatus } from './order-status.ts';
import {
  decodeOrderType,
  encodeOrderType,
  type OrderTerms,
  type OrderTermsAsked,
  REGULAR,
} from './order-type.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';
import { accountCodeOf, sideCode, sideField } from './side.ts';

const CMD = 'Web.newOrder';

export interface PlaceParameters {
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
export interface PlaceAsked {
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
const request = z
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

export interface PlacedOrder {
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
  asks: request,
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
  decodeRequest: (raw: RawRequest): Parsed<PlaceAsked> => parseWith(request, raw.body, 'body'),
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
    return succeeded(CMD, [row], order.orderKey);
  },
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
} as const;
