/** The cockpit: one page of the daemon in the operator's browser, with its data downwards and commands upwards. */
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Clock } from '../../domain/clock.ts';
import { US_PER_MS } from '../../domain/units.ts';
import { isRecord, issuesText, type JsonRecord, parseJson } from '../../domain/parsed.ts';
import { undefinedIfMissing } from '../../domain/failure.ts';
import { type CommandBody, type CommandName, commandNamed, readCommandBody } from '../control-command.ts';
import { type CommandAnswer, type CommandResult, createServer, REQUEST_MS_MAX } from '../control-server.ts';
import { failure, httpFailureText, hostOf, isLoopback, keepBodies, listen } from '../http-guards.ts';
import { redactValue, type Secrets } from '../redact.ts';
import { CockpitAccess } from './cockpit-access.ts';
import { CockpitGuards, SECURITY_HEADERS, type CockpitRefusal } from './cockpit-guards.ts';
import {
  AT_ONCE,
  type CockpitAnswer,
  type CockpitBars,
  type CockpitResults,
  type CockpitRole,
  type JournalDays,
  type JournalPage,
  type KnownFaults,
  type OrderStory,
} from './cockpit-model.ts';
import { EventStreams, type StreamsOptions } from './event-streams.ts';

/** Reads of files, off the thread that trades. Null where there is no such thing. */
export interface CockpitReads {
  journal(query: JournalQuery): Promise<JournalPage>;
  days(): Promise<JournalDays>;
  story(order: string, day: string | null): Promise<OrderStory | null>;
  bars(contract: string): Promise<CockpitBars | null>;
  results(day: string | null): Promise<CockpitResults>;
}

export interface CockpitFaults {
  readonly known: KnownFaults;
  /** `fields`: `name`, `isOn`, and the parameters as texts. */
  change(fields: JsonRecord, by: string): Promise<CommandResult>;
}

export interface CockpitHandlers extends Pick<
  StreamsOptions,
  'facts' | 'marketMs' | 'prices' | 'entries' | 'onFailure'
> {
  /** `by`: role and source, for the journal. */
  readonly command: (name: CommandName, body: CommandBody, by: string) => CommandAnswer;
  readonly faults: CockpitFaults | null;
  readonly reads: CockpitReads;
  readonly refused: (reason: CockpitRefusal) => void;
  readonly alert: (text: string) => void;
}

export interface CockpitOptions {
  readonly address: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Further names by which it may be asked. */
  readonly hosts: readonly string[];
  readonly isBehindProxy: boolean;
  readonly pageDir: string;
  readonly clock: Clock;
  /** Hidden in every answer. */
  readonly secrets: Secrets;
  readonly handlers: CockpitHandlers;
}

/** For a socket without traffic; a page gets a beat every second. */
const IDLE_MS_MAX = 20_000;
const CONNECTIONS_MAX = 128;
const BODY_BYTES_MAX = 4_096;
const SECRET_CHARACTERS_MAX = 200;

export type Cockpit = Awaited<ReturnType<typeof startCockpit>>;

/** Throws when the address is taken, and where others than this machine could listen in. */
export async function startCockpit(options: CockpitOptions) {
  const { address, port, hosts, isBehindProxy } = options;
  if (!isLoopback(address) && !isBehindProxy)
    throw new Error(`the cockpit on ${address} needs a proxy of your own in front, and behindProxy: true`);
  const server = new CockpitServer(options);
  const bound = await listen(server.app, address, port);
  const name = hosts[0];
  const local = `http://${hostOf(address)}:${bound}`;
  const base = isBehindProxy && name !== undefined ? `https://${name}` : local;
  return {
    url: local,
    /** By the name that browsers ask the proxy by, where there is one. Opens once, within ten minutes. */
    link: (role: CockpitRole) => `${base}/#key=${server.access.createLink(role)}`,
    get pages(): number {
      return server.streams.count;
    },
    close: (): Promise<void> => server.close(),
  };
}

