import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { type ClockMap, marketTimeAt } from '../../../src/domain/clock.ts';
import { milliseconds, seconds, tsUs } from '../../../src/domain/units.ts';
import { Lockstep } from '../../../src/daemon/simulator/embedded-simulator.ts';
import type { MarketStep } from '../../../src/simulator/start-simulator.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';
import type { StreamSocket } from '../../../src/broker/stream/stream-connection.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function world() {
  const time = new VirtualTimers(tsUs(0));
  const map: ClockMap = { originRealUs: 0, originMarketUs: 0, speed: 60, untilUs: 0 };
  const child = new EventEmitter();
  const sent: number[] = [];
  const socket = new EventEmitter();
  const lockstep = new Lockstep(
    map,
    { on: child.on.bind(child), send: (at: number) => sent.push(at) > 0 } as never,
    time,
    () => socket as unknown as StreamSocket,
  );
  const work = { isIdle: true, wakeAtUs: Infinity };
  return {
    time,
    sent,
    work,
    lockstep,
    step: (step: MarketStep) => child.emit('message', step),
    frame: () => socket.emit('message'),
    now: () => marketTimeAt(map, time.nowUs()),
    look: async () => {
      lockstep.checkWork(work);
      await turn();
    },
  };
}

it('waits from its beginning, and runs to the next event or timer once all is done', async () => {
  const { time, sent, work, step, now, look } = world();
  time.advance(seconds(61));
  expect(now(), 'as in life').toBe(seconds(61));
  step({ sent: 0, nextUs: seconds(90) });
  work.isIdle = false;
  await look();
  time.advance(seconds(1));
  expect([now(), sent]).toEqual([seconds(62), []]);
  work.isIdle = true;
  work.wakeAtUs = seconds(80);
  await look();
  expect(sent).toEqual([seconds(80)]);
  time.advance(milliseconds(300));
  expect(now(), 'it waits at the timer of the engine').toBe(seconds(80));
  time.advance(milliseconds(100));
  expect(now()).toBe(seconds(80.1));
  await look();
  expect(sent, 'the timer is not done').toHaveLength(1);
  work.wakeAtUs = Infinity;
  await look();
  expect(sent.at(-1)).toBe(seconds(90));
});

it('does not go on before the messages of the market have come', async () => {
  const { sent, lockstep, step, frame, look } = world();
  lockstep.dial('ws://nowhere');
  step({ sent: 2, nextUs: seconds(9) });
  frame();
  await look();
  expect(sent).toHaveLength(0);
  frame();
  await look();
  expect(sent.at(-1)).toBe(seconds(9));
  // A new connection counts from zero; nothing is ever due again.
  lockstep.dial('ws://nowhere');
  step({ sent: 1, nextUs: null });
  await look();
  expect(sent).toHaveLength(1);
  frame();
  await look();
  expect(sent.at(-1)).toBe(Number.MAX_SAFE_INTEGER);
});
