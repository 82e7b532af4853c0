/**
 * Between the daemon and the simulator, in a thread of its own: passes control frames on, and writes a flood of frames to the daemon's
 * socket. They are bytes before the flood begins, and one write a slice sends them: what is measured is the receiver.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { WebSocket, WebSocketServer } from 'ws';
import {
  enlist,
  type Flood,
  type FloodMemory,
  frameOf,
  framesOf,
  now,
  SLICE_MS,
  sliceOf,
  slicesOf,
} from './flood-frames.ts';

export interface SenderData {
  readonly upstream: string;
  readonly memory: FloodMemory;
}

/** Of the connection as the broker sees it. */
export interface Sent {
  readonly connections: number;
  /** Close codes of the daemon's connections. */
  readonly closes: readonly number[];
  /** Milliseconds between two heartbeats of the daemon, during the flood. */
  readonly beats: readonly number[];
  /** By which a slice was late at most, in milliseconds. */
  readonly lateMs: number;
  /** Bytes that the daemon's socket had not taken, at most. */
  readonly backlogBytes: number;
}

export type FromSender =
  | { readonly kind: 'listening'; readonly port: number }
  /** The frames are bytes; the next message sends them. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'sent'; readonly sent: Sent };

interface TradePayload {
  readonly symbol: string;
  readonly matchPrice: number;
  readonly totalVolume: number;
}

const port = parentPort;
if (port === null) throw new Error('runs as a worker');
const post = (message: FromSender): void => port.postMessage(message);
const { upstream, memory }: SenderData = workerData;
enlist(memory, 'sender');

const lastTrades = new Map<string, TradePayload>();
let latest: Socket | undefined = undefined;
let isFlooding = false;
let connections = 0;
let lastBeat = 0;
const closes: number[] = [];
const beats: number[] = [];

const http = createServer();
const server = new WebSocketServer({ noServer: true });
http.on('upgrade', (request, socket, head) => {
  server.handleUpgrade(request, socket, head, (down) => {
    connections += 1;
    latest = request.socket;
    const up = new WebSocket(upstream, { perMessageDeflate: false });
    const open = once(up, 'open');
    down.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text.startsWith('d|p')) beat();
      void open.then(() => up.send(text));
    });
    up.on('message', (data: Buffer) => {
      const text = data.toString();
      // The market of the simulator pauses while the flood is the market.
      if (isFlooding && !text.startsWith('d|')) return;
      if (text.startsWith(TRADE)) noteTrade(text);
      down.send(text);
    });
    up.on('close', (code) => down.close(code));
    down.on('close', (code) => {
      closes.push(code);
      up.close();
    });
  });
});

const TRADE = 's|21|';

function noteTrade(text: string): void {
  const payload: TradePayload = JSON.parse(text.slice(TRADE.length));
  lastTrades.set(payload.symbol, payload);
}

function beat(): void {
  const at = now();
  if (isFlooding && lastBeat > 0) beats.push(at - lastBeat);
  lastBeat = at;
}

async function send(port: MessagePort, flood: Flood): Promise<void> {
  const { contract, framesPerSecond } = flood;
  const traded = lastTrades.get(contract.streamCode);
  if (traded === undefined) throw new Error(`expected a trade of ${contract.streamCode} before the flood`);
  const price = Math.round((traded.matchPrice * 100) / contract.spec.hundredthsPerTick);
  const last = { price, totalVolume: traded.totalVolume };
  memory.flood.set([last.totalVolume + 1, (framesPerSecond * SLICE_MS) / 1_000]);
  const frames = framesOf(flood);
  const encoded = Array.from({ length: frames }, (_, frame) => frameOf(flood, last, frame));
  const bytes = Buffer.concat(encoded);
  // Where each slice ends.
  const ends = new Float64Array(slicesOf(flood));
  for (let frame = 0, end = 0; frame < frames; frame += 1) {
    end += encoded[frame]?.length ?? 0;
    ends[sliceOf(flood, frame)] = end;
  }
  encoded.length = 0;
  isFlooding = true;
  const asked = once(port, 'message');
  post({ kind: 'ready' });
  await asked;
  let next = 0;
  let lateMs = 0;
  let backlogBytes = 0;
  const start = now();
  const timer = setInterval(() => {
    for (; next < ends.length && now() >= start + next * SLICE_MS; next += 1) {
      lateMs = Math.max(lateMs, now() - start - next * SLICE_MS);
      memory.sentAt[next] = now();
      latest?.write(bytes.subarray(ends[next - 1] ?? 0, ends[next]));
      backlogBytes = Math.max(backlogBytes, latest?.writableLength ?? 0);
    }
    if (next < ends.length) return;
    clearInterval(timer);
    post({ kind: 'sent', sent: { connections, closes, beats, lateMs, backlogBytes } });
  }, SLICE_MS / 2);
}

port.once('message', (flood: Flood) => void send(port, flood));
http.listen(0, '127.0.0.1');
await once(http, 'listening');
const address = http.address();
post({ kind: 'listening', port: typeof address === 'object' && address !== null ? address.port : 0 });
