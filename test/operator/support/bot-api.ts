/** Stands in for Telegram's bot API on a local port: updates by long poll, messages, and the errors that the real one answers with. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BotMessage {
  readonly chat_id: number;
  readonly text: string;
  readonly reply_markup?: unknown;
}

/** `hang`: never answers. */
export type BotFailure =
  | { readonly status: number; readonly description?: string; readonly retryAfter?: number }
  | 'hang';

interface Update {
  readonly update_id: number;
  readonly message?: unknown;
  readonly callback_query?: unknown;
}

export const BOT_TOKEN = '4711:AAH-secret-of-the-bot';

export class BotApi {
  readonly #server: Server;
  readonly sent: BotMessage[] = [];
  readonly answered: unknown[] = [];
  readonly offsets: (number | undefined)[] = [];
  #updates: Update[] = [];
  #next = 900;
  #poll: ServerResponse | undefined = undefined;
  /** Taken by the next calls of a method, the first one first. */
  readonly failures: Record<string, BotFailure[]> = { getUpdates: [], sendMessage: [] };
  /** Answers each call of these methods. */
  readonly down = new Map<string, BotFailure>();
  /** Updates stay, as after a kill between taking and confirming. */
  keepsUpdates = false;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<BotApi> {
    const api = new BotApi();
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
  }

  /** What somebody writes; `age` in seconds. */
  write(from: number, text: string, { age = 0, chat = from, type = 'private' } = {}): void {
    const date = Math.floor(Date.now() / 1_000) - age;
    this.#add({
      message: { from: { id: from, username: `user${from}` }, chat: { id: chat, type }, date, text },
    });
  }

  /** `age` in seconds: of the message with the button. */
  press(from: number, data: string, { age = 0 } = {}): void {
    const chat = { id: from, type: 'private' };
    const message = { chat, date: Math.floor(Date.now() / 1_000) - age };
    this.#add({
      callback_query: { id: 'press-1', from: { id: from, username: `user${from}` }, data, message },
    });
  }

  /** After a week without an update the service chooses the next number at random. */
  numberFrom(update: number): void {
    this.#next = update - 1;
  }

  /** A poll that is held open ends without an update. */
  endPoll(): void {
    if (this.#poll !== undefined) reply(this.#poll, 200, { ok: true, result: [] });
    this.#poll = undefined;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #add(update: Omit<Update, 'update_id'>): void {
    this.#next += 1;
    this.#updates.push({ update_id: this.#next, ...update });
    const poll = this.#poll;
    this.#poll = undefined;
    if (poll !== undefined) reply(poll, 200, { ok: true, result: this.#updates });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // oxlint-disable-line typescript/no-unsafe-type-assertion -- no encoding is set
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { offset?: number } & BotMessage; // oxlint-disable-line typescript/no-unsafe-type-assertion -- our own client
    const [, token = '', method = ''] = /^\/bot([^/]*)\/(\w+)$/.exec(request.url ?? '') ?? [];
    if (token !== BOT_TOKEN)
      return reply(response, 401, { ok: false, error_code: 401, description: 'Unauthorized' });
    const failure = this.failures[method]?.shift() ?? this.down.get(method);
    if (failure === 'hang') return;
    if (failure !== undefined) return fail(response, failure);
    if (method === 'getUpdates') return this.#updatesFor(body.offset, response);
    if (method === 'sendMessage') this.sent.push(body);
    else this.answered.push(body);
    reply(response, 200, { ok: true, result: {} });
  }

  #updatesFor(offset: number | undefined, response: ServerResponse): void {
    this.offsets.push(offset);
    if (offset !== undefined && !this.keepsUpdates)
      this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset);
    if (this.#updates.length > 0) return reply(response, 200, { ok: true, result: this.#updates });
    // The other poll is ended, as the service does it.
    if (this.#poll !== undefined)
      fail(this.#poll, { status: 409, description: 'Conflict: terminated by other getUpdates request' });
    this.#poll = response;
  }
}

function fail(response: ServerResponse, failure: Exclude<BotFailure, 'hang'>): void {
  const { status, description = 'failed', retryAfter } = failure;
  const parameters = retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } };
  reply(response, status, { ok: false, error_code: status, description, ...parameters });
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
