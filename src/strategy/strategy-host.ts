/** Runs the strategies of one engine, each behind its own containment. No history: the same events make the same calls. */
import { config } from 'rxjs';
import { assert } from '../domain/assert.ts';
import type { BookTick, DaySummary, FeedGap, TradeTick } from '../domain/ticks.ts';
import type { InstrumentIndex, StrategyIndex } from '../domain/units.ts';
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
import { NO_STRATEGY, Containment } from './containment.ts';
import { type StrategyInstance, RunningStrategy } from './running-strategy.ts';
import { type ContractRoutes, TickHub } from './tick-hub.ts';

export interface StrategyHostOptions {
  readonly instances: readonly StrategyInstance[];
  /** Slot 0 holds the index of the strategy whose code runs, else `NO_STRATEGY`, slot 1 counts calls; shared memory for the watchdog. */
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
    currentStrategy[0] = NO_STRATEGY;
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
    for (const strategy of this.#strategies) strategy.phase(change);
  }

  onFeed(change: FeedChange): void {
    this.#assertOutside();
    for (const strategy of this.#strategies) strategy.feed(change);
  }

  onLegs(strategy: StrategyIndex, legs: readonly LegChange[]): void {
    this.#assertOutside();
    this.#byIndex.get(strategy)?.legsChanged(legs);
  }

  hasOrderListener(strategy: StrategyIndex): boolean {
    return this.#byIndex.get(strategy)?.hasOrderListener === true;
  }

  onOrder(strategy: StrategyIndex, update: OrderUpdate): void {
    this.#assertOutside();
    this.#byIndex.get(strategy)?.order(update);
  }

  onTimer(strategy: StrategyIndex, timer: TimerId): void {
    this.#assertOutside();
    this.#byIndex.get(strategy)?.timer(timer);
  }

  /** May come before the start, for a strategy that is not to begin. */
  stop(strategy: StrategyIndex): void {
    this.#stopped.add(strategy);
    this.#byIndex.get(strategy)?.stop();
  }

  #routesOf({ instrument }: { readonly instrument: InstrumentIndex }): ContractRoutes {
    this.#assertOutside();
    return this.#hub.of(instrument);
  }

  /** Nothing is emitted from inside an emission: two subscribers would see two orders of events. */
  #assertOutside(): void {
    assert(this.#running[0] === NO_STRATEGY, 'no event enters while a strategy handles another');
  }
}
