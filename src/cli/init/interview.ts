/**
 * The questions of `tickwright init`, and the configuration that they make: commented YAML without secrets, and never one that trades
 * real money. Each answer comes from an option, from the dialog, or from its default.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { CATALOG } from '../../host/strategy-files/own-strategies.ts';
import { packageRoot } from '../../host/program-files.ts';
import { isAddress, isExposed, isFile } from '../../config/config-rules.ts';
import type { SecretRef } from '../../config/config.ts';
import { aliasesOf, aliasOf, UNDERLYINGS } from '../../domain/contract-code.ts';
import { address, pathText } from '../../config/values.ts';
import { formatNumber } from '../../text/numbers.ts';
import { wrapText } from '../../text/table.ts';
import { wrongUsage } from '../cli-io.ts';
import { issuesText } from '../../domain/parsed.ts';
import type { AnswerParser, Dialog } from './dialog.ts';
import { commentedLine } from '../../config/config-schema.ts';
import { quantity, refuse, wholeNumber } from '../options.ts';
import { errorText } from '../../domain/failure.ts';

/** What options give, and what the dialog asks for where they do not. */
export const ANSWERS = {
  mode: ['mode', 'paper, or live, which begins as a dry run'],
  account: ['code', 'custody account, like 105C123456'],
  'sub-account': ['id', 'sub-account for derivatives'],
  'rest-url': ['url', 'address of the broker’s REST API'],
  'stream-url': ['url', 'address of its price stream'],
  'api-key-file': ['file', 'file of mode 600 with the API key, not the environment'],
  contract: ['alias', 'contract: VN30F1M is the front month, VN30F2M the next'],
  strategies: ['names', 'strategies, with commas; tickwright strategies lists them'],
  'order-max': ['n', 'largest order, in contracts'],
  'position-max': ['n', 'largest position, in contracts'],
  'daily-loss': ['vnd', 'loss of a day at which entries stop, in VND'],
  'stop-ticks': ['n', 'stop at the broker for each position, in ticks from its entry; 0: none'],
  channels: ['kinds', 'channels for alerts: telegram, email, webhook, with commas, or none'],
  'telegram-user': ['id', 'id of the Telegram user who gets alerts and may send commands'],
  'telegram-token-file': ['file', 'file of mode 600 with the token of the bot'],
  'mail-host': ['host', 'mail server, like smtp.example.com'],
  'mail-from': ['address', 'sender'],
  'mail-to': ['address', 'receiver (the sender)'],
  'mail-user': ['user', 'user of the mail server, or none (the sender)'],
  'mail-password-file': ['file', 'file of mode 600 with its password'],
  'webhook-preset': ['service', 'service of the webhook: slack, discord, ntfy or gotify'],
  'webhook-url-file': ['file', 'file of mode 600 with its address'],
} as const;

type Answer = keyof typeof ANSWERS;

const CHANNELS = ['telegram', 'email', 'webhook'] as const;
const PRESETS = ['slack', 'discord', 'ntfy', 'gotify'] as const;

/** Options by their long names; `yes` and `force` apart. */
export type InitFlags = Readonly<Record<string, string | undefined>>;

/** Secrets that were typed in, by the file that will hold them. */
export type NewSecrets = Map<string, string>;

type Lines = readonly string[];

type StrategyChoice = (typeof CATALOG)[number];

/** `dialog` is null where no person can answer. */
export class Interview {
  readonly #flags: InitFlags;
  readonly #dialog: Dialog | null;
  readonly newSecrets: NewSecrets = new Map();
  /** Variables of the environment that have to hold a secret. */
  readonly variables: string[] = [];
  readonly strategies: string[] = [];
  hasChannels = false;

  constructor(flags: InitFlags, dialog: Dialog | null) {
    this.#flags = flags;
    this.#dialog = dialog;
  }

