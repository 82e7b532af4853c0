/** Output, exit codes and failures of commands. */
import type { Writable } from 'node:stream';
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

/** Handed to each group of commands. */
export interface CliContext {
  readonly io: CliIo;
  /** Sets the exit code. */
  readonly finish: (exitCode: number) => void;
}

export const printJson = (io: CliIo, value: unknown): void => io.out(`${JSON.stringify(value, null, 2)}\n`);

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

/** The failure of a data command that finds no data. */
export function noData(dir: string, symbol: string | undefined): CliFailure {
  const what = symbol === undefined ? 'no data' : `nothing of ${symbol}`;
  return new CliFailure(
    EXIT.nothingThere,
    `${what} in ${dir}: import some with tickwright data import FILE, or name another directory with --dir`,
  );
}

const STREAMS: readonly Writable[] = [process.stdout, process.stderr];

/** Keeps running when the reader of a pipe is gone (`| head`, a closed terminal). */
export function keepPipesQuiet(): void {
  for (const stream of STREAMS) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** Waits until a full pipe has taken everything: the rest would be lost when the process exits. */
export async function written(): Promise<void> {
  for (const stream of STREAMS) await new Promise<void>((resolve) => stream.write('', () => resolve()));
}

export const refused = (problems: readonly string[], where: string): CliFailure =>
  new CliFailure(EXIT.usage, [...problems, `${formatCount(problems.length, 'problem')} ${where}`].join('\n'));
