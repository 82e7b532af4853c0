/** The HTTP shell: routes, bodies, tokens and faults. Handlers give operations their meaning. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock, Timers } from '../../domain/clock.ts';
import { milliseconds, US_PER_MS } from '../../domain/units.ts';
import { openApiDocument } from '../../wire/rest/openapi-document.ts';
import { type OperationName, OPERATIONS } from '../../wire/rest/operations.ts';
import { OTP_REQUEST_FAILED } from '../../wire/rest/token-calls.ts';
import type { AccountSettings } from '../accounts/account-settings.ts';
import type { TokenService } from '../auth/token-service.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import { failed, failedWith, type Handlers, type RestAnswer } from './handler.ts';

export interface RestServerParts {
  readonly handlers: Handlers;
  readonly accounts: readonly AccountSettings[];
  readonly tokens: TokenService;
  /** Without a valid token. */
  readonly refusalStatus: 401 | 403;
  readonly faults: FaultBoard;
  readonly clock: Clock;
  readonly timers: Timers;
  /** A request of this operation is about to be served. */
  asked(operation: OperationName): void;
}

type Operation = (typeof OPERATIONS)[number];

const DESCRIPTION_PATH = '/openapi.json';
const BODY_BYTES_MAX = 256 * 1024;
const BAD_GATEWAY =
  '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';

export function createRestServer(parts: RestServerParts): FastifyInstance {
  const server = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    // A bad URL is the client's mistake too.
    frameworkErrors: (_error, _request, reply) => {
      answer(reply, failedWith(400, 'The request cannot be read'));
    },
  });
  acceptAnyBody(server);
  server.addHook('onSend', async (_request, reply) => {
    // Real time, by the same clock that signs tokens: clients measure their skew with it.
    reply.header('date', new Date(parts.clock.nowUs() / US_PER_MS).toUTCString());
  });
  server.setNotFoundHandler((_request, reply) =>
    answer(reply, failedWith(404, 'There is no such operation')),
  );
  server.setErrorHandler((error: { statusCode?: number; message: string }, _request, reply) => {
    const status = error.statusCode ?? 500;
    answer(reply, failedWith(status, error.message));
  });
  // Ours: readable without a token.
  server.get(DESCRIPTION_PATH, (request, reply) =>
    answer(reply, { status: 200, body: openApiDocument(`${request.protocol}://${request.host}`) }),
  );
  for (const operation of OPERATIONS) {
    server.route({
      method: operation.method,
      url: operation.path,
      handler: (request, reply) => serve(parts, operation, request, reply),
    });
  }
  return server;
}

async function serve(
  parts: RestServerParts,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { faults, timers } = parts;
  parts.asked(operation.name);
  const target = { operation: operation.name };
  if (faults.strike('http_429', target)) return answer(reply, failedWith(429, 'Too many requests'));
  const broken = faults.strike('http_500', target) ?? faults.strike('html_502', target);
  if (broken && broken.done !== true) return answerBroken(reply, operation, broken.name);
  const result = handle(parts, operation, request);
  if (faults.strike('accept_then_drop', target)) {
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  }
  if (broken) return answerBroken(reply, operation, broken.name);
  const late = faults.strike('late_answer', target);
  if (late) await new Promise<void>((resume) => timers.after(milliseconds(late.delayMs), resume));
  return answer(reply, result);
}

function handle(parts: RestServerParts, operation: Operation, request: FastifyRequest): RestAnswer {
  const customer = customerOf(parts, request.headers.authorization);
  if (customer === undefined && operation.needsToken)
    return failedWith(parts.refusalStatus, 'The access token is missing or not valid');
  return parts.handlers[operation.name]({
    params: recordOf(request.params),
    query: recordOf(request.query),
    body: request.body,
    customer,
  });
}

const BEARER = /^Bearer +(\S+)$/i;

function customerOf(parts: RestServerParts, header: string | undefined): AccountSettings | undefined {
  const token = BEARER.exec(header ?? '')?.[1];
  if (token === undefined) return undefined;
  const check = parts.tokens.check(token);
  if (check.status !== 'valid') return undefined;
  return parts.accounts.find(({ custodyCode }) => custodyCode === check.claims.custodyID);
}

function answer(reply: FastifyReply, { status, body }: RestAnswer): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function answerBroken(
  reply: FastifyReply,
  { name: operation }: Operation,
  name: 'http_500' | 'html_502',
): FastifyReply {
  if (name === 'html_502') return reply.code(502).type('text/html').send(BAD_GATEWAY);
  if (operation === 'request-otp') return answer(reply, failed(500, OTP_REQUEST_FAILED));
  return answer(reply, failedWith(500, 'Internal server error'));
}

const NOTHING: Readonly<Record<string, unknown>> = {};

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : NOTHING);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Clients send JSON under any content type, and empty bodies under JSON: text first, then JSON. */
export function acceptAnyBody(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined);
    try {
      done(null, JSON.parse(text.toString()));
    } catch {
      done(Object.assign(new Error('The body is not JSON'), { statusCode: 400 }));
    }
  });
}
