/** The daemon under the real pm2, with the settings of `ecosystem.config.cjs`. It needs the compiled program: `npm run build`. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readJournal } from '../../src/journal/journal-reader.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { journalEntries, MAIN, resolveAbsent, simulatorLink, until, workplace } from './daemon-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PM2 = createRequire(import.meta.url).resolve('pm2/bin/pm2');
const CALL_MS_MAX = 60_000;
const SECRET = 'a-key-that-pm2-must-not-keep';
/** Every place of a secret that the program knows by itself, and one of a user's own. */
const SECRETS = [
  'TICKWRIGHT_API_KEY',
  ...[
    ...readFileSync(join(ROOT, 'src/config/config-schema.ts'), 'utf8').matchAll(/secretFrom\('(\w+)'\)/g),
  ].map(([, variable = '']) => variable),
  'DESK_BOT_TOKEN',
];

const place = workplace(BUSY_CONFIG);
const ecosystem = join(place.dir, 'ecosystem.config.cjs');
const writeAheadLog = join(place.state, 'journal.db-wal');

interface Shown {
  readonly pid: number;
  readonly pm2_env: {
    readonly status: string;
    readonly restart_time: number;
    readonly exit_code?: number;
    readonly env: Readonly<Record<string, string>>;
  };
}

async function pm2(...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    PM2_HOME: join(place.dir, 'pm2'),
    // pm2 would ask its maker for a newer version.
    PM2_DISABLE_VERSION_CHECK: 'true',
    TICKWRIGHT_ARM: 'yes',
    ...Object.fromEntries(SECRETS.map((variable) => [variable, SECRET])),
  };
  const { stdout } = await promisify(execFile)(process.execPath, [PM2, ...args], {
    env,
    timeout: CALL_MS_MAX,
  });
  return stdout;
}

async function shown(): Promise<Shown> {
  const list: Shown[] = JSON.parse((await pm2('jlist')).trim().split('\n').at(-1) ?? '[]');
  expect(list.length, 'one instance').toBe(1);
  return list[0]!;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process: that is the answer.
    return false;
  }
}

/** In the list that it shows, and in the file from which it brings the daemon back after a start of the machine. */
async function keepsNoSecret(): Promise<void> {
  await pm2('save', '--force');
  const dump = readFileSync(join(place.dir, 'pm2', 'dump.pm2'), 'utf8');
  for (const kept of [dump, await pm2('jlist')])
    expect([...kept.matchAll(new RegExp(`"(\\w+)":\\s*"${SECRET}`, 'g'))].map(([, name]) => name)).toEqual(
      [],
    );
}

/** How often the daemon has come as far as its session, by the journal's own count. */
function boots(): number {
  const journal = readJournal(join(place.state, 'journal.db'));
  try {
    return journal.read
      .sessions()
      .flatMap(({ day }) => [...journal.read.inputs(day)])
      .filter(({ kind }) => kind === 'booted').length;
  } finally {
    journal.close();
  }
}

/** The logs that pm2 keeps of the daemon. */
function output(): string {
  const logs = join(place.dir, 'pm2', 'logs');
  return readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), 'utf8'))
    .join('\n');
}

const boot = (count: number): Promise<true> => until(() => (boots() === count ? true : undefined), output);
const placed = (): number => journalEntries(place, { kinds: ['place'] }).length;

beforeAll(() => {
  if (!existsSync(join(ROOT, 'dist/src/cli/main.js')))
    throw new Error('compile the program first: npm run build');
  // As delivered, but for the configuration, and for a limit of the wait that nobody reaches: pm2 calls a program online
  // when that limit is over, so here `pm2 start` returns in time only because of a real "ready".
  writeFileSync(
    ecosystem,
    `const { apps: [app] } = require(${JSON.stringify(join(ROOT, 'ecosystem.config.cjs'))});
     const args = ['paper', '--config', ${JSON.stringify(place.config)}];
     module.exports = { apps: [{ ...app, args, listen_timeout: ${10 * CALL_MS_MAX} }] };`,
  );
});

afterAll(async () => {
  await pm2('kill');
  const left = existsSync(join(place.state, 'simulator.json')) ? simulatorLink(place).pid : 0;
  if (left !== 0 && isAlive(left)) process.kill(left, 'SIGKILL');
  rmSync(place.dir, { recursive: true, force: true });
}, CALL_MS_MAX);

test(
  'pm2 starts the daemon, brings it back after a crash, and leaves it stopped where a person stops it',
  { timeout: 300_000 },
  async () => {
    await pm2('start', ecosystem);
    const started = await shown();
    expect(started.pm2_env).toMatchObject({ status: 'online', restart_time: 0 });
    expect(SECRETS).toContain('TICKWRIGHT_TELEGRAM_TOKEN');
    expect(started.pm2_env.env, 'real money is armed from the shell').toMatchObject({
      TICKWRIGHT_ARM: 'yes',
    });
    await keepsNoSecret();
    await until(() => journalEntries(place).find(({ entry }) => entry.kind === 'outcome'), output);
    const broker = simulatorLink(place).pid;

    // A crash: the broker lives on, the daemon comes back by itself and carries on with the same session.
    process.kill(started.pid, 'SIGKILL');
    await boot(2);
    const back = await shown();
    expect(back.pm2_env).toMatchObject({ status: 'online', restart_time: 1 });
    expect(back.pid).not.toBe(started.pid);
    expect(simulatorLink(place).pid, 'the broker was not touched').toBe(broker);

    await pm2('stop', 'tickwright');
    // A process that had to be killed shows exit code 0 too; but it could not have folded the journal's log in.
    expect(existsSync(writeAheadLog), 'the journal was closed').toBe(false);
    expect((await shown()).pm2_env).toMatchObject({ status: 'stopped', exit_code: 0 });
    expect(isAlive(back.pid)).toBe(false);
    expect(isAlive(broker), 'a clean end takes the embedded broker along').toBe(false);

    const before = placed();
    await pm2('restart', ecosystem, '--update-env');
    expect((await shown()).pm2_env.status).toBe('online');
    await keepsNoSecret();
    await boot(3);
    await until(async () => {
      await resolveAbsent(place);
      return placed() > before ? true : undefined;
    }, output);
    const stop = [MAIN, 'stop', '--reason', 'a person goes home', '--state', place.state];
    const { stdout } = await promisify(execFile)(process.execPath, stop);
    expect(stdout).toContain('it stays stopped until pm2 start tickwright');
    const ended = await until(async () => {
      const now = await shown();
      return now.pm2_env.status === 'online' ? undefined : now;
    }, output);
    // With a backoff pm2 shows "waiting restart" all the same; a process that it will start again keeps its pid until then.
    expect(ended).toMatchObject({ pid: 0, pm2_env: { exit_code: 5 } });
    expect(existsSync(writeAheadLog), 'the journal was closed').toBe(false);
  },
);
