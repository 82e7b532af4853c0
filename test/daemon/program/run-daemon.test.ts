/** Surroundings in which no daemon starts. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runDaemon } from '../../../src/daemon/program/run-daemon.ts';
import { accountKey, isOfOtherAccount, LIVE_DAY, mayHaveTradedMoney } from '../../../src/host/run-plan.ts';
import { systemClock, systemTimers } from '../../../src/host/system-clock.ts';
import { JournalStore } from '../../../src/journal/journal-store.ts';
import { RunRecord } from '../../../src/host/run-record.ts';
import { statePaths } from '../../../src/host/state/state-paths.ts';
import { takeAccountLock } from '../../../src/host/state/running-daemons.ts';
import { type Mode, loadConfig } from '../../../src/config/config.ts';
import { CATALOG } from '../../../strategies/catalog.ts';
import { LIVE, SHIPPED } from '../../config/config-files.ts';
import { tempDir } from '../../support/temp-dir.ts';

function start(change = (text: string): string => text) {
  const dir = tempDir();
  for (const name of ['vn30f.yaml', 'closures.json']) copyFileSync(join(SHIPPED, name), join(dir, name));
  writeFileSync(join(dir, 'main.yaml'), change(LIVE));
  vi.stubEnv('XDG_STATE_HOME', join(dir, 'home'));
  vi.stubEnv('TICKWRIGHT_ARM', 'yes');
  vi.stubEnv('TICKWRIGHT_API_KEY', 'key');
  const loaded = loadConfig(join(dir, 'main.yaml'), CATALOG);
  if (!loaded.ok) throw new Error('expected a configuration');
  const said: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
  const run = (
    state: string,
    { mode, fresh }: { readonly mode: Mode; readonly fresh: boolean } = { mode: 'live', fresh: false },
  ) =>
    runDaemon({
      config: { ...loaded.config, mode },
      fresh,
      durationMs: null,
      jsonLogs: false,
      replay: null,
      speed: null,
      stateDir: join(dir, state),
    });
  return { dir, run, said };
}

it('has one daemon with real money an account, whatever its state directory', async () => {
  const { run, said } = start();
  const lock = takeAccountLock({
    restUrl: 'https://broker.example/',
    custodyCode: '105C000000',
    subAccountId: '105C000000A',
  });
  expect(await run('second')).toBe(3);
  expect(said.join('')).toContain('two daemons of one account fight each other');
  lock.release();
});

it.each(['missing', 'empty'])(
  'trades no real money without the journal that it had: it is %s',
  async (how) => {
    const { dir, run, said } = start();
    const paths = statePaths(join(dir, 'state'));
    mkdirSync(paths.backups, { recursive: true });
    if (how === 'empty') writeFileSync(paths.journal, '');
    expect(await run('state')).toBe(2);
    expect(said.join('')).toContain('put the newest one of backups in its place');
  },
);

it.each(['live', 'dry-run'] as const)('takes no journal of another account for %s', async (mode) => {
  const { dir, run, said } = start((text) => text.replaceAll('105C000000A', '105C000000B'));
  const paths = statePaths(join(dir, 'state'));
  mkdirSync(paths.dir);
  const journal = new JournalStore({
    path: paths.journal,
    wallClock: systemClock,
    timers: systemTimers,
    onFailure: () => undefined,
  });
  const account = { custodyCode: '105C000000', subAccountId: '105C000000A' };
  journal.setCounter(LIVE_DAY, '2026-03-04', accountKey({ account }));
  journal.close();
  expect(await run('state', { mode, fresh: false })).toBe(2);
  expect(said.join('')).toContain('its journal has the orders and positions of another account');
  expect(isOfOtherAccount(paths.journal, { account })).toBe(false);
});

it('takes no file for a state directory', async () => {
  const { dir, run, said } = start();
  writeFileSync(join(dir, 'state'), '');
  for (const mode of ['paper', 'live'] as const) expect(await run('state', { mode, fresh: false })).toBe(2); // oxlint-disable-line eslint/no-await-in-loop -- one after the other
  expect(said.join('')).toMatch(/^(?:state directory \S+: it is a file, so nothing was changed; .*\n){2}$/);
});

it('says of a directory that it may not read just that', async (context) => {
  context.skip(process.getuid?.() !== 0, 'only root has one that others may not read');
  const { dir, run, said } = start();
  mkdirSync(join(dir, 'state'), { mode: 0o700 });
  chmodSync(dir, 0o755);
  process.seteuid?.(65_534);
  onTestFinished(() => process.seteuid?.(0));
  expect(await run('state', { mode: 'paper', fresh: true })).toBe(2);
  expect(said.join('')).toContain('EACCES: permission denied');
  expect(said.join('')).not.toContain('real money');
});

it('leaves a directory of others as it is', async () => {
  const { dir, run, said } = start();
  writeFileSync(join(dir, 'thesis.doc'), '');
  expect(await run('.')).toBe(2);
  expect(said.join('')).toContain('it holds files that are not Tickwright');
});

it('reaches no broker that cannot prove itself', async () => {
  const { dir, run } = start();
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  await expect(run('state')).rejects.toThrow('NODE_TLS_REJECT_UNAUTHORIZED=0 is set');
  const { earlier } = RunRecord.begin(join(dir, 'state', 'run'), systemClock.nowUs());
  expect(earlier?.ended?.reason, 'a run that fails has not died').toMatch(/^failed: NODE_TLS/);
});

it('trades on paper next to no journal of real money, and never forgets one', async () => {
  const { dir, run, said } = start();
  const path = join(dir, 'state', 'journal.db');
  mkdirSync(join(dir, 'state'));
  const journal = new JournalStore({
    path,
    wallClock: systemClock,
    timers: systemTimers,
    onFailure: () => undefined,
  });
  journal.setCounter(LIVE_DAY, '2026-03-04', 1);
  journal.close();
  expect(await run('state', { mode: 'paper', fresh: true })).toBe(2);
  expect(said.join('')).toContain('its journal may have traded real money, so nothing was changed');
  expect(mayHaveTradedMoney(statePaths(join(dir, 'state')))).toBe(true);
});

it('forgets no damaged journal that may have traded real money, nor its copies', async () => {
  const { dir, run, said } = start();
  const paths = statePaths(join(dir, 'state'));
  for (const copies of [paths.archive, paths.backups]) mkdirSync(copies, { recursive: true });
  writeFileSync(paths.journal, 'no database '.repeat(1_000));
  expect(mayHaveTradedMoney(paths)).toBe(true);
  expect(await run('state', { mode: 'paper', fresh: true })).toBe(2);
  expect(said.join('')).toContain('nothing was changed');
  expect(existsSync(paths.journal)).toBe(true);
  rmSync(paths.journal);
  writeFileSync(paths.marker, '');
  expect(await run('state', { mode: 'paper', fresh: true }), 'it was moved away').toBe(2);
  expect([paths.archive, paths.backups].map((path) => existsSync(path))).toEqual([true, true]);
  rmSync(paths.archive, { recursive: true });
  expect(mayHaveTradedMoney(paths), 'the backups are there').toBe(true);
  mkdirSync(paths.simulator);
  expect(mayHaveTradedMoney(paths), 'the paper account is there').toBe(false);
});

it.each(['live', 'dry-run'] as const)('takes no paper account for one of a broker: %s', async (mode) => {
  const { dir, run, said } = start();
  mkdirSync(join(dir, 'state', 'simulator'), { recursive: true });
  expect(await run('state', { mode, fresh: false })).toBe(2);
  expect(said.join('')).toContain('its journal has traded on paper, so nothing was changed');
});

it('starts with no address that could not be called, and does not quote it', async () => {
  const { run, said } = start((text) => `${text}\nalerts: { deadMansSwitch: {} }\n`);
  vi.stubEnv('TICKWRIGHT_DEAD_MAN_URL', 'hc-ping.example/s3cret');
  expect(await run('state')).toBe(2);
  expect(said.join('')).toMatch(/deadMansSwitch is no address like https.*TICKWRIGHT_DEAD_MAN_URL/);
  expect(said.join('')).not.toContain('s3cret');
});
