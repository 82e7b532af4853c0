/** Commands in a chat: the same ones as on the command line, for remote people. The listener has checked the sender. */
import { randomInt } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { errorText } from '../../domain/failure.ts';
import { seconds, type TsUs } from '../../domain/units.ts';
import { formatSpan } from '../../text/durations.ts';
import { type CommandBody, type CommandName, EMPTY_BODY } from '../control-command.ts';
import type { CommandAnswer } from '../control-server.ts';
import { oneLine } from '../terminal.ts';
import type { RemoteMessage, RemoteReply } from './telegram.ts';

export const REMOTE_VIEWS = [
  'status',
  'positions',
  'orders',
  'trades',
  'pnl',
  'balance',
  'daily',
  'strategies',
] as const;
export type RemoteView = (typeof REMOTE_VIEWS)[number];

export interface RemoteOptions {
  readonly clock: Clock;
  /** The machine's own: right where a clock that was set ahead or back is not followed. */
  readonly wallClock: Clock;
  readonly show: (view: RemoteView) => string | Promise<string>;
  /** Positions and open orders of this strategy, or of all. */
  readonly state: (strategy: string | null) => string;
  /** Which loss its resume accepts, after what it does; or empty. */
  readonly accepted: (strategy: string | null) => string;
  /** A link that opens the page once, or null: it is in no journal and no log. */
  readonly link: () => string | null;
  readonly command: (name: CommandName, body: CommandBody) => CommandAnswer;
  readonly isStrategy: (name: string) => boolean;
  /** Orders can be neither changed nor canceled now: a flatten sends one only where a person has confirmed that. */
  readonly isAuction: () => boolean;
  /** A password is waited for: bare letters and digits are one. */
  readonly isOtpAwaited: () => boolean;
  /** Critical alerts and halts of this run. Unacknowledged alerts may become fewer, and a second halt keeps the reason of the first. */
  readonly news: () => number;
  /** Each command with its outcome; passwords and codes left out. */
  readonly journal: (by: string, command: string, outcome: string) => void;
}

/** An older command may come from before an outage: the world is another one by now. */
const FRESH = seconds(30);
const CODE_LIFE = seconds(60);
const CODE_TRIES = 3;
const REASON_MAX = 150;

/** Commands that change trading; a halt is at once. */
const CONFIRMED = ['resume', 'flatten', 'cancel-all', 'stop-strategy', 'start-strategy'] as const;
type ConfirmedName = (typeof CONFIRMED)[number];
/** They let a strategy trade again: not after news that the sender did not know. */
const BEGINNING: ReadonlySet<string> = new Set(['resume', 'start-strategy']);

/** Commands of the command line in a text become those of the chat; what the chat lacks stays. */
export function chatCommands(stateDir: string): (text: string) => string {
  const names = ['halt', ...CONFIRMED, ...REMOTE_VIEWS]
    .map((name) => (name.endsWith('-strategy') ? `${name} [^ ]+` : name))
    .join('|');
  const state = stateDir.replaceAll(/[^\w/]/g, String.raw`\$&`);
  const typed = new RegExp(
    `tickwright (${names}) --state ${state}(?: --strategy ([^ ]+))?(?: --reason "…")?`,
    'g',
  );
  return (text) =>
    text.replaceAll(typed, (_, command: string, strategy?: string) =>
      [`/${command.replace('-', '_')}`, ...(strategy === undefined ? [] : [strategy])].join(' '),
    );
}

interface Confirmation {
  readonly by: string;
  readonly code: string;
  readonly askedUs: TsUs;
  readonly news: number;
  readonly name: ConfirmedName;
  readonly body: CommandBody;
  readonly text: string;
  tries: number;
  isOver: boolean;
}

const HELP = [
  '/status  /positions  /orders  /trades  /pnl  /balance  /strategies',
  '/daily: the report of the day so far',
  '/open: a link that opens the page once',
  '/otp password: the one-time password of the broker (while it is asked for, the bare password does too)',
  '/halt [reason]: no entries, and those that work are canceled; what protects a position stays',
  '/resume [strategy [reason]]: entries again; asks back with a code',
  '/flatten [strategy [reason]]: entries off until /resume, then cancel and close; asks back with a code',
  '/cancel_all [reason]: cancels every open order, stops that protect positions too; asks back with a code',
  '/stop_strategy name [reason]: its entries are canceled, its stops stay; asks back with a code',
  '/start_strategy name [reason]: lets it run again; asks back with a code',
  '/seen: acknowledges the alerts so far',
].join('\n');

