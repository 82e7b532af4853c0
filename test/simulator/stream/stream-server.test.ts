import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { WebSocket } from 'ws';
import { expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../../src/simulator/simulator-options.ts';
import { FaultBoard } from '../../../src/simulator/faults/fault-board.ts';
import { StreamServer } from '../../../src/simulator/stream/stream-server.ts';
import { StateStore } from '../../../src/simulator/state/state-store.ts';
import { TokenService } from '../../../src/simulator/auth/token-service.ts';
import { MORNING, VirtualTimers } from '../../broker/support/virtual-timers.ts';

/** What a session uses of a socket. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  readonly sent: string[] = [];
  isTerminated = false;
  send(frame: string): void {
    this.sent.push(frame);
  }
  terminate(): void {
    this.isTerminated = true;
    this.readyState = 3;
    this.emit('close');
  }
}

it('cuts off a client that does not read, and says nothing to it from then on', () => {
  const time = new VirtualTimers(MORNING);
  const socket = new FakeSocket();
  const counts: string[] = [];
  const store = StateStore.open({ dir: null, fresh: true });
  const server = new StreamServer({
    settings: { ...DEFAULT_OPTIONS.stream, bufferBytesMax: 1_000 },
    tokens: new TokenService({ store, clock: time, settings: DEFAULT_OPTIONS.auth }),
    clock: time,
    timers: time,
    faults: new FaultBoard(),
    isAway: () => false,
    count: (what) => counts.push(what),
    subscribed: () => {},
  });
  server.accept(socket as unknown as WebSocket, new PassThrough());
  socket.bufferedAmount = 1_000;
  server.sendAll('one');
  socket.bufferedAmount = 1_001;
  const session = server.newest;
  session?.send('two');
  session?.send('three');
  expect(socket.sent).toEqual(['one']);
  expect([socket.isTerminated, counts, server.sessions.size]).toEqual([true, ['slow_client'], 0]);
  expect(time.pending, 'no timer outlives its connection').toBe(0);
});
