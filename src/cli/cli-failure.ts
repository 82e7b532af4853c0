/** What the exit code says; the same numbers as in the help of the program. */
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
