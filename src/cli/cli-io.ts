/** Output, exit codes and failures of commands. */
import { statSync } from 'node:fs';
import { meantPath } from '../config/problem.ts';
import { formatCount } from '../text/numbers.ts';

/** Results go to `out`, everything else to `err`. */
export interface CliIo {
  out(text: string): void;
  err(text: string): void;
  /** `err` is a terminal, so lines may be redrawn. */
  readonly isTerminal?: boolean;
}

export const processIo: CliIo = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
};

export interface CliContext {
  readonly io: CliIo;
  readonly finish: (exitCode: number) => void;
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Exit codes, as `--help` lists them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, alreadyRunning: 3, nothingThere: 4 } as const;

/** Ends a command with a message for the operator and an exit code; no stack is shown. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const failed = (message: string): CliFailure => new CliFailure(EXIT.failed, message);
export const wrongUsage = (message: string): CliFailure => new CliFailure(EXIT.usage, message);
export const nothingThere = (message: string): CliFailure => new CliFailure(EXIT.nothingThere, message);

/** Refuses a path that leads nowhere, or to a directory. */
export function needFile(flag: string, path: string | null | undefined): void {
  if (typeof path !== 'string') return;
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isDirectory === true) throw wrongUsage(`${flag}: expected a file, was the directory ${path}`);
  if (isDirectory === undefined)
    throw wrongUsage(
      `${flag}: expected an existing file, was ${path} (${meantPath(path, 'check the path')})`,
    );
}

export function noData(dir: string, symbol: string | undefined): CliFailure {
  const what = symbol === undefined ? 'no data' : `nothing of ${symbol}`;
  return nothingThere(
    `${what} in ${dir}: import some with tickwright data import FILE, or name another directory with --dir`,
  );
}

let outputError: Error | null = null;

/**
 * Keeps running when output cannot be written: a full disk or a closed terminal must not end a daemon. The first refusal is reported on the
 * other stream. The reader of a pipe may leave (`| head`): no more is wanted then.
 */
export function keepOutputQuiet(): void {
  for (const [stream, other] of [
    [process.stdout, process.stderr],
    [process.stderr, process.stdout],
  ] as const) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || outputError !== null) return;
      outputError = error;
      other.write(`output could not be written, more of it is lost: ${error.message}\n`);
    });
  }
}

/** Waits until a full pipe has taken everything, which the end of the process would lose; false when something was refused. */
export async function written(): Promise<boolean> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  return outputError === null;
}

export const refused = (problems: readonly string[], where: string): CliFailure =>
  wrongUsage([...problems, `${formatCount(problems.length, 'problem')} ${where}`].join('\n'));
