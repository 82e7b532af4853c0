import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { minutes, US_PER_MINUTE } from '../../../src/domain/units.ts';
import { DeadMansSwitch } from '../../../src/operator/channels/dead-man.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

async function service(status = { code: 200 }): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      calls.push(`${request.method} ${request.url} ${body}`.trim());
      response.writeHead(status.code);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/abc`, calls }; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
}

it('calls only while all is well, and reports a failure once', async () => {
  const { url, calls } = await service();
  const time = new VirtualTimers();
  let problem: string | null = null;
  const guard = new DeadMansSwitch({
    url,
    every: minutes(1),
    start: true,
    fail: true,
    timers: time,
    problem: () => problem,
    onService: () => undefined,
  });
  onTestFinished(() => guard.close());
  guard.start();
  await vi.waitFor(() => expect(calls).toEqual(['GET /ping/abc/start']));
  time.advance(US_PER_MINUTE);
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  expect(calls[1]).toBe('GET /ping/abc');
  problem = 'the engine does not answer';
  time.advance(5 * US_PER_MINUTE);
  await vi.waitFor(() => expect(calls).toHaveLength(3));
  expect(calls[2]).toBe('POST /ping/abc/fail the engine does not answer');
  problem = null;
  time.advance(US_PER_MINUTE);
  await vi.waitFor(() => expect(calls).toHaveLength(4));
  expect(calls[3]).toBe('GET /ping/abc');
});

it.each([503, 302])('reports a service that answers %i, and its return', async (code) => {
  const status = { code };
  const { url, calls } = await service(status);
  const time = new VirtualTimers();
  const failures: (string | null)[] = [];
  const guard = new DeadMansSwitch({
    url,
    every: minutes(1),
    start: false,
    fail: false,
    timers: time,
    problem: () => null,
    onService: (failure) => failures.push(failure),
  });
  onTestFinished(() => guard.close());
  guard.start();
  for (let i = 1; i <= 4; i += 1) {
    time.advance(US_PER_MINUTE);
    // oxlint-disable-next-line eslint/no-await-in-loop -- one after the other
    await vi.waitFor(() => expect(calls).toHaveLength(i));
  }
  await vi.waitFor(() => expect(failures).toEqual([`HTTP ${code}`]));
  status.code = 200;
  time.advance(US_PER_MINUTE);
  await vi.waitFor(() => expect(failures).toEqual([`HTTP ${code}`, null]));
});
