/** Orders that wait: placed, moved and cancelled by their key. */
import { parsePoints } from '../../domain/contract.ts';
import { brokerOrderKey, clientOrderId } from '../../domain/ids.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { PlaceTrigger } from '../../venue/venue-command.ts';
import type { TriggerReport } from '../../venue/triggers/trigger-report.ts';
import {
  cancelCondition,
  changeCondition,
  placeCondition,
  type PlaceConditionAsked,
} from '../../wire/rest/condition-calls.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import { accountHandler, type Handler, type Handlers, ok, type OwnAccount, refuse } from './handler.ts';
import { BAD_PRICE, type OrderParts, UNKNOWN_ORDER } from './order-handlers.ts';

export function conditionHandlers(
  parts: OrderParts,
): Pick<Handlers, 'condition-place' | 'condition-change' | 'condition-cancel'> {
  return {
    'condition-place': placeHandler(parts),
    'condition-change': changeHandler(parts),
    'condition-cancel': cancelHandler(parts),
  };
}

function placeHandler({ brokerage, book, timeText }: OrderParts): Handler {
  return accountHandler(placeCondition, (asked, own) => {
    const orderCode = brokerage.codeNamed(asked.symbol);
    if (orderCode === undefined) return refuse(placeCondition, UNKNOWN_ORDER);
    const command = commandOf(brokerage, asked, own);
    if (command === undefined) return refuse(placeCondition, BAD_PRICE);
    const outcome = brokerage.act((venue) => venue.placeTrigger({ ...command, orderCode }));
    if (outcome.status === 'refused') return refuse(placeCondition, outcome.refusal);
    const { condition } = outcome;
    book.placed(condition);
    return ok(
      placeCondition.encodeResponse({
        ...condition,
        subAccountId: own.subAccountId,
        time: timeText(condition.placedUs),
        spec: brokerage.spec,
      }),
    );
  });
}

/** Without the contract; undefined when a price is not on the grid. */
function commandOf(
  { spec }: Brokerage,
  { points, side, volume, refId, trigger }: PlaceConditionAsked,
  own: OwnAccount,
): DistributiveOmit<PlaceTrigger, 'orderCode'> | undefined {
  const limit = parsePoints(spec, points, 'price');
  if (!limit.ok) return undefined;
  const head = {
    accountId: own.accountId,
    side,
    qty: volume,
    limitPrice: limit.value,
    refId: refId.trim() === '' ? null : clientOrderId(refId.trim()),
  };
  if (trigger.kind === 'stop') {
    const price = parsePoints(spec, trigger.points, 'price');
    if (!price.ok) return undefined;
    return { ...head, kind: 'stop', triggerPrice: price.value, triggerWhen: trigger.when };
  }
  const activation = parsePoints(spec, trigger.activationPoints, 'price');
  const offset = parsePoints(spec, trigger.offsetPoints, 'step');
  if (!activation.ok || !offset.ok) return undefined;
  return { ...head, kind: 'trailing_stop', activationPrice: activation.value, offset: offset.value };
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

function changeHandler({ brokerage }: OrderParts): Handler {
  return accountHandler(changeCondition, (asked, own) => {
    const price = parsePoints(brokerage.spec, asked.triggerPoints, 'price');
    if (!price.ok) return refuse(changeCondition, BAD_PRICE);
    const outcome = brokerage.act((venue) =>
      venue.changeTrigger({
        accountId: own.accountId,
        orderKey: brokerOrderKey(asked.orderKey),
        triggerPrice: price.value,
      }),
    );
    if (outcome.status === 'refused') return refuse(changeCondition, outcome.refusal);
    const { condition } = outcome;
    return ok(
      changeCondition.encodeResponse({
        ...condition,
        triggerPrice: shownTrigger(condition) ?? price.value,
        spec: brokerage.spec,
      }),
    );
  });
}

function cancelHandler({ brokerage }: OrderParts): Handler {
  return accountHandler(cancelCondition, (asked, own) => {
    const orderKey = brokerOrderKey(asked.orderKey);
    const outcome = brokerage.act((venue) => venue.cancelTrigger({ accountId: own.accountId, orderKey }));
    if (outcome.status === 'refused') return refuse(cancelCondition, outcome.refusal);
    return ok(cancelCondition.encodeResponse());
  });
}

/** A trailing stop that is not yet activated shows where it will be. */
export const shownTrigger = ({ triggerPrice, trailing }: TriggerReport): PriceTicks | null =>
  triggerPrice ?? trailing?.activationPrice ?? null;
