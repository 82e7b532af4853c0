/**
 * A day of one daemon on disk, made by the session of the daemon in virtual time: a strategy that trades all the time, the frames of a
 * busy market, and reads of a broker of a few lines that fills each order at the next read.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Subject } from 'rxjs';
import { serveEngine } from '../../src/host/engine-server.ts';
import type { EngineWorkerHandle, StartEngine } from '../../src/host/engine-thread.ts';
import { loadDefinitions } from '../../src/host/strategy-files/own-strategies.ts';
import { REAL_TIME, systemClock, systemTimers } from '../../src/host/system-clock.ts';
import type { FromEngine, ToEngine } from '../../src/host/worker-protocol.ts';
import { PriceBoard } from '../../src/daemon/edge/price-board.ts';
import {
  prepareSession,
  type SessionContext,
  TradingSession,
} from '../../src/daemon/session/trading-session.ts';
import type { Halt } from '../../src/daemon/session/halt.ts';
import { statePaths } from '../../src/host/state/state-paths.ts';
import { BrokerContracts } from '../../src/broker/reports/broker-contracts.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import type { BrokerOrder } from '../../src/domain/broker-order.ts';
import type { Contract } from '../../src/domain/contract.ts';
import { brokerOrderNo, StrategyNames } from '../../src/domain/ids.ts';
import { money, priceTicks, qty, signedQty, type TsUs, tsUs, US_PER_SECOND } from '../../src/domain/units.ts';
import type { ApprovedOrder } from '../../src/engine/ports/approved.ts';
import type { EngineEvent, ReadKind, UnnumberedInput } from '../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import type { JournaledInput } from '../../src/journal/compact-input.ts';
import { JournalStore } from '../../src/journal/journal-store.ts';
import { IGNORE_DRIFT } from '../../src/wire/drift.ts';
import { CATALOG } from '../../strategies/catalog.ts';
import { ACCOUNT } from './engine-setup.ts';
import { type MarketDay, REFERENCE, START_TICKS } from './market-day.ts';

const definitionOf = await loadDefinitions([]);

const YAML = `
mode: paper
market: ${resolve('config/vn30f.yaml')}
simulator: { hours: exchange }
risk: { ordersPerSecondMax: 1000, ordersPerMinuteMax: 60000, messagesPerMinuteMax: 60000, dailyLossMax: 2000000000000, accountAgeMax: 5m, dataAgeMax: 60s, drawdownMax: 2000000000000 }
poll: { bookFast: 200ms, bookSlow: 1s, positions: 2s, account: 2s }
strategies:
  - id: busy
    strategy: ema-cross
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 4, dailyLossMax: 2000000000000, openOrdersMax: 4 }
    params: { barSeconds: 10, fast: 1, slow: 3, restSeconds: 1, repriceSeconds: 0.5 }
`;

export function busyConfig(dir: string): Config {
  const file = join(dir, 'busy.yaml');
  writeFileSync(file, YAML);
  const loaded = loadConfig(file, CATALOG);
  if (loaded.ok) return { ...loaded.config, stateDir: dir };
  throw new Error(JSON.stringify(loaded.problems));
}

/** The engine in this thread; answers come at once. */
const engineHere: StartEngine = (data) => {
  let answer: ((message: FromEngine) => void) | undefined = undefined;
  let serve: ((message: ToEngine) => void) | undefined = undefined;
  const line: EngineWorkerHandle = {
    postMessage: (message) => serve?.(message),
    on: (event: string, listener: (given: never) => void) => {
      if (event === 'message') answer = listener as (message: FromEngine) => void; // oxlint-disable-line typescript/no-unsafe-type-assertion -- by the name of the event
    },
    terminate: () => Promise.resolve(0),
  };
  serveEngine(
    { postMessage: (message) => answer?.(message), on: (_, listener) => (serve = listener) },
    data,
    definitionOf,
  );
  return line;
};

/** Reads of the book until an order is filled. */
const READS_TO_FILL = 3;

