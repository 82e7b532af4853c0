/** A start that fails is no silent one: a supervisor gives up after some, and nobody would know. */
import { once } from 'node:events';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { LIVE } from '../config/config-files.ts';
import { MAIN, startDaemon, workplace } from './daemon-process.ts';
import { phoneHook } from './phone-hook.ts';

test('on a control port that another program has', async () => {
  const { heard, port, alerts } = await phoneHook();
  const place = workplace(`${BUSY_CONFIG}\noperator: { controlPort: ${port} }\n${alerts}`);
  const daemon = startDaemon(place);
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).not.toBe(0);
  expect(heard.join()).toMatch(/the daemon ends \(paper\)\s+failed: listen EADDRINUSE/);
});

test('on a journal that cannot be read', async () => {
  const { heard, alerts } = await phoneHook();
  const place = workplace(`${BUSY_CONFIG}\n${alerts}`);
  mkdirSync(join(place.state, 'simulator'), { recursive: true });
  writeFileSync(join(place.state, '.tickwright'), 'abcdef\n');
  writeFileSync(join(place.state, 'journal.db'), 'no database '.repeat(1_000));
  const daemon = startDaemon(place);
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).not.toBe(0);
  expect(heard.join()).toMatch(/the daemon ends \(paper\)\s+failed: /);
});

test('on a lock that cannot be taken', async () => {
  const { heard, alerts } = await phoneHook();
  const place = workplace(`${BUSY_CONFIG}\n${alerts}`);
  mkdirSync(join(place.state, 'daemon.lock'), { recursive: true });
  const daemon = startDaemon(place);
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).not.toBe(0);
  expect(heard.join()).toMatch(/the daemon ends \(paper\)\s+failed: /);
});

test('on a calendar that is cut off, by the channels of a file that can be read', async () => {
  const { heard, alerts } = await phoneHook();
  const place = workplace(`${BUSY_CONFIG}\n${alerts}`);
  const closures = join(place.dir, 'config', 'closures.json');
  truncateSync(closures, 100);
  const daemon = startDaemon(place);
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).toBe(2);
  expect(heard.join()).toMatch(
    /the daemon does not start \(paper\)\s+.*closures\.json:2:\d+ .*Missing closing "/,
  );
});

test('on a secret that is missing, by the other channels', async () => {
  const { heard, alerts } = await phoneHook();
  const other = '{ id: other, kind: webhook, preset: ntfy, url: { environment: TICKWRIGHT_NO_HOOK } }';
  const place = workplace(`${BUSY_CONFIG}\n${alerts.replace('[', `[${other}, `)}`);
  const daemon = startDaemon(place);
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).toBe(2);
  expect(heard.join()).toMatch(/the daemon does not start \(paper\)\s+.*TICKWRIGHT_NO_HOOK/);
});

test('on a key of the broker that is nowhere: empty, or a file with a line end alone', async () => {
  const { heard, alerts } = await phoneHook();
  const place = workplace('');
  const key = join(place.dir, 'key');
  writeFileSync(key, '\r\n', { mode: 0o600 });
  const live = LIVE.replace('mode: live', 'mode: dry-run').replace('arm: true', 'arm: false');
  writeFileSync(place.config, `${live}state: ${place.state}\nauth: { apiKeyFile: ${key} }\n${alerts}`);
  vi.stubEnv('TICKWRIGHT_API_KEY', ' ');
  const daemon = startDaemon(place, [], MAIN, 'dry-run');
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).toBe(2);
  expect(heard.join()).toMatch(
    /the daemon does not start \(dry-run\)\s+.*the API key: expected it in .*TICKWRIGHT_API_KEY, was missing/,
  );
});