class CockpitServer {
  readonly access: CockpitAccess;
  readonly streams: EventStreams;
  readonly #options: CockpitOptions;
  readonly app: FastifyInstance;
  readonly #guards: CockpitGuards;

  constructor(options: CockpitOptions) {
    this.#options = options;
    const { clock, handlers, address, hosts, isBehindProxy } = options;
    this.access = new CockpitAccess(clock);
    this.streams = new EventStreams({
      ...handlers,
      clock,
      hide: this.#hide,
      onSlow: (source) => this.#guards.refusals.note('slow', source),
    });
    this.#guards = new CockpitGuards({
      access: this.access,
      clock,
      count: handlers.refused,
      alert: handlers.alert,
      hosts: [hostOf(address), ...hosts],
      isBehindProxy,
    });
    this.app = createApp((reason, source) => this.#guards.refusals.note(reason, source));
    this.#guards.guard(this.app);
    this.app.addHook('preSerialization', async (_request, _reply, payload: object) => this.#hide(payload));
    this.#addPage();
    this.#addSession();
    this.#addStream();
    this.#addReads();
    this.#addCommands();
  }

  readonly #hide = (value: object): object => {
    const hidden = redactValue(value, this.#options.secrets.values);
    return typeof hidden === 'object' && hidden !== null ? hidden : {};
  };

  async close(): Promise<void> {
    this.streams.close();
    await this.app.close();
  }

  #addPage(): void {
    const files = readPageFiles(this.#options.pageDir);
    this.app.get('/', { config: { isOpen: true, isPage: true, isStart: true } }, (_request, reply) =>
      reply.type('text/html; charset=utf-8').send(PAGE_HTML),
    );
    this.app.get<{ Params: { name: string } }>(
      '/page/:name',
      { config: { isOpen: true } },
      (request, reply) => {
        const file = files.get(request.params.name);
        if (file === undefined)
          return reply.code(404).send(failure('no such file of the page; was it built?'));
        return reply.header('cache-control', 'no-cache').type(file.type).send(file.text);
      },
    );
  }

  #addSession(): void {
    this.app.get('/session', (request) => this.#guards.sessionOf(request));
    this.app.post<{ Body: unknown }>('/session', { config: { isOpen: true } }, (request, reply) =>
      this.#exchange(request, reply),
    );
    this.app.delete('/session', (request, reply) => {
      const key = this.#guards.keyOf(request);
      if (key !== undefined) this.access.end(key);
      const answer: CockpitAnswer = { ok: true, message: 'the session is over' };
      return reply.header('set-cookie', this.#guards.cookie(request, '', 0)).send(answer);
    });
  }

  async #exchange(request: FastifyRequest<{ Body: unknown }>, reply: FastifyReply): Promise<FastifyReply> {
    const { secret } = fieldsOf(request.body);
    if (typeof secret !== 'string' || secret.length > SECRET_CHARACTERS_MAX)
      return this.#guards.refuse(request, reply, 400, 'malformed', 'expected {"secret": text}');
    const result = this.access.exchange(secret, this.#guards.sourceOf(request));
    if (result.ok) {
      const seconds = Math.floor(
        (result.session.untilRealMs - this.#options.clock.nowUs() / US_PER_MS) / 1_000,
      );
      return reply
        .header('set-cookie', this.#guards.cookie(request, result.key, seconds))
        .send(result.session);
    }
    const { lockedSeconds, isNew } = result;
    if (lockedSeconds === 0)
      return this.#guards.refuse(
        request,
        reply,
        401,
        'guess',
        'this link is used, over or wrong: get a new one with tickwright open, or /open by phone',
      );
    const wait = `too many wrong tries: wait ${lockedSeconds} s, or get a new link with tickwright open`;
    reply.header('retry-after', lockedSeconds);
    return this.#guards.refuse(request, reply, 429, isNew ? 'guess' : 'locked', wait);
  }

  #addStream(): void {
    this.app.get('/state', (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(this.streams.state()),
    );
    this.app.get('/events', async (request, reply) => {
      const session = this.#guards.sessionOf(request);
      if (session === undefined) return reply.code(401).send(failure('the session is over'));
      if (!this.streams.canOpen(session.role)) {
        const text = 'as many pages are open as there may be: close one of them';
        return this.#guards.refuse(request, reply, 503, 'streams', text);
      }
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, {
        ...SECURITY_HEADERS,
        'content-type': 'text/event-stream; charset=utf-8',
        // A proxy that collects answers would hold them back.
        'x-accel-buffering': 'no',
      });
      raw.socket?.setNoDelay(true);
      const key = this.#guards.keyOf(request);
      const isAllowed = (): boolean => this.access.sessionOf(key) !== undefined;
      const who = { source: this.#guards.sourceOf(request), role: session.role, isAllowed };
      this.streams.open(raw, who, String(request.headers['last-event-id'] ?? ''));
      return reply;
    });
  }

  #addReads(): void {
    const { reads } = this.#options.handlers;
    const search = ['day', 'search', 'kind', 'order', 'before'];
    const form = 'day=2026-03-04, before=number, short texts';
    this.#addRead('/journal', search, form, (query) => reads.journal(query));
    this.#addRead('/journal/days', [], '', () => reads.days());
    const ofDay = [['day'], 'day=2026-03-04'] as const;
    this.#addRead('/orders/:id/story', ...ofDay, ({ day }, { id }) => reads.story(String(id), day));
    this.#addRead('/results', ...ofDay, ({ day }) => reads.results(day));
    this.#addRead('/bars', ['contract'], 'contract=code', (_, { contract }) => reads.bars(String(contract)));
  }

  /** `expected`: the form of its query. */
  #addRead(
    path: string,
    query: readonly string[],
    expected: string,
    read: (query: JournalQuery, fields: JsonRecord) => Promise<object | null>,
  ): void {
    this.app.get<{ Params: JsonRecord }>(path, { config: { query } }, async (request, reply) => {
      const fields = fieldsOf(request.query);
      const query = journalQuery(fields);
      if (query === null) return reply.code(400).send(failure(`expected ${expected}`));
      const answer = await read(query, { ...fields, ...request.params });
      return answer === null ? reply.code(404).send(failure('there is no such thing')) : reply.send(answer);
    });
  }

  #addCommands(): void {
    const { faults, command } = this.#options.handlers;
    this.app.post<{ Params: { name: string }; Body: unknown }>('/commands/:name', async (request, reply) => {
      const name = commandNamed(request.params.name);
      if (name === undefined) return reply.code(404).send(failure('there is no such command'));
      const fields = await this.#fieldsToAct(request, reply, name);
      if (fields === null) return reply;
      const body = readCommandBody(name, JSON.stringify(fields));
      if (!body.ok) return reply.code(400).send(failure(issuesText(body.issues)));
      return sendResult(reply, await command(name, body.value, this.#actorOf(request)));
    });
    if (faults === null) return;
    this.app.get('/faults', (_request, reply) => reply.send(faults.known));
    this.app.post<{ Body: unknown }>('/commands/fault', async (request, reply) => {
      const fields = await this.#fieldsToAct(request, reply, 'fault');
      if (fields === null) return reply;
      return sendResult(reply, await faults.change(fields, this.#actorOf(request)));
    });
  }

  readonly #actorOf = (request: FastifyRequest): string => `the cockpit at ${this.#guards.sourceOf(request)}`;

  /** The fields other than the confirmation; null where the session may not act, which is answered. */
  async #fieldsToAct(
    request: FastifyRequest,
    reply: FastifyReply,
    name: CommandName | 'fault',
  ): Promise<JsonRecord | null> {
    const { confirm, ...fields } = fieldsOf(request.body);
    if (this.#guards.sessionOf(request)?.role !== 'steer') {
      await this.#guards.refuse(request, reply, 403, 'role', 'this session may look, not command');
      return null;
    }
    if (AT_ONCE.has(name) || this.streams.isConfirmed(confirm)) return fields;
    const text = `nothing was done: ${name} must repeat the field confirm of the present state; load the page again`;
    await this.#guards.refuse(request, reply, 409, 'confirm', text);
    return null;
  }
}

/** The body is parsed by ourselves: others than JSON objects are refused in words. */
function createApp(note: (reason: CockpitRefusal, source: string) => void): FastifyInstance {
  const app = createServer(BODY_BYTES_MAX, {
    connectionTimeout: IDLE_MS_MAX,
    keepAliveTimeout: REQUEST_MS_MAX,
    exposeHeadRoutes: false,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => {
      const from = socket.remoteAddress ?? '';
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') note('slow', from);
      // A connection that failed or ended has asked for nothing: a machine that slept leaves many.
      else if (isUnreadable(error)) note('malformed', from);
      socket.destroy();
    },
    // The router refuses these before any guard runs.
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      note('malformed', request.socket.remoteAddress ?? '');
      void reply
        .code(400)
        .headers({ ...SECURITY_HEADERS, connection: 'close' })
        .send(failure('this address cannot be read'));
    },
  });
  app.server.maxConnections = CONNECTIONS_MAX;
  app.server.on('drop', (dropped) => note('connections', dropped?.remoteAddress ?? ''));
  keepBodies(app);
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(failure('there is nothing here')));
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const code = error.statusCode ?? 500;
    return reply.code(code).send(failure(httpFailureText(error, code)));
  });
  return app;
}

