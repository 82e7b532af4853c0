/** What an engine under test sends of orders that wait at the broker. */
import type { Assumption } from '../../src/domain/settings.ts';
import type {
  ApprovedCondition,
  ApprovedConditionCancel,
  ApprovedTriggerMove,
} from '../../src/engine/ports/approved.ts';
import type { ConditionGateway } from '../../src/engine/ports/outbound.ts';

export type WaitingCall =
  | { readonly call: 'place'; readonly order: ApprovedCondition }
  | { readonly call: 'modify'; readonly move: ApprovedTriggerMove }
  | { readonly call: 'cancel'; readonly cancel: ApprovedConditionCancel };

export const ALL_ASSUMED: readonly Assumption[] = [
  'entry-with-exits',
  'order-after-order',
  'conditional-change',
];

export const waitingGateway = (send: (call: WaitingCall) => void): ConditionGateway => ({
  submit: (order) => send({ call: 'place', order }),
  moveTrigger: (move) => send({ call: 'modify', move }),
  cancel: (cancel) => send({ call: 'cancel', cancel }),
});
