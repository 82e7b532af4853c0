/** POST /khronos/v2/order/condition/change (contract, 4.3): moves the trigger, and nothing else (rulings, 13). */
import { changedConditionAnswer, type changedConditionRow } from '../answers/order-answers.ts';
import { z } from 'zod';
import type { BrokerTriggerKind } from '../../domain/broker-order.ts';
import { type ContractSpec, formatPoints, pointsOf } from '../../domain/contract.ts';
import type { BrokerOrderKey, ClientOrderId } from '../../domain/ids.ts';
import type { Parsed } from '../../domain/parsed.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';
import { encodeConditionNotes } from './condition-codes.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';
import { codeText, idText, looseText, neededNumber, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';

const CMD = 'Web.Order.ChangeConditionOrder';
/** What is sent differs from what comes back (contract, 4.3; notes, section 3). */
const ASKED_CMD = 'Web.Order.ChangeCondition';

export interface ChangeConditionParameters {
  readonly accountId: string;
  readonly orderKey: BrokerOrderKey;
  readonly callId: ClientOrderId;
  /** Of a trailing stop: its activation price. */
  readonly triggerPrice: PriceTicks;
  readonly spec: ContractSpec;
}

export interface ChangeConditionAsked {
  readonly accountId: string;
  readonly orderKey: string;
  readonly refId: string;
  readonly triggerPoints: number;
}

const request = z
  .looseObject({ accountId: idText, pkOrderNo: codeText, refId: looseText, soPrice: neededNumber })
  .transform(({ accountId, pkOrderNo, refId, soPrice }): ChangeConditionAsked => ({
    accountId,
    orderKey: pkOrderNo,
    refId,
    triggerPoints: soPrice,
  }));

export interface ChangedCondition {
  readonly orderKey: BrokerOrderKey;
  readonly kind: BrokerTriggerKind;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly triggerPrice: PriceTicks;
  readonly spec: ContractSpec;
}

export const changeCondition = {
  name: 'condition-change',
  asks: request,
  answers: changedConditionAnswer,
  method: 'POST',
  path: '/khronos/v2/order/condition/change',
  encodeRequest: ({
    accountId,
    orderKey,
    callId,
    triggerPrice,
    spec,
  }: ChangeConditionParameters): WireRequest =>
    bodyRequest({
      accountId,
      pkOrderNo: orderKey,
      refId: callId,
      soPrice: pointsOf(spec, triggerPrice),
      type: '',
      cmd: ASKED_CMD,
    }),
  decodeRequest: (raw: RawRequest): Parsed<ChangeConditionAsked> => parseWith(request, raw.body, 'body'),
  encodeResponse: ({ orderKey, kind, qty, limitPrice, triggerPrice, spec }: ChangedCondition): Envelope =>
    succeeded(
      CMD,
      [
        {
          showPrice: formatPoints(spec, triggerPrice),
          price: formatPoints(spec, limitPrice),
          volume: String(qty),
          pkOrderNo: orderKey,
          notes: encodeConditionNotes(kind),
        } satisfies z.output<typeof changedConditionRow>,
      ],
      orderKey,
    ),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
} as const;
