/** Intents of orders that wait, and rows of the conditional book, from few words. */
import type { BrokerTriggerOrder } from '../../../src/domain/broker-order.ts';
import { brokerOrderKey, brokerOrderNo, type ClientOrderId, orderCode } from '../../../src/domain/ids.ts';
import type { BracketIntent, Side, StopIntent, TrailingStopIntent } from '../../../src/domain/order.ts';
import { priceTicks, qty } from '../../../src/domain/units.ts';
import { traded } from '../../support/engine-facts.ts';
import { EngineRig, FIRST, type RigOptions } from '../../support/engine-rig.ts';
import { FRONT } from '../../support/engine-world.ts';

/** Protects a long position: sells when the price falls to the trigger. */
export const stopSell = (trigger: number, contracts = 1, more: Partial<StopIntent> = {}): StopIntent => ({
  kind: 'stop',
  instrument: FRONT.index,
  side: 'sell',
  qty: qty(contracts),
  limitPrice: priceTicks(trigger - 5),
  triggerPrice: priceTicks(trigger),
  triggerWhen: 'at_or_below',
  reason: 'test',
  ...more,
});

export const trailingSell = (activation: number, offset: number): TrailingStopIntent => ({
  kind: 'trailing_stop',
  instrument: FRONT.index,
  side: 'sell',
  qty: qty(1),
  limitPrice: priceTicks(activation - offset - 5),
  activationPrice: priceTicks(activation),
  trailingOffset: offset,
  reason: 'test',
});

export const bracketBuy = (price: number, low: number, high: number, contracts = 2): BracketIntent => ({
  kind: 'bracket',
  instrument: FRONT.index,
  side: 'buy',
  qty: qty(contracts),
  limitPrice: priceTicks(price),
  stopLossPrice: priceTicks(low),
  takeProfitPrice: priceTicks(high),
  reason: 'test',
});

interface ConditionFacts {
  readonly key: string;
  readonly kind?: BrokerTriggerOrder['kind'];
  readonly side?: Side;
  readonly qty?: number;
  readonly trigger?: number | null;
  readonly limit?: number | null;
  readonly when?: BrokerTriggerOrder['triggerWhen'];
  readonly status?: BrokerTriggerOrder['status'];
  readonly children?: readonly string[];
  readonly code?: string;
  readonly parent?: string;
}

export function waits(facts: ConditionFacts): BrokerTriggerOrder {
  const trigger = facts.trigger === undefined ? 12_950 : facts.trigger;
  const limit = facts.limit === undefined && trigger !== null ? trigger - 5 : (facts.limit ?? null);
  return {
    orderNo: brokerOrderNo(`n${facts.key}`),
    orderKey: brokerOrderKey(facts.key),
    orderCode: orderCode(facts.code ?? FRONT.orderCode),
    side: facts.side ?? 'sell',
    qty: qty(facts.qty ?? 1),
    limitPrice: limit === null ? null : priceTicks(limit),
    kind: facts.kind ?? 'stop',
    triggerPrice: trigger === null ? null : priceTicks(trigger),
    triggerWhen: facts.when === undefined ? 'at_or_below' : facts.when,
    status: facts.status ?? 'pending',
    statusText: facts.status ?? 'pending',
    children: (facts.children ?? []).map(brokerOrderNo),
    parent: facts.parent === undefined ? null : brokerOrderNo(facts.parent),
  };
}

/** A day that has begun, with both books read and the money known. */
export const startWaiting = (options: RigOptions = {}): EngineRig => {
  const rig = new EngineRig({ ...options, canWait: true }).start();
  return rig.account().conditions().trade(13_000);
};

/** The broker has it under the key, and says so. */
export const acceptWaiting = (rig: EngineRig, id: ClientOrderId, key: string): EngineRig =>
  rig.answered(id, {
    status: 'accepted',
    orderNo: brokerOrderNo(`n${key}`),
    orderKey: brokerOrderKey(key),
  });

/** A stop of the first strategy, at 12,950, that waits under `k1`. */
export function waitingStop(contracts = 1) {
  const rig = startWaiting();
  const id = rig.ask(FIRST, stopSell(12_950, contracts));
  const row = waits({ key: 'k1', qty: contracts });
  acceptWaiting(rig, id, 'k1').pass(1).conditions([row]);
  return { rig, id };
}

/** A bracket that has bought two contracts at 13,000, exits at 12,950 and 13,080. */
export const boughtBracket = (rig: EngineRig): ClientOrderId => {
  const id = rig.ask(FIRST, bracketBuy(13_000, 12_950, 13_080));
  rig.accepted(id, '5').pass(1);
  rig.book([{ no: '5', ref: id, ...traded(13_000, 2) }]);
  return id;
};

/** One half of its exits, for both contracts. */
export const exitHalf = (
  key: string,
  trigger: number,
  more: Partial<ConditionFacts> = {},
): BrokerTriggerOrder =>
  waits({
    key,
    kind: 'exit',
    qty: 2,
    trigger,
    limit: trigger,
    when: trigger > 13_000 ? 'at_or_above' : 'at_or_below',
    ...more,
  });
