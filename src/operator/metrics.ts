/**
 * All metrics for machines, in one place. State is read from the daemon at the scrape; facts of the journal are counted when they
 * are written, and moments are measured where they happen. Labels are bounded: strategies, contracts, rules, statuses.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../domain/clock.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import { type DurationUs, type TsUs, US_PER_SECOND } from '../domain/units.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';

/** State of the daemon at one moment. Seconds are real ones, whatever the speed of a paper market is. */
export interface MetricsReading {
  readonly version: string;
  readonly mode: string;
  readonly isSessionOpen: boolean;
  readonly isHalted: boolean;
  readonly isProgramChanged: boolean;
  readonly isClockTrusted: boolean;
  /** Null until the engine has answered once, and while there is none. */
  readonly engine: EngineReading | null;
  readonly feed: {
    readonly isLive: boolean;
    readonly isStale: boolean;
    /** Null while no session is open. */
    readonly ageSeconds: number | null;
    readonly frames: number;
    /** Frames that wait for the engine. */
    readonly waiting: number;
    readonly connections: number;
    readonly framesDropped: number;
  };
  readonly restCalls: number;
  readonly token: {
    readonly secondsLeft: number;
    /** Until the close of a session that needs the token now; 0 at other times. */
    readonly neededSeconds: number;
    readonly exchangesLeft: number;
    readonly isOtpAwaited: boolean;
  };
  readonly journal: {
    readonly isFailing: boolean;
    readonly waitingRows: number;
    readonly bytes: number;
    readonly walBytes: number;
    readonly diskFreeBytes: number;
  };
  readonly alertsUnseen: number;
  readonly channels: readonly {
    readonly id: string;
    readonly isFailing: boolean;
    readonly waiting: number;
  }[];
}

export interface EngineReading {
  readonly phase: string;
  readonly answerAgeSeconds: number;
  readonly events: number;
  readonly isProven: boolean;
  readonly isMoneyDifferent: boolean;
  readonly dayPnl: number;
  readonly fee: number;
  readonly tax: number;
  readonly openOrders: readonly { readonly status: string; readonly count: number }[];
  readonly strategies: readonly {
    readonly id: string;
    readonly isStopped: boolean;
    readonly isHalted: boolean;
    readonly dayPnl: number;
    readonly positions: readonly { readonly code: string; readonly qty: number }[];
  }[];
  /** `strategy` is empty for the account. */
  readonly limits: readonly { readonly limit: string; readonly strategy: string; readonly ratio: number }[];
}

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** Value at a scrape; an empty list where nothing is known, so that the series is absent rather than wrong. */
interface Row {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (reading: MetricsReading) => readonly Sample[];
}

const number =
  (read: (reading: MetricsReading) => number | boolean | null) =>
  (reading: MetricsReading): readonly Sample[] => {
    const value = read(reading);
    return value === null ? [] : [{ labels: {}, value: Number(value) }];
  };

const row = (
  name: string,
  help: string,
  read: (reading: MetricsReading) => number | boolean | null,
): Row => ({
  name,
  help,
  labels: [],
  read: number(read),
});

const engineRow = (name: string, help: string, read: (engine: EngineReading) => number | boolean): Row =>
  row(name, help, ({ engine }) => (engine === null ? null : read(engine)));

const rows = (
  name: string,
  help: string,
  labels: readonly string[],
  read: (reading: MetricsReading) => readonly Sample[],
): Row => ({ name, help, labels, read });

type StrategyReading = EngineReading['strategies'][number];

const strategyRow = (
  name: string,
  help: string,
  read: (strategy: StrategyReading) => number | boolean,
): Row =>
  rows(name, help, ['strategy'], ({ engine }) =>
    (engine?.strategies ?? []).map((each) => ({ labels: { strategy: each.id }, value: Number(read(each)) })),
  );

