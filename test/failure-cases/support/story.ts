/**
 * A story over the real wire: the daemon with its own client, journal and frames against the simulated broker's sockets, in this
 * process. Two other customers make the market; what happens is what a story does.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Daemon } from '../../../src/daemon/daemon.ts';
import { execute, type RunActions } from '../../../src/daemon/daemon-commands.ts';
import { prepareStateDir, type StatePaths, statePaths } from '../../../src/host/state/state-paths.ts';
import { reload } from '../../../src/daemon/reload.ts';
import { type Config, loadConfig, type LoadedConfig } from '../../../src/config/config.ts';
import type { EngineSnapshot } from '../../../src/engine/engine-snapshot.ts';
import type { FeedAccess } from '../../../src/host/cluster-access.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { type CommandBody, type CommandName, EMPTY_BODY } from '../../../src/operator/control-command.ts';
import type { CommandResult } from '../../../src/operator/control-server.ts';
import { Secrets } from '../../../src/operator/redact.ts';
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { milliseconds, US_PER_HOUR } from '../../../src/domain/units.ts';
import { demoAccount, type SimulatorOptions } from '../../../src/simulator/simulator-options.ts';
import type { Fault } from '../../../src/simulator/faults/fault.ts';
import { type RunningSimulator, startSimulator } from '../../../src/simulator/start-simulator.ts';
import { BOB, CAROL, rich } from '../../contract/broker/support/customers.ts';
import { engineHere } from './engine-here.ts';
import { scripted, type Step } from './scripted.ts';
import { StrategyNames } from '../../../src/domain/ids.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const YAML = `
mode: paper
market: ${join(ROOT, 'config', 'vn30f.yaml')}
simulator: { cash: 5000000000 }
broker: { requestsPerSecond: 100, requestTimeout: 20s }
risk: { ordersPerSecondMax: 50, ordersPerMinuteMax: 3000, dailyLossMax: 2000000000, accountAgeMax: 5m, dataAgeMax: 60s, collarPercent: 5 }
poll: { bookFast: 200ms, bookSlow: 1s, positions: 1s, account: 1s }
lookUp: { scans: 3, spread: 1s }
stop: { orders: keep }
strategies:
  - id: script
    strategy: scripted
    symbols: [VN30F1M]
    overnight: true
    risk: { positionMax: 9, dailyLossMax: 2000000000, openOrdersMax: 9 }
    params: { steps: [] }
`;

function configOf(dir: string, steps: readonly Step[], change: (yaml: string) => string): Config {
  const file = join(dir, 'story.yaml');
  writeFileSync(file, change(YAML).replace('steps: []', `steps: ${JSON.stringify(steps)}`));
  const loaded = loadConfig(file, [scripted]);
  if (loaded.ok) return loaded.config;
  throw new Error(JSON.stringify(loaded.problems));
}

/** The broker's side of an order, as far as a restart may not change it. */
export interface Standing {
  readonly orderNo: string;
  readonly side: string;
  readonly qty: number;
  readonly filledQty: number;
}

export const IDLE_RUN: RunActions = {
  stop: () => undefined,
  readAgain: () => ({ ok: false, problems: [] }),
};

const LOOK_EVERY_MS = 10;
/** Far more than anything takes on a busy machine: for what never comes. */
const LOOKS_MAX = 6_000;
/** The call that places a normal order. */
export const PLACE = 'POST /khronos/v1/order/place';

/** Requests that read; all others move something. */
const READS = /GET/;

/** Its morning is that of a story which brings no clock: none meets a midnight that it does not tell of. */
export const STORY_DAY = tradingDay('2026-03-04');
const originMarketUs = momentOf(STORY_DAY, 10 * US_PER_HOUR, 420);
const IN_THE_MORNING = { speed: 1, originRealUs: null, originMarketUs, start: 'origin' } as const;

export class Story {
  readonly simulator: RunningSimulator;
  readonly #home: string;
  #steps: readonly Step[];
  #change: (yaml: string) => string;
  readonly #said: string[] = [];
  #state: string;
  #starts = 0;
  #daemon: Daemon | undefined = undefined;
  #ended: Error | undefined = undefined;
  /** Since the last start. */
  entries: JournalEntry[] = [];
  /** Calls of the daemon since the last start, as `GET /path`. */
  calls: string[] = [];

