/**
 * What counts as a reduction (rulings, 36): an order that can only shrink the position of its owner, whatever else fills,
 * shown by a read of the position less than 5 s old.
 */
import { type Side, signOf } from '../../domain/order.ts';
import { type InstrumentIndex, type StrategyIndex, US_PER_SECOND } from '../../domain/units.ts';
import type { OrderView, RiskView } from './risk-view.ts';
import { workingQty } from './exposure.ts';
import type { RiskRequest } from './risk-rule.ts';

const POSITION_AGE_US_MAX = 5 * US_PER_SECOND;

export interface Reduction {
  /** Our own books say that it shrinks the position. */
  readonly shrinks: boolean;
  /** The broker's books say so too, and were read just now. */
  readonly isProven: boolean;
}

export function reductionOf(view: RiskView, request: RiskRequest): Reduction {
  const { strategy, contract, side, changed, exposedQty } = request;
  const shrinks = exposedQty <= closableQty(view, strategy, contract.index, side, changed);
  if (!shrinks) return { shrinks, isProven: false };
  return { shrinks, isProven: exposedQty <= provenQty(view, strategy, contract.index, side, changed) };
}

/** Contracts that orders on `side` may take from the owner's position, net of those that work already. */
function closableQty(
  view: RiskView,
  strategy: StrategyIndex,
  instrument: InstrumentIndex,
  side: Side,
  except: OrderView | null = null,
): number {
  const held = -signOf(side) * view.position(strategy, instrument).qty;
  return Math.max(0, held - workingQty(view, strategy, instrument, side, except));
}

/** The same by the broker's own figure, without what the other owners hold; zero when it is old or unknown. */
export function provenQty(
  view: RiskView,
  strategy: StrategyIndex,
  instrument: InstrumentIndex,
  side: Side,
  except: OrderView | null = null,
): number {
  const broker = view.brokerQty(instrument);
  if (broker === undefined || !isPositionFresh(view)) return 0;
  const own = view.position(strategy, instrument).qty;
  const others = view.accountQty(instrument) - own;
  const shown = -signOf(side) * (broker - others);
  const held = Math.min(shown, -signOf(side) * own);
  return Math.max(0, held - workingQty(view, strategy, instrument, side, except));
}

export const isPositionFresh = (view: RiskView): boolean =>
  view.nowUs() - view.positionsReadUs() < POSITION_AGE_US_MAX;
