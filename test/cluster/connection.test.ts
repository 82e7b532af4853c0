/** The checks of a connection against a real server; versions and addresses that no server here has, against a socket that says so. */
import { nkeys } from '@nats-io/transport-node';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { openCluster } from '../../src/cluster/connection.ts';
import { natsServer, WITHOUT_NATS } from '../support/nats-server.ts';
import { tempDir } from '../support/temp-dir.ts';

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
  expect(cluster.url).toBe(url);
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
  expect(cluster.url).toBe(url);
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

/** Paths of a key and of its certificate, which `by` signs; absent: its own. */
function certificate(
  dir: string,
  name: string,
  by?: string,
  host = 'IP:127.0.0.1',
): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(dir, `${name}.key`), join(dir, `${name}.pem`)];
  const signer = by === undefined ? [] : ['-CA', join(dir, `${by}.pem`), '-CAkey', join(dir, `${by}.key`)];
  const use = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${host}`, '-days', '1', ...signer];
  const made = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    key,
    '-out',
    cert,
  ];
  execFileSync('openssl', ['req', '-x509', ...made, ...use], { stdio: 'pipe' });
  return { key, cert };
}

test('a server with a certificate of its own authority is taken by that authority alone', async ({
  skip,
}) => {
  skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? '');
  const dir = tempDir();
  const { cert: ca } = certificate(dir, 'authority');
  const server = certificate(dir, 'server', 'authority');
  const client = certificate(dir, 'client', 'authority');
  const served = ({ cert, key }: typeof server): string =>
    `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}", verify: true }`;
  const { url } = await natsServer(served(server));
  expect(await refusalOf(url, { tls: { ca, ...client } })).toBe('taken');
  expect(await refusalOf(url, { tls: client })).toMatch(
    /verify the first certificate: check the files of tls/,
  );
  expect(await refusalOf(url)).toMatch(/certificate.*: check the files of tls/);
  const other = await natsServer(served(certificate(dir, 'other', 'authority', 'DNS:localhost')));
  expect(await refusalOf(other.url, { tls: { ca, ...client } })).toMatch(
    /names in the certificate of the server/,
  );
  expect(await refusalOf(url, { tls: { ca: join(dir, 'absent.pem') } })).toMatch(/absent\.pem/);
});

type Claims = Readonly<Record<string, unknown>>;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function token(by: nkeys.KeyPair, of: nkeys.KeyPair, nats: Claims): string {
  const claims = { jti: 'test', iat: 1, iss: by.getPublicKey(), sub: of.getPublicKey(), name: 'test' };
  const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({ ...claims, nats: { ...nats, version: 2 } })}`;
  return `${text}.${Buffer.from(by.sign(Buffer.from(text))).toString('base64url')}`;
}

const framed = (name: string, text: string): string =>
  `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n`;

test('a file of credentials is taken, and one of another account is not', async ({ skip }) => {
  skip(WITHOUT_NATS !== null, WITHOUT_NATS ?? '');
  const [operator, account, user, system] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createUser(),
    nkeys.createAccount(),
  ];
  const free = { subs: -1, data: -1, payload: -1 };
  const all = { ...free, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const stores = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const { url } = await natsServer(`operator: ${token(operator, operator, { type: 'operator' })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: {
  ${system.getPublicKey()}: ${token(operator, system, { type: 'account', limits: all })}
  ${account.getPublicKey()}: ${token(operator, account, { type: 'account', limits: { ...all, ...stores } })}
}`);
  const file = (by: nkeys.KeyPair): string => {
    const path = join(tempDir(), 'user.creds');
    const jwt = token(by, user, { type: 'user', ...free });
    const seed = Buffer.from(user.getSeed()).toString();
    writeFileSync(path, `${framed('NATS USER JWT', jwt)}\n${framed('USER NKEY SEED', seed)}`);
    return path;
  };
  expect(await refusalOf(url, { credentials: file(account) })).toBe('taken');
  expect(await refusalOf(url, { credentials: file(nkeys.createAccount()) })).toMatch(
    /or the file of credentials/,
  );
  expect(await refusalOf(url, { credentials: '/absent.creds' })).toMatch(/\/absent\.creds/);
});
