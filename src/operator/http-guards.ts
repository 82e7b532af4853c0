/** Guards of our own HTTP servers: the name by which they are asked, and the token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

const TOKEN_CHARACTERS_MIN = 16;

export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

export const isLoopback = (address: string): boolean => /^(127(\.\d+){3}|::1)$/.test(address);

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
    await reply.code(401).header('www-authenticate', 'Bearer').send({
      ok: false,
      message: 'expected "Authorization: Bearer <token>" with the token of this daemon',
    });
  });
}

/** A page in a browser can make its own name point here, but it cannot send another name than its own. */
export function requireHost(app: FastifyInstance, names: readonly string[]): void {
  const known = new Set(names.map((name) => name.toLowerCase()));
  app.addHook('onRequest', async (request, reply) => {
    const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
    if (known.has(name)) return;
    await reply
      .code(403)
      .send({ ok: false, message: `this server does not answer by that name: expected ${names.join(', ')}` });
  });
}
