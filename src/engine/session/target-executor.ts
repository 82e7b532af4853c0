/** Brings positions to their targets: begins a flatten for each position that somebody wants flat, steps it, and ends it with its requesters. */
import type { ClientOrderId } from '../../domain/ids.ts';
import { TERMINAL_STATUSES } from '../../domain/order.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { EngineView } from '../engine-view.ts';
import { Flattener } from './flattener.ts';
import type { PositionKey, Requester, Target, Targets } from './targets.ts';

export class TargetExecutor {
  readonly #view: EngineView;
  readonly #targets: Targets;

  constructor(view: EngineView) {
    this.#view = view;
    this.#targets = view.targets;
  }

  /** Also restarts a flatten that waits or was given up. */
  flatten(position: PositionKey, reason: string, requester: Requester = 'settings'): void {
    let target = this.#targets.of(position);
    if (target === undefined) {
      target = new Flattener(this.#view, position, reason);
      this.#targets.all = [...this.#targets.all, target];
    }
    target.requesters.add(requester);
    target.start();
  }

  /** Everything the owner holds or has orders for. */
  flattenOwner(strategy: StrategyIndex, reason: string, requester: Requester): void {
    const { portfolio, orders } = this.#view;
    const all = [...portfolio.held(), ...orders.open].filter((each) => each.strategy === strategy);
    for (const instrument of new Set(all.map((each) => each.instrument)))
      this.flatten({ strategy, instrument }, reason, requester);
  }

  step(): void {
    for (const [id, target] of this.#targets.lostExits) this.#resumeIfFound(id, target);
    this.#stepEach((target) => target.step());
  }

  restart(): void {
    this.#stepEach((target) => target.restart());
  }

  readFailed(): void {
    this.#stepEach((target) => target.readFailed());
  }

  /** Another phase: targets that waited for it go on. */
  resume(): void {
    this.#stepEach((target) => target.start());
    this.step();
  }

  /** The trading day is over; order numbers are void. */
  endDay(): void {
    for (const target of this.#targets.all) target.drop();
    this.#alertUnfinished('its day ended');
    this.#targets.lostExits.clear();
  }

  /** The process that was to stop is gone: targets of a person or a policy go on. */
  endStop(): void {
    for (const { requesters } of this.#targets.lostExits.values()) requesters.delete('stop');
    for (const target of this.#targets.all) endRequests(target, 'stop');
    this.#alertUnfinished('the process that was to stop ended');
  }

  /** Entries are on again: a target that was given up would later close new entries. */
  endGivenUp(strategy: StrategyIndex | null): void {
    for (const target of this.#targets.all)
      if (target.progress === 'given_up' && (strategy === null || target.strategy === strategy))
        endRequests(target, 'person', 'person_in_auction');
    this.#alertUnfinished('a person resumed');
  }

  describe(): readonly ReturnType<Target['describe']>[] {
    return this.#targets.all.map((target) => target.describe());
  }

  #alertUnfinished(why: string): void {
    const text = `${why} before it was done, and stops of the position may be gone: ask again if you still want it`;
    this.#stepEach((target) => {
      if (target.progress === 'done') target.alert('warning', 'flatten_dropped', text);
    });
  }

  #resumeIfFound(id: ClientOrderId, target: Target): void {
    const status = this.#view.orders.get(id)?.status;
    if (status === 'unknown' || status === 'presumed_absent' || status === 'not_sent') return;
    this.#targets.lostExits.delete(id);
    if (status === undefined || status === 'rejected') return;
    if (!TERMINAL_STATUSES.has(status)) this.#view.context.cancel(target.strategy, id);
    for (const requester of target.requesters) this.flatten(target, `its exit ${id} turned up`, requester);
  }

  #stepEach(go: (target: Target) => void): void {
    for (const target of this.#targets.all) {
      go(target);
      if (target.progress === 'done') this.#targets.all = this.#targets.all.filter((each) => each !== target);
    }
  }
}

function endRequests(target: Target, ...requesters: readonly Requester[]): void {
  for (const requester of requesters) target.requesters.delete(requester);
  if (target.requesters.size === 0) target.abandon();
}