const GAUGES: readonly Row[] = [
  rows(
    'build_info',
    'Version, mode and Node.js of the daemon; always 1.',
    ['version', 'mode', 'node'],
    (now) => [{ labels: { version: now.version, mode: now.mode, node: process.version }, value: 1 }],
  ),
  row('session_open', '1 while a trading session is open.', (now) => now.isSessionOpen),
  rows(
    'session_phase',
    '1 for the phase of the trading day as the engine sees it.',
    ['phase'],
    ({ engine }) => (engine === null ? [] : [{ labels: { phase: engine.phase }, value: 1 }]),
  ),
  row(
    'entries_halted',
    '1 while entries of the account are off until a person resumes.',
    (now) => now.isHalted,
  ),
  row(
    'program_changed',
    '1 while the program on disk is not the one that runs.',
    (now) => now.isProgramChanged,
  ),
  row(
    'clock_trusted',
    '0 while market time is not to be trusted and entries wait.',
    (now) => now.isClockTrusted,
  ),
  row('engine_running', '1 while an engine answers.', (now) => now.engine !== null),
  engineRow(
    'engine_answer_age_seconds',
    'Age of the last answer of the engine thread, which is asked every second.',
    (engine) => engine.answerAgeSeconds,
  ),
  engineRow(
    'positions_proven',
    "1 while our positions are proven to be the broker's.",
    (engine) => engine.isProven,
  ),
  engineRow(
    'money_differs',
    "1 while our money of the day differs from the broker's.",
    (engine) => engine.isMoneyDifferent,
  ),
  engineRow('day_pnl_vnd', 'Profit of the trading day after costs, in VND.', (engine) => engine.dayPnl),
  engineRow('day_fees_vnd', 'Fees of the trading day, in VND.', (engine) => engine.fee),
  engineRow('day_taxes_vnd', 'Tax of the trading day, in VND.', (engine) => engine.tax),
  rows('open_orders', 'Orders that are not final, by status.', ['status'], ({ engine }) =>
    (engine?.openOrders ?? []).map(({ status, count }) => ({ labels: { status }, value: count })),
  ),
  strategyRow('strategy_stopped', '1 while the strategy does not run.', ({ isStopped }) => isStopped),
  strategyRow(
    'strategy_halted',
    '1 while entries of this strategy alone are off.',
    ({ isHalted }) => isHalted,
  ),
  strategyRow(
    'strategy_day_pnl_vnd',
    'Profit of the strategy today after costs, in VND.',
    (each) => each.dayPnl,
  ),
  rows('position_contracts', 'Signed position, in contracts.', ['strategy', 'contract'], ({ engine }) =>
    (engine?.strategies ?? []).flatMap(({ id, positions }) =>
      positions.map(({ code, qty }) => ({ labels: { strategy: id, contract: code }, value: qty })),
    ),
  ),
  rows(
    'limit_use_ratio',
    'Used part of a risk limit; 1 is the limit. The strategy is empty for limits of the account.',
    ['limit', 'strategy'],
    ({ engine }) =>
      (engine?.limits ?? []).map(({ ratio, ...labels }) => ({
        labels: { limit: labels.limit, strategy: labels.strategy },
        value: ratio,
      })),
  ),
  row('stream_live', '1 while the price stream is connected and authenticated.', ({ feed }) => feed.isLive),
  row('feed_stale', '1 while prices stay away on a connection that is alive.', ({ feed }) => feed.isStale),
  row(
    'feed_age_seconds',
    'Age of the last data frame that the engine was given; since the session opened while there was none.',
    ({ feed }) => feed.ageSeconds,
  ),
  row('frames_waiting', 'Data frames that wait for the engine.', ({ feed }) => feed.waiting),
  row(
    'token_seconds_left',
    'Seconds until the access token ends; 0 without one.',
    ({ token }) => token.secondsLeft,
  ),
  row(
    'token_needed_seconds',
    'Seconds until the close of the session that needs a token now; 0 outside of one.',
    ({ token }) => token.neededSeconds,
  ),
  row(
    'token_exchanges_left',
    'One-time passwords that the broker still takes today.',
    ({ token }) => token.exchangesLeft,
  ),
  row('otp_awaited', '1 while the daemon waits for a one-time password.', ({ token }) => token.isOtpAwaited),
  row('journal_failing', '1 while the disk refuses rows of the journal.', ({ journal }) => journal.isFailing),
  row('journal_waiting_rows', 'Rows that wait for their commit.', ({ journal }) => journal.waitingRows),
  row('journal_bytes', 'Size of the journal.', ({ journal }) => journal.bytes),
  row('journal_wal_bytes', 'Size of the write-ahead log of the journal.', ({ journal }) => journal.walBytes),
  row('disk_free_bytes', 'Room on the disk of the state directory.', ({ journal }) => journal.diskFreeBytes),
  row('alerts_unacknowledged', 'Critical alerts that nobody has acknowledged.', (now) => now.alertsUnseen),
  rows('channel_failing', '1 while an alert channel delivers nothing.', ['channel'], ({ channels }) =>
    channels.map(({ id, isFailing }) => ({ labels: { channel: id }, value: Number(isFailing) })),
  ),
  rows('channel_waiting', 'Messages that wait in an alert channel.', ['channel'], ({ channels }) =>
    channels.map(({ id, waiting }) => ({ labels: { channel: id }, value: waiting })),
  ),
  row('resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss()),
  row(
    'heap_used_bytes',
    'Memory of the main thread that JavaScript uses.',
    () => process.memoryUsage().heapUsed,
  ),
  row('uptime_seconds', 'Seconds since the process started.', () => process.uptime()),
];

/** A session, or an engine that is rebuilt, begins some of them anew: Prometheus knows that of counters. */
const COUNTERS: readonly Row[] = [
  row('engine_events_total', 'Events that the engine has processed.', ({ engine }) => engine?.events ?? null),
  row('frames_total', 'Data frames that the engine was given.', ({ feed }) => feed.frames),
  row(
    'stream_connections_total',
    'Authenticated connections to the price stream; all but the first are reconnects.',
    ({ feed }) => feed.connections,
  ),
  row('frames_dropped_total', 'Data frames of connections that were over.', ({ feed }) => feed.framesDropped),
  row('rest_calls_total', 'REST calls to the broker.', (now) => now.restCalls),
  row('cpu_seconds_total', 'Processor time of the process.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / US_PER_SECOND;
  }),
];

