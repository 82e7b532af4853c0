/** Sources of a one-time password: a person at the terminal, a command, a file, the simulator, and the inbox to which people bring one. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { errorText } from '../../domain/failure.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { type DurationUs, minutes, seconds, US_PER_MS } from '../../domain/units.ts';

export type OtpAnswer =
  | {
      readonly ok: true;
      readonly otp: string;
      /** Called with the broker's answer: null when it took the password. */
      readonly onReply?: (refusal: { readonly reason: string; readonly isOtp: boolean } | null) => void;
    }
  | { readonly ok: false; readonly reason: string };

export interface OtpProvider {
  readonly name: 'prompt' | 'command' | 'file' | 'fixed' | 'inbox';
  /** Whether asking again can give another password: a person can mistype, a constant cannot. */
  readonly isFresh: boolean;
  /** Waits as long as it takes; `signal` ends the wait. */
  read(signal: AbortSignal): Promise<OtpAnswer>;
}

const OTP = /^[0-9A-Za-z]{4,32}$/;

/** Reads a typed or printed password; the reason never shows it. */
export function parseOtp(text: string): OtpAnswer {
  const otp = text.trim();
  if (OTP.test(otp)) return { ok: true, otp };
  return { ok: false, reason: `expected 4 to 32 letters or digits, received ${otp.length} characters` };
}

/** The simulator's own, or a constant given in the environment. */
export const fixedOtp = (otp: string): OtpProvider => ({
  name: 'fixed',
  isFresh: false,
  read: () => Promise.resolve(parseOtp(otp)),
});

interface TimeLimit {
  readonly timers: Timers;
  /** Null: as long as it takes. */
  readonly timeout: DurationUs | null;
}

const GIVEN_UP: OtpAnswer = { ok: false, reason: 'given up' };

/** Waits until `begin` settles, which returns how to end its work, or `signal` or the time limit ends the wait. */
function firstAnswer(
  { timers, timeout }: TimeLimit,
  signal: AbortSignal,
  late: string,
  begin: (settle: (answer: OtpAnswer) => void) => () => void,
): Promise<OtpAnswer> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(GIVEN_UP);
    let end: (() => void) | undefined;
    const settle = (answer: OtpAnswer): void => {
      stop?.();
      signal.removeEventListener('abort', onAbort);
      end?.();
      end = undefined;
      resolve(answer);
    };
    const onAbort = (): void => settle(GIVEN_UP);
    const stop =
      timeout === null ? undefined : timers.after(timeout, () => settle({ ok: false, reason: late }));
    signal.addEventListener('abort', onAbort);
    end = begin(settle);
  });
}

// Asks the person at the terminal. Without a terminal it fails at once instead of waiting.

interface PromptOptions extends TimeLimit {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

const QUESTION = "One-time password (from the broker's app): ";

export const promptOtp = ({ input, output, ...patience }: PromptOptions): OtpProvider => ({
  name: 'prompt',
  isFresh: true,
  read: async (signal) => {
    if (input.isTTY !== true) return { ok: false, reason: 'no terminal to ask at' };
    return firstAnswer(patience, signal, 'nobody answered the prompt in time', (settle) => {
      let line = '';
      const onData = (chunk: Buffer | string): void => {
        line += chunk.toString();
        const end = line.search(/[\r\n]/);
        if (end !== -1) settle(parseOtp(line.slice(0, end)));
      };
      // A terminal that hangs up fails each read: the inbox and the time limit are left.
      if (input.listenerCount('error') === 0) input.on('error', () => undefined);
      input.on('data', onData);
      input.resume();
      output.write(QUESTION);
      return () => {
        input.off('data', onData);
        input.pause();
      };
    });
  },
});

// Runs a command and takes the first line it prints. No shell: exactly the configured program runs.

interface CommandOptions extends TimeLimit {
  readonly command: readonly [string, ...string[]];
}

const OUTPUT_CHARACTERS_MAX = 4096;

export const commandOtp = ({ command: [program, ...args], ...patience }: CommandOptions): OtpProvider => ({
  name: 'command',
  isFresh: false,
  read: (signal) =>
    firstAnswer(patience, signal, `${program} did not finish in time`, (settle) => {
      // Its stderr is for the operator; its stdout is a secret.
      const child = spawn(program, args, { shell: false, stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.setEncoding('utf8');
      child.stdout.on('data', (chunk: string) => {
        if (output.length < OUTPUT_CHARACTERS_MAX) output += chunk;
      });
      child.on('error', (error) =>
        settle({ ok: false, reason: `${program} could not be run: ${error.message}` }),
      );
      child.on('close', (code, killedBy) => {
        if (code === 0) settle(parseOtp(output.trimStart().split(/\r?\n/, 1)[0] ?? ''));
        else settle({ ok: false, reason: `${program} ended with ${killedBy ?? `code ${code}`}` });
      });
      return () => child.kill('SIGKILL');
    }),
});

// Waits for a password in a file. The file is removed as it is read: a password works once, and one
// left over from yesterday must not be tried today.

interface FileOptions extends TimeLimit {
  readonly path: string;
  /** The wall clock, which stamps files: identifies a password of yesterday. */
  readonly clock: Clock;
}

const POLL_EVERY = seconds(1);
/** Older ones have expired; trying one would cost an exchange. */
const AGE_MAX = minutes(10);

export const fileOtp = ({ path, clock, ...patience }: FileOptions): OtpProvider => ({
  name: 'file',
  isFresh: true,
  read: (signal) =>
    firstAnswer(patience, signal, `nothing appeared in ${path} in time`, (settle) => {
      let stopPoll: CancelTimer | undefined;
      let seen = '';
      const poll = (): void => {
        try {
          const text = peek(path, clock);
          // Without a line end the writer may not be done: the text counts when it is unchanged a second later.
          const isWhole = text.endsWith('\n') || (text !== '' && text === seen);
          seen = text;
          if (!isWhole) {
            stopPoll = patience.timers.after(POLL_EVERY, poll);
            return;
          }
          rmSync(path);
          settle(parseOtp(text));
        } catch (error) {
          settle({ ok: false, reason: `${path}: ${errorText(error)}` });
        }
      };
      poll();
      return () => stopPoll?.();
    }),
});

function peek(path: string, clock: Clock): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) return '';
  if (stat.mtimeMs * US_PER_MS < clock.nowUs() - AGE_MAX) {
    rmSync(path);
    return '';
  }
  return readFileSync(path, 'utf8');
}

// Where people bring a one-time password: by the command line or a phone, to a daemon that waits for one.

/** The broker's answer to a password, or why it was not sent. */
type OtpResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

interface OtpInboxOptions {
  readonly timers: Timers;
  readonly onWaiting: (isWaiting: boolean) => void;
}

/** A password that the broker sent on request dies soon: the next request sends another one. */
const REQUESTED_LIFE = minutes(5);
/** Refused ones that are not sent again. */
const REFUSED_MAX = 10;
const REFUSED_BEFORE = 'the broker has refused this password before: take the next one';

const notSent = (reason: string): OtpResult => ({ ok: false, reason: `it was not sent: ${reason}` });

interface PendingOtp {
  readonly otp: string;
  readonly done: (brought: OtpResult) => void;
}

export class OtpInbox {
  readonly #options: OtpInboxOptions;
  #takePassword: ((parcel: PendingOtp) => void) | undefined = undefined;
  /** It came before a request: the next read takes it. */
  #broughtEarly: PendingOtp | undefined = undefined;
  readonly #refused: string[] = [];

