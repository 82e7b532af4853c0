/** POST /khronos/v1/order/condition/place (contract, 4.3): a stop or a trailing stop. */
import { placedConditionAnswer, type placedConditionRow } from '../answers/order-answers.ts';
import { z } from 'zod';
import { type ContractSpec, formatPoints, pointsOf } from '../../domain/contract.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side, TriggerWhen } from '../../domain/order.ts';
import type { Parsed } from '../../domain/parsed.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';
import { NEWLY_PLACED, sentTriggerCode, triggerFromSentCode } from './condition-codes.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';
import { codeText, idText, looseNumber, looseText, neededNumber, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';
import { accountCodeOf, sideCode, sideField } from './side.ts';

/** Ours [?]: the document names the field and no word for it. */
const CMD = 'Web.Order.NewConditionOrder';

export type ConditionTrigger =
  | { readonly kind: 'stop'; readonly triggerPrice: PriceTicks; readonly triggerWhen: TriggerWhen }
  /** `trailingOffset` in ticks. */
  | {
      readonly kind: 'trailing_stop';
      readonly activationPrice: PriceTicks;
      readonly trailingOffset: number;
    };

export interface PlaceConditionParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly callId: ClientOrderId;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly trigger: ConditionTrigger;
  readonly spec: ContractSpec;
}

/** As a client asked, in points: the venue refuses what it must. */
export type TriggerAsked =
  | { readonly kind: 'stop'; readonly points: number; readonly when: TriggerWhen }
  | { readonly kind: 'trailing_stop'; readonly activationPoints: number; readonly offsetPoints: number };

export interface PlaceConditionAsked {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly side: Side;
  readonly symbol: string;
  readonly points: number;
  readonly volume: number;
  readonly trigger: TriggerAsked;
  /** Empty when the client gave none. */
  readonly refId: string;
}

const request = z
  .object({
    accountId: idText,
    subAccountId: codeText,
    side: sideField,
    symbol: codeText,
    price: neededNumber,
    volume: neededNumber,
    orderType: looseText,
    soPrice: looseNumber,
    callbackPoint: looseNumber,
    activationPrice: looseNumber,
    refId: looseText,
  })
  .transform(
    (
      { price, orderType, soPrice, callbackPoint, activationPrice, ...rest },
      context,
    ): PlaceConditionAsked => {
      const needed = (path: string, value: number | undefined): number => {
        if (value !== undefined) return value;
        context.addIssue({ code: 'custom', path: [path], message: 'a number' });
        return z.NEVER;
      };
      const asked = { ...rest, points: price };
      const code = triggerFromSentCode(orderType);
      if (code?.kind === 'trailing_stop') {
        const activationPoints = needed('activationPrice', activationPrice);
        const offsetPoints = needed('callbackPoint', callbackPoint);
        return { ...asked, trigger: { kind: 'trailing_stop', activationPoints, offsetPoints } };
      }
      if (code === undefined || code.when === null) {
        context.addIssue({ code: 'custom', path: ['orderType'], message: 'SOL, SOU or TSO' });
        return z.NEVER;
      }
      return { ...asked, trigger: { kind: 'stop', points: needed('soPrice', soPrice), when: code.when } };
    },
  );

export interface PlacedCondition {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
  readonly subAccountId: string;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  /** `HH:MM:SS`. */
  readonly time: string;
  readonly spec: ContractSpec;
}

export const placeCondition = {
  name: 'condition-place',
  asks: request,
  answers: placedConditionAnswer,
  method: 'POST',
  path: '/khronos/v1/order/condition/place',
  encodeRequest: (order: PlaceConditionParameters): WireRequest => {
    const { spec, trigger } = order;
    return bodyRequest({
      accountId: order.accountId,
      subAccountId: order.subAccountId,
      side: sideCode(order.side),
      symbol: order.orderCode,
      price: pointsOf(spec, order.limitPrice),
      volume: order.qty,
      ...triggerFields(trigger, spec),
      refId: order.callId,
    });
  },
  decodeRequest: (raw: RawRequest): Parsed<PlaceConditionAsked> => parseWith(request, raw.body, 'body'),
  encodeResponse: (order: PlacedCondition): Envelope =>
    succeeded(
      CMD,
      [
        {
          symbol: order.orderCode,
          status: NEWLY_PLACED,
          msg_type: '1I',
          showPrice: formatPoints(order.spec, order.limitPrice),
          orderTime: order.time,
          accountCode: accountCodeOf(order.subAccountId),
          // A number here, a text in the book (rulings, 15).
          orderNo: Number(order.orderNo),
          matchVolume: 0,
          side: sideCode(order.side),
          volume: String(order.qty),
          pk_orderNo: order.orderKey,
          channel: 'I',
          group: 'FU',
          quote: 'G',
        } satisfies z.output<typeof placedConditionRow>,
      ],
      order.orderKey,
    ),
  encodeRefusal: (code: number, text: string): Envelope => refused(CMD, code, text),
} as const;

/** All three prices are required by the contract; what a kind does not use is 0. */
function triggerFields(trigger: ConditionTrigger, spec: ContractSpec): object {
  if (trigger.kind === 'stop') {
    return {
      orderType: sentTriggerCode('stop', trigger.triggerWhen),
      soPrice: pointsOf(spec, trigger.triggerPrice),
      callbackPoint: 0,
      activationPrice: 0,
    };
  }
  const activation = pointsOf(spec, trigger.activationPrice);
  return {
    orderType: sentTriggerCode('trailing_stop', null),
    // The contract calls both the activation price.
    soPrice: activation,
    callbackPoint: (trigger.trailingOffset * spec.hundredthsPerTick) / 100,
    activationPrice: activation,
  };
}
