/** Shared parts of our own HTTP servers: host names, the token, refusals. */
import { assert } from '../domain/assert.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';

const TOKEN_CHARACTERS_MIN = 16;

export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

export const isLoopback = (address: string): boolean => /^(127(\.\d+){3}|::1)$/.test(address);

/** The address as a URL has it. */
export const hostOf = (address: string): string => (address.includes(':') ? `[${address}]` : address);

export const failure = (message: string): { readonly ok: false; readonly message: string } => ({
  ok: false,
  message,
});

export const httpFailureText = ({ message }: FastifyError, code: number): string =>
  code >= 500 ? `the daemon failed to answer: ${message}` : message;

/** Returns the port; throws when the address is taken. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<number> {
  await app.listen({ host, port });
  const address = app.server.address();
  assert(typeof address === 'object' && address !== null, 'a server that listens has an address');
  return address.port;
}

/** Bodies stay text: their readers report mistakes in words. */
export function keepBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
}

export const askedName = ({ headers }: FastifyRequest): string =>
  (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();

/** Throws for one that could be guessed. */
export function assertToken(what: string, token: string): void {
  if (token.length >= TOKEN_CHARACTERS_MIN) return;
  throw new Error(
    `The ${what} token has ${token.length} characters, at least ${TOKEN_CHARACTERS_MIN} are needed.`,
  );
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** `open`: paths that need none. Digests have one length, so every comparison takes the same time. */
export function requireToken(app: FastifyInstance, token: string, open: readonly string[]): void {
  const expected = digest(`Bearer ${token}`);
  app.addHook('onRequest', async (request, reply) => {
    if (open.includes(request.routeOptions.url ?? '')) return;
    if (timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return;
    await reply
      .code(401)
      .header('www-authenticate', 'Bearer')
      .send(failure('expected "Authorization: Bearer <token>" with the token of this daemon'));
  });
}

export const wrongName = (names: readonly string[]): string =>
  `this server does not answer by that name: expected ${names.join(', ')}`;

/** A page in a browser can make its own name point here, but it cannot send another name than its own. */
export function requireHost(app: FastifyInstance, names: readonly string[]): void {
  const known = new Set(names.map((name) => name.toLowerCase()));
  app.addHook('onRequest', async (request, reply) => {
    if (known.has(askedName(request))) return;
    await reply.code(403).send(failure(wrongName(names)));
  });
}
