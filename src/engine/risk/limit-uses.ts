/** The limits whose use an operator sees. The rules decide by their own figures; these are never read by a decision. */
import type { RiskSettings } from '../../domain/settings.ts';
import { type Side, signOf } from '../../domain/order.ts';
import { type StrategyIndex, strategyIndex, US_PER_MINUTE, US_PER_SECOND } from '../../domain/units.ts';
import type { EngineState } from '../engine-state.ts';
import type { EngineView } from '../engine-view.ts';
import { workingQty } from './exposure.ts';

interface Limit {
  readonly limit: string;
  readonly unit: 'contracts' | 'orders' | 'messages' | 'VND' | '%';
  /** Of the account, and of each strategy that has one of this name. */
  readonly setting: keyof RiskSettings | 'collateralPercent';
  /** `strategy` is null for the account; undefined before it is read. */
  readonly used: (state: EngineState, strategy: StrategyIndex | null) => number | undefined;
}

const LIMITS = [
  { limit: 'position', unit: 'contracts', setting: 'positionMax', used: worst },
  { limit: 'open_orders', unit: 'orders', setting: 'openOrdersMax', used: openOrders },
  {
    limit: 'daily_loss',
    unit: 'VND',
    setting: 'dailyLossMax',
    used: ({ losses }, strategy) => (strategy === null ? losses.ofAccount() : losses.of(strategy)),
  },
  {
    limit: 'orders_per_second',
    unit: 'orders',
    setting: 'ordersPerSecondMax',
    used: ({ orders: { rate }, context }) => rate.within(US_PER_SECOND, context.nowUs),
  },
  {
    limit: 'orders_per_minute',
    unit: 'orders',
    setting: 'ordersPerMinuteMax',
    used: ({ orders: { rate }, context }) => rate.within(US_PER_MINUTE, context.nowUs),
  },
  // Of the broker's: required margin by collateral.
  {
    limit: 'margin',
    unit: '%',
    setting: 'collateralPercent',
    used: ({ session }) => session.account.figures && session.account.figures.usageBps / 100,
  },
  {
    limit: 'messages_per_minute',
    unit: 'messages',
    setting: 'messagesPerMinuteMax',
    used: ({ breakers }) => breakers.messages,
  },
  {
    limit: 'rejections_per_minute',
    unit: 'orders',
    setting: 'rejectionsPerMinuteMax',
    used: ({ breakers }) => breakers.rejections,
  },
  { limit: 'drawdown', unit: 'VND', setting: 'drawdownMax', used: ({ breakers }) => breakers.lost },
] as const satisfies readonly Limit[];

type Settings = { readonly [each in (typeof LIMITS)[number]['setting']]?: number | undefined };

export interface LimitUse {
  readonly limit: (typeof LIMITS)[number]['limit'];
  /** Null for a limit of the account. */
  readonly strategy: StrategyIndex | null;
  readonly unit: Limit['unit'];
  /** Zero or more. */
  readonly used: number;
  readonly max: number;
}

export const limitsOf = (settings: Settings) =>
  LIMITS.flatMap(({ setting, ...limit }) => {
    const max = settings[setting];
    return max === undefined ? [] : [{ ...limit, max }];
  });

export function limitUses(state: EngineState): readonly LimitUse[] {
  const usesOf = (strategy: StrategyIndex | null, settings: Settings): readonly LimitUse[] =>
    limitsOf(settings).flatMap(({ used, ...limit }) => {
      const now = used(state, strategy);
      return now === undefined ? [] : [{ ...limit, strategy, used: Math.max(0, now) }];
    });
  const { risk, strategies } = state.settings;
  return [
    ...usesOf(null, { ...risk, collateralPercent: 100 }),
    ...strategies.flatMap(({ risk: own }, place) => usesOf(strategyIndex(place), own)),
  ];
}

function openOrders({ orders }: Pick<EngineView, 'orders'>, strategy: StrategyIndex | null): number {
  const own = orders.open.filter((order) => strategy === null || order.strategy === strategy);
  return own.filter(({ isProtective }) => !isProtective).length;
}

const SIDES: readonly Side[] = ['buy', 'sell'];

/** Largest position in one contract if everything on one side fills; `strategy` is null for the account. */
function worst(view: EngineView, strategy: StrategyIndex | null): number {
  const { contracts, exits, portfolio } = view;
  let most = 0;
  for (const { index } of contracts.all)
    for (const side of SIDES) {
      const held =
        strategy === null
          ? portfolio.grossQty(index, side)
          : signOf(side) * portfolio.position(strategy, index).qty;
      const working = workingQty(view, strategy, index, side);
      most = Math.max(most, held + working + exits.owedQty(strategy, index, side));
    }
  return most;
}