  async mode(): Promise<'paper' | 'live'> {
    this.#explain([
      'paper  trades on the simulated broker: no account, no key, no network',
      'live   prepares your account; the file begins as a dry run, which sends no order',
    ]);
    return this.#get('mode', 'paper', oneOf(['paper', 'live']));
  }

  async configuration(mode: 'paper' | 'live', file: string): Promise<string> {
    const isPaper = mode === 'paper';
    const broker = isPaper ? SIMULATOR : await this.#broker();
    const strategies = await this.#strategies();
    const orderMax = await this.#get('order-max', isPaper ? '5' : '1', (text) =>
      quantity(text) <= ORDER_MAX ? quantity(text) : refuse(`at most ${ORDER_MAX}`, text),
    );
    const positionMax = await this.#get('position-max', isPaper ? '10' : '1', quantity);
    const lossMax = formatNumber(isPaper ? 50_000_000 : 5_000_000);
    const dailyLossMax = await this.#get('daily-loss', lossMax, amount);
    const stopTicks = await this.#get('stop-ticks', isPaper ? '0' : '100', wholeNumber);
    const alerts = await this.#alerts(mode);
    const market = relative(dirname(resolve(file)), join(packageRoot(), 'config', 'vn30f.yaml'));
    const limits = [`      positionMax: ${positionMax}`, `      dailyLossMax: ${dailyLossMax}`];
    return [
      '# No secrets belong into this file. config/README.md explains each setting, and',
      `# tickwright check ${file}`,
      '# prints all of them with their defaults.',
      '',
      ...(isPaper ? PAPER : DRY_RUN),
      `state: ${yaml(stateFor(file))} # journal, recordings, reports`,
      `market: ${yaml(market)} # hours, contracts and costs of the exchange`,
      '',
      ...broker,
      'risk: # limits of the account',
      commentedLine('risk', 'orderQtyMax', orderMax),
      commentedLine('risk', 'positionMax', positionMax),
      commentedLine('risk', 'dailyLossMax', dailyLossMax),
      ...(stopTicks === 0
        ? [`  #${commentedLine('risk', 'protectiveStop', '{ distanceTicks: 100 }').slice(1)}`]
        : [
            commentedLine('risk', 'protectiveStop', `{ distanceTicks: ${stopTicks} }`),
            commentedLine('risk', 'nakedSecondsMax', 30),
          ]),
      '',
      ...(stopTicks === 0 || isPaper ? [] : NAKED_POLICY),
      ...alerts,
      'strategies:',
      ...strategies.flatMap(({ head, params }) => [...head, ...limits, ...params]),
      '',
    ].join('\n');
  }

  async isConfirmed(question: string): Promise<boolean> {
    return (await this.#dialog?.ask(question, 'yes', oneOf(['yes', 'no']))) !== 'no';
  }

  async #broker(): Promise<Lines> {
    const account = await this.#get('account', null, plainText);
    const subAccount = await this.#get('sub-account', `${account}A`, plainText);
    this.#explain(['The two addresses are in the broker’s documents of its API.']);
    const restUrl = await this.#get('rest-url', null, urlOf('http'));
    const streamUrl = await this.#get('stream-url', null, urlOf('ws'));
    const { environment, file } = await this.#secret('api-key', 'API key', 'TICKWRIGHT_API_KEY');
    return [
      'account:',
      `  custodyCode: ${yaml(account)}`,
      `  subAccountId: ${yaml(subAccount)}`,
      '',
      'broker: # apart from channels for alerts, the only hosts that are ever contacted',
      `  restUrl: ${yaml(restUrl)}`,
      `  streamUrl: ${yaml(streamUrl)}`,
      '  requestsPerSecond: 1',
      '',
      'auth:',
      file === undefined
        ? commentedLine('auth', 'apiKeyEnvironment', environment)
        : commentedLine('auth', 'apiKeyFile', yaml(file)),
      '  # The one-time password is asked for in the terminal, by tickwright otp and in the',
      '  # chat; { from: command, command: [...] } or { from: file, path: ... } bring it too.',
      '  otp: { from: prompt }',
      '',
      'live:',
      commentedLine('live', 'arm', false),
      commentedLine('live', 'allowedSubAccounts', `[${yaml(subAccount)}]`),
      commentedLine('live', 'firstDayQtyMax', 1),
      '',
    ];
  }

  /** The limits of a strategy come between its two parts. */
  async #strategies(): Promise<readonly { readonly head: Lines; readonly params: Lines }[]> {
    const contract = await this.#get('contract', 'VN30F1M', contractAlias);
    // One with a parameter of its own to give is written by hand.
    const offered = CATALOG.filter(({ params }) => params.safeParse({}).success);
    this.#explain(offered.map(({ name, summary }) => `${name}: ${summary}`));
    const all = offered.map(({ name }) => name);
    const names = await this.#get('strategies', all[0] ?? null, listOf(all));
    const strategies: { readonly head: Lines; readonly params: Lines }[] = [];
    for (const definition of offered.filter(({ name }) => names.includes(name))) {
      const { name, summary, legs } = definition;
      this.strategies.push(name);
      const symbols = legsFrom(contract, legs.length);
      const head = [
        `  # ${summary}`,
        `  - id: ${yaml(name)}`,
        `    strategy: ${yaml(name)}`,
        `    symbols: [${symbols.map(yaml).join(', ')}] # F1M is the front month, F2M the next`,
        '    overnight: false # true keeps the position over the close',
        '    risk:',
      ];
      // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other
      strategies.push({ head, params: await this.#params(definition) });
    }
    return strategies;
  }

  /** All in one answer: rules between parameters are checked as well. */
  async #params(definition: StrategyChoice): Promise<Lines> {
    const { name, paramRows } = definition;
    const [first] = paramRows;
    if (first === undefined) return ['    params: {}'];
    this.#explain(paramRows.map((row) => `${row.name}=${row.default ?? ''}  ${row.type}: ${row.meaning}`));
    const question = `Parameters of ${name} to change, like ${first.name}=${first.default ?? ''}`;
    const changed = await this.#dialog?.ask(question, 'none', paramsOf(definition));
    const lines = paramRows.flatMap(({ name: param, type, meaning, default: fallback }) => {
      const given = changed?.get(param);
      const value = given === undefined ? fallback : JSON.stringify(given);
      return value === null ? [] : [`      ${param}: ${value} # ${type}: ${meaning}`];
    });
    return lines.length === 0 ? ['    params: {}'] : ['    params:', ...lines];
  }

  async #alerts(mode: 'paper' | 'live'): Promise<Lines> {
    if (mode === 'live')
      this.#explain(['Alerts reach you where you are, and you can halt from there: telegram does both.']);
    const kinds = await this.#get('channels', 'none', noneOr(listOf(CHANNELS)));
    this.hasChannels = kinds.length > 0;
    if (kinds.length === 0)
      return ['# alerts: # src/operator/README.md says how trouble reaches a phone', ''];
    const channels: string[] = [];
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other
    for (const kind of kinds) channels.push(...(await this.#channel(kind)));
    return [
      'alerts: # src/operator/README.md; tickwright test-message tries the channels',
      '  channels:',
      ...channels.map((line) => `    ${line}`),
      "  # quiet: { from: '22:00', until: '07:00' } # what can wait, waits",
      '  # deadMansSwitch: { fail: true } # its address: TICKWRIGHT_DEAD_MAN_URL',
      '',
    ];
  }

  async #channel(kind: (typeof CHANNELS)[number]): Promise<Lines> {
    switch (kind) {
      case 'telegram': {
        this.#explain(['@BotFather makes a bot; @userinfobot shows your user id.']);
        const user = await this.#get('telegram-user', null, quantity);
        const token = await this.#secret('telegram-token', 'Token of the bot', 'TICKWRIGHT_TELEGRAM_TOKEN');
        return [
          '- id: phone',
          '  kind: telegram',
          `  chat: ${user}`,
          `  users: [${user}] # who may send commands`,
          secretLine('token', token),
        ];
      }
      case 'email': {
        const host = await this.#get('mail-host', null, plainText);
        const from = await this.#get('mail-from', null, mailAddress);
        const to = await this.#get('mail-to', from, mailAddress);
        const user = await this.#get('mail-user', from, plainText);
        const head = [
          '- id: mail',
          '  kind: email',
          `  host: ${yaml(host)} # port 587 with STARTTLS`,
          `  from: ${yaml(from)}`,
          `  to: [${yaml(to)}]`,
        ];
        if (user === 'none') return head;
        const password = await this.#secret('mail-password', 'Its password', 'TICKWRIGHT_SMTP_PASSWORD');
        return [...head, `  user: ${yaml(user)}`, secretLine('password', password)];
      }
      case 'webhook': {
        const preset = await this.#get('webhook-preset', 'slack', oneOf(PRESETS));
        const url = await this.#secret('webhook-url', 'Its address, a secret', 'TICKWRIGHT_WEBHOOK_URL');
        return ['- id: team', '  kind: webhook', `  preset: ${preset}`, secretLine('url', url)];
      }
    }
  }

  /** Only the place of a secret goes into the file. One that is typed in goes into a file of its own. */
  async #secret(name: string, what: string, environment: string): Promise<SecretRef> {
    const file = await this.#secretFile(name, what, environment);
    if (file === undefined) this.variables.push(environment);
    return { environment, file };
  }

  /** Undefined: it is expected in the environment. */
  async #secretFile(name: string, what: string, environment: string): Promise<string | undefined> {
    const given = this.#flags[`${name}-file`];
    if (given !== undefined) return parsedFlag(`${name}-file`, given, secretFile);
    if (this.#dialog === null) return undefined;
    const file = await this.#dialog.ask(`${what}: "env" (${environment}), or a file`, 'env', (text) => {
      if (text === 'env') return undefined;
      if (this.newSecrets.has(text)) return refuse('another file for each secret', text);
      return existsSync(text) ? secretFile(text) : plainPath(text);
    });
    if (file === undefined || existsSync(file)) return file;
    const secret = await this.#dialog.secret(`${file} is not there; paste the secret to make it`);
    if (secret === '') {
      this.#dialog.print(`  nothing was pasted: it is expected in the environment variable ${environment}`);
      return undefined;
    }
    this.newSecrets.set(file, secret);
    return file;
  }

  /** `fallback` null: there is no sensible one. */
  async #get<T>(name: Answer, fallback: string | null, parse: AnswerParser<T>): Promise<T> {
    const given = this.#flags[name];
    const [, text] = ANSWERS[name];
    if (given !== undefined) return parsedFlag(name, given, parse);
    if (this.#dialog !== null)
      return this.#dialog.ask(text.charAt(0).toUpperCase() + text.slice(1), fallback, parse);
    if (fallback !== null) return parse(fallback);
    throw wrongUsage(`--${name} is needed with --yes (${text}); nothing was written`);
  }

  #explain(lines: readonly string[]): void {
    if (this.#dialog === null) return;
    for (const line of lines) this.#dialog.print(`  ${wrapText(line, 76).join('\n    ')}`);
  }
}

