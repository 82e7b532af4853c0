/** Broken requests and frames against a running simulator, over real sockets: it answers each, and goes on. */
import { connect } from 'node:net';
import { Pool } from 'undici';
import { WebSocket } from 'ws';
import { orderCode } from '../../src/domain/ids.ts';
import type { RunningSimulator } from '../../src/simulator/start-simulator.ts';
import { OPERATIONS } from '../../src/wire/rest/operations.ts';
import type { WireRequest } from '../../src/wire/rest/wire-message.ts';
import { encodeAuth, encodeSubscribe } from '../../src/wire/stream/control-frame.ts';
import { CLIENT_FRAMES } from './frame-seeds.ts';
import { Noise } from './noise.ts';
import { requestsOf } from './request-seeds.ts';
import { Tally } from './tally.ts';

const PATH_CHARS = /[^\w/.-]/g;

async function tokenOf({ rest, apiKey, otp }: RunningSimulator): Promise<string> {
  const reply = await fetch(`${rest}/gaia/v1/oauth2/openapi/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiKey, otp }),
  });
  return ((await reply.json()) as { token: string }).token;
}

interface BrokenCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body: string | null;
  readonly headers: Record<string, string>;
}

function brokenCall(
  noise: Noise,
  right: WireRequest,
  at: (typeof OPERATIONS)[number],
  token: string,
): BrokenCall {
  const path = at.path.replace(/:\w+/, () => noise.brokenText('0001234567').replaceAll(PATH_CHARS, '~'));
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(right.query)) {
    if (noise.isHit(0.1)) continue;
    query.set(noise.isHit(0.05) ? `${key}x` : key, noise.isHit(0.5) ? noise.brokenText(value) : value);
  }
  const body = right.body === undefined ? null : noise.brokenJson(JSON.stringify(right.body));
  const headers: Record<string, string> = {};
  if (body !== null) headers['content-type'] = noise.isHit(0.05) ? 'text/plain' : 'application/json';
  if (!noise.isHit(0.05)) headers['authorization'] = `Bearer ${noise.isHit(0.05) ? 'x.y.z' : token}`;
  return {
    method: noise.isHit(0.02) ? 'GET' : at.method,
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    // A body has no place in a GET.
    body: at.method === 'GET' ? null : body,
    headers,
  };
}

/** Every answer is below 500 and, when it is one of ours, JSON. */
export async function fuzzRequests(simulator: RunningSimulator, cases: number, seed: number): Promise<Tally> {
  const noise = new Noise(seed);
  const tally = new Tally();
  const token = await tokenOf(simulator);
  const seeds = requestsOf({
    accountId: simulator.custodyCode,
    subAccountId: simulator.subAccountId,
    orderCode: orderCode(simulator.frontMonth),
    apiKey: simulator.apiKey,
  });
  const pool = new Pool(simulator.rest, { connections: 8, pipelining: 1 });
  let left = cases;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const operation = noise.pick(OPERATIONS);
      const call = brokenCall(noise, seeds[operation.name], operation, token);
      const { statusCode, body } = await pool.request({
        ...call,
        body: call.method === 'GET' ? null : call.body,
      });
      const text = await body.text();
      if (statusCode >= 500) throw new Error(`HTTP ${statusCode} to ${JSON.stringify(call)}: ${text}`);
      JSON.parse(text);
      tally.count(`call ${operation.name}`, `HTTP ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  await pool.close();
  return tally;
}

const open = (simulator: RunningSimulator, token: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(simulator.stream, { perMessageDeflate: false });
    socket.on('error', reject);
    socket.on('open', () => socket.send(encodeAuth(token)));
    socket.once('message', () => {
      socket.send(encodeSubscribe(['trade', 'bid'], [simulator.frontMonth]));
      resolve(socket);
    });
  });

/** Written in bursts, each answered by a pong before the next: nothing waits in a buffer. */
const BURST = 500;

/** Broken frames on an authenticated connection; one that the server ends is opened again. */
export async function fuzzFrames(simulator: RunningSimulator, cases: number, seed: number): Promise<Tally> {
  const noise = new Noise(seed);
  const tally = new Tally();
  const token = await tokenOf(simulator);
  let socket = await open(simulator, token);
  for (let i = 0; i < cases; i += 1) {
    if (socket.readyState !== WebSocket.OPEN) {
      tally.count('connection', 'opened again');
      socket = await open(simulator, token);
    }
    const text = noise.brokenText(noise.pick(CLIENT_FRAMES.slice(1)));
    if (noise.isHit(0.02)) socket.send(Buffer.from(text), { binary: true });
    else socket.send(text);
    tally.count('frame to the stream', 'sent');
    if (i % BURST === BURST - 1) await pong(socket);
  }
  await pong(socket);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.close();
  await closed;
  return tally;
}

/** Everything sent before has been read by then; a connection that ended says so too. */
const pong = (socket: WebSocket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.readyState !== WebSocket.OPEN) return resolve();
    const done = (): void => {
      socket.off('message', onMessage);
      socket.off('close', done);
      resolve();
    };
    const onMessage = (data: unknown): void => {
      if (String(data).startsWith('d|p|')) done();
    };
    socket.on('message', onMessage);
    socket.on('close', done);
    socket.send('d|p|||');
  });

const LINES = [
  'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'POST /khronos/v1/order/place HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{"a":',
];

/** Bytes that are no HTTP: answered or cut off, never left hanging. */
export async function fuzzBytes({ port }: RunningSimulator, cases: number, seed: number): Promise<Tally> {
  const noise = new Noise(seed);
  const tally = new Tally();
  for (let i = 0; i < cases; i += 1) {
    const bytes = noise.brokenText(noise.pick(LINES));
    tally.count('bytes to the port', await answerTo(port, bytes));
  }
  return tally;
}

const answerTo = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => resolve('cut off'));
    socket.on('close', () => resolve(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 'closed without an answer'));
  });
