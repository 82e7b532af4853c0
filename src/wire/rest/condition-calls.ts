import { z } from 'zod';
import type { BrokerTriggerKind } from '../../domain/broker-order.ts';
import { type ContractSpec, formatPoints, pointsOf } from '../../domain/contract.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side, TriggerWhen } from '../../domain/order.ts';
import type { Parsed } from '../../domain/parsed.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';
import {
  canceledConditionAnswer,
  changedConditionAnswer,
  type changedConditionRow,
  placedConditionAnswer,
  type placedConditionRow,
} from '../answers/order-answers.ts';
import {
  encodeConditionNotes,
  NEWLY_PLACED,
  sentTriggerCode,
  triggerFromSentCode,
} from './condition-codes.ts';
import { type Envelope, refused, succeeded } from './envelope.ts';
import { codeText, idText, looseNumber, looseText, neededNumber, parseWith } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './operation.ts';
import { accountCodeOf, sideCode, sideField } from './trade-fields.ts';
/** POST /khronos/v1/order/condition/place (contract, 4.3): a stop or a trailing stop. */

/** Ours [?]: the document names the field and no word for it. */
const PLACE_CMD = 'Web.Order.NewConditionOrder';

export type ConditionTrigger =
  | { readonly kind: 'stop'; readonly triggerPrice: PriceTicks; readonly triggerWhen: TriggerWhen }
  /** `trailingOffset` in ticks. */
  | {
      readonly kind: 'trailing_stop';
      readonly activationPrice: PriceTicks;
      readonly trailingOffset: number;
    };

interface PlaceConditionParameters {
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
type TriggerAsked =
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

const placeRequest = z
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

interface PlacedCondition {
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
  asks: placeRequest,
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
  decodeRequest: (raw: RawRequest): Parsed<PlaceConditionAsked> => parseWith(placeRequest, raw.body, 'body'),
  encodeResponse: (order: PlacedCondition): Envelope =>
    succeeded(
      PLACE_CMD,
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
  encodeRefusal: (code: number, text: string): Envelope => refused(PLACE_CMD, code, text),
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

/** POST /khronos/v2/order/condition/change (contract, 4.3): moves the trigger, and nothing else (rulings, 13). */

const CHANGE_CMD = 'Web.Order.ChangeConditionOrder';
/** What is sent differs from what comes back (contract, 4.3; notes, section 3). */
const ASKED_CMD = 'Web.Order.ChangeCondition';

interface ChangeConditionParameters {
  readonly accountId: string;
  readonly orderKey: BrokerOrderKey;
  readonly callId: ClientOrderId;
  /** Of a trailing stop: its activation price. */
  readonly triggerPrice: PriceTicks;
  readonly spec: ContractSpec;
}

interface ChangeConditionAsked {
  readonly accountId: string;
  readonly orderKey: string;
  readonly refId: string;
  readonly triggerPoints: number;
}

const changeRequest = z
  .looseObject({ accountId: idText, pkOrderNo: codeText, refId: looseText, soPrice: neededNumber })
  .transform(({ accountId, pkOrderNo, refId, soPrice }): ChangeConditionAsked => ({
    accountId,
    orderKey: pkOrderNo,
    refId,
    triggerPoints: soPrice,
  }));

interface ChangedCondition {
  readonly orderKey: BrokerOrderKey;
  readonly kind: BrokerTriggerKind;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly triggerPrice: PriceTicks;
  readonly spec: ContractSpec;
}

export const changeCondition = {
  name: 'condition-change',
  asks: changeRequest,
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
  decodeRequest: (raw: RawRequest): Parsed<ChangeConditionAsked> =>
    parseWith(changeRequest, raw.body, 'body'),
  encodeResponse: ({ orderKey, kind, qty, limitPrice, triggerPrice, spec }: ChangedCondition): Envelope =>
    succeeded(
      CHANGE_CMD,
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
  encodeRefusal: (code: number, text: string): Envelope => refused(CHANGE_CMD, code, text),
} as const;

/** POST /khronos/v1/order/condition/cancel (contract, 4.3). `orderNo` carries the order's key. */

const CANCEL_CMD = 'Web.cancelActivatedOrder';

interface CancelConditionParameters {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly orderKey: BrokerOrderKey;
}

interface CancelConditionAsked {
  readonly accountId: string;
  /** Empty when the client gave none. */
  readonly subAccountId: string;
  readonly orderKey: string;
}

const cancelRequest = z
  .looseObject({ accountId: idText, subAccountId: looseText, orderNo: codeText })
  .transform(({ accountId, subAccountId, orderNo }): CancelConditionAsked => ({
    accountId,
    subAccountId,
    orderKey: orderNo,
  }));

export const cancelCondition = {
  name: 'condition-cancel',
  asks: cancelRequest,
  answers: canceledConditionAnswer,
  method: 'POST',
  path: '/khronos/v1/order/condition/cancel',
  encodeRequest: ({ accountId, subAccountId, orderKey }: CancelConditionParameters): WireRequest =>
    bodyRequest({ accountId, orderNo: orderKey, subAccountId }),
  decodeRequest: (raw: RawRequest): Parsed<CancelConditionAsked> =>
    parseWith(cancelRequest, raw.body, 'body'),
  /** An empty list: the book shows what became of it. */
  encodeResponse: (): Envelope => succeeded(CANCEL_CMD, []),
  encodeRefusal: (code: number, text: string): Envelope => refused(CANCEL_CMD, code, text),
} as const;
