/** The page of a simulator alone, in a real browser: its market and customers, and faults that its clients meet on the wire. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Browser, send } from '../operator/cockpit/fake-cockpit.ts';
import { MAIN } from './daemon-process.ts';
import { findings, LOOKS, newPage, overhang, picture, withBrowser } from './page-browser.ts';

withBrowser();

interface Description {
  readonly rest: string;
  readonly stream: string;
  readonly page: string;
  readonly frontMonth: string;
  readonly apiKey: string;
  readonly otp: string;
  readonly accountId: string;
  readonly subAccountId: string;
}

const CUSTOMERS = `accounts:
  - { custodyCode: 105C000001, apiKey: first, cash: { derivative: 900000000 } }
  - { custodyCode: 105C000002, apiKey: second, name: Second Account, cash: { derivative: 500000000 } }
`;

async function started(): Promise<Description & { readonly state: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-'));
  writeFileSync(join(dir, 'simulator.yaml'), CUSTOMERS);
  const flags = ['--config', 'simulator.yaml', '--port', '0', '--json', '--state', dir];
  const child = spawn(process.execPath, [MAIN, 'simulator', ...flags], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { ...(JSON.parse(line) as Description), state: dir };
}

async function post(rest: string, path: string, body: unknown, token = ''): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== '' && { authorization: `Bearer ${token}` }),
  };
  return fetch(rest + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

const login = ({ rest, apiKey, otp }: Description): Promise<Response> =>
  post(rest, '/gaia/v1/oauth2/openapi/token', { apiKey, otp });

async function tokenOf(simulator: Description): Promise<string> {
  return ((await (await login(simulator)).json()) as { token: string }).token;
}

/** An order far from the market stays; one beyond it fills. */
async function order(simulator: Description, token: string, price: number, refId: string): Promise<void> {
  const { rest, accountId, subAccountId, frontMonth: symbol } = simulator;
  const body = { accountId, subAccountId, side: 'B', symbol, price, volume: 2, orderType: '0', refId };
  expect((await post(rest, '/khronos/v1/order/place', body, token)).status).toBe(200);
}

async function priceOf({ rest, frontMonth }: Description, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const listed = await (await fetch(`${rest}/tartarus/v1/derivatives`, { headers })).text();
  expect(listed).toContain(frontMonth);
  return 1_900;
}

describe.for(LOOKS)('$width pixels wide, $colorScheme', (look) => {
  test('shows customers, market and faults', async () => {
    const simulator = await started();
    const token = await tokenOf(simulator);
    const price = await priceOf(simulator, token);
    const { page, trouble } = await newPage(look);
    await page.goto(simulator.page);
    await page.getByText('SIMULATOR · a broker for tests').waitFor();
    expect(await page.locator('#halt').count()).toBe(0);
    await order(simulator, token, price + 60, 'H.1');
    await order(simulator, token, price - 60, 'H.2');
    await page
      .locator('tr', { hasText: 'Demo Account …0001' })
      .getByText(`+2 ${simulator.frontMonth}`)
      .waitFor();
    await page.locator('tr', { hasText: 'Second Account …0002' }).getByText('flat').waitFor();
    await page.locator('tr', { hasText: '1,840.0' }).getByText('working').waitFor();
    await page
      .locator('.latest')
      .getByText(/bought \d/)
      .first()
      .waitFor();
    const name = `simulator-${look.width}-${look.colorScheme}`;
    for (const [key, ready] of [
      ['1', 'main .now'],
      ['2', 'main .market canvas'],
      ['3', 'main .faults li'],
    ] as const) {
      await page.keyboard.press(key);
      await page.waitForSelector(ready);
      await picture(page, `${name}-${key}`);
      expect(await findings(page)).toEqual([]);
      expect(await overhang(page), 'the page does not scroll sideways').toBe(0);
    }
    expect(await page.locator('nav button').allTextContents()).toEqual(['Now', 'Market', 'Faults']);
    expect(trouble).toEqual([]);
  });
});

test('a fault that the page switches on is met by a client, until it is switched off', async () => {
  const simulator = await started();
  const { page } = await newPage();
  await page.goto(simulator.page);
  await page.getByRole('button', { name: 'Faults', exact: true }).click();
  expect((await login(simulator)).status).toBe(200);
  const row = page.locator('.faults li', { has: page.getByRole('switch', { name: 'http_429' }) });
  await row.getByRole('switch').click();
  await page.locator('.verdict', { hasText: 'fault http_429' }).waitFor();
  expect((await login(simulator)).status).toBe(429);
  await picture(page, 'simulator-fault');
  await row.getByRole('switch').click();
  await page.locator('.verdict', { hasText: 'All is well' }).waitFor();
  expect((await login(simulator)).status).toBe(200);
});

test('a fault that strikes at once closes the stream of a client; one that cannot strike says why', async () => {
  const simulator = await started();
  const { page } = await newPage();
  await page.goto(simulator.page);
  await page.getByRole('button', { name: 'Faults', exact: true }).click();
  const client = new WebSocket(simulator.stream);
  await once(client, 'open');
  const closed = once(client, 'close') as Promise<[number]>;
  const row = page.locator('.faults li', { has: page.getByRole('button', { name: 'close_stream' }) });
  await row.locator('summary').click();
  await row.getByLabel('code').fill('1012');
  await row.getByRole('button', { name: 'close_stream' }).click();
  expect((await closed)[0]).toBe(1012);
  await row.getByLabel('code').fill('7');
  await row.getByRole('button', { name: 'close_stream' }).click();
  await page.locator('.outcomes p.bad', { hasText: 'expected a close code' }).waitFor();
});

test('nobody sets a fault but a page of its own that was let in', async () => {
  const simulator = await started();
  const browser = new Browser(new URL(simulator.page).origin);
  const fault = { name: 'http_429', isOn: true };
  expect((await browser.post('/commands/fault', fault)).code).toBe(401);
  expect((await browser.open(simulator.page)).code).toBe(200);
  expect((await browser.post('/commands/fault', fault)).code, 'no code of the present state').toBe(409);
  const confirmed = { ...fault, confirm: await browser.confirm() };
  expect((await browser.post('/commands/fault', confirmed, { origin: 'https://evil.example' })).code).toBe(
    403,
  );
  expect((await browser.post('/commands/fault', confirmed, { 'sec-fetch-site': 'cross-site' })).code).toBe(
    403,
  );
  const foreign = { ...confirmed, name: 'no_such_fault' };
  expect(JSON.parse((await browser.post('/commands/fault', foreign)).text)).toMatchObject({ ok: false });
  expect((await browser.post('/commands/halt', { reason: 'x' })).code).toBe(409);
  expect((await login(simulator)).status).toBe(200);
  expect((await browser.post('/commands/fault', confirmed)).code).toBe(200);
  expect((await login(simulator)).status).toBe(429);
  const worn = await new Browser(browser.url).open(simulator.page);
  expect(worn.text).toContain(`tickwright open --state ${simulator.state}`);
  const opening = promisify(execFile)(process.execPath, [
    MAIN,
    'open',
    '--print',
    '--state',
    simulator.state,
  ]);
  const { stdout: another } = await opening;
  expect((await new Browser(browser.url).open(another.trim())).code).toBe(200);
  expect((await send(`${browser.url}/state`, { headers: { host: 'evil.example' } })).code).toBe(403);
});