const PREFIX = 'tickwright_';

/** In seconds. */
const BUCKETS = {
  tickToOrder: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  answer: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
  commit: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5],
  loop: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
  heartbeat: [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15],
};

type Call = 'place' | 'modify' | 'cancel';

const CALLS: readonly Call[] = ['place', 'modify', 'cancel'];

interface MetricsOptions {
  /** Real time. */
  readonly clock: Clock;
  /** Time of entries. */
  readonly market: Clock;
  /** Market seconds in one real second. */
  readonly speed: number;
}

export class Metrics {
  readonly #options: MetricsOptions;
  readonly #registry = new Registry();
  readonly #tickToOrder = this.#histogram(
    'tick_to_order_seconds',
    'From the input that an order came of (a price, an answer, a timer) to the first byte of the order.',
    BUCKETS.tickToOrder,
  );
  readonly #answer = this.#histogram(
    'order_answer_seconds',
    "From the first byte of a call to the broker's answer, or to the end of the wait for one.",
    BUCKETS.answer,
    ['call'],
  );
  readonly #commit = this.#histogram('journal_commit_seconds', 'Commits of the journal.', BUCKETS.commit);
  readonly #loop = this.#histogram(
    'event_loop_delay_seconds',
    'Largest delay of the main thread in each second.',
    BUCKETS.loop,
  );
  readonly #pong = this.#histogram(
    'heartbeat_round_trip_seconds',
    'From a heartbeat to its answer.',
    BUCKETS.heartbeat,
  );
  readonly #denials = this.#counter('denials_total', 'Orders that a risk rule denied.', ['rule']);
  readonly #orders = this.#counter('orders_total', 'Orders that came into a status.', ['status']);
  readonly #alerts = this.#counter('alerts_total', 'Alerts of the daemon.', ['severity']);
  readonly #fills = this.#counter('fills_total', 'Fills of our orders.', []);
  readonly #gaps = this.#counter('feed_gaps_total', 'Gaps in the chain of total volumes.', []);
  readonly #faults = this.#counter('strategy_faults_total', 'Errors in the code of strategies.', []);
  readonly #refusals = this.#counter('cockpit_refusals_total', 'Requests that the cockpit refused.', [
    'reason',
  ]);
  /** Real time of the input that an order came of, until its first byte. */
  readonly #inputUs = new Map<ClientOrderId, number>();
  /** Calls under way. */
  readonly #sentUs = new Map<ClientOrderId, TsUs>();
  readonly #scraped: readonly ((reading: MetricsReading) => void)[];

  constructor(options: MetricsOptions) {
    this.#options = options;
    for (const call of CALLS) this.#answer.zero({ call });
    for (const severity of ['info', 'warning', 'critical']) this.#alerts.inc({ severity }, 0);
    this.#scraped = [
      ...GAUGES.map((row) => {
        const gauge = new Gauge(this.#described(row));
        return (reading: MetricsReading) => {
          clear(gauge, row);
          for (const { labels, value } of row.read(reading)) gauge.set(labels, value);
        };
      }),
      ...COUNTERS.map((row) => {
        const counter = new Counter(this.#described(row));
        return (reading: MetricsReading) => {
          clear(counter, row);
          for (const { labels, value } of row.read(reading)) counter.inc(labels, value);
        };
      }),
    ];
  }

  /** The text format of Prometheus. */
  text(reading: MetricsReading): Promise<string> {
    for (const take of this.#scraped) take(reading);
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** A row of the journal. */
  entry(entry: JournalEntry): void {
    const { kind } = entry;
    if (kind === 'denied') this.#denials.inc({ rule: entry.denial.code });
    else if (kind === 'place') this.#placed(entry);
    else if (kind === 'order_status') this.#orders.inc({ status: entry.to });
    else if (kind === 'fill') this.#fills.inc();
    else if (kind === 'gap') this.#gaps.inc();
    else if (kind === 'alert') this.#alerts.inc({ severity: entry.severity });
    else if (kind === 'strategy_fault') this.#faults.inc();
  }

  /** The first byte of a call is about to leave. */
  sent(callId: ClientOrderId): void {
    const now = this.#options.clock.nowUs();
    const inputUs = this.#inputUs.get(callId);
    if (inputUs !== undefined) this.#tickToOrder.observe((now - inputUs) / US_PER_SECOND);
    this.#inputUs.delete(callId);
    this.#sentUs.set(callId, now);
  }

  answered(call: Call, callId: ClientOrderId): void {
    const sentUs = this.#sentUs.get(callId);
    if (sentUs !== undefined)
      this.#answer.observe({ call }, (this.#options.clock.nowUs() - sentUs) / US_PER_SECOND);
    this.#sentUs.delete(callId);
    this.#inputUs.delete(callId);
  }

  commit(took: DurationUs): void {
    this.#commit.observe(took / US_PER_SECOND);
  }

  /** `reason` is one of a closed list. */
  cockpitRefused(reason: string): void {
    this.#refusals.inc({ reason });
  }

  pong(roundTrip: DurationUs): void {
    this.#pong.observe(roundTrip / US_PER_SECOND);
  }

  loopDelay(delay: DurationUs): void {
    this.#loop.observe(delay / US_PER_SECOND);
  }

  #placed({ order, isLost, tsUs }: Extract<JournalEntry, { readonly kind: 'place' }>): void {
    this.#orders.inc({ status: 'submitted' });
    if (isLost) return;
    const { clock, market, speed } = this.#options;
    this.#inputUs.set(order.clientOrderId, clock.nowUs() - (market.nowUs() - tsUs) / speed);
  }

  #described({ name, help, labels }: Pick<Row, 'name' | 'help' | 'labels'>) {
    return { name: `${PREFIX}${name}`, help, labelNames: [...labels], registers: [this.#registry] };
  }

  #histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labels: readonly string[] = [],
  ): Histogram {
    return new Histogram({ ...this.#described({ name, help, labels }), buckets: [...buckets] });
  }

  #counter(name: string, help: string, labels: readonly string[]): Counter {
    return new Counter(this.#described({ name, help, labels }));
  }
}

/** A metric without labels would keep a zero. */
function clear(metric: Gauge | Counter, { labels }: Row): void {
  metric.reset();
  if (labels.length === 0) metric.remove();
}
