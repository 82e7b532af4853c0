import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  commandOtp,
  fileOtp,
  fixedOtp,
  parseOtp,
  promptOtp,
  OtpInbox,
  type OtpAnswer,
  type OtpProvider,
} from '../../../src/broker/auth/one-time-password.ts';
import { minutes, seconds, US_PER_MINUTE } from '../../../src/domain/units.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';
import { tempDir } from '../../support/temp-dir.ts';

const never = new AbortController().signal;
const timeout = minutes(5);
const terminal = (): PassThrough & { isTTY: boolean } => Object.assign(new PassThrough(), { isTTY: true });
const script = (text: string): readonly [string, ...string[]] => [process.execPath, '-e', text];
let timers: VirtualTimers;
let waits: boolean[];
let desk: OtpInbox;
let closing: AbortController;

beforeEach(() => {
  timers = new VirtualTimers();
  waits = [];
  desk = new OtpInbox({ timers, onWaiting: (isWaiting) => waits.push(isWaiting) });
  closing = new AbortController();
});

describe('what counts as a password', () => {
  it.each(['123456', ' 123456\n', '12AB'])('%j does', (text) => {
    expect(parseOtp(text)).toEqual({ ok: true, otp: text.trim() });
  });

  it.each(['', '12', '12 34 56', 'x'.repeat(33)])('%j does not, and is not repeated', (text) => {
    expect(parseOtp(text)).toEqual({ ok: false, reason: expect.not.stringContaining(text || 'nothing') });
  });

  it('is the same every time when it is fixed', async () => {
    expect(await fixedOtp('111111').read(never)).toEqual({ ok: true, otp: '111111' });
  });
});

describe('the prompt', () => {
  it('takes one line', async () => {
    const input = terminal();
    const answer = promptOtp({ input, output: new PassThrough(), timers, timeout }).read(never);
    input.write('123');
    input.write('456\nrest');
    expect(await answer).toEqual({ ok: true, otp: '123456' });
    expect(timers.pending).toBe(0);
  });

  it('does not wait where nobody can type', async () => {
    const input = Object.assign(new PassThrough(), { isTTY: false });
    expect(await promptOtp({ input, output: new PassThrough(), timers, timeout }).read(never)).toMatchObject({
      ok: false,
    });
  });

  it('waits until its time is up, or until it is called off', async () => {
    const options = { output: new PassThrough(), timers, timeout };
    const late = promptOtp({ ...options, input: terminal() }).read(never);
    timers.advance(timeout);
    expect(await late).toMatchObject({ ok: false, reason: expect.stringContaining('in time') });
    const stop = new AbortController();
    const given = promptOtp({ ...options, input: terminal() }).read(stop.signal);
    stop.abort();
    expect(await given).toMatchObject({ ok: false, reason: 'given up' });
  });
});

it('outlives a terminal that hangs up while it waits, and later', async () => {
  const input = terminal();
  const stop = new AbortController();
  const answer = promptOtp({ input, output: new PassThrough(), timers, timeout }).read(stop.signal);
  const hungUp = new Error('read EIO');
  expect(() => input.emit('error', hungUp)).not.toThrow();
  stop.abort();
  expect(await answer).toEqual({ ok: false, reason: 'given up' });
  expect(() => input.emit('error', hungUp)).not.toThrow();
});

describe('a command', () => {
  it('gives the first line it prints', async () => {
    const provider = commandOtp({ command: script("console.log('123456\\nmore')"), timers, timeout });
    expect(await provider.read(never)).toEqual({ ok: true, otp: '123456' });
  });

  it('gets its arguments as they are: no shell reads them', async () => {
    const echo = 'console.log(process.argv[1] === "$(echo 1);a" ? "111111" : "no")';
    const provider = commandOtp({ command: [process.execPath, '-e', echo, '$(echo 1);a'], timers, timeout });
    expect(await provider.read(never)).toEqual({ ok: true, otp: '111111' });
  });

  it.each([
    ['fails', script('process.exit(3)'), 'code 3'],
    ['prints no password', script("console.log('hello, world')"), 'characters'],
    ['does not exist', ['/no/such/program'] as const, 'could not be run'],
  ])('that %s gives a reason', async (_, command, reason) => {
    const answer = await commandOtp({ command, timers, timeout }).read(never);
    expect(answer).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('that hangs is ended', async () => {
    const answer = commandOtp({ command: script('setInterval(() => {}, 1000)'), timers, timeout }).read(
      never,
    );
    timers.advance(timeout);
    expect(await answer).toMatchObject({ ok: false, reason: expect.stringContaining('in time') });
  });
});

describe('a file', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = tempDir();
    path = join(folder, 'otp');
  });

  const read = () => fileOtp({ path, clock: timers, timers, timeout }).read(never);
  const write = (text: string, age = 0): void => {
    writeFileSync(path, text);
    const at = (timers.nowUs() - age) / 1e6;
    utimesSync(path, at, at);
  };

  it('is waited for, used once and removed', async () => {
    const answer = read();
    timers.advance(seconds(30));
    write('123456\n');
    timers.advance(seconds(1));
    expect(await answer).toEqual({ ok: true, otp: '123456' });
    expect(existsSync(path)).toBe(false);
    expect(timers.pending).toBe(0);
  });

  it('that is still being written is left alone until it has stopped growing', async () => {
    write('12');
    const answer = read();
    write('123456');
    timers.advance(seconds(1));
    expect(existsSync(path)).toBe(true);
    timers.advance(seconds(1));
    expect(await answer).toEqual({ ok: true, otp: '123456' });
  });

  it('left over from yesterday is removed and not tried', async () => {
    write('999999\n', minutes(600));
    const answer = read();
    expect(existsSync(path)).toBe(false);
    timers.advance(timeout);
    expect(await answer).toMatchObject({ ok: false, reason: expect.stringContaining('in time') });
  });
});

