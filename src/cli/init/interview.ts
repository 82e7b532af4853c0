/** The questions of `tickwright init`: each answer comes from an option, from the dialog, or from its default. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { CATALOG } from '../../app/host/catalog.ts';
import { packageRoot } from '../../app/host/package-version.ts';
import { isExposed } from '../../config/config-rules.ts';
import type { SecretPlace } from '../../config/config.ts';
import type { InitAnswers, InitChannel, InitStrategy } from '../../config/init-text.ts';
import { address, pathText } from '../../config/values.ts';
import { formatNumber } from '../../text/numbers.ts';
import { wrapText } from '../../text/table.ts';
import { quantity, refuse, wholeNumber } from '../argument-values.ts';
import { CliFailure, type CliIo, EXIT } from '../cli-io.ts';
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** Options by their long names; `yes` and `force` apart. */
export type InitFlags = Readonly<Record<string, string | undefined>>;

interface Question<T> {
  /** Of its option. */
  readonly name: string;
  readonly text: string;
  /** Null: there is no sensible one. */
  readonly fallback: string | null;
  readonly parse: (text: string) => T;
}

/** Secrets that were typed in, by the file that will hold them. */
export type NewSecrets = Map<string, string>;

export interface Interviewed {
  readonly answers: InitAnswers;
  readonly newSecrets: NewSecrets;
}

type Offered = (typeof CATALOG)[number];

/** `dialog` is null where nobody may be asked. */
export class Interview {
  readonly #flags: InitFlags;
  readonly #dialog: Dialog | null;
  readonly #newSecrets: NewSecrets = new Map();

  constructor(flags: InitFlags, dialog: Dialog | null) {
    this.#flags = flags;
    this.#dialog = dialog;
  }

