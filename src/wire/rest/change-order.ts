/** POST /khronos/v1/order/change (contract, 4.3). `nvol` is the new total volume (rulings, 10). */
import { changedOrderAnswer, type changedOrderRow } from '../answers/order-answers.ts';
import { z } from 'zod';
import { type ContractSpec, formatPoints, pointsOf } from '../../domain/contract.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId } from '../../domain/ids.ts';
import type { Parsed } from '../../domain/parsed.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';
import { idText, looseText, neededNumber, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';

const CMD = 'Web.changeOrder';

export interface ChangeParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly orderNo: BrokerOrderNo;
  readonly callId: ClientOrderId;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly spec: ContractSpec;
}

export interface ChangeAsked {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly orderNo: string;
  readonly refId: string;
  readonly volume: number;
  readonly points: number;
}

const request = z
  .object({
    accountId: idText,
    subAccountId: looseText,
    orderNo: idText,
    refId: looseText,
    nvol: neededNumber,
    nprice: neededNumber,
  })
  .transform(({ nvol, nprice, ...rest }): ChangeAsked => ({ ...rest, volume: nvol, points: nprice }));

export interface ChangedOrder {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly spec: ContractSpec;
}

export const changeOrder = {
  name: 'change',
  asks: request,
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
  decodeRequest: (raw: RawRequest): Parsed<ChangeAsked> => parseWith(request, raw.body, 'body'),
  encodeResponse: (order: ChangedOrder): Envelope =>
    succeeded(
      CMD,
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
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
} as const;
