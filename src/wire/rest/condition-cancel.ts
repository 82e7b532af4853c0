/** POST /khronos/v1/order/condition/cancel (contract, 4.3). `orderNo` carries the order's key. */
import { canceledConditionAnswer } from '../answers/order-answers.ts';
import { z } from 'zod';
import type { BrokerOrderKey } from '../../domain/ids.ts';
import type { Parsed } from '../../domain/parsed.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';
import { codeText, idText, looseText, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';

const CMD = 'Web.cancelActivatedOrder';

export interface CancelConditionParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly orderKey: BrokerOrderKey;
}

export interface CancelConditionAsked {
  readonly accountId: string;
  /** Empty when the client gave none. */
  readonly subAccountId: string;
  readonly orderKey: string;
}

const request = z
  .looseObject({ accountId: idText, subAccountId: looseText, orderNo: codeText })
  .transform(({ accountId, subAccountId, orderNo }): CancelConditionAsked => ({
    accountId,
    subAccountId,
    orderKey: orderNo,
  }));

export const cancelCondition = {
  name: 'condition-cancel',
  asks: request,
  answers: canceledConditionAnswer,
  method: 'POST',
  path: '/khronos/v1/order/condition/cancel',
  encodeRequest: ({ accountId, subAccountId, orderKey }: CancelConditionParameters): WireRequest =>
    bodyRequest({ accountId, orderNo: orderKey, subAccountId }),
  decodeRequest: (raw: RawRequest): Parsed<CancelConditionAsked> => parseWith(request, raw.body, 'body'),
  /** An empty list: the book shows what became of it. */
  encodeResponse: (): Envelope => succeeded(CMD, []),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
} as const;
