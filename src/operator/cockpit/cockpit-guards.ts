/** Guards of the cockpit's requests: by which name, from which page, with which session. A page of another site gets nothing and does nothing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../domain/clock.ts';
import { minutes, type TsUs } from '../../domain/units.ts';
import { formatCount } from '../../text/numbers.ts';
import { askedName, failure, LOOPBACK_NAMES, wrongName } from '../http-guards.ts';
import type { CockpitAccess } from './cockpit-access.ts';
import type { CockpitSession } from './cockpit-model.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no session: it gives no data. */
    isOpen?: boolean;
    /** The start page: any page may link to it. */
    isStart?: boolean;
    /** May be a page of its own: the browser's user may type or follow its address. */
    isPage?: boolean;
    query?: readonly string[];
  }
}

interface GuardOptions extends RefusalsOptions {
  readonly access: CockpitAccess;
  /** Host names that it serves, other than those of this machine. */
  readonly hosts: readonly string[];
  /** A reverse proxy of the owner is in front and adds TLS. */
  readonly isBehindProxy: boolean;
}

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cache-control': 'no-store',
};

interface GuardRefusal {
  readonly code: number;
  readonly reason: CockpitRefusal;
  readonly message: string;
}

const ANSWERED: unknown = undefined;

export class CockpitGuards {
  readonly #options: GuardOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly refusals: Refusals;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.refusals = new Refusals(options);
    this.#hosts = new Set([...LOOPBACK_NAMES, ...options.hosts.map((name) => name.toLowerCase())]);
  }

  guard(app: FastifyInstance): void {
    // A refused client holds no connection, though it never reads the answer; another is asked to send nothing more on it.
    app.addHook('onSend', async (_request, reply) => {
      if (reply.statusCode >= 400) reply.header('connection', 'close');
    });
    app.addHook('onResponse', async (request, reply) => {
      if (reply.statusCode >= 400) request.raw.socket.destroySoon();
    });
    app.addHook('onRequest', async (request, reply) => {
      reply.headers(SECURITY_HEADERS);
      // A proxy that reuses a connection while it closes loses a command.
      if (this.#options.isBehindProxy) reply.header('connection', 'close');
      const refusal = this.#refusalOf(request);
      if (refusal === null) return ANSWERED;
      return this.refuse(request, reply, refusal.code, refusal.reason, refusal.message);
    });
  }

  async refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    code: number,
    reason: CockpitRefusal,
    message: string,
  ): Promise<FastifyReply> {
    this.refusals.note(reason, this.sourceOf(request));
    return reply.code(code).send(failure(message));
  }

  /** A proxy writes the address that asked it at the end of the list. */
  sourceOf(request: FastifyRequest): string {
    const own = request.socket.remoteAddress ?? 'unknown';
    if (!this.#options.isBehindProxy) return own;
    const forwarded = String(request.headers['x-forwarded-for'] ?? '');
    return forwarded.split(',').at(-1)?.trim().slice(0, 64) || own;
  }

  sessionOf(request: FastifyRequest): CockpitSession | undefined {
    return this.#options.access.sessionOf(this.keyOf(request));
  }

  keyOf(request: FastifyRequest): string | undefined {
    const name = `${this.#cookieName(request)}=`;
    const parts = (request.headers.cookie ?? '').split(';').map((part) => part.trim());
    return parts.find((part) => part.startsWith(name))?.slice(name.length);
  }

  /** 0 seconds take the cookie away. */
  cookie(request: FastifyRequest, key: string, seconds: number): string {
    const secure = this.#isSecure(request) ? '; Secure' : '';
    return `${this.#cookieName(request)}=${key}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
  }

  /** With the port: cookies do not know ports, and another daemon of this machine has a page too. */
  #cookieName(request: FastifyRequest): string {
    const name = `tickwright_${request.socket.localPort ?? 0}`;
    return this.#isSecure(request) ? `__Host-${name}` : name;
  }

  #isSecure(request: FastifyRequest): boolean {
    return this.#options.isBehindProxy && !LOOPBACK_NAMES.includes(askedName(request));
  }

  #refusalOf(request: FastifyRequest): GuardRefusal | null {
    const { config } = request.routeOptions;
    if (!this.#hosts.has(askedName(request)))
      return { code: 403, reason: 'host', message: wrongName([...this.#hosts]) };
    const site = request.headers['sec-fetch-site'];
    const isFollowed = config.isStart === true && request.headers['sec-fetch-dest'] === 'document';
    const isTyped = site === 'none' && config.isPage === true;
    if (site !== undefined && site !== 'same-origin' && !isTyped && !isFollowed)
      return { code: 403, reason: 'site', message: 'another page asked: open the cockpit itself' };
    const { origin } = request.headers;
    const isChange = request.method !== 'GET';
    const own = this.#originOf(request);
    if ((isChange || origin !== undefined) && origin !== own)
      return { code: 403, reason: 'origin', message: `expected the header Origin: ${own}` };
    const wrong = this.#queryProblem(request);
    if (wrong !== null) return wrong;
    if (config.isOpen === true || this.sessionOf(request) !== undefined) return null;
    return {
      code: 401,
      reason: 'session',
      message: 'no session, or it is over: get a new link with tickwright open',
    };
  }

  #originOf(request: FastifyRequest): string {
    return `${this.#isSecure(request) ? 'https' : 'http'}://${String(request.headers.host).toLowerCase()}`;
  }

  /** History and logs keep the text after a `?`: a link that was put there is void. */
  #queryProblem(request: FastifyRequest): GuardRefusal | null {
    const at = request.url.indexOf('?');
    if (at === -1) return null;
    const known = request.routeOptions.config.query ?? [];
    let problem: GuardRefusal | null = null;
    for (const [name, value] of new URLSearchParams(request.url.slice(at + 1))) {
      const isLink = this.#options.access.voidLink(value);
      if (isLink || (!known.includes(name) && SECRET_NAME.test(name)))
        return { code: 400, reason: 'query_secret', message: isLink ? LINK_VOID : SECRET_IN_QUERY };
      const message = `nothing here is asked by "${name.slice(0, 40)}"`;
      if (!known.includes(name)) problem = { code: 400, reason: 'malformed', message };
    }
    return problem;
  }
}

