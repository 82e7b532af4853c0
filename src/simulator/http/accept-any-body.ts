import type { FastifyInstance } from 'fastify';

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
