import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Delivery } from '../../../src/operator/alerts/alert-message.ts';
import { createWebhook, WEBHOOK_PRESETS } from '../../../src/operator/channels/webhook.ts';

const DELIVERY: Delivery = {
  severity: 'critical',
  title: 'CRITICAL: a "title" – here',
  text: 'line 1\n<b>@everyone & "quotes"</b>',
  isUrgent: true,
  pages: [],
};

const got: { headers: IncomingHttpHeaders; body: string; url: string }[] = [];
let status = 200;
let headers: Record<string, string> = {};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    got.push({ headers: request.headers, body, url: request.url ?? '' });
    response.writeHead(status, headers);
    response.end('{}');
  });
});

let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/secret-path?token=s3cret-token`; // oxlint-disable-line typescript/no-unsafe-type-assertion -- it listens on a port
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  got.length = 0;
  status = 200;
  headers = {};
});

const JSON_OF: Readonly<Partial<Record<(typeof WEBHOOK_PRESETS)[number], unknown>>> = {
  slack: { text: 'line 1\n&lt;b&gt;@everyone &amp; "quotes"&lt;/b&gt;' },
  discord: { content: DELIVERY.text, allowed_mentions: { parse: [] } },
  gotify: { title: DELIVERY.title, message: DELIVERY.text, priority: 8 },
};

it.each(WEBHOOK_PRESETS.filter((preset) => preset in JSON_OF))('speaks to %s', async (preset) => {
  expect(await createWebhook({ id: 'team', url, format: { preset } }).send(DELIVERY)).toEqual({
    status: 'sent',
  });
  expect(JSON.parse(got[0]!.body)).toEqual(JSON_OF[preset]);
});

it('speaks to ntfy, whose title is a header', async () => {
  await createWebhook({ id: 'team', url, format: { preset: 'ntfy' } }).send(DELIVERY);
  expect(got[0]!.body).toBe(DELIVERY.text);
  expect(got[0]!.headers).toMatchObject({ priority: '5', title: 'CRITICAL: a "title" ? here' });
});

it('fills a template without a way out of its texts', async () => {
  const format = { template: '{"level":"{severity}","head":"{title}","body":"{text}","keep":"{other}"}' };
  await createWebhook({ id: 'team', url, format }).send(DELIVERY);
  expect(JSON.parse(got[0]!.body)).toEqual({
    level: 'critical',
    head: DELIVERY.title,
    body: DELIVERY.text,
    keep: '{other}',
  });
});

const ANSWERS: readonly (readonly [number, Record<string, string>, object])[] = [
  [429, { 'retry-after': '12' }, { status: 'later', pauseMs: 12_000 }],
  [429, { 'retry-after': '-5' }, { status: 'later', pauseMs: 0 }],
  [429, { 'retry-after': '1e300' }, { status: 'later', pauseMs: 1_800_000 }],
  [503, { 'retry-after': 'Fri, 31 Dec 2027 23:59:59 GMT' }, { status: 'later', pauseMs: null }],
  [503, {}, { status: 'later', pauseMs: null }],
  [404, {}, { status: 'refused' }],
  [302, { location: 'http://127.0.0.1:1/' }, { status: 'refused' }],
];

it.each(ANSWERS)('makes of HTTP %d what it is', async (code, sent, expected) => {
  status = code;
  headers = sent;
  expect(await createWebhook({ id: 'team', url, format: { preset: 'slack' } }).send(DELIVERY)).toMatchObject(
    expected,
  );
  expect(got).toHaveLength(1);
});

it('reports a failure without the address', async () => {
  const gone = 'http://127.0.0.1:1/hook/secret-path';
  const result = await createWebhook({ id: 'team', url: gone, format: { preset: 'slack' } }).send(DELIVERY);
  expect(result).toMatchObject({ status: 'later' });
  expect(JSON.stringify(result)).not.toContain('secret-path');
});

it('says in words why an answer cannot be read', async () => {
  server.prependOnceListener('request', ({ socket }) => socket.end('no HTTP\r\n\r\n'));
  const result = await createWebhook({ id: 'team', url, format: { preset: 'slack' } }).send(DELIVERY);
  expect(result).toMatchObject({ status: 'later', reason: expect.stringContaining('HTTP') });
});

it('sends ntfy no more bytes than a message of it may have: it would come as a file without its text', () => {
  const { textMax } = createWebhook({ id: 'team', url, format: { preset: 'ntfy' } });
  expect(Buffer.byteLength('\u1ec7'.repeat(textMax))).toBeLessThanOrEqual(4_096);
});

it('sends a character that was cut in two as a whole one', async () => {
  for (const preset of ['slack', 'discord', 'gotify'] as const) {
    await createWebhook({ id: 'team', url, format: { preset } }).send({ ...DELIVERY, text: '\ud83d' });
    expect(got.at(-1)!.body).toContain('\ufffd');
  }
});
