/** Runs the strategies of one engine, each behind its own containment. No history: the same events make the same calls. */
import { config } from 'rxjs';
import { assert } from '../domain/assert.ts';
import type { BookTick, DaySummary, FeedGap, TradeTick } from '../domain/ticks.ts';
import type { InstrumentIndex, StrategyIndex, DurationUs, TsUs } from '../domain/units.ts';
import type {
  ContractListeners,
  TraderPort,
  FeedChange,
  LegChange,
  OrderUpdate,
  PhaseChange,
  StrategyHost,
  TimerId,
} from '../engine/ports/strategy-port.ts';
import { IN_EVENT, NO_STRATEGY, Containment, StrategyTimers } from './containment.ts';
import { type ContractRoutes, TickHub, createLegChannels, type LegChannels, Channel } from './tick-hub.ts';
import type { Contract } from '../domain/contract.ts';
import { BarChannel } from './bar-streams.ts';
import type { Params, StrategyDefinition } from './define-strategy.ts';
import type { Trader, LegTrader } from './trader.ts';
import {
  createLegTrader,
  frozen,
  NoteBudget,
  type TraderParts,
  assertPace,
  check,
  TEXT,
} from './leg-trader.ts';
import type { LegTicks, Rollover, Ticks } from './leg-ticks.ts';

export interface StrategyHostOptions {
  readonly instances: readonly StrategyInstance[];
  /** Shared memory for the watchdog: the slots are in `containment.ts`. */
  readonly currentStrategy?: Int32Array;
  /** Sees each throw of a strategy with its stack, which the journal does not hold. */
  readonly onFault?: TraderPort['fault'];
}

/** `forEach` and `toPromise` of a stream would hide errors, and go on after the event. */
const NO_PROMISE = new Proxy(Promise, {
  construct: () => {
    throw new Error('a promise of a stream comes after the event: expected a subscription');
  },
});

export const createStrategyHost = (options: StrategyHostOptions): StrategyHost => new Host(options);

class Host implements StrategyHost {
  readonly #instances: readonly StrategyInstance[];
  readonly #running: Int32Array;
  readonly #onFault: StrategyHostOptions['onFault'];
  readonly #hub: TickHub;
  readonly #strategies: RunningStrategy[] = [];
  readonly #byIndex = new Map<StrategyIndex, RunningStrategy>();
  readonly #stopped = new Set<StrategyIndex>();

  constructor({ instances, currentStrategy = new Int32Array(2), onFault }: StrategyHostOptions) {
    // A throw comes out of the `next` that brought the message, not out of a timer after the event.
    config.useDeprecatedSynchronousErrorHandling = true;
    config.Promise = NO_PROMISE;
    assert(currentStrategy.length > 0, 'the shared memory has a slot for the running strategy');
    const indices = new Set(instances.map(({ index }) => index));
    assert(indices.size === instances.length, 'each strategy has its own index');
    this.#instances = instances;
    this.#running = currentStrategy;
    this.#onFault = onFault;
    this.#hub = new TickHub(currentStrategy);
    currentStrategy[IN_EVENT] = NO_STRATEGY;
  }

  hasCodeOf(strategy: StrategyIndex): boolean {
    return this.#instances.some(({ index }) => index === strategy);
  }