  constructor(options: OtpInboxOptions) {
    this.#options = options;
  }

  get isWaiting(): boolean {
    return this.#takePassword !== undefined;
  }

  /** Resolves with the broker's answer. A password that cannot be right, or was refused before, costs nothing. */
  submit(text: string): Promise<OtpResult> {
    const read = parseOtp(text);
    if (!read.ok) return Promise.resolve({ ok: false, reason: read.reason });
    const { otp } = read;
    if (this.#refused.includes(otp)) return Promise.resolve(notSent(REFUSED_BEFORE));
    if (this.#broughtEarly !== undefined)
      return Promise.resolve({ ok: false, reason: 'another password is on its way already' });
    return new Promise((done) => {
      const parcel = { otp, done };
      if (this.#takePassword === undefined) this.#broughtEarly = parcel;
      else this.#takePassword(parcel);
    });
  }

  /** No request came for a password that was brought early. */
  rejectEarly(reason: string): void {
    this.#broughtEarly?.done(notSent(reason));
    this.#broughtEarly = undefined;
  }

  /** `source`: another source of passwords; null for this inbox alone. */
  provider(source: OtpProvider | null, route: 'app' | 'request'): OtpProvider {
    return {
      name: source?.name ?? 'inbox',
      isFresh: source?.isFresh ?? true,
      read: (signal) => this.#read(source, route, signal),
    };
  }

  #read(source: OtpProvider | null, route: 'app' | 'request', signal: AbortSignal): Promise<OtpAnswer> {
    const early = this.#broughtEarly;
    this.#broughtEarly = undefined;
    if (early !== undefined) return Promise.resolve(this.#answer(early));
    // A program answers by itself: no person is asked.
    if (source?.isFresh === false) return source.read(signal);
    const patience = {
      timers: this.#options.timers,
      timeout: route === 'request' ? REQUESTED_LIFE : null,
    };
    return firstAnswer(patience, signal, 'nobody brought the password while it was valid', (settle) => {
      const ended = new AbortController();
      this.#takePassword = (parcel) => settle(this.#answer(parcel));
      this.#options.onWaiting(true);
      void source?.read(ended.signal).then(settle);
      return () => {
        ended.abort();
        this.#takePassword = undefined;
        this.#options.onWaiting(false);
      };
    });
  }

  #answer({ otp, done }: PendingOtp): OtpAnswer {
    return {
      ok: true,
      otp,
      onReply: (refusal) => {
        if (refusal === null) return done({ ok: true });
        if (refusal.isOtp) {
          this.#refused.push(otp);
          if (this.#refused.length > REFUSED_MAX) this.#refused.shift();
          // It was brought twice at once, as by a phone and the command line.
          if (this.#broughtEarly?.otp === otp) this.rejectEarly(REFUSED_BEFORE);
        }
        done({ ok: false, reason: refusal.reason });
      },
    };
  }
}