  constructor(
    simulator: RunningSimulator,
    home: string,
    steps: readonly Step[],
    change: (yaml: string) => string,
  ) {
    this.simulator = simulator;
    this.#home = home;
    this.#steps = steps;
    this.#change = change;
    this.#state = join(home, 'state-0');
  }

  static async open(
    steps: readonly Step[],
    options: Partial<SimulatorOptions> = {},
    change: (yaml: string) => string = (yaml) => yaml,
  ): Promise<Story> {
    const home = mkdtempSync(join(tmpdir(), 'tickwright-story-'));
    const { calendar, costs, simulator: settings } = configOf(home, steps, change);
    const simulator = await startSimulator({
      accounts: [
        demoAccount({ derivative: settings.cash }),
        ...[BOB, CAROL].map((who) => ({ ...who, subAccounts: rich(who.subAccounts) })),
      ],
      market: { kind: 'empty', startPoints: 1_300 },
      calendar,
      costs,
      rules: { gatewayDelay: milliseconds(1) },
      ...('clock' in options ? {} : { time: IN_THE_MORNING }),
      ...options,
    });
    const story = new Story(simulator, home, steps, change);
    subscribe('http.server.request.start', story.#count);
    return story;
  }

  /** Another daemon on the same account, with a state directory of its own, or with a copy of this one as it is at this moment. */
  another(steps: readonly Step[], state: 'own' | 'copied'): Story {
    const home = mkdtempSync(join(tmpdir(), 'tickwright-story-'));
    const other = new Story(this.simulator, home, steps, this.#change);
    onTestFinished(async () => {
      await other.#daemon?.close();
      rmSync(home, { recursive: true, force: true });
    });
    if (state === 'own') return other;
    cpSync(this.#state, other.#state, { recursive: true });
    // One connection a token.
    rmSync(other.paths.token, { force: true });
    return other;
  }

  /** Starts the daemon and waits until it may trade. Absent: the simulator's own stream, and the engine in this thread. */
  async start(where: Parameters<Story['launch']>[0] = {}): Promise<void> {
    this.launch(where);
    await this.trading();
  }

  /** Starts the daemon and waits for nothing. */
  launch({
    streamUrl = this.simulator.stream,
    startEngine = engineHere,
    feed,
    delay = 0,
  }: { streamUrl?: string; startEngine?: typeof engineHere; feed?: FeedAccess; delay?: number } = {}): void {
    this.#starts += 1;
    this.entries = [];
    this.calls = [];
    this.#ended = undefined;
    const { simulator, paths } = this;
    const map = simulator.clockMap();
    prepareStateDir(paths);
    const config = { ...configOf(this.#home, this.#steps, this.#change), stateDir: this.#state };
    const daemon = new Daemon({
      config,
      names: new StrategyNames(config.strategies.map(({ id }) => id)),
      paths,
      address: {
        restUrl: simulator.rest,
        streamUrl,
        tokenOwner: 'simulator',
        custodyCode: simulator.custodyCode,
        subAccountId: simulator.subAccountId,
        secrets: new Secrets([simulator.custodyCode, simulator.apiKey]),
        apiKey: () => simulator.apiKey,
        fixedOtp: simulator.otp,
        faults: null,
      },
      clockMap: { ...map, originMarketUs: map.originMarketUs - delay },
      screen: {
        note: (text) => this.#said.push(text),
        entry: (entry) => {
          if (daemon === this.#daemon) this.entries.push(entry);
        },
      },
      startEngine,
      feed,
    });
    this.#daemon = daemon;
    void daemon.run().catch((error: unknown) => {
      this.#ended = error instanceof Error ? error : new Error(String(error));
    });
  }

  /** Waits until the daemon may trade. */
  trading(): Promise<void> {
    return this.until(async () => {
      const view = await this.view();
      return view?.unproven === null && this.hasAgreed && this.mayEnter(view);
    });
  }

  /** Prices come, and price bands and account were read since: before that no entry leaves. */
  mayEnter(view: EngineSnapshot | undefined): boolean {
    const day = view?.tradingDay ?? null;
    if (view?.stream !== 'live' || day === null) return false;
    const { read } = this.daemon.journal;
    const lastOf = (kind: Parameters<typeof read.seqsOf>[1]) => read.seqsOf(day, kind).at(-1) ?? -1;
    const isRead = lastOf('reference') > lastOf('stream') && lastOf('account_snapshot') > lastOf('booted');
    return isRead && lastOf('stream') > lastOf('booted');
  }

  /** Positions were read since the last fill: an exit that is placed before counts as an entry. */
  async hasReadPositions(): Promise<boolean> {
    const day = (await this.view())?.tradingDay ?? null;
    if (day === null) return false;
    const fills = this.entries.flatMap((entry) => (entry.kind === 'fill' ? [entry.cause] : []));
    const reads = this.daemon.journal.read.seqsOf(day, 'position_snapshot');
    // The first of them may have begun before the fill.
    return reads.filter((at) => at > Math.max(...fills)).length > 1;
  }

  get hasAgreed(): boolean {
    return this.entries.some(({ kind }) => kind === 'position_agreed');
  }

  get paths(): StatePaths {
    return statePaths(this.#state);
  }

  get daemon(): Daemon {
    if (this.#daemon === undefined) throw new Error('no daemon runs');
    return this.#daemon;
  }

  view(): Promise<EngineSnapshot | undefined> {
    return this.#daemon?.refreshView() ?? Promise.resolve(undefined);
  }

  /** Edits the configuration and has the running daemon read it again; the answer. */
  reload(
    steps: readonly Step[],
    change: (yaml: string) => string = this.#change,
    isCheck = false,
  ): Promise<CommandResult> {
    this.edit(steps, change);
    return reload(this.daemon, () => this.#read(), 'the story', isCheck);
  }

  /** Edits the configuration. */
  edit(steps: readonly Step[], change: (yaml: string) => string = this.#change): void {
    this.#steps = steps;
    this.#change = change;
  }

  #read(): LoadedConfig {
    return {
      ok: true,
      config: { ...configOf(this.#home, this.#steps, this.#change), stateDir: this.#state },
    };
  }

  async stop(): Promise<void> {
    const { daemon } = this;
    await daemon.stop('the story');
    this.#daemon = undefined;
    await daemon.close();
  }

  /** What a `kill -9` leaves: the files as they are at this moment, and a broker that lives on. */
  async kill(): Promise<void> {
    const { daemon } = this;
    const before = this.#state;
    this.#state = join(this.#home, `state-${this.#starts}`);
    // A file that is being written is renamed when it is whole: it may be gone before it is copied.
    cpSync(before, this.#state, { recursive: true, filter: (path) => !path.endsWith('.new') });
    this.#daemon = undefined;
    daemon.halt.begin('killed');
    await daemon.close();
  }

  fault(fault: Fault): void {
    const set = this.simulator.faults.set(fault);
    if (!set.ok) throw new Error(JSON.stringify(set.issues));
  }

  /** A trade between the others, ticks: it moves no position of ours, and takes the steps of this price. */
  print(ticks: number): void {
    this.#order(BOB, 'sell', ticks, 1);
    this.#order(CAROL, 'buy', ticks, 1);
  }

  offer(side: 'buy' | 'sell', ticks: number, qty: number): void {
    this.#order(BOB, side, ticks, qty);
  }

  /** Takes an offer of before. */
  take(side: 'buy' | 'sell', ticks: number, qty: number): void {
    this.#order(CAROL, side, ticks, qty);
  }

  /** The step at 13,001 buys so many of Bob at 13,010, and the daemon knows what it holds. */
  async buys(qty: number): Promise<void> {
    this.offer('sell', 13_010, qty);
    this.print(13_001);
    await this.until(async () => (await this.known()).net === qty);
  }

  /** Not by a call: faults strike calls, whoever makes them. */
  #order({ custodyCode: account }: typeof BOB, side: 'buy' | 'sell', ticks: number, volume: number): void {
    this.fault({ name: 'inject_order', account, symbol: 'front', side, points: ticks / 10, volume });
  }

  /** Orders of ours that work or wait at the broker, and the net position there. */
  async truth(): Promise<{ readonly orders: readonly Standing[]; readonly net: number }> {
    const { simulator } = this;
    const working = simulator
      .orders()
      .filter(({ status, qty, filledQty }) => filledQty < qty && !/canceled/.test(status));
    const waiting = simulator.triggers().filter(({ status }) => status === 'pending');
    const net = simulator.positions().reduce((sum, position) => sum + position.net, 0);
    const row = (order: Standing): Standing => ({
      orderNo: order.orderNo,
      side: order.side,
      qty: order.qty,
      filledQty: order.filledQty,
    });
    return {
      orders: [...working.map(row), ...waiting.map((order) => row({ ...order, filledQty: 0 }))],
      net,
    };
  }

  /** The same, as the daemon has it. */
  async known(): Promise<{ readonly orders: readonly Standing[]; readonly net: number }> {
    const view = await this.view();
    const orders = (view?.orders ?? []).map(({ orderNo, side, qty, filledQty }) => ({
      orderNo: orderNo ?? 'none',
      side,
      qty,
      filledQty,
    }));
    const positions = (view?.strategies ?? []).flatMap((strategy) => strategy.positions);
    return { orders, net: positions.reduce((sum, { qty }) => sum + qty, 0) };
  }

  get moves(): readonly string[] {
    return this.calls.filter((call) => !READS.test(call) && !/token|otp/.test(call));
  }

  alerts(): readonly string[] {
    return this.entries.flatMap((entry) => (entry.kind === 'alert' ? [entry.code] : []));
  }

  /** Texts of the alerts, or of those with a code. */
  texts(code?: string): readonly string[] {
    return this.entries.flatMap((entry) =>
      entry.kind === 'alert' && entry.code === (code ?? entry.code) ? [entry.text] : [],
    );
  }

  /** Contracts of each stop that waits at the broker. */
  stops(): readonly number[] {
    return this.simulator
      .triggers()
      .flatMap(({ status, qty }) => (status === 'pending' ? [Number(qty)] : []));
  }

  /** As a person asks for it, on the command line, in a chat or on the page. */
  ask(name: CommandName, given: Partial<CommandBody> = {}): Promise<CommandResult> {
    return Promise.resolve(
      execute(this.daemon, name, { ...EMPTY_BODY, reason: 'the story', ...given }, IDLE_RUN),
    );
  }

  denials(): readonly string[] {
    return this.entries.flatMap((entry) => (entry.kind === 'denied' ? [entry.denial.code] : []));
  }

  /** Remarks of the strategy. */
  notes(): readonly string[] {
    return this.entries.flatMap((entry) => (entry.kind === 'strategy_note' ? [entry.text] : []));
  }

  /** The books have been read often since: whatever was to be canceled is. */
  async settled(): Promise<void> {
    const { length } = this.calls;
    await this.until(() => this.calls.length > length + 12);
  }

  async until(look: () => boolean | Promise<boolean>): Promise<void> {
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      if (this.#ended !== undefined) throw this.#ended;
      if (await look()) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    const tail = this.entries.slice(-30).map((entry) => JSON.stringify(entry));
    throw new Error([`it has not come: ${look.toString()}`, ...this.#said, ...tail].join('\n'));
  }

  async close(): Promise<void> {
    unsubscribe('http.server.request.start', this.#count);
    await this.#daemon?.close();
    await this.simulator.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  readonly #count = (message: unknown): void => {
    const { request } = message as { readonly request: { readonly method: string; readonly url: string } }; // oxlint-disable-line typescript/no-unsafe-type-assertion -- documented by Node
    this.calls.push(`${request.method} ${request.url.split('?', 1)[0] ?? ''}`);
  };
}

/** A daemon that may trade in a market with a last price, for the length of a test. */
export async function running(
  steps: readonly Step[],
  change: (yaml: string) => string = (yaml) => yaml,
  options: Partial<SimulatorOptions> = {},
): Promise<Story> {
  const story = await Story.open(steps, options, change);
  onTestFinished(() => story.close());
  await story.start();
  story.print(13_000);
  return story;
}

/** A second strategy in the same contract, with steps of its own. */
export const withSecond =
  (steps: readonly Step[]) =>
  (yaml: string): string => {
    const [before, script = ''] = yaml.split(/(?=  - id: script)/);
    const second = script
      .replace('id: script', 'id: other')
      .replace('steps: []', `steps: ${JSON.stringify(steps)}`);
    return `${before}${script}${second}`;
  };