export class RemoteControl {
  readonly #options: RemoteOptions;
  /** The last of each person: two ask at once. */
  readonly #confirmations = new Map<string, Confirmation>();

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  async take(message: RemoteMessage): Promise<RemoteReply> {
    const reply = await this.#take(message);
    return typeof reply === 'string' ? { text: reply } : reply;
  }

  async #take({ by, text, sentUs }: RemoteMessage): Promise<string | RemoteReply> {
    const [word = '', ...words] = oneLine(text).split(/\s+/);
    const name = word
      .toLowerCase()
      .replace(/^\//, '')
      .replace(/[^\w-].*$/, '')
      .replaceAll('_', '-');
    const argument = words.join(' ').slice(0, REASON_MAX);
    // Before anything that could keep it back.
    if (/^halt(?:-|$)/.test(name)) return this.#run(by, 'halt', bodyOf(by, argument), text);
    const { clock, wallClock } = this.#options;
    const age = Math.min(Math.abs(clock.nowUs() - sentUs), Math.abs(wallClock.nowUs() - sentUs));
    if (age > FRESH) return this.#tooOld(by, name, age);
    try {
      return await this.#dispatch(by, name, argument, text);
    } catch (error) {
      return `the daemon failed to answer: ${errorText(error)}`;
    }
  }

  #tooOld(by: string, name: string, age: number): string {
    this.#options.journal(by, SHOWN.has(name) ? name : 'a message', 'ignored: it is too old');
    return `ignored: sent ${formatSpan(age)} away from the time of the daemon, and only halt may be older than ${formatSpan(FRESH)}; send it again`;
  }

  #dispatch(
    by: string,
    name: string,
    argument: string,
    text: string,
  ): string | RemoteReply | Promise<string> {
    const view = REMOTE_VIEWS.find((each) => each === name);
    if (view !== undefined) {
      this.#options.journal(by, view, 'shown');
      return this.#options.show(view);
    }
    switch (name) {
      case 'otp':
        return this.#run(by, 'otp', { ...EMPTY_BODY, otp: argument }, 'otp');
      case 'seen':
        return this.#run(by, 'seen', EMPTY_BODY, 'seen');
      case 'open':
        return this.#open(by);
      case 'confirm':
        return this.#confirm(this.#confirmations.get(by), argument);
      case 'start':
      case 'help':
        return HELP;
    }
    const confirmed = CONFIRMED.find((each) => each === name);
    return confirmed === undefined ? this.#bare(by, text.trim()) : this.#ask(by, confirmed, argument, text);
  }

  #ask(by: string, name: ConfirmedName, argument: string, text: string): string | RemoteReply {
    const [first = '', ...reason] = argument.split(' ');
    const isOne = this.#options.isStrategy(first);
    if (isOne && name === 'cancel-all')
      return `nothing was canceled: it cancels the orders of all strategies; /stop_strategy ${first} and /flatten ${first} are of one`;
    // A name that is misspelled must not close or resume everything: a reason follows a name.
    const isNeeded = name.endsWith('-strategy');
    if (!isOne && name !== 'cancel-all' && (isNeeded || first !== ''))
      return `${first === '' ? 'name a strategy' : `there is no strategy ${first}`}; /strategies lists them${isNeeded ? '' : `, /${name} alone is for all`}`;
    const body = bodyOf(by, isOne ? reason.join(' ') : argument);
    const inAuction = name === 'flatten' && this.#options.isAuction();
    return this.#askBack(by, name, { ...body, strategy: isOne ? first : null, inAuction }, text);
  }

  #open(by: string): string {
    const link = this.#options.link();
    this.#options.journal(by, 'open', link === null ? 'there is no page' : 'a link that opens once was sent');
    if (link === null) return 'there is no page: operator.cockpit is off, or its address is taken';
    const where = /^http:\/\/(?:127\.|localhost)/.test(link)
      ? ', on that machine or through a tunnel to it'
      : '';
    return `${link}\nIt opens once, within ten minutes${where}.`;
  }

  /** A code that was asked for, or a password. */
  #bare(by: string, word: string): string | Promise<string> {
    const question = this.#confirmations.get(by);
    const isOtpAwaited = this.#options.isOtpAwaited();
    // A question that nobody answered in time keeps no password back.
    const isOpen =
      question?.isOver === false && !(isOtpAwaited && this.#isLate(question) && word !== question.code);
    if (isOpen && /^\d+$/.test(word)) return this.#confirm(question, word);
    const isCode = [...this.#confirmations.values()].some(({ code }) => code === word);
    const isPassword = /^[0-9A-Za-z]{4,32}$/.test(word) && /\d/.test(word) && !isCode;
    if (isPassword && isOtpAwaited) return this.#run(by, 'otp', { ...EMPTY_BODY, otp: word }, 'otp');
    return `not understood\n${HELP}`;
  }

  #askBack(by: string, name: ConfirmedName, body: CommandBody, text: string): RemoteReply {
    const code = String(randomInt(1_000, 10_000));
    const askedUs = this.#options.clock.nowUs();
    const news = this.#options.news();
    const question = { by, code, askedUs, news, name, body, text: oneLine(text) };
    this.#confirmations.set(by, { ...question, tries: 0, isOver: false });
    this.#options.journal(by, oneLine(text), 'asked back with a code');
    const meaning = `${meaningOf(name, body, this.#options.accepted(body.strategy))} ${this.#options.state(body.strategy)}`;
    return { text: `${meaning} Send ${code} within ${formatSpan(CODE_LIFE)} to go on.`, code };
  }

  #confirm(question: Confirmation | undefined, code: string): string | Promise<string> {
    if (question?.isOver !== false) return 'not done: that question is over, send the command again';
    const isLate = this.#isLate(question);
    question.tries += 1;
    const isRight = code === question.code;
    // A halt may have come, which the sender did not know.
    const isNews = BEGINNING.has(question.name) && isRight && this.#options.news() > question.news;
    if (isLate || isRight || question.tries >= CODE_TRIES) question.isOver = true;
    // A confirmation for an auction that is over does not count for the next one.
    const inAuction = question.body.inAuction && this.#options.isAuction();
    if (!isLate && !isNews && isRight)
      return this.#run(question.by, question.name, { ...question.body, inAuction }, question.text);
    const why = isLate
      ? 'the code is too old'
      : isNews
        ? 'a critical alert or a halt came since, see /status'
        : 'that is not the code';
    this.#options.journal(question.by, question.text, `not done: ${why}`);
    return `not done: ${why}; ${question.isOver ? `send /${question.name.replaceAll('-', '_')} again` : 'try again'}`;
  }

  #isLate({ askedUs }: Confirmation): boolean {
    return this.#options.clock.nowUs() - askedUs > CODE_LIFE;
  }

  async #run(by: string, name: CommandName, body: CommandBody, text: string): Promise<string> {
    let message: string;
    try {
      const result = await this.#options.command(name, body);
      message = result.ok ? result.message : `refused: ${result.message}`;
    } catch (error) {
      message = `failed: ${errorText(error)}`;
    }
    this.#options.journal(by, oneLine(text).slice(0, REASON_MAX), message);
    return message;
  }
}

