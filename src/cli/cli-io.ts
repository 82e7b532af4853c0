/** Where a command writes: results on `out`, everything else on `err`. Tests bring their own. */
export interface CliIo {
  out(text: string): void;
  err(text: string): void;
  /** A person watches `err`: lines may be drawn over each other. */
  readonly isTerminal?: boolean;
}

export const processIo: CliIo = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
};

/** What each command group is given. */
export interface CliContext {
  readonly io: CliIo;
  /** The exit code of the run. */
  readonly finish: (exitCode: number) => void;
}

export const printJson = (io: CliIo, value: unknown): void => io.out(`${JSON.stringify(value, null, 2)}\n`);
