/** The port of a run for orders that wait at the broker: the calls take the same way, and the same time, as all others. */
import type {
  ApprovedCondition,
  ApprovedConditionCancel,
  ApprovedTriggerMove,
} from '../../engine/ports/approved.ts';
import type { ConditionGateway } from '../../engine/ports/outbound.ts';

/** A call on its way to the conditional book. */
export type ConditionCall =
  | { readonly call: 'wait'; readonly order: ApprovedCondition }
  | { readonly call: 'move_trigger'; readonly move: ApprovedTriggerMove }
  | { readonly call: 'cancel_waiting'; readonly cancel: ApprovedConditionCancel };

export class VirtualConditions implements ConditionGateway {
  readonly #send: (call: ConditionCall) => void;

  constructor(send: (call: ConditionCall) => void) {
    this.#send = send;
  }

  submit(order: ApprovedCondition): void {
    this.#send({ call: 'wait', order });
  }

  moveTrigger(move: ApprovedTriggerMove): void {
    this.#send({ call: 'move_trigger', move });
  }

  cancel(cancel: ApprovedConditionCancel): void {
    this.#send({ call: 'cancel_waiting', cancel });
  }
}
