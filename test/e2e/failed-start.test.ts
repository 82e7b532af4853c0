/** A start that fails is no silent one: a supervisor gives up after some, and nobody would know. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { startDaemon, workplace } from './daemon-process.ts';
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
  mkdirSync(place.state);
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
