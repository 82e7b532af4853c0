/** Each number that a scrape reads from the daemon, by its name and labels. */
import { expect, test } from 'vitest';
import { samplesOf } from '../../../src/daemon/program/daemon-metrics.ts';
import { US_PER_HOUR } from '../../../src/domain/units.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

const VIEW = {
  phase: 'continuous',
  halted: null,
  unproven: null,
  money: { state: 'agreed' },
  dayPnl: -1_500_000,
  fee: 20_000,
  tax: 3_000,
  counts: { events: 1_234 },
  orders: [{ status: 'accepted' }, { status: 'accepted' }],
  strategies: [
    {
      id: 'one',
      stopped: null,
      halted: 'loss',
      dayPnl: 7,
      positions: [{ orderCode: 'VN30F2612', qty: -3, uncoveredQty: 1 }],
    },
  ],
  limits: [
    { limit: 'position', strategy: null, used: 3, max: 10 },
    { limit: 'position', strategy: 0, used: 3, max: 4 },
  ],
};

const DAEMON = {
  sessionDay: '2026-03-04',
  config: { mode: 'paper', calendar: { ...MARKET_CALENDAR, name: 'always-open' } },
  halt: { reason: null },
  programProblem: null,
  clockProblem: null,
  lastView: VIEW,
  viewedUs: 0,
  names: { nameOf: () => 'one' },
  cycle: { session: { inbox: { frames: 900, lastFrameUs: 2 * US_PER_HOUR - 1_000_000, framesWaiting: 4 } } },
  // Thursday, 09:00 of the exchange.
  clock: { nowUs: () => 2 * US_PER_HOUR },
  edge: {
    stream: { status: () => ({ state: 'live', isStale: false, connections: 2, framesDropped: 1 }) },
    calls: { sent: 77 },
    tokens: { current: () => undefined, budget: { used: 3, allowed: 10 } },
  },
  otpInbox: { isWaiting: true },
  journal: { isFailing: false, waiting: 5 },
  alerting: { state: { unseen: 1, channels: [{ id: 'phone', trouble: 'no answer', waiting: 6 }] } },
};

const scraped = (changes: object = {}): Readonly<Record<string, number>> => {
  const dir = tempDir();
  const options = { paths: { journal: `${dir}/journal.db`, dir }, clockMap: { speed: 2 } };
  const [daemon] = [{ ...DAEMON, options, ...changes }] as unknown as Parameters<typeof samplesOf>;
  return Object.fromEntries(
    samplesOf(daemon).flatMap(({ name, samples }) =>
      samples.map(({ labels, value }) => [[name, ...Object.values(labels)].join(' '), value]),
    ),
  );
};

test('state is read at the scrape, with bounded labels', () => {
  expect(scraped()).toMatchObject({
    'session_phase continuous': 1,
    engine_running: 1,
    day_pnl_vnd: -1_500_000,
    exchange_open: 1,
    'open_orders accepted': 2,
    'open_orders unknown': 0,
    'position_contracts one VN30F2612': -3,
    'uncovered_contracts one VN30F2612': 1,
    'strategy_halted one': 1,
    'limit_use_ratio position ': 0.3,
    'limit_use_ratio position one': 0.75,
    feed_age_seconds: 0.5,
    stream_connections_total: 2,
    engine_events_total: 1_234,
    token_seconds_left: 0,
    token_exchanges_left: 7,
    journal_wal_bytes: 0,
    'channel_failing phone': 1,
  });
});

test('without an engine and a session its series are absent', () => {
  const seen = scraped({ lastView: undefined, cycle: { session: undefined } });
  expect(seen['engine_running']).toBe(0);
  for (const name of Object.keys(seen))
    expect(name).not.toMatch(
      /pnl|positions_proven|position_contracts|limit_use|feed_age|engine_events|session_phase|open_orders/,
    );
});
