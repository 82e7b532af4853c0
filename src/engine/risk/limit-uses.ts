/** How much of each risk limit is used, for the operator. The rules decide by their own figures; these are never read by a decision. */
import type { EngineSettings } from '../../domain/settings.ts';
import { type Side, signOf } from '../../domain/order.ts';
import { BPS, type StrategyIndex, strategyIndex, US_PER_MINUTE, US_PER_SECOND } from '../../domain/units.ts';
import { workingQty } from './exposure.ts';
import type { Owners } from '../owners.ts';

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

const ofAccount = (limit: LimitName, used: number, max: number): LimitUse => ({
  limit,
  strategy: null,
  used: Math.max(0, used),
  max,
});

/** `breakers`: uses of the limits that halt by themselves. */
export function limitUses(
  owners: Owners,
  { risk, strategies }: Pick<EngineSettings, 'risk' | 'strategies'>,
  breakers: readonly LimitUse[],
): readonly LimitUse[] {
  const { context, losses, session } = owners;
  const { rate } = owners.orders;
  const orders = owners.orders.open.filter(({ isProtective }) => !isProtective);
  const margin = session.account.figures?.usageBps;
  return [
    ofAccount('position', worst(owners, null), risk.positionMax),
    ofAccount('open_orders', orders.length, risk.openOrdersMax),
    ofAccount('daily_loss', losses.ofAccount(), risk.dailyLossMax),
    ofAccount('orders_per_second', rate.within(US_PER_SECOND, context.nowUs), risk.ordersPerSecondMax),
    ofAccount('orders_per_minute', rate.within(US_PER_MINUTE, context.nowUs), risk.ordersPerMinuteMax),
    ...(margin === undefined ? [] : [ofAccount('margin', margin, BPS)]),
    ...breakers,
    ...strategies.flatMap(({ risk: own }, place): readonly LimitUse[] => {
      const strategy = strategyIndex(place);
      const open = orders.filter((order) => order.strategy === strategy).length;
      const loss = Math.max(0, losses.of(strategy));
      return [
        { limit: 'position', strategy, used: worst(owners, strategy), max: own.positionMax },
        { limit: 'open_orders', strategy, used: open, max: own.openOrdersMax },
        { limit: 'daily_loss', strategy, used: loss, max: own.dailyLossMax },
      ];
    }),
  ];
}

/** Largest position in one contract if everything on one side fills; `strategy` is null for the account. */
function worst(owners: Owners, strategy: StrategyIndex | null): number {
  const { contracts, exits, portfolio } = owners;
  let most = 0;
  for (const { index } of contracts.all)
    for (const side of SIDES) {
      const held =
        strategy === null
          ? portfolio.grossQty(index, side)
          : signOf(side) * portfolio.position(strategy, index).qty;
      const working = workingQty(owners, strategy, index, side);
      most = Math.max(most, held + working + exits.owedQty(strategy, index, side));
    }
  return most;
}