/** Takes every order and fills it after some reads of the book. */
class SmallBroker {
  readonly #post: (event: UnnumberedInput<EngineEvent>) => void;
  readonly #now: () => TsUs;
  readonly #contracts: readonly Contract[];
  readonly #rows: BrokerOrder[] = [];
  readonly #net = new Map<string, number>();
  readonly wanted = new Set<ReadKind>();
  #resting: { readonly place: number; reads: number }[] = [];

  constructor(
    post: (event: UnnumberedInput<EngineEvent>) => void,
    now: () => TsUs,
    contracts: readonly Contract[],
  ) {
    this.#post = post;
    this.#now = now;
    this.#contracts = contracts;
  }

  readonly gateway = {
    submit: (order: ApprovedOrder): void => this.#submit(order),
    modify: (): void => undefined,
    cancel: (): void => undefined,
  };

  get hasOrders(): boolean {
    return this.#resting.length > 0;
  }

  #submit(order: ApprovedOrder): void {
    const orderNo = brokerOrderNo(String(this.#rows.length + 1));
    this.#resting.push({ place: this.#rows.length, reads: 0 });
    this.#rows.push({
      orderNo,
      orderKey: null,
      refId: order.clientOrderId,
      orderCode: order.orderCode,
      side: order.side,
      qty: order.qty,
      limitPrice: order.limitPrice,
      filledQty: qty(0),
      filledValue: null,
      status: 'resting',
      statusText: 'P/Y',
      canCancel: true,
      canModify: true,
      source: 'user',
      reason: '',
    });
    const outcome = { status: 'accepted', orderNo, orderKey: null } as const;
    const { clientOrderId } = order;
    const answer = { call: 'place', callId: clientOrderId, clientOrderId, outcome } as const;
    queueMicrotask(() => this.#post({ kind: 'execution_report', answer, news: null }));
  }

  #fill(): void {
    for (const each of this.#resting) each.reads += 1;
    for (const { place } of this.#resting.filter(({ reads }) => reads > READS_TO_FILL)) {
      const row = this.#rows[place];
      if (row === undefined || row.limitPrice === null) throw new Error('expected a row with a price');
      const value = { value: money(row.limitPrice * row.qty * 10_000), quality: 'exact' } as const;
      this.#rows[place] = { ...row, filledQty: row.qty, filledValue: value, status: 'matched' };
      const change = row.side === 'buy' ? row.qty : 0 - row.qty;
      this.#net.set(row.orderCode, (this.#net.get(row.orderCode) ?? 0) + change);
    }
    this.#resting = this.#resting.filter(({ reads }) => reads <= READS_TO_FILL);
  }

  answer(): void {
    for (const what of this.wanted) this.read(what);
    this.wanted.clear();
  }

