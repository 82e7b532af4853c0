import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Database } from '../../../src/sqlite/database.ts';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import {
  brokerFindings,
  environmentFindings,
  type Finding,
  journalFindings,
  modeFindings,
  stateFindings,
} from '../../../src/daemon/inspect/doctor.ts';
import { statePaths } from '../../../src/host/state/state-paths.ts';
import { money, tsUs } from '../../../src/domain/units.ts';
import { writeArchive } from '../../../src/journal/journal-copies.ts';
import { takeInstanceLock } from '../../../src/journal/instance-lock.ts';
import { DAY, note, openStore } from '../../journal/journal-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';

const levels = (findings: readonly Finding[]): Record<string, string> =>
  Object.fromEntries(findings.map(({ what, level }) => [what, level]));

afterEach(() => vi.restoreAllMocks());

async function brokerAt(skewMs: number): Promise<string> {
  const server = createServer((_, reply) => {
    reply.sendDate = false;
    reply.setHeader('date', new Date(Date.now() - skewMs).toUTCString());
    reply.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it.each([
  [0, 'good'],
  [-5_000, 'warning'],
  [5_000, 'warning'],
  [60_000, 'bad'],
])('judges a clock that is %d ms ahead of the broker: %s', async (skewMs, level) => {
  expect(levels(await brokerFindings(await brokerAt(skewMs)))).toEqual({
    broker: 'good',
    'clock skew': level,
  });
});

it('says that the broker cannot be reached, and why', async () => {
  const findings = await brokerFindings('http://127.0.0.1:1/');
  expect(findings).toMatchObject([{ level: 'warning', what: 'broker' }]);
  expect(findings[0]?.text).toContain('127.0.0.1:1 cannot be reached: ');
});

function place() {
  const dir = tempDir();
  return statePaths(dir);
}

it('checks journal, lock and exchanges of a state directory', () => {
  const paths = place();
  expect(levels(journalFindings(paths, 10, DAY))).toEqual({ lock: 'good', journal: 'good' });
  const { store } = openStore(paths.journal);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  store.append(note(1));
  store.append(note(2));
  store.setCounter('token_exchange', DAY, 10);
  store.close();
  expect(levels(journalFindings(paths, 11, DAY))).toEqual({ lock: 'good', journal: 'good', token: 'good' });
  expect(levels(journalFindings(paths, 10, DAY))).toMatchObject({ token: 'bad' });
  const lock = takeInstanceLock(paths.lock, process.pid);
  expect(journalFindings(paths, 10, DAY)[0]?.text).toContain('a daemon runs on');
  lock.release();
  const database = new Database(paths.journal);
  database.exec('DROP TRIGGER entries_stay; DELETE FROM entries WHERE id = 1');
  database.close();
  expect(levels(journalFindings(paths, 10, DAY))).toMatchObject({ journal: 'bad' });
  writeFileSync(paths.journal, 'no database');
  expect(levels(journalFindings(paths, 10, DAY))).toMatchObject({ journal: 'bad' });
});

it('takes no file for a state directory', () => {
  const file = join(tempDir(), 'state');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below')])
    expect(stateFindings(path)).toMatchObject([{ level: 'bad', what: 'state' }]);
});

it('misses an archive that is not there', () => {
  const paths = place();
  const { store } = openStore(paths.journal);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  store.append(note(1));
  store.flush();
  store.addArchive(writeArchive(paths.journal, DAY));
  store.close();
  expect(levels(journalFindings(paths, 10, DAY))).toMatchObject({ journal: 'good', archives: 'good' });
  rmSync(paths.archive, { recursive: true });
  expect(levels(journalFindings(paths, 10, DAY))).toMatchObject({ journal: 'good', archives: 'bad' });
});

it('says whether the money of the last session agreed with the broker’s', () => {
  const paths = place();
  const { store } = openStore(paths.journal);
  store.beginSession(DAY, tsUs(1), 'test.yaml');
  const figures = [{ what: 'fee', ours: money(5_250), broker: money(7_250) } as const];
  const money_checked = { ...note(1), strategy: null, kind: 'money_checked', figures } as const;
  store.append({ ...money_checked, verdict: 'differs' });
  store.flush();
  const found = (): Finding | undefined =>
    journalFindings(paths, 10, DAY).find(({ what }) => what === 'money');
  expect(found()).toMatchObject({
    level: 'bad',
    text: expect.stringContaining('ours 5,250, broker 7,250 VND'),
  });
  store.append({ ...money_checked, verdict: 'accepted' });
  store.close();
  expect(found()).toMatchObject({ level: 'good' });
});

it('finds files with secrets that others can read', () => {
  const { token, control } = place();
  for (const path of [token, control]) writeFileSync(path, 'x', { mode: 0o600 });
  expect(modeFindings([token, control, `${token}.none`])).toEqual([]);
  chmodSync(token, 0o640);
  expect(modeFindings([token, control])).toMatchObject([
    { level: 'bad', text: `${token} can be read by others: chmod 600 ${token}` },
  ]);
});

it('names secrets that pm2 would keep or keeps in clear', () => {
  const { dir } = place();
  vi.stubEnv('PM2_HOME', dir);
  vi.stubEnv('DESK_KEY', 'a-key-of-the-desk');
  const file = join(dir, 'token');
  writeFileSync(file, 'a-token-in-a-file\n', { mode: 0o600 });
  const config = {
    mode: 'live',
    auth: { apiKeyEnvironment: 'DESK_KEY' },
    alerts: {
      channels: [{ kind: 'telegram', token: { environment: 'DESK_BOT', file } }],
    },
    operator: {},
  } as unknown as Parameters<typeof environmentFindings>[0];
  const said = () => environmentFindings(config).map(({ level, text }) => `${level}: ${text}`);
  expect(said()).toEqual([expect.stringMatching(/^warning: DESK_KEY comes from the environment/)]);
  expect(environmentFindings({ ...config, mode: 'paper' })).toEqual([]);
  writeFileSync(join(dir, 'dump.pm2'), JSON.stringify([{ env: { DESK_BOT: 'a-token-in-a-file' } }]));
  expect(said()).toEqual([
    expect.stringMatching(/^warning: DESK_KEY/),
    expect.stringMatching(/^bad: .*dump\.pm2 shows the secret of DESK_BOT in clear: replace this secret/),
  ]);
});
