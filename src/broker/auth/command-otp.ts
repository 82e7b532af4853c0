/** Runs a command and takes the first line it prints. No shell: what is configured is what runs. */
import { spawn } from 'node:child_process';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import type { DurationUs } from '../../domain/units.ts';
import { type OtpAnswer, type OtpProvider, parseOtp } from './otp-provider.ts';

export interface CommandOptions {
  /** Program and arguments. */
  readonly command: readonly [string, ...string[]];
  readonly timers: Timers;
  readonly timeout: DurationUs;
}

const OUTPUT_CHARACTERS_MAX = 4096;

export const commandOtp = (options: CommandOptions): OtpProvider => ({
  name: 'command',
  isFresh: false,
  read: (signal) => run(options, signal),
});

function run({ command, timers, timeout }: CommandOptions, signal: AbortSignal): Promise<OtpAnswer> {
  return new Promise((resolve) => {
    const [program, ...args] = command;
    // What the command writes to stderr is for the operator; what it prints is a secret.
    const child = spawn(program, args, { shell: false, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    let stop: CancelTimer | undefined;
    const settle = (answer: OtpAnswer): void => {
      stop?.();
      signal.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const giveUp = (reason: string): void => {
      child.kill('SIGKILL');
      settle({ ok: false, reason });
    };
    const onAbort = (): void => giveUp('given up');
    stop = timers.after(timeout, () => giveUp(`${program} did not finish in time`));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
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
  });
}
