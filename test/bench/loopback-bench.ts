/** Frames a second from a real socket to the strategies, against `ws` and JSON.parse alone on the same bytes. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { pipe, tap } from 'rxjs';
import { WebSocket } from 'ws';
import { EngineThread } from '../../src/host/engine-thread.ts';
import { systemClock, systemTimers } from '../../src/host/system-clock.ts';
import { Inbox } from '../../src/daemon/session/inbox.ts';
import { FRESH_STATE } from '../../src/broker/stream/reconnect-policy.ts';
import { StreamClient } from '../../src/broker/stream/stream-client.ts';
import { addUs, seq, US_PER_DAY } from '../../src/domain/units.ts';
import { openFrameLog } from '../../src/recording/frame-log.ts';
import { decodeFrames, marketEvents } from '../../src/wire/stream/server-frame.ts';
import { openingEvents, threadData } from './engine-setup.ts';
import { NEVER_BEHIND } from '../support/simple-parts.ts';
import { contractTable, decoded, FIRST_SEQ, openEngine, payloadOf } from './frame-bench.ts';
import { DAY, type MarketDay } from './market-day.ts';
import type { Candidate } from './rounds.ts';

export interface FrameSender {
  readonly url: string;
  /** Writes all frames to the connection that was opened last. */
  send(): void;
  close(): Promise<void>;
}

export async function startSender({ frames }: MarketDay, scratch: string): Promise<FrameSender> {
  const path = join(scratch, 'frames.txt');
  writeFileSync(path, frames.map(({ text }) => text).join('\n'));
  const thread = new Worker(new URL('./frame-sender.js', import.meta.url), { workerData: path });
  const [port]: unknown[] = await once(thread, 'message');
  return {
    url: `ws://127.0.0.1:${String(port)}/`,
    send: () => thread.postMessage('send'), // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
    close: async () => void (await thread.terminate()),
  };
}

/** From the first frame to the end of the last one's work. */
class Stopwatch {
  readonly #count: number;
  readonly done: Promise<number>;
  #stop: ((ns: number) => void) | undefined = undefined;
  #start = 0;
  #seen = 0;

  constructor(count: number) {
    this.#count = count;
    this.done = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  begin(): void {
    if (this.#start === 0) this.#start = performance.now();
  }

  end(frames: number): void {
    this.#seen += frames;
    if (this.#seen === this.#count) this.#stop?.(((performance.now() - this.#start) * 1e6) / this.#count);
  }
}

/** The client of the daemon, authenticated. */
function connect(sender: FrameSender, day: MarketDay, onFrame: (text: string) => void): StreamClient {
  const client = new StreamClient({
    url: sender.url,
    tokens: {
      current: () => ({ jwt: 'bench', expiresAt: addUs(systemClock.nowUs(), US_PER_DAY) }),
      onChange: () => () => undefined,
      reject: () => undefined,
      doubt: () => undefined,
      prove: () => undefined,
    },
    clock: systemClock,
    timers: systemTimers,
    store: { load: () => FRESH_STATE, save: () => undefined },
    sink: { post: () => undefined },
    isContinuous: () => false,
    onSignal: ({ kind }) => {
      if (kind === 'live') sender.send();
    },
  });
  client.frames$.subscribe(onFrame);
  client.subscribe(day.contracts);
  client.start();
  return client;
}

export function loopbackCandidates(day: MarketDay, sender: FrameSender, scratch: string): Candidate[] {
  return [
    { name: 'ws receive and JSON.parse alone', run: () => bare(day, sender) },
    { name: 'stream client, decode, engine.process, hub, strategies', run: () => oneThread(day, sender) },
    {
      name: 'the same as the daemon runs it: frame log, engine in its own thread',
      run: () => asDaemon(day, sender, scratch),
    },
  ];
}

async function bare({ frames }: MarketDay, sender: FrameSender): Promise<number> {
  const watch = new Stopwatch(frames.length);
  const socket = new WebSocket(sender.url, { perMessageDeflate: false });
  socket.on('open', () => sender.send());
  socket.on('message', (data: Buffer) => {
    watch.begin();
    if (payloadOf(data.toString('utf8')) !== undefined) watch.end(1);
  });
  const ns = await watch.done;
  socket.terminate();
  return ns;
}

async function oneThread(day: MarketDay, sender: FrameSender): Promise<number> {
  const { engine } = openEngine(day);
  const table = contractTable(day);
  const watch = new Stopwatch(day.frames.length);
  let at = 0;
  const client = connect(sender, day, (text) => {
    watch.begin();
    const tsUs = day.frames[at]?.tsUs ?? day.startUs;
    const event = decoded({ text, tsUs }, table, seq(FIRST_SEQ + at));
    at += 1;
    noteSeen(client, event);
    engine.process(event);
    watch.end(1);
  });
  const ns = await watch.done;
  await client.stop();
  return ns;
}

async function asDaemon(day: MarketDay, sender: FrameSender, scratch: string): Promise<number> {
  const { frames } = day;
  const dir = mkdtempSync(join(scratch, 'frames-'));
  const log = openFrameLog(dir, DAY);
  const table = contractTable(day);
  const watch = new Stopwatch(frames.length);
  const sizes: number[] = [];
  const thread = new EngineThread({
    data: threadData(day),
    onOutbox: () => watch.end(sizes.shift() ?? 0),
    onLost: (reason) => {
      throw new Error(reason);
    },
  });
  sizes.push(0);
  thread.process(openingEvents(day));
  let at = 0;
  const clock = { nowUs: () => frames[at]?.tsUs ?? day.startUs };
  const inbox = new Inbox({
    clock,
    realClock: clock,
    engine: {
      canAccept: () => true,
      process: (events) => {
        sizes.push(events.length);
        thread.process(events);
      },
    },
    decode: pipe(
      decodeFrames(table),
      marketEvents,
      tap((event) => noteSeen(client, event)),
    ),
    recordInput: () => undefined,
    watch: NEVER_BEHIND,
  });
  inbox.frameLog = log;
  inbox.goOnAfter(FIRST_SEQ, day.startUs);
  const client = connect(sender, day, (text) => {
    watch.begin();
    inbox.frame(text);
    at += 1;
  });
  const ns = await watch.done;
  await client.stop();
  await thread.close();
  log.close();
  rmSync(dir, { recursive: true });
  return ns;
}

/** What a session reports to the client of each decoded frame. */
function noteSeen(client: StreamClient, event: ReturnType<typeof decoded>): void {
  if (event.kind === 'trade') client.seen(event.instrument, 'trades');
  else if (event.kind === 'book_update')
    client.seen(event.instrument, event.side === 'bid' ? 'bids' : 'asks');
}
