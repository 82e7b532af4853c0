import type { RestGateway } from '../../broker/gateway/rest-gateway.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { InputSink } from '../../engine/ports/input-sink.ts';

const OUTCOME = { status: 'not_sent', reason: 'dry run: journaled, not sent' } as const;

/** Everything but the send: each call is journaled and comes back as one that never left. */
export function dryRunGateway(gateway: RestGateway, sink: InputSink): RestGateway {
  const keep = (
    call: 'place' | 'modify' | 'cancel',
    callId: ClientOrderId,
    clientOrderId: ClientOrderId,
  ): void => sink.post({ kind: 'call_outcome', call, callId, clientOrderId, outcome: OUTCOME });
  return {
    submit: ({ clientOrderId }) => keep('place', clientOrderId, clientOrderId),
    modify: ({ callId, clientOrderId }) => keep('modify', callId, clientOrderId),
    cancel: ({ callId, clientOrderId }) => keep('cancel', callId, clientOrderId),
    conditions: {
      submit: ({ clientOrderId }) => keep('place', clientOrderId, clientOrderId),
      moveTrigger: ({ callId, clientOrderId }) => keep('modify', callId, clientOrderId),
      cancel: ({ callId, clientOrderId }) => keep('cancel', callId, clientOrderId),
    },
    killAll: () => gateway.killAll(),
    get inFlight() {
      return gateway.inFlight;
    },
    settled: () => gateway.settled(),
  };
}
