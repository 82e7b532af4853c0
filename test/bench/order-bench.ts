/** Time from a frame to the order it leads to, with and without the durable write, against a bare commit of one row. */
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Database } from '../../src/sqlite/database.ts';
import { EngineThread } from '../../src/host/engine-thread.ts';
import type { EngineEvent } from '../../src/engine/ports/engine-event.ts';
import { openingEvents, threadData } from './engine-setup.ts';
import type { MarketDay } from './market-day.ts';
import { OrderPath } from './order-path.ts';
import { type Candidate, medianOf } from './rounds.ts';

export interface OrderSink {
  readonly url: string;
  close(): Promise<void>;
}

export async function startOrderSink(): Promise<OrderSink> {
  const worker = new Worker(new URL('./order-sink.js', import.meta.url));
  const [port]: unknown[] = await once(worker, 'message');
  return {
    url: `http://127.0.0.1:${String(port)}/`,
    close: async () => void (await worker.terminate()),
  };
}

/** About what the journal writes of one order. */
const ROW_BYTES = 400;

export function orderCandidates(
  day: MarketDay,
  events: readonly EngineEvent[],
  scratch: string,
  sink: OrderSink,
  samples: number,
): Candidate[] {
  const path = (durable: boolean) => async (): Promise<number> => {
    const orders = new OrderPath(day, scratch, sink.url, durable);
    try {
      return await medianSample(samples, () => orders.sample());
    } finally {
      await orders.close();
    }
  };
  return [
    { name: 'a bare SQLite commit of one row (WAL, synchronous=FULL)', run: () => commits(scratch, samples) },
    { name: 'frame to order body, without the durable write', run: path(false) },
    { name: 'frame to order body, journal committed first', run: path(true) },
    { name: 'the way to the engine thread and back, in the daemon', run: () => hops(day, events, samples) },
  ];
}

/** A tenth more at the start, for what happens once: connections, files, first calls. */
async function medianSample(count: number, sample: () => number | Promise<number>): Promise<number> {
  const taken: number[] = [];
  for (let at = -Math.ceil(count / 10); at < count; at += 1) {
    const ns = await sample();
    if (at >= 0) taken.push(ns);
  }
  return medianOf(taken);
}

async function commits(scratch: string, samples: number): Promise<number> {
  const database = new Database(join(mkdtempSync(join(scratch, 'bare-')), 'bare.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO rows (body) VALUES (?)');
  const body = 'x'.repeat(ROW_BYTES);
  const ns = await medianSample(samples, () => {
    const start = performance.now();
    insert.run(body);
    return (performance.now() - start) * 1e6;
  });
  database.close();
  return ns;
}

async function hops(day: MarketDay, events: readonly EngineEvent[], samples: number): Promise<number> {
  let back: (() => void) | undefined;
  const thread = new EngineThread({
    data: threadData(day),
    onOutbox: () => back?.(),
    onLost: (reason) => {
      throw new Error(reason);
    },
  });
  const hop = async (batch: readonly EngineEvent[]): Promise<number> => {
    const answered = new Promise<void>((resolve) => {
      back = resolve;
    });
    const start = performance.now();
    thread.process(batch);
    await answered;
    return (performance.now() - start) * 1e6;
  };
  await hop(openingEvents(day));
  let at = 0;
  const ns = await medianSample(samples, () => hop(events.slice(at, ++at)));
  await thread.close();
  return ns;
}
