/** Commands to a port at which no daemon answers, or one that dies while it does. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cliDir, cliRun } from '../support/cli-run.ts';

/** State directory of a daemon that was killed, whose port has another owner by now. */
async function takenPort(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => answer(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
  const dir = cliDir();
  writeFileSync(join(dir, 'control.json'), JSON.stringify({ port, token: 'x' }));
  return dir;
}

const head = (rest: string): string => `HTTP/1.1 200 OK\r\n${rest}`;

it.each<[string, (socket: Socket) => void]>([
  ['is closed at once', (socket) => socket.end()],
  ['is closed at the question', (socket) => socket.once('data', () => socket.destroy())],
  ['has a page', (socket) => socket.once('data', () => socket.end(head('content-length: 4\r\n\r\n<hi>')))],
  [
    'stops in the answer',
    (socket) => socket.once('data', () => socket.end(head('content-length: 9\r\n\r\n{'))),
  ],
  ['speaks another language', (socket) => socket.end('220 mail.example ESMTP\r\n')],
])('says in one line that the daemon did not answer where the connection %s', async (_, answer) => {
  const dir = await takenPort(answer);
  for (const argv of [['status'], ['halt', '--reason', 'x']]) {
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other
    const { code, err } = await cliRun(...argv, '--state', dir);
    expect(err).toMatch(/^the daemon on port \d+ did not answer: .*\n$/);
    expect(code).toBe(1);
  }
});

it('sends nothing to the daemon of the directory that this one was copied from', async () => {
  let asked = 0;
  const dir = await takenPort((socket) => {
    asked += 1;
    socket.end();
  });
  const file = join(dir, 'control.json');
  const link = { ...(JSON.parse(readFileSync(file, 'utf8')) as object), stateDir: dir };
  writeFileSync(file, JSON.stringify(link));
  const copy = cliDir();
  cpSync(dir, copy, { recursive: true });
  const { code, err } = await cliRun('halt', '--reason', 'x', '--state', copy);
  expect(err).toContain(`it is a copy, its daemon is that of ${dir}: name that directory with --state`);
  expect([code, asked]).toEqual([1, 0]);
  const other = join(cliDir(), 'link');
  symlinkSync(dir, other);
  for (const same of [dir, other])
    expect((await cliRun('status', '--state', same)).err).toContain('did not answer'); // oxlint-disable-line eslint/no-await-in-loop -- one after the other
  expect(asked).toBe(2);
});

it('asks for the reason of a reload', async () => {
  expect(await cliRun('reload', '--state', cliDir())).toEqual({
    code: 2,
    out: '',
    err: '--reason is needed; nothing was changed\n',
  });
});

it.each(['', 'a\nb', 'x'.repeat(10_000)])('sends a halt whatever its reason', async (reason) => {
  let sent = '';
  const dir = await takenPort((socket) =>
    socket.on('data', (bytes) => {
      sent += String(bytes);
      if (sent.endsWith('}')) socket.end();
    }),
  );
  await cliRun('halt', '--reason', reason, '--state', dir);
  expect(sent.split('\r\n\r\n')[1]).toBe(JSON.stringify({ reason: reason.slice(0, 200) }));
});
