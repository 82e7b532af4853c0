/** Which version of each strategy decides: follows the lists of configured strategies, and tells what changed. */
import { signedQty, type StrategyIndex } from '../../domain/units.ts';
import type { ConfiguredStrategy, StrategiesConfigured } from '../ports/engine-event.ts';
import type { StrategyVersion } from '../ports/journal-entry.ts';
import type { Orders } from '../orders/orders.ts';
import type { Portfolio } from '../positions/portfolio.ts';
import type { EventContext } from '../state/event-context.ts';
import type { StrategyRegistry } from './strategy-registry.ts';
import type { StrategyStops } from './strategy-stops.ts';

/** Reason of the stop of a strategy that is in no list any more. */
const LEFT = 'it is no longer configured';

export interface StrategyVersionsParts {
  readonly context: EventContext;
  readonly registry: StrategyRegistry;
  readonly stops: StrategyStops;
  readonly portfolio: Portfolio;
  readonly orders: Orders;
}

export class StrategyVersions {
  readonly #parts: StrategyVersionsParts;
  /** Null until the first list of the session. */
  #listed: ReadonlyMap<string, ConfiguredStrategy> | null = null;

  constructor(parts: StrategyVersionsParts) {
    this.#parts = parts;
  }

  take({ strategies }: StrategiesConfigured): void {
    const { context, registry, stops } = this.#parts;
    const before = this.#listed;
    this.#listed = new Map(strategies.map((each) => [each.settings.id, each]));
    for (const { index, settings } of registry.seats) {
      const now = this.#listed.get(settings.id);
      if (now !== undefined) this.#follow(index, before?.get(settings.id) ?? null, now, before === null);
      // In a past with another list it may have been configured again since.
      else if (!context.decisions.isEarlier(index)) stops.stop(index, LEFT, null);
    }
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
    const { context, portfolio, orders } = this.#parts;
    const heldQty = portfolio
      .held()
      .reduce((sum, each) => sum + (each.strategy === strategy ? each.qty : 0), 0);
    const openOrders = orders.open.filter((order) => order.strategy === strategy).length;
    const head = { cause: context.seq, tsUs: context.nowUs, strategy };
    context.append({ ...head, kind: 'strategy_changed', from, to, heldQty: signedQty(heldQty), openOrders });
  }
}

export const versionOf = ({ paramsDigest, codeDigest, run }: ConfiguredStrategy): StrategyVersion => ({
  params: paramsDigest,
  code: codeDigest,
  run,
});

export const isSameVersion = (a: StrategyVersion, b: StrategyVersion): boolean =>
  a.params === b.params && a.code === b.code && a.run === b.run;
