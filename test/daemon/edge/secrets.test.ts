/** A broker that quotes requests in its refusals: nothing of them reaches signals or events. */
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { configuredAddress } from '../../../src/daemon/edge/broker-address.ts';
import { connectBroker } from '../../../src/daemon/edge/broker-edge.ts';
import { type Config, loadConfig } from '../../../src/config/config.ts';
import { brokerOrderNo, clientOrderId } from '../../../src/domain/ids.ts';
import type { EngineEvent, UnnumberedInput } from '../../../src/engine/ports/engine-event.ts';
import { Secrets } from '../../../src/operator/redact.ts';
import { CATALOG } from '../../../strategies/catalog.ts';
import { LIVE, SHIPPED } from '../../config/config-files.ts';
import { tempDir } from '../../support/temp-dir.ts';

const JWT = `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify({ exp: 4_000_000_000 })).toString('base64url')}.c2lnbmVk`;
const KEY = 'a-key-of-the-broker';
const OTP = '918273';

/** Answers everything with what it was sent. */
async function quotingBroker(dir: string): Promise<Config> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const quoted = `${JSON.stringify(request.headers)} ${request.url} ${body}`;
      const isAuth = request.headers.authorization === undefined;
      response.writeHead(isAuth ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: '4001', message: quoted, rc: -1, rs: quoted }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const key = join(dir, 'key');
  writeFileSync(key, KEY, { mode: 0o600 });
  writeFileSync(
    join(dir, 'main.yaml'),
    `${LIVE.replace('https://broker.example', `http://127.0.0.1:${port}`).replace('vn30f.yaml', join(SHIPPED, 'vn30f.yaml'))}
auth: { apiKeyFile: ${key}, otp: { from: command, command: [echo, '${OTP}'] } }
`,
  );
  const loaded = loadConfig(join(dir, 'main.yaml'), CATALOG);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

it('hides key, password, token and account wherever a broker quotes them', async () => {
  const dir = tempDir();
  const config = await quotingBroker(dir);
  const address = configuredAddress(config);
  const tokenPath = join(dir, 'token');
  writeFileSync(tokenPath, `${address.tokenOwner} ${address.subAccountId}\n${JWT}\n`, { mode: 0o600 });
  const said: object[] = [];
  const broker = connectBroker({
    config,
    address,
    tokenPath,
    speed: 1,
    exchanges: { used: () => 0, add: () => undefined },
    session: () => undefined,
    sink: { post: (event: UnnumberedInput<EngineEvent>) => said.push(event) },
    alerts: {
      rest: (signal) => void said.push(signal),
      token: (signal) => void said.push(signal),
      drift: (place, deviation) => void said.push({ text: `${place} ${deviation}` }),
    },
  });
  onTestFinished(() => broker.close());
  broker.tokens.start();
  const call = { orderNo: brokerOrderNo('7'), callId: clientOrderId('H.1') };
  said.push(await broker.rest.cancel(call, { priority: 'exit', refuse: () => null }));
  said.push(await broker.rest.positions({ priority: 'positions' }));
  said.push(await broker.tokens.refresh('operator'));
  const raw = JSON.stringify(said);
  expect(raw, 'taken out of the answer itself').not.toContain(JWT);
  expect(raw).toContain(OTP);
  expect(raw, 'the broker did quote').toContain('content-length');
  const shown = JSON.stringify(said.map((each) => address.secrets.hideIn(each)));
  for (const secret of [KEY, OTP, JWT, '105C000000']) expect(shown).not.toContain(secret);
});

it('leaves events as they are where nothing is quoted, and names and numbers always', () => {
  const secrets = new Secrets(['105C000001']);
  const event = { kind: 'book', orders: [{ orderNo: '105C000001', reason: 'no margin', qty: 1 }] };
  expect(secrets.hideIn(event)).toBe(event);
  const quoting = {
    orders: [
      { orderNo: '105C000001', reason: 'of 105C000001' },
      { orderNo: '8', reason: '' },
    ],
  };
  expect(secrets.hideIn(quoting)).toEqual({
    orders: [
      { orderNo: '105C000001', reason: 'of [hidden]' },
      { orderNo: '8', reason: '' },
    ],
  });
});

it('hides what cannot be a number in a frame, also a token that comes later', () => {
  const secrets = new Secrets(['105C000001', '0001000001', KEY, '']);
  secrets.add(OTP);
  secrets.add(JWT);
  const frame = `d|41I1FC000|{"echo":"Bearer ${JWT} ${KEY} 105C000001","price":${OTP},"volume":0001000001}`;
  expect(secrets.hideAmongNumbers(frame)).toBe(
    `d|41I1FC000|{"echo":"Bearer [hidden] [hidden] [hidden]","price":${OTP},"volume":0001000001}`,
  );
});