  async mode(): Promise<'paper' | 'live'> {
    this.#explain([
      'paper  trades on the simulated broker: no account, no key, no network',
      'live   prepares your account; the file begins as a dry run, which sends no order',
    ]);
    return this.#get({ name: 'mode', text: 'Mode', fallback: 'paper', parse: oneOf(['paper', 'live']) });
  }

  async answers(mode: 'paper' | 'live', file: string): Promise<Interviewed> {
    const broker = mode === 'paper' ? null : await this.#broker();
    const strategies = await this.#strategies();
    const isPaper = broker === null;
    const limit = (name: string, text: string, paper: string, live: string): Promise<number> =>
      this.#get({ name, text, fallback: isPaper ? paper : live, parse: quantity });
    const orderQtyMax = await this.#get({
      name: 'order-max',
      text: 'Largest order, in contracts',
      fallback: isPaper ? '5' : '1',
      parse: (text) => (quantity(text) <= ORDER_MAX ? quantity(text) : refuse(`at most ${ORDER_MAX}`, text)),
    });
    const positionMax = await limit('position-max', 'Largest position, in contracts', '10', '1');
    const dailyLossMax = await this.#get({
      name: 'daily-loss',
      text: 'Loss of a day at which entries stop, in VND',
      fallback: formatNumber(isPaper ? 50_000_000 : 5_000_000),
      parse: amount,
    });
    const stopTicks = await this.#get({
      name: 'stop-ticks',
      text: 'Stop at the broker for each position, in ticks from its entry (0: none)',
      fallback: isPaper ? '0' : '100',
      parse: wholeNumber,
    });
    const channels = await this.#channels(mode);
    const market = relative(dirname(resolve(file)), join(packageRoot(), 'config', 'vn30f.yaml'));
    const limits = { orderQtyMax, positionMax, dailyLossMax, stopTicks };
    return {
      answers: { file, state: stateFor(file), market, broker, strategies, ...limits, channels },
      newSecrets: this.#newSecrets,
    };
  }

  async isConfirmed(question: string): Promise<boolean> {
    const answer = await this.#dialog?.ask(question, 'yes', oneOf(['yes', 'no', 'y', 'n']));
    return answer === undefined || answer.startsWith('y');
  }

  async #broker(): Promise<NonNullable<InitAnswers['broker']>> {
    const custodyCode = await this.#get(required('account', 'Custody account, like 105C123456', plainText));
    const subAccountId = await this.#get({
      name: 'sub-account',
      text: 'Sub-account for derivatives',
      fallback: `${custodyCode}A`,
      parse: plainText,
    });
    this.#explain(['The two addresses stand in the broker’s documents of its API.']);
    const restUrl = await this.#get(required('rest-url', 'Address of its REST API', urlOf('https')));
    const streamUrl = await this.#get(required('stream-url', 'Address of its price stream', urlOf('wss')));
    const apiKey = await this.#secret('api-key', 'API key', 'TICKWRIGHT_API_KEY');
    return { custodyCode, subAccountId, restUrl, streamUrl, apiKey };
  }

  async #strategies(): Promise<readonly InitStrategy[]> {
    const contract = await this.#get({
      name: 'contract',
      text: 'Contract (F1M is the front month, F2M the next)',
      fallback: 'VN30F1M',
      parse: contractAlias,
    });
    // One with a parameter of its own to give is written by hand.
    const offered = CATALOG.filter(({ params }) => params.safeParse({}).success);
    this.#explain(offered.map(({ name, summary }) => `${name}: ${summary}`));
    const names = await this.#get({
      name: 'strategies',
      text: 'Strategies, with commas between them',
      fallback: offered[0]?.name ?? null,
      parse: listOf(offered.map(({ name }) => name)),
    });
    const strategies: InitStrategy[] = [];
    for (const definition of offered.filter(({ name }) => names.includes(name))) {
      const { name, summary, legs } = definition;
      const symbols = legsFrom(contract, legs.length);
      // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other
      const params = await this.#params(definition);
      strategies.push({ id: name, strategy: name, summary, symbols, params });
    }
    return strategies;
  }

  /** All in one answer: rules between parameters are checked as well. */
  async #params(definition: Offered): Promise<InitStrategy['params']> {
    const { name, paramRows } = definition;
    const [first] = paramRows;
    if (first === undefined) return [];
    this.#explain(paramRows.map((row) => `${row.name}=${row.default ?? ''}  ${row.type}: ${row.meaning}`));
    const question = `Parameters of ${name} to change, like ${first.name}=${first.default ?? ''}`;
    const changed = await this.#dialog?.ask(question, 'none', paramsOf(definition));
    return paramRows.map(({ name: param, type, meaning, default: fallback }) => {
      const given = changed?.get(param);
      return { name: param, type, meaning, value: given === undefined ? fallback : JSON.stringify(given) };
    });
  }

  async #channels(mode: 'paper' | 'live'): Promise<readonly InitChannel[]> {
    if (mode === 'live')
      this.#explain(['Trouble is told, and a halt taken, where you are: telegram does both.']);
    const kinds = await this.#get({
      name: 'channels',
      text: 'Channels for alerts (telegram, email, webhook), with commas, or none',
      fallback: 'none',
      parse: (text) => (text === 'none' ? [] : listOf(['telegram', 'email', 'webhook'])(text)),
    });
    const channels: InitChannel[] = [];
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other
    for (const kind of kinds) channels.push(await this.#channel(kind));
    return channels;
  }

  async #channel(kind: InitChannel['kind']): Promise<InitChannel> {
    switch (kind) {
      case 'telegram': {
        this.#explain(['@BotFather makes a bot; @userinfobot tells your user id.']);
        const user = await this.#get(required('telegram-user', 'Your Telegram user id', quantity));
        const token = await this.#secret('telegram-token', 'Token of the bot', 'TICKWRIGHT_TELEGRAM_TOKEN');
        return { kind, user, token };
      }
      case 'email': {
        const host = await this.#get(required('mail-host', 'Mail server, like smtp.example.com', plainText));
        const from = await this.#get(required('mail-from', 'Sender', mailAddress));
        const to = await this.#get({ name: 'mail-to', text: 'Receiver', fallback: from, parse: mailAddress });
        const user = await this.#get({
          name: 'mail-user',
          text: 'User of the mail server, or none',
          fallback: from,
          parse: plainText,
        });
        if (user === 'none') return { kind, host, from, to, login: null };
        const password = await this.#secret('mail-password', 'Its password', 'TICKWRIGHT_SMTP_PASSWORD');
        return { kind, host, from, to, login: { user, password } };
      }
      case 'webhook': {
        const preset = await this.#get({
          name: 'webhook-preset',
          text: 'Service of the webhook: slack, discord, ntfy or gotify',
          fallback: 'slack',
          parse: oneOf(['slack', 'discord', 'ntfy', 'gotify']),
        });
        const url = await this.#secret('webhook-url', 'Its address, a secret', 'TICKWRIGHT_WEBHOOK_URL');
        return { kind, preset, url };
      }
    }
  }

  /** Only the place of a secret goes into the file. One that is typed in goes into a file of its own. */
  async #secret(name: string, what: string, environment: string): Promise<SecretPlace> {
    const given = this.#flags[`${name}-file`];
    if (given !== undefined) return { environment, file: parsedFlag(`${name}-file`, given, secretFile) };
    if (this.#dialog === null) return { environment };
    const file = await this.#dialog.ask(`${what}: "env" (${environment}), or a file`, 'env', (text) => {
      if (text === 'env') return undefined;
      if (this.#newSecrets.has(text)) return refuse('another file for each secret', text);
      return existsSync(text) ? secretFile(text) : plainPath(text);
    });
    if (file === undefined || existsSync(file)) return { environment, file };
    const secret = await this.#dialog.secret(`${file} is not there; paste the secret to make it`);
    if (secret === '') {
      this.#dialog.tell(`  nothing was pasted: it is expected in the environment variable ${environment}`);
      return { environment };
    }
    this.#newSecrets.set(file, secret);
    return { environment, file };
  }

  async #get<T>({ name, text, fallback, parse }: Question<T>): Promise<T> {
    const given = this.#flags[name];
    if (given !== undefined) return parsedFlag(name, given, parse);
    if (this.#dialog !== null) return this.#dialog.ask(text, fallback, parse);
    if (fallback !== null) return parse(fallback);
    throw new CliFailure(EXIT.usage, `--${name} is needed with --yes (${text}); nothing was written`);
  }

  #explain(lines: readonly string[]): void {
    if (this.#dialog === null) return;
    for (const line of lines) this.#dialog.tell(`  ${wrapText(line, 76).join('\n    ')}`);
  }
}

