/**
 * 27: ten thousand frames a second over a real socket, and a strategy that cannot follow them. The flood ends when all that is promised
 * has come, or fails the test by its length.
 */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { SqliteThread } from '../../src/sqlite/database.ts';
import type { StartEngine } from '../../src/host/engine-thread.ts';
import { priceHundredths, priceTicks, qty } from '../../src/domain/units.ts';
import { encodeTrade } from '../../src/wire/stream/data-frame.ts';
import { DEFAULT_OPTIONS } from '../../src/simulator/simulator-options.ts';
import { Story } from '../failure-cases/support/story.ts';
import { framed } from '../support/text-frame.ts';
import { programWith } from './program-with.ts';

/** Takes one order, then burns half a millisecond a trade: it can follow a fifth of the flood. */
const BURNING = `
const added = defineStrategy({
  name: 'scripted',
  summary: 'burns',
  params: z.object({ steps: z.array(z.unknown()) }),
  legs: ['contract'],
  connect(ticks, trader) {
    let hasOrder = false;
    ticks.trades$.subscribe(({ price }) => {
      if (!hasOrder) trader.buy({ qty: 1, price: price - 50, reason: 'rests' });
      hasOrder = true;
      for (const until = performance.now() + 0.5; performance.now() < until;);
    });
  },
});
`;

const FRAMES_A_TICK = 100;
const TICK_MS = 10;
/** A minute of it. */
const FRAMES_MAX = 600_000;
/** Of the broker's patience. */
const HEARTBEAT_SECONDS = 3;

/** Between daemon and simulator: passes everything on, and writes frames of its own to the daemon's socket. */
async function createRelay(broker: string) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  let toDaemon: Socket | undefined = undefined;
  const state = { connections: 0, heartbeats: 0, frames: 0 };
  server.on('connection', (down, { socket }) => {
    state.connections += 1;
    toDaemon = socket;
    const up = new WebSocket(broker);
    const open = once(up, 'open');
    down.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text.startsWith('d|p')) state.heartbeats += 1;
      void open.then(() => up.send(text));
    });
    up.on('message', (data: Buffer) => down.send(data.toString()));
    up.on('close', (code) => down.close(code));
    down.on('close', () => up.close());
  });
  onTestFinished(() => server.close());
  const { port } = server.address() as AddressInfo; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
  return { state, url: `ws://127.0.0.1:${port}`, send: (frames: Buffer) => void toDaemon?.write(frames) };
}

test('27: a flood and a strategy that burns the processor delay neither heartbeats nor cancels', async () => {
  const worker = join(dirname(programWith(BURNING)), '..', 'host', 'engine-worker.js');
  const startEngine: StartEngine = (workerData) => new SqliteThread(pathToFileURL(worker), { workerData });
  const story = await Story.open([], {
    stream: { ...DEFAULT_OPTIONS.stream, heartbeatTimeoutSeconds: HEARTBEAT_SECONDS },
  });
  onTestFinished(() => story.close());
  const relay = await createRelay(story.simulator.stream);
  await story.start({ streamUrl: relay.url, startEngine });
  const { daemon } = story;
  story.print(13_000);
  await story.until(async () => (await story.truth()).orders.length === 1);
  const [contract] = daemon.edge.table.listed;
  const price = priceTicks(13_000);
  const tick = setInterval(() => {
    const frames: Buffer[] = [];
    for (let i = 0; i < FRAMES_A_TICK && relay.state.frames < FRAMES_MAX; i += 1) {
      relay.state.frames += 1;
      const trade = { price, qty: qty(1), totalVolume: relay.state.frames + 1 };
      frames.push(framed(encodeTrade(contract!, trade, priceHundredths(130_000))));
    }
    // One write for all: the flood shares its thread with the daemon, and is to cost it nothing.
    relay.send(Buffer.concat(frames));
  }, TICK_MS);
  onTestFinished(() => clearInterval(tick));
  const isFlooded = (): boolean => relay.state.frames < FRAMES_MAX;

  await story.until(() => story.alerts().includes('engine_behind'));
  expect(daemon.cycle.session?.inbox.isBehind, 'it is not ready').toBe(true);
  daemon.command({ name: 'cancel_all', reason: 'the flood' });
  await story.until(async () => (await story.truth()).orders.length === 0);
  expect(isFlooded(), 'canceled by the engine in the flood').toBe(true);
  const heard = relay.state.heartbeats;
  await story.until(() => relay.state.heartbeats >= heard + 2);
  expect(isFlooded(), 'heartbeats in the flood').toBe(true);
  expect(relay.state.connections, 'the broker closed none').toBe(1);
  const view = await story.view();
  expect(view?.stream).not.toBe('live');
  clearInterval(tick);
  await story.stop();
});
