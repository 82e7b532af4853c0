/** Place, change and cancel of conditional orders (contract, 4.3): stops and trailing stops. */
import { z } from 'zod';
import type { BrokerTriggerKind } from '../../domain/broker-order.ts';
import { type ContractSpec, formatPoints, pointsOf } from '../../domain/contract.ts';
import type { BrokerOrderKey, ClientOrderId } from '../../domain/ids.ts';
import type { TriggerWhen } from '../../domain/order.ts';
import type { PriceTicks } from '../../domain/units.ts';
import {
  encodeConditionNotes,
  NEWLY_PLACED,
  sentTriggerCode,
  triggerFromSentCode,
} from './condition-book.ts';
import { type Envelope, refusalOf, rowAnswer, succeeded } from './envelope.ts';
import { looseNumber, looseText, neededNumber } from './lenient.ts';
import { bodyOf, field, message, number, pointsText, post, text, whole } from './wire-message.ts';
import {
  type Accounts,
  FIELDS,
  neededAt,
  type RequestedOrder,
  type TakenOrder,
  PLACE_FIELDS,
  type PricedOrder,
} from './trade-fields.ts';

export type ConditionTrigger =
  | { readonly kind: 'stop'; readonly triggerPrice: PriceTicks; readonly triggerWhen: TriggerWhen }
  /** `trailingOffset` in ticks. */
  | {
      readonly kind: 'trailing_stop';
      readonly activationPrice: PriceTicks;
      readonly trailingOffset: number;
    };

interface PlaceConditionParameters extends Accounts, RequestedOrder {
  readonly callId: ClientOrderId;
  readonly trigger: ConditionTrigger;
}

/** All three prices of a trigger are required by the contract; those that a kind does not use are 0. */
const placeForm = message<PlaceConditionParameters>()({
  ...PLACE_FIELDS,
  orderType: field(
    text,
    ({ trigger }) => sentTriggerCode(trigger.kind === 'stop' ? trigger.triggerWhen : null),
    looseText,
  ),
  soPrice: field(
    number,
    ({ spec, trigger }) =>
      pointsOf(spec, trigger.kind === 'stop' ? trigger.triggerPrice : trigger.activationPrice),
    looseNumber,
  ),
  callbackPoint: field(
    number,
    ({ spec, trigger }) =>
      trigger.kind === 'stop' ? 0 : (trigger.trailingOffset * spec.hundredthsPerTick) / 100,
    looseNumber,
  ),
  activationPrice: field(
    number,
    ({ spec, trigger }) => (trigger.kind === 'stop' ? 0 : pointsOf(spec, trigger.activationPrice)),
    looseNumber,
  ),
  refId: FIELDS.refId,
});

/** As a client asked, in points: the venue refuses it where it must. `refId` is empty when the client gave none. */
export type PlaceConditionRequest = Readonly<z.output<typeof placeAsked>>;

const placeAsked = placeForm.reader.transform(
  ({ price, orderType, soPrice, callbackPoint, activationPrice, ...rest }, context) => {
    const needed = neededAt(context);
    const terms = { ...rest, points: price };
    const code = triggerFromSentCode(orderType);
    if (code?.kind === 'trailing_stop') {
      const activationPoints = needed(activationPrice, 'activationPrice', 'a number');
      const offsetPoints = needed(callbackPoint, 'callbackPoint', 'a number');
      return { ...terms, trigger: { kind: code.kind, activationPoints, offsetPoints } };
    }
    if (code === undefined || code.when === null) {
      context.addIssue({ code: 'custom', path: ['orderType'], message: 'SOL, SOU or TSO' });
      return z.NEVER;
    }
    const points = needed(soPrice, 'soPrice', 'a number');
    return { ...terms, trigger: { kind: code.kind, points, when: code.when } };
  },
);

const placedRow = message<RequestedOrder & TakenOrder>()({
  symbol: FIELDS.symbol,
  status: field(text, () => NEWLY_PLACED),
  msg_type: field(text, () => '1I'),
  showPrice: FIELDS.showPrice,
  orderTime: FIELDS.orderTime,
  accountCode: FIELDS.accountCode,
  // A number here, a text in the book (rulings, 15).
  orderNo: field(whole, ({ orderNo }) => Number(orderNo)),
  matchVolume: field(number, () => 0),
  side: FIELDS.side,
  volume: FIELDS.volumeText,
  pk_orderNo: FIELDS.orderKey,
  channel: FIELDS.channel,
  group: FIELDS.group,
  quote: field(text, () => 'G'),
});

/** Ours [?]: the document names the field and no word for it. */
const PLACE = 'Web.Order.NewConditionOrder';

export const placeCondition = {
  ...post('condition-place', '/khronos/v1/order/condition/place'),
  ...bodyOf(placeForm, placeAsked),
  ...rowAnswer(PLACE, placedRow, ({ orderKey }) => orderKey),
} as const;

interface ChangeConditionParameters {
  readonly accountId: string;
  readonly orderKey: BrokerOrderKey;
  readonly callId: ClientOrderId;
  /** Of a trailing stop: its activation price. */
  readonly triggerPrice: PriceTicks;
  readonly spec: ContractSpec;
}

/** Moves the trigger, and nothing else (rulings, 13). */
const changeForm = message<ChangeConditionParameters>()({
  accountId: FIELDS.accountId,
  pkOrderNo: FIELDS.orderKey,
  refId: FIELDS.refId,
  soPrice: field(number, ({ spec, triggerPrice }) => pointsOf(spec, triggerPrice), neededNumber),
  type: field(text, () => ''),
  // The word sent differs from the one that comes back (notes, 3).
  cmd: field(text, () => 'Web.Order.ChangeCondition'),
});
const changeAsked = changeForm.reader.transform(({ pkOrderNo, soPrice, ...rest }) => ({
  ...rest,
  orderKey: pkOrderNo,
  triggerPoints: soPrice,
}));

interface ChangedCondition extends PricedOrder {
  readonly orderKey: BrokerOrderKey;
  readonly kind: BrokerTriggerKind;
  readonly triggerPrice: PriceTicks;
}

const changedRow = message<ChangedCondition>()({
  showPrice: field(pointsText, ({ spec, triggerPrice }) => formatPoints(spec, triggerPrice)),
  price: FIELDS.showPrice,
  volume: FIELDS.volumeText,
  pkOrderNo: FIELDS.orderKey,
  notes: field(text, ({ kind }) => encodeConditionNotes(kind)),
});

export const changeCondition = {
  ...post('condition-change', '/khronos/v2/order/condition/change'),
  ...bodyOf(changeForm, changeAsked),
  ...rowAnswer('Web.Order.ChangeConditionOrder', changedRow, ({ orderKey }) => orderKey),
} as const;

const cancelForm = message<Accounts & Pick<TakenOrder, 'orderKey'>>()({
  accountId: FIELDS.accountId,
  orderNo: FIELDS.orderKey,
  subAccountId: FIELDS.looseSubAccountId,
});
const cancelAsked = cancelForm.reader.transform(({ orderNo, ...rest }) => ({ ...rest, orderKey: orderNo }));

const CANCEL = 'Web.cancelActivatedOrder';

export const cancelCondition = {
  ...post('condition-cancel', '/khronos/v1/order/condition/cancel'),
  ...bodyOf(cancelForm, cancelAsked),
  /** An empty list: the book shows the result. */
  encodeResponse: (): Envelope => succeeded(CANCEL, []),
  encodeRefusal: refusalOf(CANCEL),
} as const;