/** The exchange takes no larger one. */
const ORDER_MAX = 500;

/** A directory of its own: journals of two configurations do not mix. */
const stateFor = (file: string): string =>
  `var/${basename(file, extname(file)).replaceAll(/[^\w-]/g, '-') || 'tickwright'}`;

const required = <T>(name: string, text: string, parse: (text: string) => T): Question<T> => ({
  name,
  text,
  fallback: null,
  parse,
});

function parsedFlag<T>(name: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text.trim());
  } catch (error) {
    throw new CliFailure(
      EXIT.usage,
      `--${name}: ${error instanceof Error ? error.message : String(error)}; nothing was written`,
    );
  }
}

const oneOf =
  <T extends string>(known: readonly T[]) =>
  (text: string): T =>
    known.find((each) => each === text.toLowerCase()) ?? refuse(`one of ${known.join(', ')}`, text);

const listOf =
  <T extends string>(known: readonly T[]) =>
  (text: string): readonly T[] => {
    const named = text.split(',').map((each) => oneOf(known)(each.trim()));
    return known.filter((each) => named.includes(each));
  };

/** `fast=5, slow=20`, as its strategy takes them. */
const paramsOf =
  (definition: Offered) =>
  (text: string): ReadonlyMap<string, unknown> => {
    const given = new Map<string, unknown>();
    for (const part of text === 'none' ? [] : text.split(/[\s,]+(?=\w+=)/)) {
      const [, name = '', value = ''] = /^(\w+)=(.+)$/.exec(part) ?? refuse('name=value', part);
      if (given.has(name)) refuse(`${name} once`, text);
      given.set(name, scalarOf(value));
    }
    const defaults = definition.paramRows.flatMap((row): [string, unknown][] =>
      row.default === null ? [] : [[row.name, scalarOf(row.default)]],
    );
    const read = definition.parseParams(Object.fromEntries([...defaults, ...given]));
    if (read.ok) return given;
    const wrong = read.issues.map(
      ({ path, expected, received }) => `${path}: expected ${expected}, was ${received}`,
    );
    throw new InvalidArgumentError(wrong.join('; '));
  };

/** A number, true or false, else a text. */
function scalarOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const LEGS = ['F1M', 'F2M', 'F1Q', 'F2Q'];
const UNDERLYINGS = ['VN30', 'VN100'];
const ALIASES = UNDERLYINGS.flatMap((underlying) => LEGS.map((leg) => `${underlying}${leg}`));

const contractAlias = (text: string): string =>
  ALIASES.find((alias) => alias === text.toUpperCase()) ?? refuse(`one of ${ALIASES.join(', ')}`, text);

/** The contract and those after it; the last ones where so many do not follow. */
function legsFrom(contract: string, count: number): readonly string[] {
  const same = ALIASES.filter((alias) => alias.slice(0, -3) === contract.slice(0, -3));
  const first = Math.min(same.indexOf(contract), same.length - count);
  return same.slice(first, first + count);
}