  read(what: ReadKind): void {
    const head = { startedUs: tsUs(this.#now() - 1) };
    if (what === 'book') {
      this.#fill();
      this.#post({ kind: 'book_snapshot', list: 'orders', ...head, complete: true, orders: [...this.#rows] });
    } else if (what === 'triggers') {
      this.#post({ kind: 'book_snapshot', list: 'triggers', ...head, complete: true, orders: [] });
    } else if (what === 'positions') {
      const open = this.#contracts.filter(({ orderCode }) => (this.#net.get(orderCode) ?? 0) !== 0);
      const positions = open.map(({ orderCode }) => ({
        orderCode,
        qty: signedQty(this.#net.get(orderCode) ?? 0),
        lastPrice: null,
        openProfit: null,
      }));
      this.#post({ kind: 'position_snapshot', ...head, positions });
    } else if (what === 'account') {
      const account = { ...ACCOUNT, cash: money(ACCOUNT.cash + (this.#now() % 1_000)) };
      this.#post({ kind: 'account_snapshot', ...head, account });
    } else if (what === 'reference') this.#post({ kind: 'reference', rows: this.#contracts.map(quote) });
    else if (what === 'contracts') this.#post({ kind: 'contracts', contracts: this.#contracts });
  }
}

const quote = ({ index }: Contract) => ({
  instrument: index,
  ceiling: priceTicks(START_TICKS * 1.07),
  floor: priceTicks(START_TICKS * 0.93),
  reference: REFERENCE,
  lastPrice: START_TICKS,
});

class CountedJournal extends JournalStore {
  rows = 0;

  override recordInput(input: JournaledInput): void {
    this.rows += 1;
    super.recordInput(input);
  }

  override append(entry: JournalEntry): void {
    this.rows += 1;
    super.append(entry);
  }
}

/** All of the session's context; `close` closes the journal. */
export function contextAt(dir: string, config: Config, startEngine?: StartEngine) {
  const paths = statePaths(dir);
  mkdirSync(paths.frames, { recursive: true });
  const names = new StrategyNames(config.strategies.map(({ id }) => id));
  const journal = new CountedJournal({
    path: paths.journal,
    wallClock: systemClock,
    timers: systemTimers,
    names,
    onFailure: (error) => {
      throw error;
    },
  });
  const reports: { read: (what: ReadKind) => void; pollPace: () => void } = {
    read: () => undefined,
    pollPace: () => undefined,
  };
  const edge = {
    table: new BrokerContracts(),
    drift: IGNORE_DRIFT,
    stream: {
      seen: () => undefined,
      subscribe: () => undefined,
      status: () => ({ state: 'live', isStale: false }),
    },
    frames$: new Subject<{ readonly text: string; readonly receivedUs: null }>(),
    gateway: { submit: () => undefined, modify: () => undefined, cancel: () => undefined },
    reports,
  };
  const halt: Pick<Halt, 'reason' | 'inForce' | 'takeEngineRow' | 'writeEngineRows' | 'markDelivered'> = {
    reason: null,
    inForce: null,
    takeEngineRow: () => undefined,
    writeEngineRows: () => undefined,
    markDelivered: () => undefined,
  };
  const context = {
    config,
    clockMap: REAL_TIME,
    journal,
    paths,
    names,
    accountTail: '000001',
    startEngine,
    startStamp: () => '0000000001',
    unjournaled: () => ({ owners: [], changes: [], cancels: [] }),
    followPath: null,
    prices: new PriceBoard(() => []),
    onEntry: () => undefined,
    halt,
    edge,
  };
  return { context: context as unknown as SessionContext, edge, journal, paths }; // oxlint-disable-line typescript/no-unsafe-type-assertion -- a session uses no more of it
}

/** Seconds between two reads: of the book while orders work and while none does, of positions and of the account. */
const TEMPO = { orders: 0.1, noOrders: 0.38, others: 1.75 };

/** Writes journal and frames of the day into `dir`, until the journal has so many rows. */
export async function makeDay(dir: string, config: Config, day: MarketDay, rowsMax: number): Promise<void> {
  let now = day.startUs - 60 * US_PER_SECOND;
  const clock = { wallMs: () => now / 1_000, monotonicMs: () => now / 1_000, uptimeMs: () => now / 1_000 };
  systemClock.restart(clock);
  const { context, edge, journal } = contextAt(dir, config, engineHere);
  try {
    edge.table.reset(day.contracts);
    const prepared = prepareSession(context);
    const contracts = { kind: 'contracts', contracts: day.contracts } as const;
    let session: TradingSession | undefined = undefined;
    const broker = new SmallBroker(
      (event) => session?.post(event),
      () => tsUs(now),
      day.contracts,
    );
    Object.assign(edge.gateway, broker.gateway);
    edge.reports.read = (what) => void broker.wanted.add(what);
    session = await TradingSession.open(context, prepared, contracts, new Map(), (reason) => {
      throw new Error(reason);
    });
    session.post({ kind: 'stream', state: 'live', reason: 'bench' });
    const next = { book: now, positions: now, account: now };
    for (const { text, tsUs: at } of day.frames) {
      now = Math.max(now, at);
      const pollPace = broker.hasOrders ? TEMPO.orders : TEMPO.noOrders;
      for (const what of ['book', 'positions', 'account'] as const) {
        if (next[what] > now) continue;
        next[what] = now + (what === 'book' ? pollPace : TEMPO.others) * US_PER_SECOND;
        broker.wanted.add(what);
      }
      if (journal.rows >= rowsMax) break;
      broker.answer();
      edge.frames$.next({ text, receivedUs: null });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await session.close();
    journal.flush();
  } finally {
    journal.close();
    systemClock.restart();
  }
}
