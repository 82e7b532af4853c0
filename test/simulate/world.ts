/** One seed's world: the broker, the network, the disk, and daemons that start, trade and die. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ClockSources, REAL_TIME, systemClock, systemTimers } from '../../src/host/system-clock.ts';
import { Daemon } from '../../src/daemon/daemon.ts';
import { prepareStateDir, type StatePaths, statePaths } from '../../src/host/state/state-paths.ts';
import type { Config } from '../../src/config/config.ts';
import { errorText } from '../../src/domain/failure.ts';
import { accountId, type BrokerOrderNo, StrategyNames } from '../../src/domain/ids.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { DEFAULT_OPTIONS, demoAccount, derivativeOf } from '../../src/simulator/simulator-options.ts';
import { assembleSimulator, type SimulatorParts } from '../../src/simulator/start-simulator.ts';
import { StateStore } from '../../src/simulator/state/state-store.ts';
import { Secrets } from '../../src/operator/redact.ts';
import type { StrategyDefinition } from '../../src/strategy/index.ts';
import { timerSchedule } from '../../src/daemon/schedule.ts';
import type { AnswerFaults } from './answers.ts';
import { configOf } from './configuration.ts';
import { Disk } from './disk.ts';
import type { Draws } from './draws.ts';
import { type EngineDeath, startEngineIn } from './engine-line.ts';
import { Invariants } from './invariants.ts';
import { Network } from './network.ts';
import type { Plan } from './plan.ts';
import { randomTrader } from './random-trader.ts';
import { Sightings, type Sometimes } from './sometimes.ts';
import { Trace } from './trace.ts';
import { type Owner, VirtualTime } from './virtual-time.ts';

export interface WorldOptions {
  readonly plan: Plan;
  readonly draws: Draws;
  /** A directory of its own is made below it. */
  readonly root: string;
  /** Changes what the plan's configuration says. */
  readonly configure?: (config: Config) => Config;
  /** Absent: the one that trades at random. */
  readonly definition?: StrategyDefinition;
}

const DEATHS_MAX = 2;

const LIES: Readonly<Record<keyof AnswerFaults, Sometimes>> = {
  shuffled: 'rows of a book change places',
  repeated: 'a row of a book comes twice',
  overlapping: 'pages of a book overlap',
  shrunk: 'a row loses contracts',
  flipped: 'a row shows the other side',
  emptyBook: 'a book comes empty',
  emptyPositions: 'positions come empty',
};

interface Process {
  readonly owner: Owner;
  readonly daemon: Daemon;
  hasLeft: boolean;
}

