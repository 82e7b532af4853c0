/** The command line in process: arguments in, exit code and both outputs back. */
import { runCli } from '../../../src/cli/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function cliRun(...argv: readonly string[]): Promise<CliRun> {
  let [out, err] = ['', ''];
  const code = await runCli(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

export function cliDir(): string {
  const dir = tempDir();
  return dir;
}
