/** The checks of a connection against a real server; versions and addresses that no server here has, against a socket that says so. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished, expect, test } from 'vitest';
import { openCluster } from '../../src/cluster/connection.ts';
import { natsServer, WITHOUT_NATS } from '../support/nats-server.ts';

const refusalOf = async (url: string, more: object = {}): Promise<string> =>
  openCluster({ url, ...more }, 'test').then(
    async (cluster) => {
      await cluster.close();
      return 'taken';
    },
    (error: Error) => error.message,
  );

const USERS = `authorization { users: [
  { user: all, password: secret }
  { user: reader, password: secret, permissions: { publish: "none", subscribe: ">" } }
] }`;

test('a server on loopback with JetStream is taken', async ({ skip }) => {
  skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? '');
  const { url } = await natsServer();
  const cluster = await openCluster({ url }, 'test');
  expect([cluster.isLoopback, cluster.hasAuth]).toEqual([true, false]);
  await cluster.close();
});

test('who may not connect, and what a user may not do, is said', async ({ skip }) => {
  skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? '');
  const { url } = await natsServer(USERS);
  expect(await refusalOf(url)).toMatch(/Authorization Violation.*check user and password/i);
  expect(await refusalOf(url, { user: 'all', password: 'wrong' })).toMatch(/check user and password/);
  expect(await refusalOf(url, { user: 'reader', password: 'secret' })).toMatch(
    /\$JS\.API\.INFO.*allow it to this user/,
  );
  const cluster = await openCluster({ url, user: 'all', password: 'secret' }, 'test');
  expect(cluster.hasAuth).toBe(true);
  await cluster.close();
});

test('a server without JetStream is refused, and one that is not there', async ({ skip }) => {
  skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? '');
  const server = await natsServer('', '');
  expect(await refusalOf(server.url)).toMatch(/start it with --jetstream/);
  await server.kill();
  expect(await refusalOf(server.url)).toMatch(/connection refused.*start it, or check address and port/);
});

/** Says who it is, answers pings, and knows nothing else. */
async function shamServer(info: object): Promise<string> {
  const server = createServer((socket) => {
    socket.write(
      `INFO ${JSON.stringify({ max_payload: 1_048_576, headers: true, jetstream: true, ...info })}\r\n`,
    );
    socket.on('data', (text) => text.includes('PING') && socket.write('PONG\r\n'));
    socket.on('error', () => undefined);
  }).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? String(address.port) : '';
}

test('an old server is refused', async () => {
  const port = await shamServer({ version: '2.9.25' });
  expect(await refusalOf(`127.0.0.1:${port}`)).toMatch(/expected nats-server 2\.11 or newer, was 2\.9\.25/);
});

test('beyond this machine a server must ask who connects', async () => {
  const port = await shamServer({ version: '2.15.1' });
  expect(await refusalOf(`0.0.0.0:${port}`)).toMatch(/was one without authentication/);
});

test('a password in the address is refused and not repeated', async () => {
  const refused = await refusalOf('nats://me:secret@127.0.0.1:4222');
  expect(refused).toMatch(/expected an address alone/);
  expect(refused).not.toContain('secret');
  expect(await refusalOf('http://127.0.0.1')).toMatch(/expected the address of a NATS server/);
});
