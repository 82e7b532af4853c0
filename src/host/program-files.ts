/** The program's files on disk: a thread loads code when it starts, so a build under a running daemon would mix two versions. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { thrownText } from '../domain/failure.ts';

const SOURCE = join(import.meta.dirname, '..');

export class ProgramFiles {
  readonly #dir: string;
  /** Twelve hexadecimal digits, as of the start. */
  readonly digest: string;

  constructor(dir = SOURCE) {
    this.#dir = dir;
    this.digest = digestOf(dir);
  }

  /** In words; null while the files are those of the start. Reads them all: some 20 ms. */
  problem(): string | null {
    let now = '';
    // A build under way leaves files out for a moment.
    const failure = thrownText(() => {
      now = digestOf(this.#dir);
    });
    if (now === this.digest) return null;
    return (
      `the program in ${this.#dir} is not the one that runs: ` +
      `${failure ?? 'it was rebuilt or reinstalled since the daemon started'}; restart the daemon`
    );
  }
}

/** A supervisor starts a process again that ends: pm2, systemd, or the runtime of a container. */
export const isSupervised = (): boolean =>
  process.send !== undefined || process.pid === 1 || process.env['SYSTEMD_EXEC_PID'] === String(process.pid);

/** Exit code of a run that a person stopped: another one than 0 where its supervisor leaves the daemon stopped after that one. */
export const stopExit = (): number => (process.env['TICKWRIGHT_STOP_EXIT'] === '5' ? 5 : 0);

/** What its supervisor makes of a stop that a person asks for, in words; empty without one. */
export function afterStop(): string {
  const name = process.env['name'] ?? 'tickwright';
  if (!isSupervised()) return '';
  if (stopExit() !== 0) return `; it stays stopped until pm2 start ${name}`;
  if (process.env['pm_id'] === undefined) return '; its supervisor may start it again: stop it there';
  return `; pm2 starts it again: pm2 stop ${name} ends it`;
}

function digestOf(dir: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  // `npm run build` adds declarations to what `npm start` has compiled; nothing loads them.
  for (const file of files.filter((name) => /(?<!\.d)\.[jt]s$/.test(name)).toSorted())
    hash.update(`${file}\0`).update(readFileSync(join(dir, file)));
  return hash.digest('hex').slice(0, 12);
}

/** The folder of the `package.json` above this file; compiled files lie one folder deeper. Empty when there is none. */
export function packageRoot(from: string = import.meta.dirname): string {
  if (existsSync(join(from, 'package.json'))) return from;
  return dirname(from) === from ? '' : packageRoot(dirname(from));
}

export function packageVersion(): string {
  const root = packageRoot();
  if (root === '') return '';
  const found: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : '';
}
