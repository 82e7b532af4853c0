/** What doctor finds of channels; nothing secret leaves on the way. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { channelFindings } from '../../../src/daemon/inspect/doctor.ts';
import type { Config } from '../../../src/config/config.ts';
import { minutes } from '../../../src/domain/units.ts';

const place = (environment: string) => ({ environment });

const AUTH = { apiKeyEnvironment: 'THE_KEY', otpRoute: 'app', otp: { from: 'prompt' } } as const;

beforeEach(() => void vi.stubEnv('THE_KEY', 'a-key'));

const HEAD = { least: 'warning', perMinute: 20 } as const;

const alertsWith = (changes: Partial<Config['alerts']>): Config['alerts'] => ({
  channels: [],
  repeatAfter: minutes(15),
  escalateAfter: minutes(10),
  remindOtpEvery: minutes(5),
  dailyReport: true,
  ...changes,
});

it('reaches the dead man’s switch without its secret', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    vi.unstubAllEnvs();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
  vi.stubEnv('THE_HOOK', `${origin}/services/secret-path`);
  const findings = await channelFindings({
    mode: 'live',
    auth: AUTH,
    alerts: alertsWith({
      channels: [{ id: 'team', ...HEAD, kind: 'webhook', url: place('THE_HOOK'), preset: 'slack' }],
      deadMansSwitch: { url: place('THE_HOOK'), every: minutes(1), start: false, fail: false },
    }),
  });
  expect(findings.map(({ level, what }) => `${level} ${what}`)).toEqual([
    'good alerts',
    'warning alerts',
    'good dead man’s switch',
  ]);
  expect(seen).toHaveLength(1);
  expect(seen.join() + JSON.stringify(findings)).not.toContain('secret-path');
});

it('finds a secret that is nowhere, and a live daemon without any channel', async () => {
  const channel = { id: 'team', ...HEAD, kind: 'webhook', preset: 'slack' } as const;
  const url = place('NOT_SET_ANYWHERE');
  const missing = await channelFindings({
    mode: 'paper',
    auth: AUTH,
    alerts: alertsWith({ channels: [{ ...channel, url }] }),
  });
  expect(missing).toMatchObject([{ level: 'bad', text: expect.stringContaining('NOT_SET_ANYWHERE') }]);
  expect(await channelFindings({ mode: 'live', auth: AUTH, alerts: alertsWith({}) })).toMatchObject([
    { level: 'warning' },
  ]);
  expect(await channelFindings({ mode: 'paper', auth: AUTH, alerts: alertsWith({}) })).toEqual([]);
});