/** The parser refused bytes that came. */
const isUnreadable = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE';

function sendResult(reply: FastifyReply, { ok, message }: CommandResult): FastifyReply {
  const answer: CockpitAnswer = { ok, message };
  return reply.code(ok ? 200 : 409).send(answer);
}

/** Fields of a JSON object, or of a query; none of anything else. */
function fieldsOf(body: unknown): JsonRecord {
  const json = typeof body === 'string' ? parseJson(body, 'body') : { ok: true, value: body };
  return json.ok && isRecord(json.value) ? json.value : {};
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const NUMBER = /^\d{1,15}$/;
const TEXT_MAX = 100;

export type JournalQuery = NonNullable<ReturnType<typeof journalQuery>>;

function journalQuery(fields: JsonRecord) {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string' || value.length > TEXT_MAX) return null;
    if (value !== '') texts.set(name, value);
  }
  const day = texts.get('day') ?? null;
  const before = texts.get('before') ?? null;
  if ((day !== null && !DAY.test(day)) || (before !== null && !NUMBER.test(before))) return null;
  return {
    day,
    search: texts.get('search') ?? '',
    kind: texts.get('kind') ?? null,
    order: texts.get('order') ?? null,
    before: before === null ? null : Number(before),
  };
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
]);

/** Where the build leaves the page. */
export const PAGE_DIR = join(import.meta.dirname, '..', '..', 'page');

const PAGE_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Tickwright</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page/cockpit.css">
</head>
<body>
<div id="page"><noscript>This page needs JavaScript; tickwright status and tickwright halt do without.</noscript></div>
<script type="module" src="/page/cockpit.js"></script>
</body>
</html>
`;

interface PageFile {
  readonly type: string;
  readonly text: Buffer;
}

/** The static files of the page hold no data, and come from memory. By name; empty where nothing was built. */
function readPageFiles(dir: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of undefinedIfMissing(() => readdirSync(dir)) ?? []) {
    const type = TYPES.get(extname(name));
    if (type !== undefined && name.startsWith('cockpit.'))
      files.set(name, { type, text: readFileSync(join(dir, name)) });
  }
  return files;
}
