/** `tickwright open`: the page of the running daemon, in the browser. */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { isRecord } from '../../domain/parsed.ts';
import { type CliContext, failed } from '../cli-io.ts';
import { stateCommand, stateOf } from '../state-option.ts';
import { call } from './control-commands.ts';

interface OpenFlags {
  readonly state?: string;
  readonly look?: boolean;
  readonly print?: boolean;
}

/** A browser has read the file by then. */
const FILE_MS = 5_000;

const HELP = `
The link opens once, within ten minutes; the session lasts a day, and ends with
the daemon. From another machine: ssh -L 8600:127.0.0.1:PORT HOST, then open the
printed link with port 8600.

Example:
  tickwright open --print
`;

export function addOpenCommand(program: Command, { io }: CliContext): void {
  stateCommand(program, 'open', 'open the page of the running daemon in the browser', HELP)
    .option('--look', 'a session that sees everything and commands nothing')
    .option('--print', 'print the link only')
    .action(async ({ look, print, ...flags }: OpenFlags) => {
      const state = stateOf(flags);
      const kind = look === true ? 'look' : 'steer';
      const link = linkOf(await call(state, 'POST', `/links/${kind}`, null));
      io.out(`${link}\n`);
      if (print !== true && hasDisplay()) await showFile(join(resolve(state), 'open.html'), link);
    });
}

function linkOf(answer: unknown): string {
  if (isRecord(answer) && typeof answer['link'] === 'string') return answer['link'];
  throw failed('the daemon gave no link: use the tickwright that started it');
}

const hasDisplay = (): boolean =>
  process.platform === 'darwin' ||
  process.env['DISPLAY'] !== undefined ||
  process.env['WAYLAND_DISPLAY'] !== undefined;

/** A file of the owner passes the link on: other users of the machine see arguments of programs. */
async function showFile(path: string, link: string): Promise<void> {
  writeFileSync(path, `<!doctype html><meta http-equiv="refresh" content="0;url=${link}">\n`, {
    mode: 0o600,
  });
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const browser = spawn(program, [pathToFileURL(path).href], { stdio: 'ignore', detached: true });
  // Without one the printed link is left.
  browser.on('error', () => undefined);
  browser.unref();
  await new Promise((done) => setTimeout(done, FILE_MS));
  rmSync(path, { force: true });
}