const nothing = (): void => undefined;

const read = (source: OtpProvider | null = null, route: 'app' | 'request' = 'app'): Promise<OtpAnswer> =>
  desk.provider(source, route).read(closing.signal);

/** A source whose answer the test gives. */
function later(isFresh: boolean): {
  source: OtpProvider;
  give: (answer: OtpAnswer) => void;
  isEnded: () => boolean;
} {
  let give: (answer: OtpAnswer) => void = nothing;
  let isEnded = false;
  const source: OtpProvider = {
    name: 'file',
    isFresh,
    read: (signal) => {
      signal.addEventListener('abort', () => (isEnded = true));
      return new Promise((resolve) => (give = resolve));
    },
  };
  return { source, give: (answer) => give(answer), isEnded: () => isEnded };
}

describe('OtpInbox', () => {
  it('hands over what is brought, and the broker’s answer back', async () => {
    const reading = read();
    expect(desk.isWaiting).toBe(true);
    const brought = desk.submit(' 123456 ');
    const answer = await reading;
    expect(answer).toMatchObject({ ok: true, otp: '123456' });
    if (answer.ok) answer.onReply?.(null);
    expect(await brought).toEqual({ ok: true });
    expect(waits).toEqual([true, false]);
  });

  it('sends no password twice that the broker has refused, nor one that cannot be right', async () => {
    const reading = read();
    const brought = desk.submit('111111');
    const answer = await reading;
    if (answer.ok) answer.onReply?.({ reason: 'OTP is wrong', isOtp: true });
    expect(await brought).toEqual({ ok: false, reason: 'OTP is wrong' });
    void read();
    expect(await desk.submit('111111')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('before'),
    });
    expect(await desk.submit('1')).toMatchObject({ ok: false });
    expect(desk.isWaiting).toBe(true);
  });

  it('sends one that was brought twice at once a single time, where the broker refuses it', async () => {
    const reading = read();
    const brought = desk.submit('111111');
    const answer = await reading;
    const again = desk.submit('111111');
    if (answer.ok) answer.onReply?.({ reason: 'OTP is wrong', isOtp: true });
    expect(await brought).toEqual({ ok: false, reason: 'OTP is wrong' });
    expect(await again).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/not sent: .* refused .* before/),
    });
    void read();
    expect(desk.isWaiting).toBe(true);
  });

  it('keeps one that comes early for the next read, or gives it back', async () => {
    const early = desk.submit('123456');
    expect(await desk.submit('654321')).toMatchObject({ ok: false });
    expect(await read()).toMatchObject({ ok: true, otp: '123456' });
    desk.rejectEarly('too late');
    const again = desk.submit('222222');
    desk.rejectEarly('the day is over');
    expect(await again).toEqual({ ok: false, reason: 'it was not sent: the day is over' });
    void early;
  });

  it('takes the first of desk and source, and ends the other', async () => {
    const file = later(true);
    const reading = read(file.source);
    void desk.submit('123456');
    expect(await reading).toMatchObject({ otp: '123456' });
    expect(file.isEnded()).toBe(true);
    const other = later(true);
    const second = read(other.source);
    other.give({ ok: true, otp: '777777' });
    expect(await second).toMatchObject({ otp: '777777' });
    expect(desk.isWaiting).toBe(false);
  });

  it('asks nobody where a program answers', async () => {
    const command = later(false);
    const reading = read(command.source);
    expect(desk.isWaiting).toBe(false);
    command.give({ ok: true, otp: '123456' });
    expect(await reading).toMatchObject({ ok: true });
    expect(waits).toEqual([]);
  });

  it('waits as long as it takes, but not for a password that was sent on request and has died', async () => {
    const reading = read(null, 'request');
    timers.advance(5 * US_PER_MINUTE);
    expect(await reading).toMatchObject({ ok: false });
    void read();
    timers.advance(600 * US_PER_MINUTE);
    expect(desk.isWaiting).toBe(true);
  });

  it('is given up when the program ends', async () => {
    const reading = read();
    closing.abort();
    expect(await reading).toEqual({ ok: false, reason: 'given up' });
    expect(waits).toEqual([true, false]);
  });
});
