/** The peers' virtual environment: outside the repository, made once, from PyPI. Where it cannot be had the reason is printed. */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = ['nautilus_trader==1.221.0', 'hftbacktest==2.4.4', 'backtrader==1.9.78.123'];
const INSTALL_MS_MAX = 600_000;
const LINES_SHOWN = 3;

type Environment =
  | { readonly ok: true; readonly python: string }
  | { readonly ok: false; readonly reason: string };

export function preparePeers(): Environment {
  const folder = join(tmpdir(), 'tickwright-peers');
  const python = join(folder, 'bin', 'python');
  const done = join(folder, 'installed');
  if (existsSync(done)) return { ok: true, python };
  rmSync(folder, { recursive: true, force: true });
  const problem =
    run('python3', ['-m', 'venv', folder]) ??
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]);
  if (problem !== null) return { ok: false, reason: problem };
  writeFileSync(done, `${PACKAGES.join('\n')}\n`);
  return { ok: true, python };
}

/** Null when it went well. */
function run(command: string, args: readonly string[]): string | null {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: INSTALL_MS_MAX });
  if (status === 0) return null;
  const text = error === undefined ? stderr : error.message;
  return `${command} ${args.slice(0, 2).join(' ')}: ${text.trim().split('\n').slice(-LINES_SHOWN).join(' / ')}`;
}
