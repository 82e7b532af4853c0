/** The engine's gateway for orders that wait at the broker; they leave by the same durable sender as all others. */
import type { CallOutcome } from '../../domain/broker-order.ts';
import type {
  ApprovedCondition,
  ApprovedConditionCancel,
  ApprovedTriggerMove,
} from '../../engine/ports/approved.ts';
import type { ConditionGateway } from '../../engine/ports/outbound.ts';
import type { ConditionCalls, OrderCalls, SendOptions } from '../rest/broker-calls.ts';
import type { DurableSender } from './durable-sender.ts';

export type ConditionRequest = ApprovedCondition | ApprovedTriggerMove | ApprovedConditionCancel;

/** The calls it makes: a bracket and an arbitrage order are normal places with terms (rulings, 13). */
export interface ConditionEdge extends Pick<OrderCalls, 'place'> {
  readonly conditions: Pick<ConditionCalls, 'place' | 'change' | 'cancel'>;
}

export function createConditionGateway(
  rest: ConditionEdge,
  sender: Pick<DurableSender<ConditionRequest>, 'send'>,
): ConditionGateway {
  return {
    submit: (order) => {
      const { clientOrderId, purpose } = order;
      const record = { call: 'place', callId: clientOrderId, clientOrderId, request: order } as const;
      sender.send(record, purpose, (options) => place(rest, order, options));
    },
    moveTrigger: (move) => {
      const { callId, clientOrderId, purpose } = move;
      const record = { call: 'modify', callId, clientOrderId, request: move } as const;
      sender.send(record, purpose, (options) => rest.conditions.change(move, options));
    },
    cancel: (cancel) => {
      const { callId, clientOrderId } = cancel;
      const record = { call: 'cancel', callId, clientOrderId, request: cancel } as const;
      sender.send(record, 'cancel', (options) => rest.conditions.cancel(cancel, options));
    },
  };
}

function place(
  rest: ConditionEdge,
  { condition, ...order }: ApprovedCondition,
  options: SendOptions,
): Promise<CallOutcome> {
  switch (condition.kind) {
    case 'stop':
    case 'trailing_stop':
      return rest.conditions.place({ ...order, callId: order.clientOrderId, trigger: condition }, options);
    case 'bracket':
      return rest.place({ ...order, terms: condition }, options);
    case 'arbitrage':
      return rest.place({ ...order, terms: { kind: 'arbitrage', leg: condition.legCode } }, options);
  }
}
