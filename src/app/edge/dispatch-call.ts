import type { Gateway } from '../../engine/ports/outbound.ts';
import type { GatewayCall } from '../host/worker-protocol.ts';

/** Carries one call of the engine thread out, in the main thread. */
export function dispatchCall(gateway: Gateway, call: GatewayCall): void {
  switch (call.call) {
    case 'place':
      return gateway.submit(call.order);
    case 'modify':
      return gateway.modify(call.modify);
    case 'cancel':
      return gateway.cancel(call.cancel);
  }
}
