/** A real HTTP server on the loopback interface that does exactly what a test asks, down to the socket. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly socket: Socket;
  readonly response: ServerResponse;
  reply(status: number, body: unknown, headers?: Record<string, string>): void;
}

export interface ScriptedHttp {
  readonly baseUrl: string;
  readonly port: number;
  /** Everything that arrived whole, in order. */
  readonly exchanges: readonly Exchange[];
  readonly connections: () => number;
  handle(handler: (exchange: Exchange) => void): void;
  close(): Promise<void>;
}

const unscripted = (exchange: Exchange): void => exchange.reply(404, 'no script');

export async function startScriptedHttp(): Promise<ScriptedHttp> {
  const exchanges: Exchange[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let handler: (exchange: Exchange) => void = unscripted;
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const exchange = createExchange(request, response, await readBody(request));
    exchanges.push(exchange);
    handler(exchange);
  };
  const server = createServer((request, response) => {
    void onRequest(request, response);
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    exchanges,
    connections: () => connections,
    handle: (next) => {
      handler = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function createExchange(request: IncomingMessage, response: ServerResponse, body: string): Exchange {
  return {
    method: request.method ?? '',
    url: new URL(request.url ?? '/', 'http://host'),
    headers: request.headers,
    body,
    socket: request.socket,
    response,
    reply: (status, content, headers = {}) => {
      const isText = typeof content === 'string';
      response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
      response.end(isText ? content : JSON.stringify(content));
    },
  };
}

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = await startScriptedHttp();
  await server.close();
  return server.port;
}