/** The exchange takes no larger one. */
const ORDER_MAX = 500;

/** A directory of its own: journals of two configurations do not mix. */
const stateFor = (file: string): string =>
  `var/${basename(file, extname(file)).replaceAll(/[^\w-]/g, '-') || 'tickwright'}`;

function parsedFlag<T>(name: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text.trim());
  } catch (error) {
    throw wrongUsage(`--${name}: ${errorText(error)}; nothing was written`);
  }
}

const oneOf = <T extends string>(choices: readonly T[]): AnswerParser<T> =>
  Object.assign(
    (text: string): T =>
      choices.find((each) => each === text.toLowerCase()) ?? refuse(`one of ${choices.join(', ')}`, text),
    { choices },
  );

const listOf = <T extends string>(choices: readonly T[]): AnswerParser<readonly T[]> =>
  Object.assign(
    (text: string): readonly T[] => {
      const named = text.split(',').map((each) => oneOf(choices)(each.trim()));
      return choices.filter((each) => named.includes(each));
    },
    { choices, isList: true },
  );

const noneOr = <T>(parse: AnswerParser<readonly T[]>): AnswerParser<readonly T[]> =>
  Object.assign((text: string): readonly T[] => (text === 'none' ? [] : parse(text)), { ...parse });

/** `fast=5, slow=20`, as its strategy takes them. */
const paramsOf =
  (definition: StrategyChoice) =>
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
    throw new InvalidArgumentError(issuesText(read.issues));
  };

