/** Brings positions to their targets. */
import type { ClientOrderId } from '../../domain/ids.ts';
import { TERMINAL_STATUSES } from '../../domain/order.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { EngineState } from '../engine-state.ts';
import { Flattener } from './flattener.ts';
import { type Asker, isSamePosition, type ProtectedPosition, type Target } from './targets.ts';

export class TargetExecutor {
  readonly #state: EngineState;
  #all: readonly Flattener[] = [];
  /**
   * Exits without an answer: one that turns up after it was proven absent could open a position. It gives its askers no more than they
   * requested.
   */
  readonly #lost = new Map<ClientOrderId, Target>();

  constructor(state: EngineState) {
    this.#state = state;
  }

  /** There is no target, and no exit is without an answer. */
  get isIdle(): boolean {
    return this.#all.length === 0 && this.#lost.size === 0;
  }

  /** Also restarts a flatten that waits or was given up. */
  flatten(position: ProtectedPosition, reason: string, asker: Asker = 'settings'): void {
    let target = this.#all.find((each) => isSamePosition(each, position));
    if (target === undefined) {
      target = new Flattener(this.#state, position, reason, this.#lost);
      this.#follow([...this.#all, target]);
    }
    target.askers.add(asker);
    target.start();
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
    this.#each((target) => target.step());
  }

  restart(): void {
    this.#each((target) => target.restart());
  }

  readFailed(): void {
    this.#each((target) => target.readFailed());
  }

  /** Another phase: targets that waited for it go on. */
  resume(): void {
    this.#each((target) => target.start());
    this.step();
  }

  /** The trading day is over; order numbers are void. */
  endDay(): void {
    for (const target of this.#all) target.drop();
    this.#alertUnfinished('its day ended');
    this.#lost.clear();
  }

  /** The process that was to stop is gone: targets of a person or a policy go on. */
  endStop(): void {
    for (const { askers } of this.#lost.values()) askers.delete('stop');
    for (const target of this.#all) endAsking(target, 'stop');
    this.#each(() => undefined);
  }

  /** Entries are on again: a target that was given up would later close new entries. */
  endGivenUp(strategy: StrategyIndex | null): void {
    for (const target of this.#all)
      if (target.progress === 'given_up' && (strategy === null || target.strategy === strategy))
        endAsking(target, 'person', 'person_in_auction');
    this.#alertUnfinished('a person resumed');
  }

  describe(): readonly string[] {
    return this.#all.map((target) => target.describe());
  }

  #alertUnfinished(why: string): void {
    const text = `${why} before it was done: ask again if you still want it`;
    this.#each((target) => {
      if (target.progress === 'done') target.alert('warning', 'flatten_dropped', text);
    });
  }

  #followLost(id: ClientOrderId, target: Target): void {
    const status = this.#state.orders.get(id)?.status;
    if (status === 'unknown' || status === 'presumed_absent' || status === 'not_sent') return;
    this.#lost.delete(id);
    if (status === undefined || status === 'rejected') return;
    if (!TERMINAL_STATUSES.has(status)) this.#state.context.cancel(target.strategy, id);
    for (const asker of target.askers) this.flatten(target, `its exit ${id} turned up`, asker);
  }

  #each(go: (target: Flattener) => void): void {
    for (const target of this.#all) {
      go(target);
      if (target.progress === 'done') this.#follow(this.#all.filter((each) => each !== target));
    }
  }

  #follow(all: readonly Flattener[]): void {
    this.#all = all;
    this.#state.targets.all = all;
  }
}

function endAsking(target: Flattener, ...askers: readonly Asker[]): void {
  for (const asker of askers) target.askers.delete(asker);
  if (target.askers.size === 0) target.drop();
}
