/**
 * Waits for somebody to drop a password into a file. The file is removed as it is read: a password works once, and one
 * left over from yesterday must not be tried today.
 */
import { readFileSync, rmSync, statSync } from 'node:fs';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { type DurationUs, minutes, seconds, US_PER_MS } from '../../domain/units.ts';
import { type OtpAnswer, type OtpProvider, parseOtp } from './otp-provider.ts';

export interface FileOptions {
  readonly path: string;
  /** Real time, to tell a password of yesterday. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly timeout: DurationUs;
}

const LOOK_EVERY = seconds(1);
/** Older ones have expired; trying one would cost an exchange. */
const AGE_MAX = minutes(10);

export const fileOtp = (options: FileOptions): OtpProvider => ({
  name: 'file',
  isFresh: true,
  read: (signal) => watch(options, signal),
});

function watch({ path, clock, timers, timeout }: FileOptions, signal: AbortSignal): Promise<OtpAnswer> {
  return new Promise((resolve) => {
    let stopLook: CancelTimer | undefined;
    let stopWait: CancelTimer | undefined;
    const settle = (answer: OtpAnswer): void => {
      stopLook?.();
      stopWait?.();
      signal.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const onAbort = (): void => settle({ ok: false, reason: 'given up' });
    let seen = '';
    const look = (): void => {
      try {
        lookOnce();
      } catch (error) {
        settle({ ok: false, reason: `${path}: ${error instanceof Error ? error.message : String(error)}` });
      }
    };
    const lookOnce = (): void => {
      const text = peek(path, clock);
      // Without a line end somebody may still be writing: it counts when it is the same a second later.
      const isWhole = text.endsWith('\n') || (text !== '' && text === seen);
      seen = text;
      if (isWhole) settle(take(path, text));
      else stopLook = timers.after(LOOK_EVERY, look);
    };
    if (signal.aborted) return onAbort();
    stopWait = timers.after(timeout, () =>
      settle({ ok: false, reason: `nothing appeared in ${path} in time` }),
    );
    signal.addEventListener('abort', onAbort);
    look();
  });
}

/** Empty while there is nothing. */
function peek(path: string, clock: Clock): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) return '';
  if (stat.mtimeMs * US_PER_MS < clock.nowUs() - AGE_MAX) {
    rmSync(path);
    return '';
  }
  return readFileSync(path, 'utf8');
}

function take(path: string, text: string): OtpAnswer {
  rmSync(path);
  return parseOtp(text);
}