const TEXT_MAX = 200;
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const plainText = (text: string): string =>
  text !== '' && text.length <= TEXT_MAX && !CONTROL.test(text)
    ? text
    : refuse(`a text of 1 to ${TEXT_MAX} characters`, text);

const mailAddress = (text: string): string =>
  /^[^\s@]+@[^\s@]+$/.test(text) ? plainText(text) : refuse('an address like me@example.com', text);

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Plain text to this machine alone. */
const urlOf =
  (scheme: 'https' | 'wss') =>
  (text: string): string => {
    const isRight = address(`${scheme}://host/`).safeParse(text).success;
    const url = isRight ? new URL(text) : undefined;
    const isSafe =
      url?.protocol === `${scheme}:` ||
      (url?.protocol === `${scheme.slice(0, -1)}:` && LOOPBACK.test(url.hostname));
    return isSafe ? text : refuse(`an address like ${scheme}://host/ without user and password`, text);
  };

const AMOUNT = /^[1-9]\d{0,2}(?:[,_]?\d{3})*$|^[1-9]\d*$/;

const amount = (text: string): number => {
  const value = AMOUNT.test(text) ? Number(text.replaceAll(/[,_]/g, '')) : Number.NaN;
  return Number.isSafeInteger(value) ? value : refuse('whole VND above 0, like 5,000,000', text);
};

const plainPath = (text: string): string =>
  pathText.safeParse(text).success ? text : refuse('a path: ~ and variables are not filled in', text);

const secretFile = (text: string): string => {
  const isFile = statSync(plainPath(text), { throwIfNoEntry: false })?.isFile() === true;
  if (!isFile) return refuse('a file that is there', text);
  return isExposed(text) ? refuse(`a file that only its owner may read (chmod 600 ${text})`, text) : text;
};

// Questions to a person at a terminal, or to whatever writes lines.

export class Dialog {
  readonly #io: CliIo;
  readonly #lines: Interface;
  readonly #typed: string[] = [];
  #waiting: ((line: string | null) => void) | null = null;
  #isOver = false;
  #isHidden = false;

  constructor(io: CliIo, input: NodeJS.ReadableStream & { readonly isTTY?: boolean }) {
    this.#io = io;
    const output = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#isHidden) io.err(String(chunk));
        done();
      },
    });
    // No history: the arrow keys must not bring back a secret.
    this.#lines = createInterface({ input, output, terminal: input.isTTY === true, historySize: 0 });
    this.#lines.on('line', (line) => {
      // Several lines may come at once.
      const waiting = this.#waiting;
      this.#waiting = null;
      if (waiting === null) this.#typed.push(line);
      else waiting(line);
    });
    this.#lines.on('SIGINT', () => this.#lines.close());
    this.#lines.on('close', () => {
      this.#isOver = true;
      this.#waiting?.(null);
    });
  }

  /** Asks until the answer can be read; an empty one is `fallback`. */
  async ask<T>(text: string, fallback: string | null, parse: (text: string) => T): Promise<T> {
    for (;;) {
      const shown = fallback === null || fallback === '' ? '' : ` [${fallback}]`;
      // oxlint-disable-next-line eslint/no-await-in-loop -- one answer after the other
      const typed = (await this.#line(`${text}${shown}: `)).trim();
      try {
        return parse(typed === '' && fallback !== null ? fallback : typed);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        this.#io.err(`  ${error.message}\n`);
      }
    }
  }

  /** An answer that the terminal does not show. */
  async secret(text: string): Promise<string> {
    const answer = this.#line(`${text} (not shown): `);
    this.#isHidden = true;
    try {
      return (await answer).trim();
    } finally {
      this.#isHidden = false;
      this.#io.err('\n');
    }
  }

  tell(text: string): void {
    this.#io.err(`${text}\n`);
  }

  close(): void {
    this.#lines.close();
  }

  async #line(prompt: string): Promise<string> {
    this.#lines.setPrompt(prompt);
    if (this.#isOver) this.#io.err(prompt);
    else this.#lines.prompt();
    const early = this.#typed.shift();
    if (early !== undefined) return early;
    const line = this.#isOver
      ? null
      : await new Promise<string | null>((resolve) => {
          this.#waiting = resolve;
        });
    if (line !== null) return line;
    throw new CliFailure(EXIT.failed, '\nthe answers ended early: nothing was written');
  }
}
