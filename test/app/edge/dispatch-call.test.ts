import { expect, it } from 'vitest';
import { dispatchCall } from '../../../src/app/edge/dispatch-call.ts';
import type { GatewayCall } from '../../../src/app/host/worker-protocol.ts';
import type { ConditionGateway, Gateway } from '../../../src/engine/ports/outbound.ts';

type Door = Gateway & { readonly conditions: ConditionGateway };

it.each([
  ['place', 'order', 'submit'],
  ['modify', 'modify', 'modify'],
  ['cancel', 'cancel', 'cancel'],
  ['place_condition', 'order', 'conditions.submit'],
  ['move_trigger', 'move', 'conditions.moveTrigger'],
  ['cancel_condition', 'cancel', 'conditions.cancel'],
])('%s goes through %s to %s, and nowhere else', (call, key, door) => {
  const seen: unknown[] = [];
  const to =
    (name: string) =>
    (request: unknown): void =>
      void seen.push([name, request]);
  const gateway: Door = {
    submit: to('submit'),
    modify: to('modify'),
    cancel: to('cancel'),
    conditions: {
      submit: to('conditions.submit'),
      moveTrigger: to('conditions.moveTrigger'),
      cancel: to('conditions.cancel'),
    },
  };
  const request = { what: call };
  dispatchCall(gateway, { call, [key]: request } as unknown as GatewayCall);
  expect(seen).toEqual([[door, request]]);
});
