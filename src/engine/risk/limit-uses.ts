/** How much of each risk limit is used, for the operator. The rules decide by their own figures; these are never read by a decision. */
import type { EngineSettings } from '../../domain/settings.ts';
import { type Side, signOf } from '../../domain/order.ts';
import {
  type InstrumentIndex,
  instrumentIndex,
  type StrategyIndex,
  strategyIndex,
  US_PER_MINUTE,
  US_PER_SECOND,
} from '../../domain/units.ts';
import { workingQty } from './exposure.ts';
import type { RiskView } from './risk-view.ts';

type LimitName =
  | 'position'
  | 'open_orders'
  | 'daily_loss'
  | 'orders_per_second'
  | 'orders_per_minute'
  | 'messages_per_minute'
  | 'rejections_per_minute'
  | 'drawdown'
  /** Of the broker's: required margin by collateral. */
  | 'margin';

export interface LimitUse {
  readonly limit: LimitName;
  /** Null for a limit of the account. */
  readonly strategy: StrategyIndex | null;
  /** Contracts, orders, VND or parts of 10,000, like `max`; zero or more. */
  readonly used: number;
  readonly max: number;
}

const SIDES: readonly Side[] = ['buy', 'sell'];
const BPS = 10_000;

const ofAccount = (limit: LimitName, used: number, max: number): LimitUse => ({
  limit,
  strategy: null,
  used: Math.max(0, used),
  max,
});

/** `breakers`: uses of the limits that halt by themselves. */
export function limitUses(
  view: RiskView,
  { risk, strategies }: Pick<EngineSettings, 'risk' | 'strategies'>,
  breakers: readonly LimitUse[],
): readonly LimitUse[] {
  const orders = view.openOrders().filter(({ isProtective }) => isProtective !== true);
  const margin = view.account()?.usageBps;
  return [
    ofAccount('position', worst(view, null), risk.accountPositionMax),
    ofAccount('open_orders', orders.length, risk.openOrdersMax),
    ofAccount('daily_loss', view.accountLoss(), risk.accountDailyLossMax),
    ofAccount('orders_per_second', view.sentWithin(US_PER_SECOND), risk.ordersPerSecondMax),
    ofAccount('orders_per_minute', view.sentWithin(US_PER_MINUTE), risk.ordersPerMinuteMax),
    ...(margin === undefined ? [] : [ofAccount('margin', margin, BPS)]),
    ...breakers,
    ...strategies.flatMap(({ risk: own }, place): readonly LimitUse[] => {
      const strategy = strategyIndex(place);
      const open = orders.filter((order) => order.strategy === strategy).length;
      const loss = Math.max(0, view.lossOf(strategy));
      return [
        { limit: 'position', strategy, used: worst(view, strategy), max: own.positionMax },
        { limit: 'open_orders', strategy, used: open, max: own.openOrdersMax },
        { limit: 'daily_loss', strategy, used: loss, max: own.dailyLossMax },
      ];
    }),
  ];
}

/** Largest position in one contract if everything on one side fills; `strategy` is null for the account. */
function worst(view: RiskView, strategy: StrategyIndex | null): number {
  let most = 0;
  for (const { index } of view.contracts()) {
    const instrument = instrumentIndex(index);
    for (const side of SIDES)
      most = Math.max(
        most,
        heldQty(view, strategy, instrument, side) +
          workingQty(view, strategy, instrument, side, null) +
          view.owedExitQty(strategy, instrument, side),
      );
  }
  return most;
}

function heldQty(
  view: RiskView,
  strategy: StrategyIndex | null,
  instrument: InstrumentIndex,
  side: Side,
): number {
  if (strategy === null) return view.grossQty(instrument, side);
  return signOf(side) * view.position(strategy, instrument).qty;
}