/** A number, true or false, else a text. */
function scalarOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const ALIASES = aliasesOf(UNDERLYINGS);

const contractAlias = (text: string): string =>
  ALIASES.find((alias) => alias === text.toUpperCase()) ?? refuse(`one of ${ALIASES.join(', ')}`, text);

/** The contract and those after it; the last ones where that many do not follow. */
function legsFrom(contract: string, count: number): readonly string[] {
  const { underlying = '', place = 0 } = aliasOf(contract) ?? {};
  const same = aliasesOf([underlying]);
  const first = Math.min(place, same.length - count);
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

const urlOf =
  (scheme: 'http' | 'ws') =>
  (text: string): string =>
    address('').safeParse(text).success && isAddress(text, scheme)
      ? text
      : refuse(`an address like ${scheme}s://host/ without user and password`, text);

const AMOUNT = /^[1-9]\d{0,2}(?:[,_]?\d{3})*$|^[1-9]\d*$/;

const amount = (text: string): number => {
  const value = AMOUNT.test(text) ? Number(text.replaceAll(/[,_]/g, '')) : Number.NaN;
  return Number.isSafeInteger(value) ? value : refuse('whole VND above 0, like 5,000,000', text);
};

const plainPath = (text: string): string =>
  pathText.safeParse(text).success ? text : refuse('a path: ~ and variables are not filled in', text);

const secretFile = (text: string): string => {
  if (!isFile(plainPath(text))) return refuse('a file that is there', text);
  return isExposed(text) ? refuse(`a file that only its owner may read (chmod 600 ${text})`, text) : text;
};

const PAPER = ['# Orders go to the simulated broker inside the program, never to a real one.', 'mode: paper'];

const DRY_RUN = [
  '# A dry run does everything except sending orders. `mode: live` TRADES WITH REAL',
  '# MONEY; it also needs live.arm: true, and TICKWRIGHT_ARM=yes in the environment.',
  'mode: dry-run',
];

const SIMULATOR = [
  'broker:',
  '  requestsPerSecond: 20 # the simulated broker is next door',
  '',
  'simulator:',
  '  hours: always_open # or exchange: trades in the hours of the exchange alone',
  '',
];

const NAKED_POLICY = ['policies:', '  nakedPosition: flatten # or hold: alert, and leave the position', ''];

const secretLine = (key: string, { environment, file }: SecretRef): string =>
  file === undefined
    ? `  ${key}: { environment: ${environment} }`
    : `  ${key}: { file: ${yaml(file)} } # mode 600`;

const PLAIN = /^[A-Za-z][\w./-]*$/;
const WORDS_OF_YAML = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text that YAML takes for nothing else; JSON is YAML. */
const yaml = (value: string): string =>
  PLAIN.test(value) && !WORDS_OF_YAML.test(value) ? value : JSON.stringify(value);