const SECRET_NAME = /key|secret|token|session|otp|pass|auth/i;
const SECRET_IN_QUERY = 'no secret belongs behind the ? of an address, where logs keep it: send it as JSON';
const LINK_VOID =
  'the secret belongs behind the #, where no log keeps it; that link is void now: get a new one with tickwright open';

const REFUSAL_WORDS = {
  host: 'asked by a foreign name, as a page does whose name was made to point here',
  origin: 'sent by another page',
  site: 'sent by another page',
  query_secret: 'a secret in the address, where logs keep it',
  guess: 'a wrong secret',
  locked: 'asked during a lock after wrong secrets',
  session: 'without a session that lasts',
  role: 'a command of a session that may only look',
  confirm: 'a command without the code that its page shows',
  malformed: 'not a request of a browser',
  slow: 'too slow, or read too slowly',
  streams: 'more open pages than allowed',
  connections: 'more connections than allowed',
} as const;

export type CockpitRefusal = keyof typeof REFUSAL_WORDS;

/** An owner's own page causes these: a session that is over, a second look, a phone out of reach. */
const HARMLESS: ReadonlySet<CockpitRefusal> = new Set(['session', 'role', 'confirm', 'slow', 'streams']);
/** More of them are no accident. */
const ORDINARY_MAX = 100;
const LOG_EVERY = minutes(10);

interface RefusalsOptions {
  readonly clock: Clock;
  readonly count: (reason: CockpitRefusal) => void;
  readonly alert: (text: string) => void;
}

/** Counts requests that the cockpit refuses, and logs those that look like an attack, once in a while. */
class Refusals {
  readonly #options: RefusalsOptions;
  readonly #since = new Map<CockpitRefusal, number>();
  #source = '';
  #loggedUs: TsUs | null = null;

  constructor(options: RefusalsOptions) {
    this.#options = options;
  }

  note(reason: CockpitRefusal, source: string): void {
    this.#options.count(reason);
    const times = (this.#since.get(reason) ?? 0) + 1;
    this.#since.set(reason, times);
    if (source !== '') this.#source = source;
    if (HARMLESS.has(reason) && times < ORDINARY_MAX) return;
    const now = this.#options.clock.nowUs();
    if (this.#loggedUs !== null && now - this.#loggedUs < LOG_EVERY) return;
    this.#loggedUs = now;
    this.#options.alert(this.#text());
    this.#since.clear();
  }

  #text(): string {
    const parts = [...this.#since].map(
      ([reason, times]) => `${formatCount(times, 'request')} ${REFUSAL_WORDS[reason]}`,
    );
    const from = this.#source === '' ? '' : `, the last from ${this.#source}`;
    return `the cockpit refused ${parts.join('; ')}${from}; trading goes on; if this was not you, find the program that asks`;
  }
}
