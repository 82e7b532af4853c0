/** Brings positions to their targets. */
import type { ClientOrderId } from '../../domain/ids.ts';
import { assert } from '../../domain/assert.ts';
import { TERMINAL_STATUSES } from '../../domain/order.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { EngineState } from '../engine-state.ts';
import { Flattener } from './flattener.ts';
import type { Asker, Place, Target } from './targets.ts';

export class TargetExecutor {
  readonly #state: EngineState;
  readonly #jobs = new Map<Target, Flattener>();
  /** Exits without an answer: one that turns up after it was proven absent could open a position. It gives those who asked no more than they asked for. */
  readonly #lost = new Map<ClientOrderId, Target>();

  constructor(state: EngineState) {
    this.#state = state;
  }

  /** Nobody asks for anything, and no exit is without an answer. */
  get isIdle(): boolean {
    return this.#jobs.size === 0 && this.#lost.size === 0;
  }

  /** Also restarts a flatten that waits or was given up. */
  flatten(place: Place, reason: string, asker: Asker = 'settings'): void {
    const target = this.#state.targets.ask(place, reason, asker);
    const job = this.#jobs.get(target) ?? new Flattener(this.#state, target, this.#lost);
    this.#jobs.set(target, job);
    job.start();
  }

  /** Everything the owner holds or has orders for. */
  flattenOwner(strategy: StrategyIndex, reason: string, asker: Asker): void {
    const { portfolio, orders } = this.#state;
    const all = [...portfolio.held(), ...orders.open].filter((each) => each.strategy === strategy);
    for (const instrument of new Set(all.map((each) => each.instrument)))
      this.flatten({ strategy, instrument }, reason, asker);
  }

  step(): void {
    for (const [id, target] of this.#lost) this.#followLost(id, target);
    this.#each((job) => job.step());
  }

  /** Positions could not be read. */
  readFailed(): void {
    this.#each((job) => job.readFailed());
  }

  /** Another phase: what waited for it goes on. */
  resume(): void {
    this.#each((job) => job.start());
    this.step();
  }

  /** The trading day is over; order numbers are void. */
  endDay(): void {
    this.#end(this.#state.targets.all, 'its day ended');
    this.#lost.clear();
  }

  /** The process that was to stop is gone: what a person or a policy asked for goes on. */
  endStop(): void {
    for (const { askers } of this.#lost.values()) askers.delete('stop');
    this.#end(
      this.#state.targets.end(['stop'], () => true),
      null,
    );
  }

  /** Entries are on again: what was given up would close later what is entered from here on. */
  endGivenUp(strategy: StrategyIndex | null): void {
    const ended = this.#state.targets.end(
      ['person', 'person_in_auction'],
      (target) => target.progress === 'given_up' && (strategy === null || target.strategy === strategy),
    );
    this.#end(ended, 'a person resumed');
  }

  describe(): readonly string[] {
    return this.#state.targets.all.map((target) => this.#jobOf(target).describe());
  }

  #end(targets: readonly Target[], why: string | null): void {
    for (const target of targets) this.#jobOf(target).drop();
    this.#each((job) => why !== null && job.target.progress === 'done' && job.tellUnfinished(why));
  }

  #followLost(id: ClientOrderId, target: Target): void {
    const status = this.#state.orders.get(id)?.status;
    if (status === 'unknown' || status === 'presumed_absent' || status === 'not_sent') return;
    this.#lost.delete(id);
    if (status === undefined || status === 'rejected') return;
    if (!TERMINAL_STATUSES.has(status)) this.#state.context.cancel(target.strategy, id);
    for (const asker of target.askers) this.flatten(target, `its exit ${id} turned up`, asker);
  }

  #each(go: (job: Flattener) => void): void {
    for (const target of this.#state.targets.all) {
      go(this.#jobOf(target));
      if (target.progress !== 'done') continue;
      this.#jobs.delete(target);
      this.#state.targets.remove(target);
    }
  }

  #jobOf(target: Target): Flattener {
    const job = this.#jobs.get(target);
    assert(job !== undefined, 'each target has whoever closes it');
    return job;
  }
}