const bodyOf = (by: string, reason: string): CommandBody => ({
  ...EMPTY_BODY,
  reason: reason === '' ? `by ${by}` : `${reason} (by ${by})`,
});

function meaningOf(name: ConfirmedName, body: CommandBody, accepted: string): string {
  const { strategy } = body;
  switch (name) {
    case 'resume':
      return `Entries of ${strategy ?? 'the whole account'} will be allowed again${accepted}.`;
    case 'flatten':
      return flattenMeaning(body);
    case 'cancel-all':
      return 'Every open order is canceled, stops that protect positions too; entries stay as they are.';
    case 'stop-strategy':
      return `${strategy} stops until /start_strategy ${strategy}; its entries are canceled, what protects its position stays.`;
    case 'start-strategy':
      return `${strategy} runs again, with a memory made from the prices of today.`;
  }
}

function flattenMeaning({ strategy, inAuction }: CommandBody): string {
  const what =
    strategy === null
      ? 'Entries go off until /resume, orders are canceled, and all positions closed.'
      : `Entries of ${strategy} go off until /resume ${strategy}, its orders are canceled, and the positions of ${strategy} closed.`;
  const auction =
    'This is an auction: what no exit covers yet goes into it at the floor or ceiling, trades at its price, and cannot be taken back.';
  return inAuction ? `${what} ${auction}` : what;
}

/** Words that may enter the journal; another word may be a password. */
const SHOWN: ReadonlySet<string> = new Set([
  ...REMOTE_VIEWS,
  ...CONFIRMED,
  'otp',
  'seen',
  'open',
  'confirm',
  'start',
  'help',
]);
