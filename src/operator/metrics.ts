/**
 * Metrics for machines. State is read from the daemon at the scrape; facts of the journal are counted when they are written, and
 * moments are measured where they happen. Labels are bounded: strategies, contracts, rules, statuses.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../domain/clock.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import { type DurationUs, type TsUs, US_PER_SECOND } from '../domain/units.ts';
import type { EntryOf, JournalEntry } from '../engine/ports/journal-entry.ts';
import { addHealth, createServer, type Health } from './control-server.ts';
import {
  assertToken,
  failure,
  hostOf,
  isLoopback,
  listen,
  LOOPBACK_NAMES,
  requireHost,
  requireToken,
} from './http-guards.ts';

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** As of a scrape; without samples where nothing is known, so that it is absent rather than wrong. */
export interface Series {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly samples: readonly Sample[];
  /** Absent: a gauge. */
  readonly isCounter?: boolean;
}

const PREFIX = 'tickwright_';

/** In seconds. */
const BUCKETS = {
  tickToOrder: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  answer: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
  commit: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5],
  loop: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
  heartbeat: [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15],
};

type CallKind = 'place' | 'modify' | 'cancel';

const CALLS: readonly CallKind[] = ['place', 'modify', 'cancel'];

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
  readonly #sentUs = new Map<ClientOrderId, TsUs>();
  readonly #scraped = new Map<string, Gauge | Counter>();

  constructor(options: MetricsOptions) {
    this.#options = options;
    for (const call of CALLS) this.#answer.zero({ call });
    for (const severity of ['info', 'warning', 'critical']) this.#alerts.inc({ severity }, 0);
  }

  text(scraped: readonly Series[]): Promise<string> {
    for (const series of scraped) this.#scrape(series);
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

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

  answered(call: CallKind, callId: ClientOrderId): void {
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

  #placed({ order, isLost, tsUs }: EntryOf<'place'>): void {
    this.#orders.inc({ status: 'submitted' });
    if (isLost) return;
    const { clock, market, speed } = this.#options;
    this.#inputUs.set(order.clientOrderId, clock.nowUs() - (market.nowUs() - tsUs) / speed);
  }

  #scrape(series: Series): void {
    const { name, labels, samples, isCounter = false } = series;
    const described = this.#described(series);
    const metric = this.#scraped.get(name) ?? (isCounter ? new Counter(described) : new Gauge(described));
    this.#scraped.set(name, metric);
    metric.reset();
    // A metric without labels would keep a zero.
    if (labels.length === 0) metric.remove();
    for (const sample of samples) metric.inc(sample.labels, sample.value);
  }

  #described({ name, help, labels }: Pick<Series, 'name' | 'help' | 'labels'>) {
    return { name: `${PREFIX}${name}`, help, labelNames: [...labels], registers: [this.#registry] };
  }

  #histogram(name: string, help: string, buckets: number[], labels: readonly string[] = []): Histogram {
    return new Histogram({ ...this.#described({ name, help, labels }), buckets });
  }

  #counter(name: string, help: string, labels: readonly string[]): Counter {
    return new Counter(this.#described({ name, help, labels }));
  }
}

export interface MetricsServerOptions {
  readonly address: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Further names by which it may be asked. */
  readonly hosts: readonly string[];
  /** Undefined: none is needed, which only a loopback address allows. */
  readonly token: string | undefined;
  readonly contentType: string;
  readonly text: () => Promise<string>;
  readonly health: () => Promise<Health>;
}

/** Scrapers are few; a stranger must not take the daemon's file handles. */
const CONNECTIONS_MAX = 32;
/** Neither route reads a body. */
const BODY_BYTES_MAX = 1;

/** Prometheus and supervisors. Throws when the address is taken, and when others than this machine could ask without a token. */
export async function startMetricsServer(options: MetricsServerOptions) {
  const { address, port, hosts, token, contentType, text, health } = options;
  if (token !== undefined) assertToken('metrics', token);
  else if (!isLoopback(address)) throw new Error(`metrics on ${address} need a token: others can reach it`);
  const app = createServer(BODY_BYTES_MAX);
  const own = hostOf(address);
  requireHost(app, [...LOOPBACK_NAMES, own, ...hosts]);
  if (token !== undefined) requireToken(app, token, ['/healthz']);
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(failure('expected GET /metrics or GET /healthz')),
  );
  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', contentType).send(await text()),
  );
  addHealth(app, health);
  app.server.maxConnections = CONNECTIONS_MAX;
  const bound = await listen(app, address, port);
  return { url: `http://${own}:${bound}`, close: () => app.close() };
}
