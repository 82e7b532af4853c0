/** The configured strategies: which run, which contracts they name, and the calls to their host. */
import { InvariantError } from '../../domain/assert.ts';
import type { Contract } from '../../domain/contract.ts';
import { getOrCreate } from '../../domain/lists.ts';
import type { StrategySettings } from '../../domain/settings.ts';
import { OPERATOR_INDEX, type StrategyIndex, strategyIndex } from '../../domain/units.ts';
import type { LegChange, StrategyHost, StrategyUpdate } from '../ports/strategy-port.ts';
import type { PlotSink, PlotValue } from '../ports/outbound.ts';

interface RegisteredStrategy {
  readonly index: StrategyIndex;
  readonly settings: StrategySettings;
  legs: readonly Contract[];
  /** The list lacks the month that one of its symbols means: a leg is another month until it comes. */
  lacksMonth: boolean;
  stopped: string | null;
}

export class StrategyRegistry {
  readonly #host: StrategyHost;
  readonly #registered: readonly RegisteredStrategy[];
  #hasUnmanaged = false;
  #isStarted = false;
  /** Started, and the trading day is not over. */
  #isRunning = false;
  #isDispatching = false;
  /** Updates of orders that changed between two trading days. */
  #pendingUpdates: StrategyUpdate[] = [];
  /** Contracts of a night's table, reported when the next day begins. */
  #pendingLegChanges: (() => void)[] = [];

  constructor(settings: readonly StrategySettings[], host: StrategyHost) {
    this.#host = host;
    this.#registered = settings.map((each, index) => ({
      index: strategyIndex(index),
      settings: each,
      legs: [],
      lacksMonth: false,
      stopped: null,
    }));
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Messages reach strategies. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** A handler of a strategy runs: strategies may trade only then. */
  get isDispatching(): boolean {
    return this.#isDispatching;
  }

  get registered(): readonly Readonly<RegisteredStrategy>[] {
    return this.#registered;
  }

  idOf(strategy: StrategyIndex): string {
    return strategy === OPERATOR_INDEX
      ? 'operator'
      : (this.#registered[strategy]?.settings.id ?? `#${strategy}`);
  }

  isStopped(strategy: StrategyIndex): boolean {
    return (this.#registered[strategy]?.stopped ?? null) !== null;
  }

  /** A strategy is stopped, as one that left the configuration is. */
  get hasUnmanaged(): boolean {
    return this.#hasUnmanaged;
  }

  /** The strategy proposes nothing: it has not begun, is stopped, or has no code in this engine. */
  isSilent(strategy: StrategyIndex): boolean {
    return !this.#isStarted || this.isStopped(strategy) || !this.#host.hasCodeOf(strategy);
  }

  stop(strategy: StrategyIndex, reason: string): boolean {
    const entry = this.#registered[strategy];
    if (entry === undefined || entry.stopped !== null) return false;
    entry.stopped = reason;
    this.#hasUnmanaged = true;
    this.#host.stop(strategy);
    return true;
  }

  legs(strategy: StrategyIndex): readonly Contract[] {
    return this.#registered[strategy]?.legs ?? [];
  }

  lacksMonth(strategy: StrategyIndex): boolean {
    return this.#registered[strategy]?.lacksMonth ?? false;
  }

  leg(strategy: StrategyIndex, leg: number): Contract {
    const contract = this.#registered[strategy]?.legs[leg];
    if (contract === undefined) {
      const symbol = this.#registered[strategy]?.settings.symbols[leg] ?? `leg ${leg}`;
      throw new InvariantError(`Invariant: ${this.idOf(strategy)} has no contract for ${symbol}`);
    }
    return contract;
  }

  setLegs(strategy: StrategyIndex, legs: readonly Contract[], lacksMonth: boolean): void {
    const entry = this.#registered[strategy];
    if (entry === undefined) return;
    const before = entry.legs;
    entry.legs = legs;
    entry.lacksMonth = lacksMonth;
    const changes: LegChange[] = [];
    legs.forEach((contract, leg) => {
      if (before[leg]?.index !== contract.index) changes.push({ leg, contract });
    });
    if (!this.#isStarted || entry.stopped !== null || changes.length === 0) return;
    if (this.#isRunning) this.dispatch((host) => host.onLegs(strategy, changes));
    else this.#pendingLegChanges.push(() => this.dispatch((host) => host.onLegs(strategy, changes)));
  }

  start(begin: (host: StrategyHost) => void): void {
    this.#isStarted = true;
    this.#isRunning = true;
    this.dispatch(begin);
  }

  /** The trading day is over: nothing reaches strategies until the next one begins, and nothing about their orders is lost. */
  pause(): void {
    this.#isRunning = false;
  }

  resume(): void {
    this.#isRunning = this.#isStarted;
    const legs = this.#pendingLegChanges;
    this.#pendingLegChanges = [];
    for (const report of legs) report();
    const kept = this.#pendingUpdates;
    this.#pendingUpdates = [];
    for (const each of kept) this.publish(each);
  }

  publish(each: StrategyUpdate): void {
    const { strategy, update } = each;
    const entry = this.#registered[strategy];
    if (entry === undefined || entry.stopped !== null) return;
    if (this.#isRunning) this.dispatch((host) => host.onOrder(strategy, update));
    else if (this.#isStarted) this.#pendingUpdates.push(each);
  }

  /** Runs handlers of strategies; their calls wait in the queue. */
  dispatch(run: (host: StrategyHost) => void): void {
    if (!this.#isRunning) return;
    this.#isDispatching = true;
    run(this.#host);
    this.#isDispatching = false;
  }

  /** `dispatch` for the calls of every tick, without a closure: `end` must follow. */
  begin(): StrategyHost {
    this.#isDispatching = true;
    return this.#host;
  }

  end(): void {
    this.#isDispatching = false;
  }
}

/** Names a strategy and contract; further names are left out. */
const NAMES_MAX = 8;
const NAME_LENGTH_MAX = 24;

const noValues = (): Map<string, PlotValue> => new Map();

/** The latest values that strategies publish for people. No decision reads them, and no journal holds them. */
export class Plots {
  readonly #rows = new Map<number, Map<string, PlotValue>>();
  readonly #sink: PlotSink | undefined;

  constructor(sink?: PlotSink) {
    this.#sink = sink;
  }

  get all(): readonly PlotValue[] {
    return [...this.#rows.values()].flatMap((row) => [...row.values()]);
  }

  set({ strategy, instrument, name, tsUs, value }: PlotValue): void {
    if (!Number.isFinite(value)) return;
    const key = (strategy + 1) * 1_000 + instrument;
    const row = getOrCreate(this.#rows, key, noValues);
    const short = name.slice(0, NAME_LENGTH_MAX);
    if (row.size >= NAMES_MAX && !row.has(short)) return;
    const plotted = { strategy, instrument, name: short, tsUs, value };
    row.set(short, plotted);
    this.#sink?.plot(plotted);
  }
}
