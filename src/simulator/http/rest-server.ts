/** The HTTP shell: routes, bodies, tokens and faults. Handlers give operations their meaning. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock, Timers } from '../../domain/clock.ts';
import { isRecord, type JsonRecord, parseJson } from '../../domain/parsed.ts';
import { milliseconds, US_PER_MS } from '../../domain/units.ts';
import { refusal } from '../../venue/venue-command.ts';
import type { RawRequest } from '../../wire/rest/wire-message.ts';
import { OPERATIONS } from '../../wire/rest/operations.ts';
import { OTP_REQUEST_FAILED } from '../../wire/rest/token-calls.ts';
import type { TokenService } from '../auth/token-service.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import { failedWith, type Handlers, refuse, type RestAnswer, restError } from './handler.ts';
import type { AccountSettings } from '../simulator-options.ts';

export interface RequestParts {
  readonly handlers: Handlers;
  readonly accounts: readonly AccountSettings[];
  readonly tokens: TokenService;
  /** Without a valid token. */
  readonly refusalStatus: 401 | 403;
  readonly board: FaultBoard;
}

interface RestServerParts extends RequestParts {
  readonly clock: Clock;
  readonly timers: Timers;
}

type RestOperation = (typeof OPERATIONS)[number];

const NOT_NOW = refusal(-6026);
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
  for (const operation of OPERATIONS) {
    server.route({
      method: operation.method,
      url: operation.path,
      handler: (request, reply) => serve(parts, operation, request, reply),
    });
  }
  return server;
}

/** A request as received, before its operation has read it. */
interface ReceivedRequest extends RawRequest {
  readonly authorization: string | undefined;
}

/** Text to send after a delay; `dropped` cuts the connection instead, though the request was carried out. */
export type ServedReply =
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly type: string;
      readonly text: string;
      readonly delayMs: number;
    }
  | { readonly kind: 'dropped' };

/** Carries a request out, under the faults in force; the content of an answer is committed when it returns. */
export function serveRequest(
  parts: RequestParts,
  operation: RestOperation,
  request: ReceivedRequest,
): ServedReply {
  const { board: faults } = parts;
  const target = { operation: operation.name };
  if (faults.strike('http_429', target)) return reply(failedWith(429, 'Too many requests'));
  if (faults.strike('refuse_for_now', target))
    return reply('encodeRefusal' in operation ? refuse(operation, NOT_NOW) : failedWith(400, NOT_NOW.text));
  const broken = faults.strike('http_500', target) ?? faults.strike('html_502', target);
  if (broken && broken.done !== true) return brokenReply(operation, broken.name);
  const result = handle(parts, operation, request);
  if (faults.strike('accept_then_drop', target)) return { kind: 'dropped' };
  if (broken) return brokenReply(operation, broken.name);
  return reply(result, faults.strike('late_answer', target)?.delayMs);
}

async function serve(
  parts: RestServerParts,
  operation: RestOperation,
  { params, query, body, headers, raw }: FastifyRequest,
  to: FastifyReply,
): Promise<FastifyReply> {
  const served = serveRequest(parts, operation, {
    params,
    query,
    body,
    authorization: headers.authorization,
  });
  if (served.kind === 'dropped') {
    to.hijack();
    raw.socket.destroy();
    return to;
  }
  const { delayMs } = served;
  if (delayMs > 0) await new Promise<void>((resume) => parts.timers.after(milliseconds(delayMs), resume));
  return send(to, served);
}

function handle(
  parts: RequestParts,
  operation: RestOperation,
  { params, query, body, authorization }: ReceivedRequest,
): RestAnswer {
  const customer = customerOf(parts, authorization);
  if (customer === undefined && operation.needsToken)
    return failedWith(parts.refusalStatus, 'The access token is missing or not valid');
  return parts.handlers[operation.name]({ params: recordOf(params), query: recordOf(query), body, customer });
}

const BEARER = /^Bearer +(\S+)$/i;

function customerOf(parts: RequestParts, header: string | undefined): AccountSettings | undefined {
  const token = BEARER.exec(header ?? '')?.[1];
  if (token === undefined) return undefined;
  const claims = parts.tokens.check(token);
  return parts.accounts.find(({ custodyCode }) => custodyCode === claims?.custodyID);
}

const answer = (to: FastifyReply, answered: RestAnswer): FastifyReply => send(to, reply(answered));

const send = (to: FastifyReply, { status, type, text }: RestReply): FastifyReply =>
  to.code(status).type(type).send(text);

type RestReply = Extract<ServedReply, { readonly kind: 'reply' }>;

const reply = ({ status, body }: RestAnswer, delayMs = 0): RestReply => ({
  kind: 'reply',
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
  delayMs,
});

function brokenReply({ name: operation }: RestOperation, name: 'http_500' | 'html_502'): RestReply {
  if (name === 'html_502')
    return { kind: 'reply', status: 502, type: 'text/html', text: BAD_GATEWAY, delayMs: 0 };
  if (operation === 'request-otp') return reply(restError(500, OTP_REQUEST_FAILED));
  return reply(failedWith(500, 'Internal server error'));
}

const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** Clients send JSON under any content type, and empty bodies under JSON: text first, then JSON. */
export function acceptAnyBody(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => {
    if (text === '') return done(null, undefined);
    const json = parseJson(text.toString(), 'body');
    if (json.ok) done(null, json.value);
    else done(Object.assign(new Error('The body is not JSON'), { statusCode: 400 }));
  });
}