  start(trader: TraderPort): void {
    assert(this.#strategies.length === 0, 'strategies are started once');
    for (const instance of this.#instances) this.#add(instance, trader);
    for (const strategy of this.#strategies) strategy.connect();
  }

  /** A strategy whose contract is not listed does not start; the others do. */
  #add(instance: StrategyInstance, trader: TraderPort): void {
    if (this.#stopped.has(instance.index)) return;
    const fault: TraderPort['fault'] = (strategy, error, where) => {
      this.#onFault?.(strategy, error, where);
      trader.fault(strategy, error, where);
    };
    try {
      const containment = new Containment(instance.index, this.#running, { fault });
      const strategy = new RunningStrategy(instance, this.#hub, trader, containment);
      this.#strategies.push(strategy);
      this.#byIndex.set(instance.index, strategy);
    } catch (error) {
      fault(instance.index, error, 'its contracts');
    }
  }

  onTrade(tick: TradeTick): void {
    this.#routesOf(tick).trades.emitKept(tick);
  }

  onBook(tick: BookTick): void {
    this.#routesOf(tick).books.emitKept(tick);
  }

  listenersOf(instrument: InstrumentIndex): ContractListeners {
    return this.#hub.of(instrument);
  }

  onSummary(summary: DaySummary): void {
    this.#routesOf(summary).summaries.emitKept(summary);
  }

  onGap(gap: FeedGap): void {
    this.#routesOf(gap).gaps.emitKept(gap);
  }

  onPhase(change: PhaseChange): void {
    this.#assertOutside();
    for (const { phases } of this.#strategies) phases.emit(frozen(change));
  }

  onFeed(change: FeedChange): void {
    this.#assertOutside();
    for (const { feed } of this.#strategies) feed.emit(frozen(change));
  }

  onLegs(strategy: StrategyIndex, legs: readonly LegChange[]): void {
    this.#assertOutside();
    this.#byIndex.get(strategy)?.legsChanged(legs);
  }

  hasOrderListener(strategy: StrategyIndex): boolean {
    const running = this.#byIndex.get(strategy);
    return running !== undefined && running.orders.handlers.length > 0;
  }

  onOrder(strategy: StrategyIndex, update: OrderUpdate): void {
    this.#assertOutside();
    frozen(update.denial); // the journal has it too
    this.#byIndex.get(strategy)?.orders.emit(update);
  }

  onTimer(strategy: StrategyIndex, timer: TimerId): void {
    this.#assertOutside();
    this.#byIndex.get(strategy)?.timers.fire(timer);
  }

  /** May come before the start, for a strategy that is not to begin. */
  stop(strategy: StrategyIndex): void {
    this.#stopped.add(strategy);
    this.#byIndex.get(strategy)?.containment.close();
  }

  #routesOf({ instrument }: { readonly instrument: InstrumentIndex }): ContractRoutes {
    this.#assertOutside();
    return this.#hub.of(instrument);
  }

  /** Nothing is emitted from inside an emission: two subscribers would see two orders of events. */
  #assertOutside(): void {
    assert(this.#running[IN_EVENT] === NO_STRATEGY, 'no event enters while a strategy handles another');
  }
}

/** One strategy of the configuration. `params` come from the definition's `parseParams`. */
export interface StrategyInstance {
  readonly index: StrategyIndex;
  readonly id: string;
  readonly definition: StrategyDefinition;
  readonly params: Params;
}

const NO_QUOTE_BARS = 'ticks.bars: bars are made of trades, without a price; books$ has each quote';

interface RunningLeg {
  readonly name: string;
  readonly channels: LegChannels;
  readonly ticks: LegTicks;
  readonly trader: LegTrader;
  contract: Contract;
}

/** The time at a pace, while somebody listens. */
class Moments extends Channel<TsUs> {
  constructor(containment: Containment, span: DurationUs, port: TraderPort, timers: StrategyTimers) {
    super(containment, 'every');
    let timer: TimerId | null = null;
    const wait = (): void => {
      timer = timers.after(span, () => {
        wait();
        this.deliver(port.nowUs());
      });
    };
    this.onHandlers = () => {
      if (this.handlers.length > 0 && timer === null) wait();
      if (this.handlers.length > 0 || timer === null) return;
      timers.clear(timer);
      timer = null;
    };
  }
}

/** One configured strategy at work: its containment, channels, timers and trader. */
class RunningStrategy {
  readonly #instance: StrategyInstance;
  readonly #hub: TickHub;
  readonly #port: TraderPort;
  readonly containment: Containment;
  readonly timers: StrategyTimers;
  readonly phases: Channel<PhaseChange>;
  readonly feed: Channel<FeedChange>;
  readonly orders: Channel<OrderUpdate>;
  readonly #rollovers: Channel<Rollover>;
  readonly #legs: readonly RunningLeg[];

  constructor(instance: StrategyInstance, hub: TickHub, port: TraderPort, containment: Containment) {
    this.#instance = instance;
    this.#hub = hub;
    this.#port = port;
    this.containment = containment;
    this.timers = new StrategyTimers(containment, port);
    this.phases = new Channel(containment, 'phases$');
    this.feed = new Channel(containment, 'feed$');
    this.orders = new Channel(containment, 'orders$');
    this.#rollovers = new Channel(containment, 'rollovers$');
    const parts: TraderParts = { containment, port, timers: this.timers, notes: new NoteBudget() };
    this.#legs = instance.definition.legs.map((name, index) => this.#createLeg(name, index, parts));
    containment.atClose(() => {
      for (const leg of this.#legs) hub.leave(leg.channels);
    });
  }

  connect(): void {
    const { definition, id, params } = this.#instance;
    const [first] = this.#legs;
    assert(first !== undefined, 'a strategy has a leg');
    const ticks: Ticks<string> = { ...first.ticks, leg: (name) => this.#leg(name).ticks };
    const trader: Trader<Params, string> = Object.defineProperties(Object.create(first.trader), {
      id: { value: id },
      params: { value: params },
      leg: { value: (name: string) => this.#leg(name).trader },
    });
    for (const leg of this.#legs) this.#hub.listen(leg.channels, leg.contract.index);
    this.containment.run('connect', () => definition.connect(ticks, trader));
  }

  /** Moves all legs first, then calls the strategy: it never sees one leg of a roll without the other. */
  legsChanged(changes: readonly LegChange[]): void {
    if (this.containment.closed) return;
    const rolled: Rollover[] = [];
    for (const { leg: place, contract } of changes) {
      const leg = this.#legs[place];
      assert(leg !== undefined, 'a rollover names a leg of the strategy');
      this.#hub.leave(leg.channels);
      leg.contract = frozen(contract);
      this.#hub.listen(leg.channels, contract.index);
      rolled.push({ leg: leg.name, contract });
    }
    for (const rollover of rolled) this.#rollovers.emit(rollover);
  }

  #leg(name: string): RunningLeg {
    check('leg', 'name', TEXT, name);
    const leg = this.#legs.find((candidate) => candidate.name === name);
    if (leg === undefined)
      throw new Error(`no leg ${name}: expected one of ${this.#instance.definition.legs.join(', ')}`);
    return leg;
  }

  #createLeg(name: string, place: number, parts: TraderParts): RunningLeg {
    const channels = createLegChannels(this.containment, name);
    const leg: RunningLeg = {
      name,
      channels,
      ticks: {
        trades$: channels.trades,
        books$: channels.books,
        summaries$: channels.summaries,
        gaps$: channels.gaps,
        bars: (spec) => {
          this.containment.assertInEvent('bars', 'ticks');
          if (spec !== undefined && 'price' in spec) throw new Error(NO_QUOTE_BARS);
          const sources = { leg: name, channels, feed: this.feed, rollovers: this.#rollovers };
          return new BarChannel(this.containment, spec, sources, this.#port, this.timers);
        },
        every: (span) => {
          this.containment.assertInEvent('every', 'ticks');
          assertPace(span);
          return new Moments(this.containment, span, this.#port, this.timers);
        },
        phases$: this.phases,
        feed$: this.feed,
        orders$: this.orders,
        rollovers$: this.#rollovers,
      },
      trader: createLegTrader(parts, () => leg.contract),
      contract: frozen(this.#port.leg(this.#instance.index, place)),
    };
    return leg;
  }
}
