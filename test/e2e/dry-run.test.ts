/** A dry run sends nothing, whatever is asked of it: each byte that reaches the broker's socket is looked at. */
import { execFile } from 'node:child_process';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ACCOUNT, BrokerShell, SUB_ACCOUNT } from '../cli/support/broker-shell.ts';
import { MAIN, startDaemon } from './daemon-process.ts';

/** Passes bytes on to the broker and keeps those that the client sent. */
async function startTap(port: number): Promise<{ readonly port: number; readonly text: () => string }> {
  const bytes: Buffer[] = [];
  const tap = createServer((client) => {
    const broker = connect(port, '127.0.0.1');
    client.on('data', (chunk) => bytes.push(chunk));
    client.pipe(broker).pipe(client);
    for (const socket of [client, broker]) socket.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => tap.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void tap.close());
  const { port: own } = tap.address() as AddressInfo;
  return { port: own, text: () => Buffer.concat(bytes).toString('latin1') };
}

const config = (broker: number): string => `mode: dry-run
account: { custodyCode: ${ACCOUNT}, subAccountId: ${SUB_ACCOUNT} }
broker: { restUrl: "http://127.0.0.1:${broker}", streamUrl: "ws://127.0.0.1:1/", requestsPerSecond: 50 }
auth: { otp: { from: command, command: [echo, "123456"] } }
stop: { orders: cancel, positions: flatten }
`;

const COMMANDS = [
  ['cancel-all'],
  ['flatten'],
  ['halt'],
  ['stop-strategy', 'one'],
  ['flatten', '--strategy', 'one'],
  ['rollover'],
  ['resume'],
  ['halt'],
  ['stop'],
];

test('a dry run reads, and sends neither order nor cancel on any path', async () => {
  const shell = await BrokerShell.open();
  onTestFinished(() => shell.close());
  vi.stubEnv('TICKWRIGHT_API_KEY', 'key');
  const tap = await startTap(shell.server.port);
  const file = shell.config(config(tap.port));
  const daemon = startDaemon({ config: file, dir: shell.dir }, [], MAIN, 'dry-run');
  const tickwright = (name: string, ...args: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      execFile(process.execPath, [MAIN, name, ...args, '--state', shell.dir], (_error, stdout, stderr) =>
        resolve(`${name}: ${stdout}${stderr}`),
      );
    });
  // Outside of session hours the daemon asks for no token by itself.
  await daemon.line(/no cached token/);
  await tickwright('token');
  // Of a session that is open, or of the next one.
  await daemon.line(/agreed/);
  const answers: string[] = [];
  for (const [name = '', ...more] of COMMANDS)
    answers.push(await tickwright(name, ...more, '--reason', 'test'));
  await daemon.end('SIGKILL');
  const requests = [...tap.text().matchAll(/^(?:GET|POST|PUT|DELETE|PATCH) \S+/gm)].map(([line]) => line);
  const paths = new Set(requests.map((line) => line.replace(/\?.*/, '')));
  expect(
    [...paths].filter((line) => !line.startsWith('GET ')),
    answers.join(''),
  ).toEqual(['POST /gaia/v1/oauth2/openapi/token']);
  expect(tap.text()).not.toMatch(/cancel|place|change|refId/i);
  expect(requests.filter((line) => line.includes('/order/in-day')).length, 'it reads').toBeGreaterThan(2);
  expect(answers.join(''), daemon.output()).toContain('halt: ');
});
