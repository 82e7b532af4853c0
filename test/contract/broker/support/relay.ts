/** Stands between a client and the service, passes everything on and writes it down: bare HTTP and WebSocket on both sides. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import type { Json } from '../document/answer-check.ts';
import type { Exchange } from '../document/request-check.ts';

export interface Relay {
  readonly rest: string;
  readonly stream: string;
  readonly exchanges: readonly Exchange[];
  /** What clients said on the stream, a list for each connection. */
  readonly said: readonly (readonly string[])[];
  close(): Promise<void>;
}

interface Service {
  readonly rest: string;
  readonly stream: string;
}

/** `rewrite` turns the text of an answer into another form of it, before the client sees it. */
export async function startRelay(
  service: Service,
  rewrite: (text: string) => string = (text) => text,
): Promise<Relay> {
  const exchanges: Exchange[] = [];
  const said: string[][] = [];
  const server = createServer((request, response) => {
    void passOn(service.rest, request, response, exchanges, rewrite);
  });
  const sockets = relayStream(server, service.stream, said);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    rest: `http://127.0.0.1:${port}`,
    stream: `ws://127.0.0.1:${port}${new URL(service.stream).pathname}`,
    exchanges,
    said,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function passOn(
  rest: string,
  request: IncomingMessage,
  response: ServerResponse,
  exchanges: Exchange[],
  rewrite: (text: string) => string,
): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const { method = '', url = '/' } = request;
  const { pathname, searchParams } = new URL(url, rest);
  const headers = Object.fromEntries(
    ['authorization', 'content-type'].map((name) => [name, request.headers[name] as string | undefined]),
  );
  const known = Object.entries(headers).filter(([, value]) => value !== undefined) as [string, string][];
  try {
    const answer = await fetch(rest + url, { method, headers: known, ...(text !== '' && { body: text }) });
    const said = await answer.text();
    const type = answer.headers.get('content-type') ?? '';
    exchanges.push({
      method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      body: text === '' ? undefined : (JSON.parse(text) as Json),
      headers,
      status: answer.status,
      answer: type.startsWith('application/json') ? (JSON.parse(said) as Json) : {},
    });
    response
      .writeHead(answer.status, { 'content-type': type, date: answer.headers.get('date') ?? '' })
      .end(rewrite(said));
  } catch {
    // The service broke the connection: so does the relay.
    request.socket.destroy();
  }
}

/** Codes that may not be in a close frame mean a connection that was cut. */
const CUT: ReadonlySet<number> = new Set([1005, 1006]);

function relayStream(server: Server, url: string, said: string[][]): WebSocketServer {
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (client) => {
    const frames: string[] = [];
    said.push(frames);
    const service = new WebSocket(url, { perMessageDeflate: false, autoPong: false });
    const opened = new Promise<void>((resolve) => service.once('open', () => resolve()));
    client.on('message', (data: Buffer) => {
      frames.push(data.toString());
      void opened.then(() => service.send(data.toString()));
    });
    client.on('ping', () => frames.push('(protocol ping)'));
    client.on('close', () => service.close());
    service.on('message', (data: Buffer) => client.send(data.toString()));
    service.on('close', (code) => (CUT.has(code) ? client.terminate() : client.close(code)));
    service.on('error', () => client.terminate());
  });
  return sockets;
}
