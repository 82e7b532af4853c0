/** `GET /metrics` for Prometheus and `GET /healthz` for supervisors, next to the control API and without any command. */
import { addHealth, createServer, type Health } from './control-server.ts';
import {
  assertToken,
  failure,
  hostOf,
  isLoopback,
  listen,
  LOOPBACK_NAMES,
  requireHost,
  requireToken,
} from './http-guards.ts';

export interface MetricsServerOptions {
  readonly address: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Further names by which it may be asked. */
  readonly hosts: readonly string[];
  /** Undefined: none is needed, which only a loopback address allows. */
  readonly token: string | undefined;
  readonly contentType: string;
  readonly text: () => Promise<string>;
  readonly health: () => Promise<Health>;
}

/** Scrapers are few; a stranger must not take the daemon's file handles. */
const CONNECTIONS_MAX = 32;
/** Neither route reads a body. */
const BODY_BYTES_MAX = 1;

/** Throws when the address is taken, and when others than this machine could ask without a token. */
export async function startMetricsServer(options: MetricsServerOptions) {
  const { address, port, hosts, token, contentType, text, health } = options;
  if (token !== undefined) assertToken('metrics', token);
  else if (!isLoopback(address)) throw new Error(`metrics on ${address} need a token: others can reach it`);
  const app = createServer(BODY_BYTES_MAX);
  const own = hostOf(address);
  requireHost(app, [...LOOPBACK_NAMES, own, ...hosts]);
  if (token !== undefined) requireToken(app, token, ['/healthz']);
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(failure('expected GET /metrics or GET /healthz')),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', contentType).send(await text()),
  );
  addHealth(app, health);
  app.server.maxConnections = CONNECTIONS_MAX;
  const bound = await listen(app, address, port);
  return { url: `http://${own}:${bound}`, close: () => app.close() };
}
