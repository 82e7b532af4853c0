import { expect, test } from 'vitest';
import { clientOrderId } from '../../src/domain/ids.ts';
import { durationUs, tsUs, US_PER_MS } from '../../src/domain/units.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { type EngineReading, Metrics, type MetricsReading } from '../../src/operator/metrics.ts';

const ENGINE: EngineReading = {
  phase: 'continuous',
  answerAgeSeconds: 0.5,
  events: 1234,
  isProven: true,
  isMoneyDifferent: false,
  dayPnl: -1_500_000,
  fee: 20_000,
  tax: 3_000,
  openOrders: [{ status: 'accepted', count: 2 }],
  strategies: [
    {
      id: 'one',
      isStopped: false,
      isHalted: true,
      dayPnl: -1_500_000,
      positions: [{ code: 'VN30F2612', qty: -3 }],
    },
  ],
  limits: [
    { limit: 'position', strategy: '', ratio: 0.3 },
    { limit: 'position', strategy: 'one', ratio: 0.75 },
  ],
};

const READING: MetricsReading = {
  version: '1.2.3',
  mode: 'paper',
  isSessionOpen: true,
  isHalted: false,
  isProgramChanged: false,
  isClockTrusted: true,
  engine: ENGINE,
  feed: {
    isLive: true,
    isStale: false,
    ageSeconds: 0.25,
    frames: 900,
    waiting: 0,
    connections: 2,
    framesDropped: 1,
  },
  restCalls: 77,
  token: { secondsLeft: 3600, neededSeconds: 1800, exchangesLeft: 7, isOtpAwaited: false },
  journal: { isFailing: false, waitingRows: 4, bytes: 8192, walBytes: 4096, diskFreeBytes: 1e9 },
  alertsUnseen: 0,
  channels: [{ id: 'phone', isFailing: true, waiting: 5 }],
};

class Time {
  us = 1_700_000_000_000_000;
  readonly nowUs = () => tsUs(this.us);
}

/** Series by name and labels. */
async function scrape(
  metrics: Metrics,
  reading: MetricsReading = READING,
): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.text(reading))
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

test('state is read at the scrape, with bounded labels', async () => {
  const seen = await scrape(metricsAt(new Time()));
  expect(
    Object.fromEntries([...seen].filter(([name]) => !/_bucket|process|memory|heap|uptime|cpu/.test(name))),
  ).toMatchObject({
    'tickwright_session_phase{phase="continuous"}': 1,
    tickwright_engine_running: 1,
    tickwright_day_pnl_vnd: -1_500_000,
    'tickwright_open_orders{status="accepted"}': 2,
    'tickwright_position_contracts{strategy="one",contract="VN30F2612"}': -3,
    'tickwright_strategy_halted{strategy="one"}': 1,
    'tickwright_limit_use_ratio{limit="position",strategy=""}': 0.3,
    'tickwright_limit_use_ratio{limit="position",strategy="one"}': 0.75,
    tickwright_feed_age_seconds: 0.25,
    tickwright_stream_connections_total: 2,
    tickwright_token_seconds_left: 3600,
    tickwright_token_exchanges_left: 7,
    tickwright_journal_wal_bytes: 4096,
    'tickwright_channel_failing{channel="phone"}': 1,
    'tickwright_order_answer_seconds_count{call="place"}': 0,
  });
});

test('nothing is claimed that is not known: without an engine its series are absent, and gone ones do not stay', async () => {
  const metrics = metricsAt(new Time());
  await scrape(metrics);
  const seen = await scrape(metrics, {
    ...READING,
    engine: null,
    feed: { ...READING.feed, ageSeconds: null },
  });
  expect(seen.get('tickwright_engine_running')).toBe(0);
  for (const name of seen.keys())
    expect(name).not.toMatch(
      /pnl|positions_proven|position_contracts|limit_use|feed_age|engine_events|session_phase/,
    );
});

test('counters do not grow by being scraped', async () => {
  const metrics = metricsAt(new Time());
  await scrape(metrics);
  const seen = await scrape(metrics);
  expect(seen.get('tickwright_engine_events_total')).toBe(1234);
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
