/**
 * Positions of strategies that are stopped, or that left the configuration: nobody manages them any more, so `risk.onOrphan` does. `hold` leaves them with their
 * stops, `protect` relies on the stop that `risk.protectiveStop` keeps for each position, `flatten` closes them. Each is told once.
 */
import { cover } from '../../domain/cover.ts';
import { OPERATOR_INDEX } from '../../domain/units.ts';
import type { HeldPosition } from '../positions/portfolio.ts';
import { coverOf } from '../risk/exposure.ts';
import type { SessionParts } from './close-out.ts';
import type { Flattener } from './flattener.ts';

export class Orphans {
  readonly #parts: SessionParts;
  readonly #flattener: Flattener;
  #told = new Set<string>();

  constructor(parts: SessionParts, flattener: Flattener) {
    this.#parts = parts;
    this.#flattener = flattener;
  }

  step(): void {
    const { actions } = this.#parts;
    if (!actions.hasUnmanaged()) return;
    const told = new Set<string>();
    for (const held of actions.heldPositions()) {
      if (held.strategy === OPERATOR_INDEX) continue;
      // One that left is stopped by the list that lacks it: in the past before that list it ran.
      if (!actions.isStopped(held.strategy)) continue;
      const key = `${held.strategy} ${held.instrument}`;
      told.add(key);
      if (!this.#told.has(key)) this.#answer(held);
    }
    // One that was closed and opened again by a late fill is answered again.
    this.#told = told;
  }

  #answer(held: HeldPosition): void {
    const { actions, settings } = this.#parts;
    const { strategy, instrument, qty } = held;
    const policy = settings.risk.onOrphan ?? 'hold';
    const code = actions.view.contract(instrument)?.orderCode ?? `contract ${instrument}`;
    const id = settings.strategies[strategy]?.id ?? `strategy ${strategy}`;
    const text = `${id} is not running and holds ${qty} of ${code}, ${this.#cover(held)}: risk.onOrphan is ${policy}`;
    actions.alert(strategy, 'critical', 'orphan_position', text);
    if (policy === 'flatten') this.#flattener.flatten(strategy, instrument, `${id} is stopped`);
  }

  #cover({ strategy, instrument, qty }: HeldPosition): string {
    const own = this.#parts.actions.view
      .openOrders()
      .filter(
        (order) =>
          order.strategy === strategy && order.instrument === instrument && order.status !== 'pending_cancel',
      );
    const { stopQty, nakedQty } = cover(qty, own, coverOf);
    if (stopQty === 0) return 'without a stop at the broker';
    return `with stops for ${nakedQty === 0 ? '' : `${stopQty} of `}${Math.abs(qty)} at the broker`;
  }
}
