import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../../src/sqlite/database.ts';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import {
  brokerFindings,
  type Finding,
  journalFindings,
  modeFindings,
} from '../../../src/daemon/inspect/doctor.ts';
import { statePaths } from '../../../src/host/state/state-paths.ts';
import { tsUs } from '../../../src/domain/units.ts';
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

it('finds files with secrets that others can read', () => {
  const { token, control } = place();
  for (const path of [token, control]) writeFileSync(path, 'x', { mode: 0o600 });
  expect(modeFindings([token, control, `${token}.none`])).toEqual([]);
  chmodSync(token, 0o640);
  expect(modeFindings([token, control])).toMatchObject([
    { level: 'bad', text: `${token} can be read by others: chmod 600 ${token}` },
  ]);
});
