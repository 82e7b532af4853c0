/** The flatten procedures that are under way, one for each owner and contract. */
import type { InstrumentIndex, StrategyIndex } from '../../domain/units.ts';
import { FlattenJob, type FlattenParts } from './flatten-job.ts';

export class Flattener {
  readonly #parts: FlattenParts;
  #jobs: readonly FlattenJob[] = [];

  constructor(parts: FlattenParts) {
    this.#parts = parts;
  }

  /** Closes everything the owner holds, and takes back everything it has asked for. */
  flattenOwner(strategy: StrategyIndex, reason: string): void {
    for (const instrument of this.#touched(strategy)) this.flatten(strategy, instrument, reason);
  }

  flatten(strategy: StrategyIndex, instrument: InstrumentIndex, reason: string): void {
    const known = this.#find(strategy, instrument);
    if (known !== undefined) return known.start();
    const job = new FlattenJob(this.#parts, { strategy, instrument, reason });
    this.#jobs = [...this.#jobs, job];
    job.start();
  }

  has(strategy: StrategyIndex, instrument: InstrumentIndex): boolean {
    return this.#find(strategy, instrument) !== undefined;
  }

  /** From the first cancel until the owner is flat, also while a person is needed. */
  isFlattening(strategy: StrategyIndex): boolean {
    return this.#jobs.some((job) => job.strategy === strategy && job.state !== 'done');
  }

  /** Something is still being tried. */
  get isBusy(): boolean {
    return this.#jobs.some(({ state }) => state !== 'given_up' && state !== 'done');
  }

  step(): void {
    if (this.#jobs.length === 0) return;
    for (const job of this.#jobs) job.step();
    if (this.#jobs.some(({ state }) => state === 'done'))
      this.#jobs = this.#jobs.filter(({ state }) => state !== 'done');
  }

  /** Continuous trading begins: what waited for it goes on. */
  resume(): void {
    for (const job of this.#jobs) job.start();
    this.step();
  }

  /** The day of these procedures is over, and with it what their numbers meant. */
  endDay(): void {
    for (const job of this.#jobs) job.tellUnfinished();
    this.clear();
  }

  clear(): void {
    for (const job of this.#jobs) job.drop();
    this.#jobs = [];
  }

  describe(): readonly string[] {
    return this.#jobs.map((job) => job.describe());
  }

  #find(strategy: StrategyIndex, instrument: InstrumentIndex): FlattenJob | undefined {
    return this.#jobs.find(
      (job) => job.strategy === strategy && job.instrument === instrument && job.state !== 'done',
    );
  }

  #touched(strategy: StrategyIndex): ReadonlySet<InstrumentIndex> {
    const { actions } = this.#parts;
    const touched = new Set<InstrumentIndex>();
    for (const held of actions.heldPositions()) if (held.strategy === strategy) touched.add(held.instrument);
    for (const order of actions.view.openOrders())
      if (order.strategy === strategy) touched.add(order.instrument);
    return touched;
  }
}
