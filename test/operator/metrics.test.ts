import { expect, test, afterEach, describe } from 'vitest';
import { request } from 'undici';
import { clientOrderId } from '../../src/domain/ids.ts';
import { durationUs, tsUs, US_PER_MS } from '../../src/domain/units.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import {
  Metrics,
  type Series,
  type MetricsServerOptions,
  startMetricsServer,
} from '../../src/operator/metrics.ts';

const sessions = { name: 'session_open', help: 'Open.', labels: [] };
const held = { name: 'position_contracts', help: 'Held.', labels: ['strategy'] };
const calls = { name: 'rest_calls_total', help: 'Calls.', labels: [], isCounter: true };
const one = (value: number, labels = {}) => [{ labels, value }];
const SCRAPED: readonly Series[] = [
  { ...sessions, samples: one(1) },
  { ...held, samples: one(-3, { strategy: 'one' }) },
  { ...calls, samples: one(77) },
];

class Time {
  us = 1_700_000_000_000_000;
  readonly nowUs = () => tsUs(this.us);
}

/** Series by name and labels. */
async function scrape(
  metrics: Metrics,
  scraped: readonly Series[] = SCRAPED,
): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.text(scraped))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

const metricsAt = (time: Time, speed = 1): Metrics => new Metrics({ clock: time, market: time, speed });

test('nothing is claimed that is not known: series are absent, and gone ones do not stay', async () => {
  const metrics = metricsAt(new Time());
  const before = await scrape(metrics);
  expect(before.get('tickwright_session_open')).toBe(1);
  expect(before.get('tickwright_position_contracts{strategy="one"}')).toBe(-3);
  const after = await scrape(
    metrics,
    SCRAPED.map((each) => ({ ...each, samples: [] })),
  );
  for (const name of after.keys()) expect(name).not.toMatch(/session_open|position_contracts|rest_calls/);
});

test('counters do not grow by being scraped', async () => {
  const metrics = metricsAt(new Time());
  await scrape(metrics);
  const seen = await scrape(metrics);
  expect(seen.get('tickwright_rest_calls_total')).toBe(77);
});

const head = (atUs: number) => ({ cause: 1, tsUs: tsUs(atUs), strategy: null });
const entry = (atUs: number, rest: object): JournalEntry => ({ ...head(atUs), ...rest }) as JournalEntry;

test('an order is measured from its input to its first byte, and from there to its answer, in real time', async () => {
  const time = new Time();
  // A paper market at five times real time: 50 ms of the market are 10 ms.
  const metrics = metricsAt(time, 5);
  const id = clientOrderId('one');
  metrics.entry(
    entry(time.us - 50 * US_PER_MS, { kind: 'place', order: { clientOrderId: id }, isLost: false }),
  );
  time.us += 5 * US_PER_MS;
  metrics.sent(id);
  time.us += 100 * US_PER_MS;
  metrics.answered('place', id);
  const seen = await scrape(metrics);
  expect(seen.get('tickwright_tick_to_order_seconds_sum')).toBeCloseTo(0.015, 6);
  expect(seen.get('tickwright_order_answer_seconds_sum{call="place"}')).toBeCloseTo(0.1, 6);
  expect(seen.get('tickwright_orders_total{status="submitted"}')).toBe(1);
});

test('an order that never left is no measure', async () => {
  const time = new Time();
  const metrics = metricsAt(time);
  const id = clientOrderId('halted');
  metrics.entry(entry(time.us, { kind: 'place', order: { clientOrderId: id }, isLost: false }));
  metrics.answered('place', id);
  metrics.sent(id);
  const seen = await scrape(metrics);
  expect(seen.get('tickwright_tick_to_order_seconds_count')).toBe(0);
  expect(seen.get('tickwright_order_answer_seconds_count{call="place"}')).toBe(0);
});

