/** The command line in process: arguments in, exit code and both outputs back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.ts';

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
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
