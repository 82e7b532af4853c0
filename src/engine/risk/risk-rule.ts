/** A risk rule and its inputs. */
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { Contract } from '../../domain/contract.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import type { Side } from '../../domain/order.ts';
import type { EngineSettings, StrategySettings } from '../../domain/settings.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { Purpose } from '../ports/approved.ts';
import type { Denial, DenialScope } from '../ports/denial.ts';
import type { ClosingHours } from './closing-hours.ts';
import type { OrderView, PurposeHint, RiskView } from './risk-view.ts';

/** A new order, or an order as it would be after a change: the same rules look at both. */
export interface RiskRequest {
  readonly strategy: StrategyIndex;
  readonly hint: PurposeHint;
  /** The engine asks for it on the strategy's behalf. */
  readonly isSystem: boolean;
  readonly contract: Contract;
  readonly side: Side;
  /** Total quantity as asked for, not validated yet. */
  readonly qty: number;
  readonly limitPrice: number;
  /** Triggers and exits, which have to fit the market like the limit. */
  readonly otherPrices: readonly number[];
  /** It waits at the broker: nothing of it rests at the exchange yet. */
  readonly isWaiting: boolean;
  /** A stop of the engine itself. */
  readonly isProtective: boolean;
  /** Largest quantity that may still fill once it is sent; of a change, the larger of before and after. */
  readonly exposedQty: number;
  /** The order that is changed; null for a new one. */
  readonly changed: OrderView | null;
}

/** The first of the prices of a request that is not allowed, or undefined. */
export function firstPrice(
  { limitPrice, otherPrices }: RiskRequest,
  isWrong: (price: number) => boolean,
): number | undefined {
  return isWrong(limitPrice) ? limitPrice : otherPrices.find(isWrong);
}

/** Terms that are the same for every request. */
export interface RiskTerms {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly hours: ClosingHours;
  readonly costs: CostSchedule;
}

export interface RiskScene extends RiskTerms {
  readonly view: RiskView;
  /** Undefined for the operator, who has no limits of his own and therefore enters nothing. */
  readonly strategy: StrategySettings | undefined;
  readonly purpose: Purpose;
}

export interface RiskRule {
  readonly name: string;
  /** Whether it may stop a reduction too (rulings, 36). */
  readonly appliesTo: DenialScope;
  check(request: RiskRequest, scene: RiskScene): Denial | undefined;
}
