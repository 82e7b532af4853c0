/** POST /khronos/v1/order/cancel (contract, 4.3). */
import { canceledOrderAnswer, type canceledOrderRow } from '../answers/order-answers.ts';
import { z } from 'zod';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId } from '../../domain/ids.ts';
import type { Parsed } from '../../domain/parsed.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';
import { idText, looseText, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';

/** The answer names the change operation (notes, section 3). */
const ANSWER_CMD = 'Web.changeOrder';

export interface CancelParameters {
  readonly accountId: string;
  readonly orderNo: BrokerOrderNo;
  /** Null for a cancel that belongs to nobody's memory (kill path). */
  readonly callId: ClientOrderId | null;
}

export interface CancelAsked {
  readonly accountId: string;
  readonly orderNo: string;
  readonly refId: string;
}

const request = z
  .looseObject({ accountId: idText, orderNo: idText, refId: looseText })
  .transform(({ accountId, orderNo, refId }): CancelAsked => ({ accountId, orderNo, refId }));

export interface CanceledOrder {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
  /** `HH:MM:SS`. */
  readonly time: string;
}

export const cancelOrder = {
  name: 'cancel',
  asks: request,
  answers: canceledOrderAnswer,
  method: 'POST',
  path: '/khronos/v1/order/cancel',
  encodeRequest: ({ accountId, orderNo, callId }: CancelParameters): WireRequest => {
    const body = { accountId, orderNo, cmd: 'Web.cancelOrder', pin: 'F' };
    return bodyRequest(callId === null ? body : { ...body, refId: callId });
  },
  decodeRequest: (raw: RawRequest): Parsed<CancelAsked> => parseWith(request, raw.body, 'body'),
  encodeResponse: (order: CanceledOrder): Envelope =>
    succeeded(
      ANSWER_CMD,
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
  encodeRefusal: (code: number, text: string): Envelope => refused(ANSWER_CMD, code, text),
} as const;
