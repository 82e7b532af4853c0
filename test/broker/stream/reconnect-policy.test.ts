import { describe, expect, it } from 'vitest';
import type { ConnectionEnd } from '../../../src/broker/stream/stream-connection.ts';
import {
  FRESH_STATE,
  ReconnectPolicy,
  type ReconnectState,
} from '../../../src/broker/stream/reconnect-policy.ts';
import { seconds } from '../../../src/domain/units.ts';

const CLOSED: ConnectionEnd = { kind: 'closed', code: 1000, reason: '' };

function createPolicy(state: ReconnectState = FRESH_STATE): {
  policy: ReconnectPolicy;
  saved: () => ReconnectState;
} {
  let kept = state;
  const policy = new ReconnectPolicy({ load: () => kept, save: (next) => (kept = next) });
  return { policy, saved: () => kept };
}

describe('what follows the end of a connection', () => {
  it.each<ConnectionEnd>([
    { kind: 'connect_failed', reason: 'refused' },
    { kind: 'connect_timeout' },
    { kind: 'auth_timeout' },
    { kind: 'auth_refused', code: '4', message: 'already connected' },
    { kind: 'silent', deadlineSeconds: 15 },
    CLOSED,
  ])('costs one attempt after $kind', (end) => {
    const { policy } = createPolicy();
    expect(policy.onEnd(end)).toEqual({ kind: 'retry', attempt: 1, after: seconds(1) });
  });

  it('is one try after a protocol error, then a stop, also with another end between the two', () => {
    const { policy, saved } = createPolicy();
    expect(policy.onEnd({ kind: 'protocol_error' }).kind).toBe('retry');
    expect(policy.onEnd(CLOSED).kind).toBe('retry');
    expect(policy.onEnd({ kind: 'protocol_error' })).toEqual({ kind: 'pause', reason: 'protocol_error' });
    expect(saved().paused).toBe('protocol_error');
  });
});

describe('a restart', () => {
  it('repeats the attempt that was under way, so that restarts neither win nor lose attempts', () => {
    const { policy, saved } = createPolicy({ attempts: 4, protocolErrors: 0, paused: null });
    expect(policy.onStart()).toEqual({ kind: 'retry', attempt: 4, after: seconds(8) });
    expect(saved().attempts).toBe(4);
    expect(policy.onEnd(CLOSED)).toEqual({ kind: 'retry', attempt: 5, after: seconds(16) });
  });
});
