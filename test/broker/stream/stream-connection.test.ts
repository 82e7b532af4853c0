import { EventEmitter } from 'node:events';
import { config } from 'rxjs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSocket, type StreamSocket } from '../../../src/broker/stream/stream-connection.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

beforeEach(() => {
  config.useDeprecatedSynchronousErrorHandling = true;
});
afterEach(() => {
  config.useDeprecatedSynchronousErrorHandling = false;
});

test('a throw at a frame comes out of the socket where the engine runs in the same thread', () => {
  const socket = Object.assign(new EventEmitter(), {
    readyState: 1,
    send: vi.fn<() => void>(),
    close: vi.fn<() => void>(),
    terminate: vi.fn<() => void>(),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the part of a socket that is used
  const dial = () => socket as unknown as StreamSocket;
  const onGone = vi.fn<() => void>();
  openSocket({ url: '', dial, timers: new VirtualTimers(), onGone }).subscribe(() => {
    throw new Error('boom');
  });
  expect(() => socket.emit('message', Buffer.from('s|1|{}'), false)).toThrow('boom');
});
