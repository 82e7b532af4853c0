import { beforeEach, describe, expect, it } from 'vitest';
import { OtpDesk } from '../../../src/broker/auth/otp-desk.ts';
import type { OtpAnswer, OtpProvider } from '../../../src/broker/auth/otp-providers.ts';
import { US_PER_MINUTE } from '../../../src/domain/units.ts';
import { VirtualTimers } from '../support/virtual-timers.ts';

const nothing = (): void => undefined;

let time: VirtualTimers;
let waits: boolean[];
let desk: OtpDesk;
let closing: AbortController;

beforeEach(() => {
  time = new VirtualTimers();
  waits = [];
  desk = new OtpDesk({ timers: time, onWaiting: (isWaiting) => waits.push(isWaiting) });
  closing = new AbortController();
});

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

describe('OtpDesk', () => {
  it('hands over what is brought, and the broker’s answer back', async () => {
    const reading = read();
    expect(desk.isWaiting).toBe(true);
    const brought = desk.bring(' 123456 ');
    const answer = await reading;
    expect(answer).toMatchObject({ ok: true, otp: '123456' });
    if (answer.ok) answer.onReply?.(null);
    expect(await brought).toEqual({ ok: true });
    expect(waits).toEqual([true, false]);
  });

  it('sends no password twice that the broker has refused, nor one that cannot be right', async () => {
    const reading = read();
    const brought = desk.bring('111111');
    const answer = await reading;
    if (answer.ok) answer.onReply?.({ reason: 'OTP is wrong', isOtp: true });
    expect(await brought).toEqual({ ok: false, reason: 'OTP is wrong' });
    void read();
    expect(await desk.bring('111111')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('before'),
    });
    expect(await desk.bring('1')).toMatchObject({ ok: false });
    expect(desk.isWaiting).toBe(true);
  });

  it('keeps one that comes early for the next read, or gives it back', async () => {
    const early = desk.bring('123456');
    expect(await desk.bring('654321')).toMatchObject({ ok: false });
    expect(await read()).toMatchObject({ ok: true, otp: '123456' });
    desk.giveBack('too late');
    const again = desk.bring('222222');
    desk.giveBack('the day is over');
    expect(await again).toEqual({ ok: false, reason: 'the day is over' });
    void early;
  });

  it('takes the first of desk and source, and ends the other', async () => {
    const file = later(true);
    const reading = read(file.source);
    void desk.bring('123456');
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
    time.advance(5 * US_PER_MINUTE);
    expect(await reading).toMatchObject({ ok: false });
    void read();
    time.advance(600 * US_PER_MINUTE);
    expect(desk.isWaiting).toBe(true);
  });

  it('is given up when the program ends', async () => {
    const reading = read();
    closing.abort();
    expect(await reading).toEqual({ ok: false, reason: 'given up' });
    expect(waits).toEqual([true, false]);
  });
});
