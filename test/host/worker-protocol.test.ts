import { expect, it } from 'vitest';
import { dispatchCall, type GatewayCall } from '../../src/host/worker-protocol.ts';
import type { Gateway } from '../../src/engine/ports/outbound.ts';

it.each([
  ['place', 'order', 'submit'],
  ['modify', 'modify', 'modify'],
  ['cancel', 'cancel', 'cancel'],
])('%s goes through %s to %s, and nowhere else', (call, key, door) => {
  const seen: unknown[] = [];
  const to =
    (name: string) =>
    (request: unknown): void =>
      void seen.push([name, request]);
  const gateway: Gateway = {
    submit: to('submit'),
    modify: to('modify'),
    cancel: to('cancel'),
  };
  const request = { what: call };
  dispatchCall(gateway, { call, [key]: request } as unknown as GatewayCall);
  expect(seen).toEqual([[door, request]]);
});
