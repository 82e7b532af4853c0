/** A phone that a running daemon reaches by a webhook. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

export interface PhoneHook {
  /** Texts that came, the oldest first. */
  readonly heard: readonly string[];
  readonly port: number;
  /** For the configuration. */
  readonly alerts: string;
}

export async function phoneHook(): Promise<PhoneHook> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        heard.push(Buffer.concat(parts).toString());
        response.end();
      });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
  vi.stubEnv('TICKWRIGHT_TEST_HOOK', `http://127.0.0.1:${port}/`);
  const hook = '{ id: hook, kind: webhook, preset: ntfy, url: { environment: TICKWRIGHT_TEST_HOOK } }';
  return { heard, port, alerts: `alerts: { channels: [${hook}] }\n` };
}
