/** Asks the person at the terminal. Without a terminal it says so at once instead of waiting for nobody. */
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import type { DurationUs } from '../../domain/units.ts';
import { type OtpAnswer, type OtpProvider, parseOtp } from './otp-provider.ts';

export interface PromptOptions {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
  readonly timers: Timers;
  readonly timeout: DurationUs;
}

const QUESTION = "One-time password (from the broker's app): ";

export const promptOtp = (options: PromptOptions): OtpProvider => ({
  name: 'prompt',
  isFresh: true,
  read: (signal) => {
    if (options.input.isTTY !== true) return Promise.resolve({ ok: false, reason: 'no terminal to ask at' });
    return readLine(options, signal);
  },
});

function readLine(
  { input, output, timers, timeout }: PromptOptions,
  signal: AbortSignal,
): Promise<OtpAnswer> {
  return new Promise((resolve) => {
    let line = '';
    let stop: CancelTimer | undefined;
    const settle = (answer: OtpAnswer): void => {
      stop?.();
      input.off('data', onData);
      input.pause();
      signal.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const onAbort = (): void => settle({ ok: false, reason: 'given up' });
    const onData = (chunk: Buffer | string): void => {
      line += chunk.toString();
      const end = line.search(/[\r\n]/);
      if (end !== -1) settle(parseOtp(line.slice(0, end)));
    };
    if (signal.aborted) return onAbort();
    stop = timers.after(timeout, () => settle({ ok: false, reason: 'nobody answered the prompt in time' }));
    signal.addEventListener('abort', onAbort);
    input.on('data', onData);
    input.resume();
    output.write(QUESTION);
  });
}
