import { type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createHttpEdge,
  type HttpEdge,
  type HttpHooks,
  type HttpRequest,
} from '../../../src/broker/rest/http-edge.ts';
import { seconds } from '../../../src/domain/units.ts';
import { type ScriptedHttp, startScriptedHttp } from '../support/scripted-http.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const ORDER: HttpRequest = { method: 'POST', path: '/order', query: {}, body: { qty: 1 }, token: 'abc' };
const READ: HttpRequest = {
  method: 'GET',
  path: '/book',
  query: { filter: 'ALL,ALL' },
  body: undefined,
  token: 'abc',
};

let server: ScriptedHttp;
let timers: VirtualTimers;
const edges: HttpEdge[] = [];

function createEdge(baseUrl = server.baseUrl): HttpEdge {
  const span = seconds(5);
  const edge = createHttpEdge({
    baseUrl,
    timers,
    timeouts: { connect: span, headers: span, body: span, total: seconds(10) },
    connections: { orders: 2, reads: 1 },
  });
  edges.push(edge);
  return edge;
}

const send = (request = ORDER, hooks: HttpHooks = {}) => createEdge().send('orders', request, hooks);

beforeEach(async () => {
  timers = new VirtualTimers();
  server = await startScriptedHttp();
});

afterEach(async () => {
  await Promise.all(edges.splice(0).map((edge) => edge.close()));
  await server.close();
});

describe('a request that was answered', () => {
  it('brings no token that the server quotes', async () => {
    const token = 'eyJhbGciOi.eyJleHAiOjF9.c2lnbmF0dXJl';
    server.handle((exchange) => exchange.reply(403, { rs: `refused: Bearer ${token}` }));
    expect(await send({ ...ORDER, token })).toMatchObject({ text: '{"rs":"refused: Bearer [hidden]"}' });
  });

  it('went below the path of the address, with query and token, and leaves no timer', async () => {
    server.handle((exchange) => exchange.reply(200, { rc: '1' }));
    expect((await createEdge(`${server.baseUrl}/prefix/`).send('reads', READ, {})).kind).toBe('reply');
    const [got] = server.exchanges;
    expect(`${got?.url.pathname}${got?.url.search}`).toBe('/prefix/book?filter=ALL%2CALL');
    expect(got?.headers['authorization']).toBe('Bearer abc');
    expect(timers.pending).toBe(0);
  });

  it('is followed nowhere else: a redirect is an answer', async () => {
    const elsewhere = await startScriptedHttp();
    server.handle((exchange) => exchange.reply(307, 'moved', { location: `${elsewhere.baseUrl}/order` }));
    expect(await send()).toMatchObject({ kind: 'reply', status: 307 });
    expect(elsewhere.connections()).toBe(0);
    await elsewhere.close();
  });

  it('may arrive in pieces, cut inside a character', async () => {
    const bytes = Buffer.from('{"text":"đặt lệnh"}');
    server.handle(({ response }) => {
      response.writeHead(200);
      response.write(bytes.subarray(0, 10));
      setImmediate(() => response.end(bytes.subarray(10)));
    });
    expect(await send()).toMatchObject({ kind: 'reply', text: '{"text":"đặt lệnh"}' });
  });
});

describe('a request that never left', () => {
  it('is not sent when the host has no address', async () => {
    const result = await createEdge('http://host.invalid').send('orders', ORDER, {});
    expect(result.kind).toBe('not_sent');
  });

  it('is not sent when what must be durable before it fails', async () => {
    const result = await send(ORDER, {
      onStart: () => {
        throw new Error('disk full');
      },
    });
    expect(result).toEqual({ kind: 'not_sent', reason: 'Error: disk full' });
    expect(server.exchanges).toHaveLength(0);
  });

  it('is not sent when time is up before a connection was free, also when one becomes free later', async () => {
    const edge = createEdge();
    const first = new Promise<void>((resolve) => {
      server.handle(() => resolve());
    });
    const hanging = edge.send('reads', READ, {});
    await first;
    const waiting = edge.send('reads', { ...READ, path: '/second' }, {});
    timers.advance(seconds(10));
    expect((await waiting).kind).toBe('not_sent');
    expect((await hanging).kind).toBe('lost');
    server.handle((exchange) => exchange.reply(200, 'third'));
    await edge.send('reads', { ...READ, path: '/third' }, {});
    expect(server.exchanges.map(({ url }) => url.pathname)).toEqual(['/book', '/third']);
  });

  it('is not sent on a closed edge', async () => {
    const edge = createEdge();
    await edge.close();
    expect((await edge.send('orders', ORDER, {})).kind).toBe('not_sent');
  });
});

describe('a request that may have left', () => {
  it('is lost when the connection drops in the middle of the answer', async () => {
    server.handle(({ response, socket }) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"rc":"1"');
      setImmediate(() => socket.destroy());
    });
    expect((await send()).kind).toBe('lost');
  });

  it('is lost when no answer comes in time, and its connection is not used again', async () => {
    const edge = createEdge();
    const arrived = new Promise<Socket>((resolve) => {
      server.handle(({ socket }) => resolve(socket));
    });
    const result = edge.send('orders', ORDER, {});
    const socket = await arrived;
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
    });
    timers.advance(seconds(10));
    expect(await result).toEqual({ kind: 'lost', reason: 'no answer in time' });
    await closed;
  });

  it('is lost when the answer is no HTTP', async () => {
    server.handle(({ socket }) => socket.end('nonsense\r\n\r\n'));
    expect((await send()).kind).toBe('lost');
  });
});

it('keeps the connections of orders apart from hanging reads', async () => {
  const edge = createEdge();
  server.handle((exchange) => {
    if (exchange.url.pathname === '/order') exchange.reply(200, 'done');
  });
  const hanging = [edge.send('reads', READ, {}), edge.send('reads', READ, {})];
  expect((await edge.send('orders', ORDER, {})).kind).toBe('reply');
  timers.advance(seconds(10));
  await Promise.all(hanging);
});
