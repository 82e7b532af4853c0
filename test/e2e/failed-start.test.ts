/** A start that fails is no silent one: a supervisor gives up after some, and nobody would know. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { startDaemon, workplace } from './daemon-process.ts';

async function phone(): Promise<{ readonly told: string[]; readonly port: number; readonly alerts: string }> {
  const told: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (chunk) => told.push(String(chunk))).on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
  vi.stubEnv('TICKWRIGHT_TEST_HOOK', `http://127.0.0.1:${port}/`);
  const hook = '{ id: hook, kind: webhook, preset: ntfy, url: { environment: TICKWRIGHT_TEST_HOOK } }';
  return { told, port, alerts: `alerts: { channels: [${hook}] }\n` };
}

test('on a control port that another program has', async () => {
  const { told, port, alerts } = await phone();
  const place = workplace(`${BUSY_CONFIG}\noperator: { controlPort: ${port} }\n${alerts}`);
  const daemon = startDaemon(place);
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).not.toBe(0);
  expect(told.join()).toMatch(/the daemon ends \(paper\)\s+failed: listen EADDRINUSE/);
});

test('on a journal that cannot be read', async () => {
  const { told, alerts } = await phone();
  const place = workplace(`${BUSY_CONFIG}\n${alerts}`);
  mkdirSync(place.state);
  writeFileSync(join(place.state, '.tickwright'), 'abcdef\n');
  writeFileSync(join(place.state, 'journal.db'), 'no database '.repeat(1_000));
  const daemon = startDaemon(place);
  const [code]: unknown[] = await once(daemon.process, 'exit');
  expect(code, daemon.output()).not.toBe(0);
  expect(told.join()).toMatch(/the daemon ends \(paper\)\s+failed: /);
});
