/** The page of a running daemon. */
import { once } from 'node:events';
import type { Config } from '../../config/config.ts';
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { avgPoints, type Contract, NO_BAND_BPS, pointsOf, type PriceBand } from '../../domain/contract.ts';
import { errorText } from '../../domain/failure.ts';
import { priceTicks, type PriceTicks, seconds, toMs, type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import { NO_SESSION } from '../../journal/journal-database.ts';
import type {
  BooksState,
  CockpitContract,
  CockpitDay,
  CockpitOrder,
  CockpitRole,
  CockpitState,
  PlotState,
} from '../../operator/cockpit/cockpit-model.ts';
import {
  type Cockpit,
  type CockpitReads,
  PAGE_DIR,
  startCockpit,
} from '../../operator/cockpit/cockpit-server.ts';
import type { EntrySource } from '../../operator/cockpit/event-streams.ts';
import type { CommandBody, CommandName } from '../../operator/control-command.ts';
import type { CommandResult } from '../../operator/control-server.ts';
import { packageVersion } from '../../host/program-files.ts';
import { withTimeout, systemClock } from '../../host/system-clock.ts';
import type { JournalLocation, PastPrices, READS } from '../inspect/cockpit-reads.ts';
import { execute, type RunActions } from '../daemon-commands.ts';
import type { PriceBoard } from '../edge/price-board.ts';
import type { Daemon } from '../daemon.ts';
import { nextPhaseChange, phaseAt, type TradingCalendar } from '../../domain/calendar.ts';
import type { EngineSnapshot, OpenOrderEntry, StrategyEntry } from '../../engine/engine-snapshot.ts';
import { NO_PRICE } from '../../engine/orders/managed-order.ts';
import { jobsText } from '../schedule.ts';
import { engineHealth, problemsFor } from './status.ts';
import { SqliteThread } from '../../sqlite/database.ts';
import { cockpitEntry, createNaming, type Naming } from '../../operator/entry-line.ts';
import { quietNotes } from '../../operator/log.ts';
import { joinedBars } from '../../operator/cockpit/candles.ts';

export type DaemonCockpit = Awaited<ReturnType<typeof startDaemonCockpit>>;

/** Trading goes on without it: an address that is taken is an alert. */
export async function startDaemonCockpit(daemon: Daemon, run: RunActions) {
  const { config, paths } = daemon.options;
  const reader = new CockpitReader();
  const none = {
    /** Its address, for the start; null while there is no page. */
    note: null as string | null,
    link: (_role: CockpitRole): string | null => null,
    /** The report of the latest day in a few lines, read in a thread of its own. */
    dayText: () => reader.read('dayText', paths.dir),
    close: () => reader.close(),
  };
  if (!config.operator.cockpit.enabled) return none;
  try {
    const cockpit = await openCockpit(daemon, run, reader);
    return {
      ...none,
      note: startNote(cockpit, config),
      link: (role: CockpitRole) => cockpit.link(role),
      close: async () => {
        await cockpit.close();
        await reader.close();
      },
    };
  } catch (error) {
    const text = `the cockpit is off: ${errorText(error)}; trading goes on; free the address or change operator.cockpit, then restart`;
    daemon.alert('warning', 'cockpit_off', text);
    return none;
  }
}

/** Logs of a supervisor keep no link: real money may be behind it. */
function startNote(cockpit: Cockpit, { mode, stateDir }: Config): string {
  const again = `tickwright open --state ${stateDir}`;
  if (mode !== 'paper' && !process.stdout.isTTY) return `cockpit: ${cockpit.url}; ${again} opens it`;
  return `cockpit: ${cockpit.link('steer')} (opens once, within ten minutes; later: ${again})`;
}

function openCockpit(daemon: Daemon, run: RunActions, reader: CockpitReader): Promise<Cockpit> {
  const { config, screen } = daemon.options;
  const { address, hosts, port, behindProxy } = config.operator.cockpit;
  const { secrets, faults } = daemon.options.address;
  const note = quietNotes(systemClock, (text) => screen.note(text));
  const pastOf = pastReads(daemon, reader);
  return startCockpit({
    address,
    port,
    hosts,
    isBehindProxy: behindProxy,
    pageDir: PAGE_DIR,
    clock: systemClock,
    secrets,
    handlers: {
      facts: freshFacts(daemon, pastOf),
      marketMs: () => toMs(daemon.clock.nowUs()),
      prices: pricesOf(daemon),
      entries: journalEntries(daemon),
      onFailure: (error) => note(`the cockpit failed: ${errorText(error)}`),
      command: (name, body, by) => steer(daemon, run, by, name, body),
      faults:
        faults === null
          ? null
          : {
              known: faults.known,
              change: (fields, by) =>
                faults.change(fields, (text, { message }) =>
                  daemon.append({ kind: 'remote_command', by, text, outcome: secrets.hide(message) }),
                ),
            },
      reads: readsOf(daemon, reader, pastOf),
      refused: (reason) => daemon.metrics.cockpitRefused(reason),
      alert: (text) => daemon.alert('warning', 'cockpit_refused', text),
    },
  });
}

function pricesOf({ prices }: Daemon): PriceBoard {
  assert(prices !== null, 'a daemon with a page follows its prices');
  return prices;
}

/** The view that came last: an engine that hangs keeps nothing back. Looking asks for the next one. */
function freshFacts(daemon: Daemon, pastOf: ReturnType<typeof pastReads>) {
  const version = packageVersion();
  let isAsking = false;
  let shown: unknown;
  return () => {
    const { session } = daemon.cycle;
    if (session !== undefined && session !== shown) void pastOf(session.day).catch(() => undefined);
    shown = session;
    if (!isAsking) {
      isAsking = true;
      void daemon.refreshView().finally(() => {
        isAsking = false;
      });
    }
    return cockpitState(daemon, version);
  };
}

async function steer(
  daemon: Daemon,
  run: RunActions,
  by: string,
  name: CommandName,
  body: CommandBody,
): Promise<CommandResult> {
  const { secrets } = daemon.options.address;
  const { strategy, clientOrderId, reason } = body;
  const text = [name, strategy, clientOrderId, reason]
    .filter((part) => part !== null && part !== '')
    .join(' ');
  const record = (outcome: string): void =>
    daemon.append({ kind: 'remote_command', by, text, outcome: secrets.hide(outcome) });
  try {
    const result = await execute(daemon, name, body, run);
    record(result.message);
    return result;
  } catch (error) {
    record(`failed: ${errorText(error)}`);
    throw error;
  }
}

function journalEntries(daemon: Daemon): EntrySource {
  const { read } = daemon.journal;
  const naming = (contracts: () => readonly Contract[]): Naming =>
    createNaming(daemon.names, { ...daemon.config, contracts });
  const present = naming(() => daemon.edge.table.contracts);
  let past: { readonly session: string; readonly naming: Naming } | null = null;
  /** Rows of another session name its contracts. */
  const namingOf = (session: string): Naming => {
    if (session === NO_SESSION || session === daemon.sessionDay) return present;
    if (past?.session !== session) {
      const contracts = read.contracts(session);
      past = { session, naming: naming(() => contracts) };
    }
    return past.naming;
  };
  return {
    after: (seq, max) => read.entriesAfter(seq, max).map((row) => cockpitEntry(row, namingOf(row.session))),
    recent: (rows) => Math.max(0, read.lastEntry() - rows),
    dayOf: (seq) => read.sessionOfEntry(seq),
  };
}

function readsOf(daemon: Daemon, reader: CockpitReader, pastOf: ReturnType<typeof pastReads>): CockpitReads {
  const { config } = daemon.options;
  const { calendar, stateDir } = config;
  const location: JournalLocation = { calendar, stateDir };
  return {
    journal: (query) => reader.read('journalPage', location, query),
    days: () => reader.read('journalDays', location),
    story: (order, day) => reader.read('orderStory', location, { order, day }),
    results: (day) => reader.read('dayResults', location, day),
    bars: async (code) => {
      const day = daemon.sessionDay;
      const contract = daemon.edge.table.contracts.find(({ orderCode }) => orderCode === code);
      if (contract === undefined || day === undefined) return null;
      const past = await pastOf(day);
      const prices = pricesOf(daemon);
      const now = prices.bars(contract);
      // Until its first trade a day shows the last one.
      const shown = now.length === 0 ? past.day : day;
      const bars = joinedBars([...(past.day === shown ? (past.bars[code] ?? []) : []), ...now], 1);
      const fills = await reader.read('fillMarks', location, { day: shown, contract: code });
      const lines = prices.lines(contract, (strategy) => daemon.names.nameOf(strategy));
      return { contract: code, bars, fills, lines };
    },
  };
}

/** Candles and last prices of before this process, from the recorded frames; read once a session. */
function pastReads(daemon: Daemon, reader: CockpitReader) {
  const { paths, config } = daemon.options;
  let known: { session: unknown; beforeSeq: number | null; past: Promise<PastPrices> } | undefined;
  return (day: TradingDay): Promise<PastPrices> => {
    const { session } = daemon.cycle;
    const prices = pricesOf(daemon);
    const beforeSeq = prices.firstSeq;
    if (known !== undefined && known.session === session && known.beforeSeq === beforeSeq) return known.past;
    const query = { frames: paths.frames, day, contracts: daemon.edge.table.contracts, beforeSeq };
    const past = reader.read('pastPrices', { calendar: config.calendar, stateDir: config.stateDir }, query);
    known = { session, beforeSeq, past };
    past
      .then(({ last }) => prices.remember(last))
      .catch(() => {
        known = undefined;
      });
    return past;
  };
}

// The daemon as its page shows it.

const ACCOUNT_TAIL = 4;
const HUNDREDTHS = 100;
/** Phase changes of more than a month without a session. */
const CHANGES_SEARCHED_MAX = 400;

/** The server adds the code that confirms. */
function cockpitState(daemon: Daemon, version: string): Omit<CockpitState, 'confirm'> {
  const { config, edge, lastView: view } = daemon;
  const { address, clockMap } = daemon.options;
  const { state, isStale, connections } = edge.stream.status();
  const contracts = edge.table.contracts;
  return {
    mode: config.mode,
    version,
    account: `…${address.subAccountId.slice(-ACCOUNT_TAIL)}`,
    session: sessionState(config.calendar, daemon.clock.nowUs(), clockMap.speed, daemon.sessionDay ?? null),
    halted: daemon.halt.reason ?? view?.halted ?? null,
    sweep: daemon.haltEnforcer.progress,
    problems: problemsFor('page', daemon).map((text) => daemon.named(text)),
    engine: engineHealth(daemon),
    feed: { state, isStale, isBehind: daemon.cycle.session?.inbox.isBehind === true, connections },
    token: tokenState(daemon),
    jobs: jobsText(daemon.jobs),
    money: {
      dayPnl: view?.dayPnl ?? 0,
      fee: view?.fee ?? 0,
      tax: view?.tax ?? 0,
      lossToAccept: view?.lossToAccept ?? 0,
    },
    strategies: (view?.strategies ?? []).map((entry) => ({
      ...entry,
      positions: entry.positions.map((held) => positionState(held, contracts)),
    })),
    limits: (view?.limits ?? []).map((use) => ({
      ...use,
      strategy: use.strategy === null ? null : daemon.names.nameOf(use.strategy),
    })),
    orders: (view?.orders ?? []).map((order) => orderState(daemon, order, contracts)),
    books: booksState(daemon, view),
    contracts: contracts.map((contract) =>
      contractState(
        contract,
        daemon.named(contract.orderCode),
        view?.contracts.find(({ orderCode }) => orderCode === contract.orderCode)?.band ?? null,
      ),
    ),
    plots: (view?.plots ?? []).flatMap((plot) => plotState(daemon, plot, contracts)),
    procedure: daemon.named(view?.procedure ?? ''),
    alerts: { unseen: daemon.alerting.state.unseen },
    ...(address.faults !== null && { faults: address.faults.armed }),
  };
}

function sessionState(calendar: TradingCalendar, now: TsUs, speed: number, day: string | null): CockpitDay {
  const { utcOffsetMinutes } = calendar;
  return { day, phase: phaseAt(calendar, now), ...phaseEnd(calendar, now), utcOffsetMinutes, speed };
}

/** Nights, weekends and holidays are one closed phase; null where the calendar knows no end of it. */
function phaseEnd(calendar: TradingCalendar, now: TsUs): Pick<CockpitDay, 'endsMs' | 'next'> {
  const phase = phaseAt(calendar, now);
  let at = now;
  for (let look = 0; look < CHANGES_SEARCHED_MAX; look += 1) {
    at = nextPhaseChange(calendar, at);
    const next = phaseAt(calendar, at);
    if (next !== phase) return { endsMs: toMs(at), next };
  }
  return { endsMs: null, next: null };
}

const tickPoints = ({ spec }: Contract): number => pointsOf(spec, priceTicks(1));

function contractState(contract: Contract, name: string, band: PriceBand | null): CockpitContract {
  const { spec, orderCode } = contract;
  const hasBand = band !== null && spec.bandBps < NO_BAND_BPS;
  return {
    contract: orderCode,
    name,
    tickPoints: tickPoints(contract),
    floorPoints: hasBand ? pointsOf(spec, band.floor) : null,
    ceilingPoints: hasBand ? pointsOf(spec, band.ceiling) : null,
    referencePoints: band === null ? null : band.reference / (spec.partsPerPoint ?? HUNDREDTHS),
  };
}

function tokenState({ edge: { tokens }, otpInbox }: Daemon): CockpitState['token'] {
  const token = tokens.current();
  return {
    untilRealMs: token === undefined ? null : toMs(token.expiresAt),
    isOtpAwaited: otpInbox.isWaiting,
    exchangesUsed: tokens.budget.used,
    exchangesAllowed: tokens.budget.allowed,
  };
}

function positionState(held: StrategyEntry['positions'][number], contracts: readonly Contract[]) {
  const { orderCode, qty, openValue } = held;
  const contract = contracts.find((each) => each.orderCode === orderCode);
  const isPriced = qty !== 0 && contract !== undefined;
  return { ...held, avgPoints: isPriced ? avgPoints(contract.spec, openValue, qty) : null };
}

function orderState({ names }: Daemon, order: OpenOrderEntry, contracts: readonly Contract[]): CockpitOrder {
  const contract = contracts.find(({ orderCode }) => orderCode === order.orderCode);
  const points = (price: PriceTicks | null): number | null =>
    price === null || price === NO_PRICE || contract === undefined ? null : pointsOf(contract.spec, price);
  return {
    ...order,
    strategy: names.nameOf(order.strategy),
    limitPoints: points(order.limitPrice),
    triggerPoints: points(order.triggerPrice),
  };
}

function plotState(
  { names }: Daemon,
  { strategy, instrument, name, tsUs, value }: EngineSnapshot['plots'][number],
  contracts: readonly Contract[],
): readonly PlotState[] {
  const contract = contracts[instrument];
  if (contract === undefined) return [];
  const points = value * tickPoints(contract);
  return [{ strategy: names.nameOf(strategy), name, contract: contract.orderCode, atMs: toMs(tsUs), points }];
}

const msOf = (at: TsUs | null | undefined): number | null =>
  at === null || at === undefined ? null : toMs(at);

function booksState(daemon: Daemon, view: EngineSnapshot | undefined): BooksState {
  const unproven = view?.unproven ?? null;
  return {
    unproven: unproven === null ? null : daemon.named(unproven),
    positions: (view?.contracts ?? []).filter(({ ours, broker }) => ours !== 0 || (broker ?? 0) !== 0),
    money: view?.money.state ?? 'unread',
    figures: view?.money.figures ?? [],
    positionsMs: msOf(view?.positionsReadUs),
    moneyMs: msOf(view?.money.comparedUs),
    lastFillMs: msOf(view?.lastFillUs),
  };
}

// Asks the thread that reads for the page, one question after the other.

type Reads = typeof READS;
export interface CockpitRead {
  readonly what: keyof Reads;
  readonly args: readonly unknown[];
}

type ReadReply = { readonly value: unknown } | { readonly failure: string };

/** There is no such thing, or it cannot be read; in words. */
class NotRead extends Error {
  /** For the answer of the server. */
  readonly statusCode = 404;
}

/** A page sends a few requests; more are refused at once. */
const WAITING_MAX = 16;
const ANSWER_MAX = seconds(20);
/** An idle thread gives its memory back. */
const IDLE_MS_MAX = 60_000;

class CockpitReader {
  #worker: SqliteThread | undefined = undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #idle: NodeJS.Timeout | undefined = undefined;
  #isClosed = false;

  /** Rejects with a sentence. */
  async read<What extends keyof Reads>(
    what: What,
    ...args: Parameters<Reads[What]>
  ): Promise<ReturnType<Reads[What]>> {
    if (this.#waiting >= WAITING_MAX) throw new Error('too many reads at once: try again');
    this.#waiting += 1;
    const answer = this.#last.then(() => this.#ask({ what, args }));
    this.#last = answer.catch(() => undefined);
    try {
      return (await answer) as ReturnType<Reads[What]>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the thread answers what was asked
    } finally {
      this.#waiting -= 1;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  async #ask(request: CockpitRead): Promise<unknown> {
    clearTimeout(this.#idle);
    if (this.#isClosed) throw new Error('the daemon ends');
    this.#worker ??= this.#start();
    const reply = await replyOf(this.#worker, request);
    if (typeof reply === 'string') {
      await this.#end();
      throw new Error(this.#isClosed ? 'the daemon ends' : reply);
    }
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS_MAX).unref();
    if ('failure' in reply) throw new NotRead(reply.failure);
    return reply.value;
  }

  #start(): SqliteThread {
    const worker = new SqliteThread(new URL('./cockpit-worker.js', import.meta.url));
    // The pending question gets the error too; an idle thread that dies is replaced.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

/** In words why no reply came. */
async function replyOf(worker: SqliteThread, request: CockpitRead): Promise<ReadReply | string> {
  const over = new AbortController();
  const heard = ['message', 'exit'].map((event) => once(worker, event, over));
  worker.postMessage(request); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  try {
    const [reply]: readonly (ReadReply | number)[] =
      (await withTimeout(Promise.race(heard), ANSWER_MAX)) ?? [];
    if (reply === undefined) return `not read within ${ANSWER_MAX / US_PER_SECOND} s`;
    return typeof reply === 'number' ? 'the thread that reads has ended' : reply;
  } catch (error) {
    return errorText(error);
  } finally {
    over.abort();
  }
}
