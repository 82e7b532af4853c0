/** A cockpit over a daemon that is a few variables, and a browser that is a few headers. */
import { type Agent, request } from 'node:http';
import { tsUs, type TsUs } from '../../../src/domain/units.ts';
import type { CockpitEntry, ContractPrices } from '../../../src/operator/cockpit/cockpit-model.ts';
import {
  type Cockpit,
  type CockpitHandlers,
  type CockpitOptions,
  startCockpit,
} from '../../../src/operator/cockpit/cockpit-server.ts';
import type { CockpitFacts } from '../../../src/operator/cockpit/event-streams.ts';
import type { CommandBody } from '../../../src/operator/control-command.ts';
import type { CommandResult } from '../../../src/operator/control-server.ts';
import { Secrets } from '../../../src/operator/redact.ts';

export const DAY = '2026-03-04';
export const SECRET_OF_DAEMON = 'plain-key-77';

const FACTS: CockpitFacts = {
  mode: 'paper',
  version: '0.1.0',
  account: '***001',
  session: { day: DAY, phase: 'continuous', endsMs: null, next: null, utcOffsetMinutes: 420, speed: 1 },
  halted: null,
  sweep: { status: 'idle', text: '' },
  problems: [],
  engine: { state: 'running' },
  feed: { state: 'live', isStale: false, isBehind: false, connections: 1 },
  token: { untilRealMs: null, isOtpAwaited: false, exchangesUsed: 0, exchangesAllowed: 5 },
  jobs: 'next none; last none yet',
  money: { dayPnl: 0, fee: 0, tax: 0, lossToAccept: 0 },
  strategies: [],
  limits: [],
  orders: [],
  books: {
    unproven: null,
    positions: [],
    money: 'agreed',
    figures: [],
    positionsMs: null,
    moneyMs: null,
    lastFillMs: null,
  },
  contracts: [],
  plots: [],
  procedure: '',
  alerts: { unseen: 0 },
};

export const entryAt = (seq: number, text = `row ${seq}`): CockpitEntry => ({
  id: `${DAY}-${seq}`,
  day: DAY,
  seq,
  atMs: seq,
  kind: 'strategy_note',
  cause: seq,
  order: null,
  strategy: 'alpha',
  contract: null,
  word: 'note',
  tone: 'dim',
  text,
});

export class FakeDaemon {
  facts: CockpitFacts = FACTS;
  rows: CockpitEntry[] = [];
  prices: { version: number; prices: ContractPrices[] } = { version: 0, prices: [] };
  nowUs: TsUs = tsUs(Date.now() * 1_000);
  readonly commands: [name: string, body: CommandBody, by: string][] = [];
  answer: () => CommandResult | Promise<CommandResult> = () => ({ ok: true, message: 'done' });
  readonly refused: string[] = [];
  readonly alerts: string[] = [];

  handlers: CockpitHandlers = {
    facts: () => this.facts,
    marketMs: () => 0,
    prices: {
      since: (version) => ({
        version: this.prices.version,
        prices: version === this.prices.version ? [] : this.prices.prices,
      }),
    },
    entries: {
      after: (seq, max) => this.rows.filter((row) => row.seq > seq).slice(0, max),
      recent: (rows) => Math.max(0, this.rows.length - rows),
      dayOf: (seq) => this.rows.find((row) => row.seq === seq)?.day,
    },
    onFailure: (error) => {
      throw error;
    },
    command: (name, body, by) => {
      this.commands.push([name, body, by]);
      return this.answer();
    },
    faults: null,
    reads: {
      journal: ({ search }) =>
        Promise.resolve({ entries: this.rows.filter(({ text }) => text.includes(search)), before: null }),
      days: () => Promise.resolve([{ day: DAY, isArchived: false }]),
      story: (id) => Promise.resolve(id === 'known' ? { id, summary: 'an order', steps: [] } : null),
      results: (day) => Promise.resolve({ day: day ?? DAY, days: [], curve: [], trades: [] }),
      bars: (contract) =>
        Promise.resolve(contract === 'X' ? { contract, bars: [], fills: [], lines: [] } : null),
    },
    refused: (reason) => this.refused.push(reason),
    alert: (text) => this.alerts.push(text),
  };
}

export const startFake = (daemon: FakeDaemon, options: Partial<CockpitOptions> = {}): Promise<Cockpit> =>
  startCockpit({
    address: '127.0.0.1',
    port: 0,
    hosts: [],
    isBehindProxy: false,
    pageDir: '/nowhere',
    clock: { nowUs: () => daemon.nowUs },
    secrets: new Secrets([SECRET_OF_DAEMON]),
    handlers: daemon.handlers,
    ...options,
  });

export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends headers as they are given: `fetch` adds some of its own. */
export function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
    agent = false,
  }: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
    readonly agent?: Agent | false;
  } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ code: answer.statusCode ?? 0, text, headers: answer.headers }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** As a browser asks from the page itself. */
export class Browser {
  readonly url: string;
  cookie = '';

  constructor(url: string) {
    this.url = url;
  }

  static async at(cockpit: Cockpit, role: 'steer' | 'look' = 'steer'): Promise<Browser> {
    const browser = new Browser(cockpit.url);
    const answer = await browser.open(cockpit.link(role));
    if (answer.code !== 200) throw new Error(answer.text);
    return browser;
  }

  async open(link: string): Promise<Answer> {
    const answer = await this.post('/session', { secret: link.split('#key=')[1] });
    const cookie = answer.headers['set-cookie']?.[0];
    if (cookie !== undefined) this.cookie = cookie.split(';')[0] ?? '';
    return answer;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return send(this.url + path, { headers: { ...this.#own(), ...headers } });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const own = { ...this.#own(), origin: this.url, 'content-type': 'application/json' };
    return send(this.url + path, {
      method: 'POST',
      headers: { ...own, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async confirm(): Promise<string> {
    const { confirm } = JSON.parse((await this.get('/state')).text) as { confirm: string };
    return confirm;
  }

  #own(): Record<string, string> {
    const site = { 'sec-fetch-site': 'same-origin' };
    return this.cookie === '' ? site : { ...site, cookie: this.cookie };
  }
}

export interface SseEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** Reads a stream until `enough`, then leaves. */
export function stream(
  browser: Browser,
  enough: (events: readonly SseEvent[]) => boolean,
  lastId = '',
): Promise<readonly SseEvent[]> {
  return new Promise((resolve, reject) => {
    const headers = {
      cookie: browser.cookie,
      'sec-fetch-site': 'same-origin',
      ...(lastId === '' ? {} : { 'last-event-id': lastId }),
    };
    const events: SseEvent[] = [];
    let rest = '';
    const sent = request(`${browser.url}/events`, { headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`code ${answer.statusCode}`));
      answer.setEncoding('utf8').on('data', (part: string) => {
        const frames = (rest + part).split('\n\n');
        rest = frames.pop() ?? '';
        for (const text of frames) events.push(parsed(text));
        if (!enough(events)) return;
        sent.destroy();
        resolve(events);
      });
      answer.on('error', () => undefined);
      answer.on('close', () => resolve(events));
      return undefined;
    });
    sent.on('error', reject);
    sent.end();
  });
}

function parsed(text: string): SseEvent {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    id: fields.get('id') ?? '',
    event: fields.get('event') ?? '',
    data: JSON.parse(fields.get('data') ?? 'null'),
  };
}