export class World {
  readonly plan: Plan;
  readonly draws: Draws;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly seen = new Sightings();
  readonly checks: Invariants;
  readonly network: Network;
  readonly disk: Disk;
  readonly #configure: (config: Config) => Config;
  readonly #definition: StrategyDefinition;
  readonly paths: StatePaths;
  readonly #dir: string;
  readonly account = accountId(demoAccount().custodyCode);
  /** What the broker has on its disk. */
  readonly #store = StateStore.open({ dir: null, fresh: true });
  #broker: { readonly owner: Owner; readonly simulator: SimulatorParts };
  readonly #driver: Owner = { name: 'driver', isDead: false, skewUs: 0 };
  readonly #clockSources: ClockSources = {
    wallMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    uptimeMs: () => this.time.uptimeMs - this.#suspendedMs,
  };
  readonly #uninstall: (() => void)[] = [];
  #process: Process | undefined = undefined;
  #starts = 0;
  #stamps = 0;
  #skewUs: number;
  #suspendedMs = 0;
  #isStopping = false;
  /** The operator asks for a token no sooner, in lived time. */
  tokenAtUs = 0;
  /** What would still wake the last daemon that closed; null before one has. */
  left: number | null = null;
  #edits = 0;
  /** Of the engine, at its next batch. */
  #death: EngineDeath | null = null;
  #deaths = 0;

  constructor({
    plan,
    draws,
    root,
    configure = (config) => config,
    definition = randomTrader,
  }: WorldOptions) {
    this.#definition = definition;
    this.plan = plan;
    this.#skewUs = Math.round(plan.aheadSeconds * 1e6);
    this.draws = draws;
    const dir = join(root, `seed-${plan.seed}`);
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    this.#configure = configure;
    this.#dir = dir;
    this.paths = statePaths(dir);
    this.time = new VirtualTime(plan.startUs);
    this.trace = new Trace(this.time);
    this.disk = new Disk({
      time: this.time,
      draws: draws.fork(),
      faults: { ...plan.disk },
      dir,
      crash: (where) => this.#crash(where),
      onFull: () => this.trace.say('disk', 'full'),
    });
    this.#installClocks();
    this.#broker = this.#openBroker();
    this.network = new Network({
      time: this.time,
      draws: draws.fork(),
      faults: { ...plan.network, answers: { ...plan.network.answers } },
      broker: () => this.#broker,
      onSend: (request) => this.checks.sending(request),
      onArrival: (request) => this.checks.arrived(request),
      onAnswer: (request, fate) => {
        if (!request.isMove) return;
        if (fate === 'lost') this.saw('an answer is lost');
        if (fate === 'never arrived') this.checks.lost(request);
        this.trace.say('network', `${request.operation} ${request.refId ?? ''} ${fate}`);
      },
      onServed: (request) => this.checks.served(request),
      onLie: (what) => {
        this.saw(LIES[what]);
        this.trace.say('network', `an answer is not so: ${what}`);
      },
    });
    this.#uninstall.push(this.network.install(), this.disk.install());
    this.checks = new Invariants(this);
  }

  /** As the files say now. */
  get config(): Config {
    return this.#configure(configOf(this.plan, this.#dir, this.#edits));
  }

  get simulator(): SimulatorParts {
    return this.#broker.simulator;
  }

  get daemon(): Daemon | undefined {
    return this.#process?.daemon;
  }

  /** Starts of the daemon so far. */
  get starts(): number {
    return this.#starts;
  }

  get isBrokerUp(): boolean {
    return !this.#broker.owner.isDead;
  }

  get isUp(): boolean {
    return this.#process !== undefined && !this.#process.owner.isDead;
  }

  start(): void {
    if (this.#isStopping) return;
    this.#starts += 1;
    const owner: Owner = { name: `daemon ${this.#starts}`, isDead: false, skewUs: this.#skewUs };
    this.trace.say(owner.name, 'starts');
    this.checks.starting();
    const engineDraws = this.draws.fork();
    // An event of its own: what it leaves to microtasks belongs to the new process too.
    this.time.at(this.time.nowUs, owner, () => {
      systemClock.restart(this.#clockSources);
      try {
        prepareStateDir(this.paths);
        const daemon = this.#createDaemon(owner, engineDraws);
        this.#process = { owner, daemon, hasLeft: false };
        void daemon.run().catch((error: unknown) => this.#ended(owner, errorText(error)));
      } catch (error) {
        this.#ended(owner, errorText(error));
      }
    });
  }

  #createDaemon(owner: Owner, engineDraws: Draws): Daemon {
    const { custodyCode, apiKey } = this.simulator.account;
    const say = (entry: JournalEntry): void => {
      if (owner.isDead) return;
      this.checks.entry(entry);
    };
    const { config } = this;
    return new Daemon({
      config,
      names: new StrategyNames(config.strategies.map(({ id }) => id)),
      paths: this.paths,
      address: {
        restUrl: 'http://broker',
        streamUrl: 'ws://broker/stream',
        tokenOwner: 'simulator',
        custodyCode,
        subAccountId: derivativeOf(this.simulator.account)?.accountNo ?? '',
        apiKey: () => apiKey,
        secrets: new Secrets([custodyCode]),
        fixedOtp: this.simulator.otps.shown(this.simulator.account),
        faults: null,
      },
      clockMap: REAL_TIME,
      screen: {
        note: (text) => {
          this.trace.say(owner.name, text);
          this.checks.note(text);
        },
        entry: say,
      },
      startEngine: startEngineIn({
        time: this.time,
        delayUs: () => engineDraws.skewed(0.02, this.plan.engineMs) * 1_000,
        definitionOf: () => this.#definition,
        nextDeath: () => {
          const death = this.#death;
          this.#death = null;
          return death;
        },
      }),
      dial: this.network.dial,
      schedule: timerSchedule(config.calendar, systemClock, systemTimers),
      startStamp: () => (this.#stamps += 1).toString(16).padStart(10, '0'),
    });
  }

  /** The process ended by itself; pm2 starts it again. */
  #ended(owner: Owner, reason: string): void {
    if (owner.isDead) return;
    this.trace.say(owner.name, `ended: ${reason}`);
    this.checks.ended(reason);
    this.#bury(owner);
    this.#startLater(10);
  }

  kill(where: string): void {
    const owner = this.#process?.owner;
    if (owner === undefined || owner.isDead) return;
    this.trace.say(owner.name, `killed ${where}`);
    this.checks.dying(where);
    this.#bury(owner);
    this.#startLater(this.draws.between(...this.plan.restartSeconds));
  }

  #crash(where: 'before a commit' | 'after a commit'): void {
    this.kill(where);
  }

  #bury(owner: Owner): void {
    owner.isDead = true;
    this.network.cutOf(owner);
    this.#process = undefined;
    // What still runs of the event at hand must find its files open.
    this.time.at(this.time.nowUs, this.#driver, () => this.disk.closeOf(owner));
  }

  #startLater(seconds: number): void {
    this.time.at(this.time.nowUs + seconds * 1e6, this.#driver, () => this.start());
  }

  restartCleanly(): void {
    const process = this.#process;
    if (process === undefined || process.owner.isDead || process.hasLeft) return;
    process.hasLeft = true;
    this.time.at(this.time.nowUs, process.owner, () => void this.#stop(process));
  }

  async #stop({ owner, daemon }: Process): Promise<void> {
    this.trace.say(owner.name, 'is asked to stop');
    try {
      await daemon.stop('restart');
      await daemon.close();
    } catch (error) {
      this.trace.say(owner.name, `did not close: ${errorText(error)}`);
    }
    if (owner.isDead) return;
    this.trace.say(owner.name, 'stopped');
    this.checks.stopped();
    this.left = this.time.waiting(owner);
    this.#bury(owner);
    this.#startLater(1);
  }

  /** Runs code of the operator in the daemon. */
  operate(run: (daemon: Daemon) => void): void {
    const process = this.#process;
    if (process === undefined || process.owner.isDead || process.hasLeft) return;
    const { owner, daemon } = process;
    this.time.at(this.time.nowUs, owner, () => {
      try {
        run(daemon);
      } catch (error) {
        this.trace.say('operator', `gets an error: ${errorText(error)}`);
      }
    });
  }

  after(seconds: number, run: () => void): void {
    this.time.at(this.time.nowUs + seconds * 1e6, this.#driver, run);
  }

  async run(seconds: number, isOver: () => boolean = () => false): Promise<void> {
    const until = this.time.livedUs + seconds * 1e6;
    await this.time.runUntil(
      until,
      () => this.checks.afterEvent(),
      () => this.checks.hasFailed || isOver(),
    );
  }

  /** The engine does not survive its next batch. */
  breakEngine(death: EngineDeath): void {
    // One that fails whatever runs in it is not replaced for ever: after that the day is over.
    if (this.#deaths >= DEATHS_MAX) return;
    this.#deaths += 1;
    this.#death = death;
    this.checks.breaking();
  }

  /** From the next start on, every strategy has another parameter. */
  editStrategies(): void {
    this.#edits += 1;
  }

  /** The broker's program dies and starts again; it keeps what it has committed. */
  restartBroker(seconds: number): void {
    if (!this.isBrokerUp) return;
    this.#closeBroker();
    this.network.cutAll();
    this.after(seconds, () => this.bringBrokerUp());
  }

  bringBrokerUp(): void {
    if (!this.isBrokerUp) this.#broker = this.#openBroker();
  }

  #closeBroker(): void {
    const { owner, simulator } = this.#broker;
    simulator.brokerage.close();
    owner.isDead = true;
  }

  /** The machine sleeps, and what it is connected to lets go. */
  sleep(seconds: number): void {
    this.trace.say('machine', `sleeps ${seconds.toFixed(0)} s`);
    this.network.cutAll();
    this.time.leap(Math.round(seconds * 1e6));
  }

  /** The virtual machine sleeps without a clock of its own that says so. */
  suspend(seconds: number): void {
    this.#suspendedMs += seconds * 1e3;
    this.sleep(seconds);
  }

  jumpClock(seconds: number): void {
    this.#skewUs += Math.round(seconds * 1e6);
    if (this.#process !== undefined) this.#process.owner.skewUs = this.#skewUs;
    this.trace.say('clock', `jumps by ${seconds.toFixed(1)} s, now ${(this.#skewUs / 1e6).toFixed(1)} s off`);
  }

  get skewUs(): number {
    return this.#skewUs;
  }

  healClock(): void {
    const leftUs = this.#skewUs - Math.round(this.plan.aheadSeconds * 1e6);
    if (leftUs !== 0) this.jumpClock(-leftUs / 1e6);
  }

  saw(what: Sometimes): void {
    this.seen.saw(what);
  }

  close(): void {
    this.#isStopping = true;
    const owner = this.#process?.owner;
    if (owner !== undefined) owner.isDead = true;
    if (this.isBrokerUp) this.#closeBroker();
    this.#store.close();
    for (const undo of this.#uninstall.toReversed()) undo();
    rmSync(this.paths.dir, { recursive: true, force: true });
  }

  orderNosOpen(): readonly BrokerOrderNo[] {
    return this.checks.truth.openOrders().map(({ orderNo }) => orderNo);
  }

  /** The daemon's clock is the machine's: each process makes its own of it. */
  #installClocks(): void {
    this.#uninstall.push(() => systemClock.restart(), this.time.install());
    systemClock.restart(this.#clockSources);
  }

  #openBroker(): { readonly owner: Owner; readonly simulator: SimulatorParts } {
    const { plan, time, config } = this;
    const owner: Owner = { name: 'broker', isDead: false, skewUs: 0 };
    const simulator = time.as(owner, () =>
      assembleSimulator(
        {
          ...DEFAULT_OPTIONS,
          accounts: [demoAccount({ derivative: config.simulator.cash })],
          market: { kind: 'synthetic', seed: plan.marketSeed, startPoints: 1_900 },
          calendar: config.calendar,
          costs: config.costs,
          clock: time.clock,
          timers: time.timersOf(owner, plan.marketMs * 1_000),
        },
        this.#store,
      ),
    );
    simulator.brokerage.onEvent((event) => this.checks?.venue(event)); // oxlint-disable-line typescript/no-unnecessary-condition -- not yet while the broker opens
    time.as(owner, () => simulator.brokerage.wake());
    return { owner, simulator };
  }
}
