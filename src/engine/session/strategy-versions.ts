/** Follows the lists of configured strategies: which version of each decides, and under which settings. Reports changes. */
import type { StrategySettings } from '../../domain/settings.ts';
import { signedQty, type StrategyIndex } from '../../domain/units.ts';
import type { ConfiguredStrategy, StrategiesConfigured } from '../ports/engine-event.ts';
import type { StrategyVersion } from '../ports/journal-entry.ts';
import type { EngineState } from '../engine-state.ts';

/** Reason of the stop of a strategy that is in no list any more. */
const LEFT = 'it is no longer configured';

export class StrategyVersions {
  readonly #state: EngineState;
  /** Null until the first list of the session. */
  #listed: ReadonlyMap<string, ConfiguredStrategy> | null = null;

  constructor(state: EngineState) {
    this.#state = state;
  }

  take({ strategies }: StrategiesConfigured): void {
    const { context, registry, stops, losses } = this.#state;
    const before = this.#listed;
    this.#listed = new Map(strategies.map((each) => [each.settings.id, each]));
    // Not by place: a replay of the day may give other places.
    const seats = registry.seats.toSorted((a, b) => (a.settings.id < b.settings.id ? -1 : 1));
    for (const { index, settings } of seats) {
      const now = this.#listed.get(settings.id);
      if (now !== undefined) {
        this.#follow(index, before?.get(settings.id) ?? null, now, before === null);
        this.#use(index, now.settings);
        if (!context.decisions.isEarlier(index)) stops.settle(index);
      }
      // In a past with another list it may have been configured again since.
      else if (!context.decisions.isEarlier(index)) stops.stop(index, LEFT, null);
    }
    losses.invalidate();
  }

  /** Limits hold from their list on, so that a replay meets them at the same moment. Its contracts are those of its code. */
  #use(strategy: StrategyIndex, settings: StrategySettings): void {
    const { strategies } = this.#state.settings;
    const present = strategies[strategy];
    if (present !== undefined && present.isOrphan !== true)
      strategies[strategy] = { ...settings, symbols: present.symbols };
  }

  /** The first list of a session is no change. */
  #follow(
    strategy: StrategyIndex,
    before: ConfiguredStrategy | null,
    now: ConfiguredStrategy,
    isFirst: boolean,
  ): void {
    const from = before === null ? null : versionOf(before);
    const to = versionOf(now);
    if (isFirst || (from !== null && isSameVersion(from, to))) return;
    const { context, portfolio, orders } = this.#state;
    const heldQty = portfolio
      .held()
      .reduce((sum, each) => sum + (each.strategy === strategy ? each.qty : 0), 0);
    const openOrders = orders.open.filter((order) => order.strategy === strategy).length;
    context.append({
      ...context.head(strategy),
      kind: 'strategy_changed',
      from,
      to,
      heldQty: signedQty(heldQty),
      openOrders,
    });
  }
}

export const versionOf = ({ paramsDigest, codeDigest, run }: ConfiguredStrategy): StrategyVersion => ({
  params: paramsDigest,
  code: codeDigest,
  run,
});

export const isSameVersion = (a: StrategyVersion, b: StrategyVersion): boolean =>
  a.params === b.params && a.code === b.code && a.run === b.run;
