/** Asks before anything leaves. Without a person at a terminal only `--yes` says yes. */
import { createInterface } from 'node:readline/promises';
import { CliFailure, EXIT } from '../cli-failure.ts';

/** Asks one question and waits for the line; undefined where nobody can be asked. */
export type Ask = ((question: string) => Promise<string>) | undefined;

export function terminalAsk(): Ask {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return undefined;
  return async (question) => {
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  };
}

/** Returns when the answer is yes; anything else ends the command, and nothing was sent. */
export async function confirm(what: string, isSaid: boolean, ask: Ask): Promise<void> {
  if (isSaid) return;
  if (ask === undefined) {
    throw new CliFailure(EXIT.usage, `${what}\nnot sent: nobody to ask at a terminal; say --yes`);
  }
  const answer = (await ask(`${what}\nSend it? [y/N] `)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new CliFailure(EXIT.failed, 'not sent');
}
