/** A new build over the state of the one before it, and under a running daemon. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Database } from '../../src/sqlite/database.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { note, openStore } from '../journal/journal-fixture.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { startDaemon, workplace } from './daemon-process.ts';
import { programWith } from './program-with.ts';

test('it does not trade blind: it says how to go on, ends with 2, and leaves the journal to the other build', async () => {
  const messages: string[] = [];
  const phone = createServer((request, response) => {
    request.on('data', (chunk) => messages.push(String(chunk))).on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void phone.close());
  await once(phone, 'listening');
  vi.stubEnv('TICKWRIGHT_TEST_HOOK', `http://127.0.0.1:${(phone.address() as AddressInfo).port}/`); // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
  const hook = '{ id: hook, kind: webhook, preset: ntfy, url: { environment: TICKWRIGHT_TEST_HOOK } }';
  const place = workplace(`${BUSY_CONFIG}\nalerts: { channels: [${hook}] }\n`);
  mkdirSync(place.state);
  const path = join(place.state, 'journal.db');
  const { store } = openStore(path);
  store.append(note(1));
  store.close();
  const journal = new Database(path);
  journal.pragma('user_version = 4');
  const rows = journal.prepare('SELECT count(*) FROM entries').pluck();
  const before = rows.get();

  const daemon = startDaemon(place);
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).toBe(2);
  expect(daemon.output()).toMatch(/was 4: another Tickwright wrote it, .* Go on with that version/);
  expect(messages.join()).toMatch(/the daemon does not start \(paper\)\s.*another Tickwright wrote it/);
  expect(daemon.output()).not.toMatch(/ at .*\.js:|placed/);
  expect([rows.get(), journal.pragma('user_version', { simple: true })]).toEqual([before, 4]);
  journal.close();
});

test('a build under a running daemon: no reload mixes it with what runs, and status says so', async () => {
  const place = workplace(BUSY_CONFIG);
  const main = programWith('const added = [...SHIPPED][0];');
  const tickwright = async (...args: readonly string[]): Promise<string> => {
    const ran = promisify(execFile)(process.execPath, [main, ...args], { cwd: place.dir });
    const { stdout, stderr } = await ran.catch((failed: { stdout: string; stderr: string }) => failed);
    return `${stdout}${stderr}`.replaceAll(/\s+/g, ' ');
  };
  const reload = (): Promise<string> => tickwright('reload', '--state', place.state, '--reason', 'the test');
  const daemon = startDaemon(place, [], main);
  await daemon.line(/live/);
  expect(await reload()).toContain('the strategies run as configured already');

  appendFileSync(join(dirname(main), '..', 'engine', 'engine.js'), '\n// built again\n');
  expect(await reload()).toMatch(
    /refused: .* rebuilt or reinstalled .* restart the daemon nothing was changed/,
  );
  expect(await tickwright('status', '--state', place.state)).toContain('is not the one that runs');
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
});