test('rows of the journal are counted by rule, status and severity', async () => {
  const metrics = metricsAt(new Time());
  metrics.entry(entry(1, { kind: 'denied', denial: { code: 'halted', reason: 'by hand' } }));
  metrics.entry(entry(1, { kind: 'denied', denial: { code: 'halted', reason: 'again' } }));
  metrics.entry(entry(1, { kind: 'order_status', from: 'submitted', to: 'rejected' }));
  metrics.entry(entry(1, { kind: 'alert', severity: 'critical', code: 'x', text: 'y' }));
  metrics.entry(entry(1, { kind: 'gap', missed: 3 }));
  metrics.commit(durationUs(2_000));
  metrics.pong(durationUs(30_000));
  metrics.loopDelay(durationUs(500));
  const seen = await scrape(metrics);
  expect(seen.get('tickwright_denials_total{rule="halted"}')).toBe(2);
  expect(seen.get('tickwright_orders_total{status="rejected"}')).toBe(1);
  expect(seen.get('tickwright_alerts_total{severity="critical"}')).toBe(1);
  expect(seen.get('tickwright_alerts_total{severity="warning"}')).toBe(0);
  expect(seen.get('tickwright_feed_gaps_total')).toBe(1);
  expect(seen.get('tickwright_journal_commit_seconds_sum')).toBeCloseTo(0.002, 9);
  expect(seen.get('tickwright_heartbeat_round_trip_seconds_sum')).toBeCloseTo(0.03, 9);
  expect(seen.get('tickwright_event_loop_delay_seconds_sum')).toBeCloseTo(0.0005, 9);
});

const TOKEN = 'a-token-for-scrapers';

let server: Awaited<ReturnType<typeof startMetricsServer>> | undefined;

afterEach(() => server?.close());

async function start(options: Partial<MetricsServerOptions> = {}): Promise<string> {
  server = await startMetricsServer({
    address: '127.0.0.1',
    port: 0,
    hosts: [],
    token: undefined,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: () => Promise.resolve('tickwright_up 1\n'),
    health: () => Promise.resolve({ ok: false, reason: 'no engine' }),
    ...options,
  });
  return server.url;
}

async function ask(url: string, headers: Record<string, string> = {}) {
  const { statusCode, body, headers: got } = await request(url, { headers });
  return { code: statusCode, text: await body.text(), type: got['content-type'] };
}

test('on this machine it may be scraped without a token', async () => {
  const url = await start();
  const answer = await ask(`${url}/metrics`);
  expect(answer).toMatchObject({ code: 200, text: 'tickwright_up 1\n' });
  expect(answer.type).toContain('version=0.0.4');
  expect(await ask(`${url}/healthz`)).toMatchObject({ code: 503 });
  expect((await ask(`${url}/commands/halt`)).code).toBe(404);
});

describe('who may ask', () => {
  test('with a token, nobody without it', async () => {
    const url = await start({ token: TOKEN });
    for (const authorization of ['', 'Bearer wrong', `Basic ${TOKEN}`, TOKEN])
      expect((await ask(`${url}/metrics`, { authorization })).code, authorization).toBe(401);
    expect((await ask(`${url}/metrics?token=${TOKEN}`)).code).toBe(401);
    expect((await ask(`${url}/metrics`, { authorization: `Bearer ${TOKEN}` })).code).toBe(200);
  });

  test('only by a name that is its own', async () => {
    const url = await start({ hosts: ['bot.lan'] });
    expect((await ask(`${url}/metrics`, { host: 'rebound.example' })).code).toBe(403);
    expect((await ask(`${url}/healthz`, { host: 'rebound.example' })).code).toBe(403);
    expect((await ask(`${url}/metrics`, { host: 'bot.lan:9464' })).code).toBe(200);
  });

  test('where others could reach it a token is needed, and no short one', async () => {
    await expect(start({ address: '0.0.0.0' })).rejects.toThrow('need a token');
    await expect(start({ token: 'short' })).rejects.toThrow('at least 16');
  });
});
