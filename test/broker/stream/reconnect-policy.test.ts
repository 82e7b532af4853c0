import { describe, expect, it } from 'vitest';
import type { ConnectionEnd } from '../../../src/broker/stream/open-socket.ts';
import {
  FRESH_STATE,
  reconnectDelay,
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

describe('reconnect delays', () => {
  it('are 1, 2, 4, 8, 16 and then 30 seconds', () => {
    const delays = Array.from({ length: 10 }, (_, i) => reconnectDelay(i + 1));
    expect(delays).toEqual([1, 2, 4, 8, 16, 30, 30, 30, 30, 30].map((value) => seconds(value)));
  });
});

describe('what follows the end of a connection', () => {
  it('is ten attempts and then a pause that is kept', () => {
    const { policy, saved } = createPolicy();
    const decisions = Array.from({ length: 11 }, () => policy.onEnd(CLOSED));
    expect(decisions.slice(0, 10).map((decision) => decision.kind)).toEqual(Array(10).fill('retry'));
    expect(decisions[10]).toEqual({ kind: 'pause', reason: 'attempts_used_up' });
    expect(saved()).toEqual({ attempts: 10, protocolErrors: 0, paused: 'attempts_used_up' });
  });

  it.each<ConnectionEnd>([
    { kind: 'token_rejected', code: '211110', message: 'Invalid JWT' },
    { kind: 'token_expired' },
  ])('costs no attempt after $kind', (end) => {
    const { policy, saved } = createPolicy();
    expect(policy.onEnd(end)).toEqual({ kind: 'await_token' });
    expect(saved()).toEqual(FRESH_STATE);
  });

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

  it('is one try after a protocol error, then a stop', () => {
    const { policy, saved } = createPolicy();
    expect(policy.onEnd({ kind: 'protocol_error' }).kind).toBe('retry');
    expect(policy.onEnd(CLOSED).kind).toBe('retry');
    expect(policy.onEnd({ kind: 'protocol_error' })).toEqual({ kind: 'pause', reason: 'protocol_error' });
    expect(saved().paused).toBe('protocol_error');
  });

  it('is a first attempt again after a stable connection', () => {
    const { policy } = createPolicy();
    for (let i = 0; i < 7; i += 1) policy.onEnd(CLOSED);
    policy.reset();
    expect(policy.onEnd(CLOSED)).toEqual({ kind: 'retry', attempt: 1, after: seconds(1) });
  });
});

describe('a restart', () => {
  it('dials at once when nothing had failed', () => {
    expect(createPolicy().policy.onStart()).toBeUndefined();
  });

  it('repeats the attempt that was under way, so that restarts neither win nor lose attempts', () => {
    const { policy, saved } = createPolicy({ attempts: 4, protocolErrors: 0, paused: null });
    expect(policy.onStart()).toEqual({ kind: 'retry', attempt: 4, after: seconds(8) });
    expect(saved().attempts).toBe(4);
    expect(policy.onEnd(CLOSED)).toEqual({ kind: 'retry', attempt: 5, after: seconds(16) });
  });

  it('stays paused', () => {
    const { policy } = createPolicy({ attempts: 10, protocolErrors: 0, paused: 'attempts_used_up' });
    expect(policy.onStart()).toEqual({ kind: 'pause', reason: 'attempts_used_up' });
  });
});
