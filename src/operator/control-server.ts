/** The control API: loopback only, and only with the token. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyError, type FastifyHttpOptions, type FastifyInstance } from 'fastify';
import {
  COMMAND_NAMES,
  type CommandBody,
  type CommandName,
  commandNamed,
  readCommandBody,
} from './control-command.ts';
import { issuesText } from '../domain/parsed.ts';
import type { CockpitAnswer, CockpitRole } from './cockpit/cockpit-model.ts';
import {
  assertToken,
  failure,
  httpFailureText,
  keepBodies,
  listen,
  LOOPBACK_NAMES,
  requireHost,
  requireToken,
} from './http-guards.ts';
import { redactText, type Secrets } from './redact.ts';

export interface CommandResult extends CockpitAnswer {
  /** One text for each strategy that changes; absent for other commands. */
  readonly changes?: readonly string[];
}

export type CommandAnswer = CommandResult | Promise<CommandResult>;

/** `reason` is empty when all is well. */
export interface Health {
  readonly ok: boolean;
  readonly reason: string;
}

export interface ControlHandlers {
  /** Whether engine and journal answer. */
  readonly health: () => Promise<Health>;
  /** Whether the daemon trades, and why not. */
  readonly ready: () => { readonly ready: boolean; readonly reason: string };
  /** Plain data. */
  readonly status: () => unknown;
  readonly command: (name: CommandName, body: CommandBody) => CommandAnswer;
  readonly link: (role: CockpitRole) => CommandResult & { readonly link: string | null };
}

export interface ControlOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly token: string;
  readonly handlers: ControlHandlers;
  /** Hidden in every answer. */
  readonly secrets: Secrets;
}

const HOST = '127.0.0.1';
const BODY_BYTES_MAX = 4_096;
/** Commands and a supervisor need a few. */
const CONNECTIONS_MAX = 64;

const ROUTES = 'GET /healthz, GET /readyz, GET /status, POST /commands/<name>, POST /links/<steer|look>';

export async function startControl({ port, token, handlers, secrets }: ControlOptions) {
  assertToken('control', token);
  const app = createServer(BODY_BYTES_MAX);
  limitConnections(app);
  requireHost(app, LOOPBACK_NAMES);
  requireToken(app, token, ['/healthz']);
  answerFailures(app, token);
  // In texts alone: six digits of a number may equal a password.
  app.addHook('preSerialization', async (_request, _reply, payload) =>
    JSON.parse(JSON.stringify(payload), (_, value: unknown) =>
      typeof value === 'string' ? secrets.hide(value) : value,
    ),
  );
  addRoutes(app, handlers);
  return { port: await listen(app, HOST, port), close: () => app.close() };
}

export const REQUEST_MS_MAX = 5_000;
const CHECK_EVERY_MS = 1_000;

/** A server of the daemon: who is slow to ask is let go. */
export const createServer = (bodyLimit: number, more: FastifyHttpOptions<Server> = {}): FastifyInstance =>
  fastify({
    bodyLimit,
    requestTimeout: REQUEST_MS_MAX,
    forceCloseConnections: true,
    logger: false,
    http: { headersTimeout: REQUEST_MS_MAX, connectionsCheckingInterval: CHECK_EVERY_MS },
    ...more,
  });

/** The oldest one gives way: connections that ask nothing keep no halt out. */
function limitConnections(app: FastifyInstance): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > CONNECTIONS_MAX) oldest?.destroy();
  });
}

function answerFailures(app: FastifyInstance, token: string): void {
  app.setNotFoundHandler((request, reply) =>
    reply
      .code(404)
      .send(failure(`no ${request.method} ${request.url.replace(/[?#].*$/, '')}: expected one of ${ROUTES}`)),
  );
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const code = error.statusCode ?? 500;
    return reply.code(code).send(failure(redactText(messageOf(error, code), [token])));
  });
}

function messageOf(error: FastifyError, code: number): string {
  if (code === 413) return `the body is too large: expected at most ${BODY_BYTES_MAX} bytes`;
  if (code === 415) return 'expected a body of content type application/json';
  return httpFailureText(error, code);
}

function addRoutes(app: FastifyInstance, handlers: ControlHandlers): void {
  keepBodies(app);
  addHealth(app, handlers.health);
  app.get('/readyz', (_request, reply) => {
    const state = handlers.ready();
    return reply.code(state.ready ? 200 : 503).send(state);
  });
  app.get('/status', async (_request, reply) => reply.send(await handlers.status()));
  app.post<{ Params: { role: string } }>('/links/:role', (request, reply) => {
    const { role } = request.params;
    if (role !== 'steer' && role !== 'look')
      return reply.code(404).send(failure('expected the role steer or look'));
    const answer = handlers.link(role);
    return reply.code(answer.ok ? 200 : 409).send(answer);
  });
  app.post<{ Params: { name: string }; Body: unknown }>('/commands/:name', async (request, reply) => {
    const name = commandNamed(request.params.name);
    if (name === undefined) {
      const known = COMMAND_NAMES.join(', ');
      return reply.code(404).send(failure(`no command "${request.params.name}": expected one of ${known}`));
    }
    const body = readCommandBody(name, typeof request.body === 'string' ? request.body : '');
    if (!body.ok) return reply.code(400).send(failure(issuesText(body.issues)));
    const result = await handlers.command(name, body.value);
    return reply.code(result.ok ? 200 : 409).send(result);
  });
}

/** Without a token: supervisors ask it. */
export function addHealth(app: FastifyInstance, health: () => Promise<Health>): void {
  app.get('/healthz', async (_request, reply) => {
    const state = await health();
    return reply.code(state.ok ? 200 : 503).send(state);
  });
}
