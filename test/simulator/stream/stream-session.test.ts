import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { WebSocket } from 'ws';
import { expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../../src/simulator/simulator-options.ts';
import { FaultBoard } from '../../../src/simulator/faults/fault-board.ts';
import { StreamSession } from '../../../src/simulator/stream/stream-session.ts';
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
  let released = 0;
  const session = new StreamSession({
    socket: socket as unknown as WebSocket,
    raw: new PassThrough(),
    settings: { ...DEFAULT_OPTIONS.stream, bufferBytesMax: 1_000 },
    clock: time,
    timers: time,
    faults: new FaultBoard(),
    host: {
      admit: () => ({ claims: undefined, error: null }),
      subscribed: () => {},
      released: () => {
        released += 1;
      },
      count: (what) => counts.push(what),
    },
  });
  socket.bufferedAmount = 1_000;
  session.send('one');
  socket.bufferedAmount = 1_001;
  session.send('two');
  session.send('three');
  expect(socket.sent).toEqual(['one']);
  expect([socket.isTerminated, counts, released]).toEqual([true, ['slow_client'], 1]);
  expect(time.pending, 'no timer outlives its connection').toBe(0);
});
