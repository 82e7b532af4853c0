/** The engine's state as plain data, for the status line, the summary and the control API. */
import { isFateUnknown, SIDES, signOf } from '../domain/order.ts';
import {
  OPERATOR_INDEX,
  type StrategyIndex,
  strategyIndex,
  tsUs,
  US_PER_MINUTE,
  US_PER_SECOND,
} from '../domain/units.ts';
import type { Contract } from '../domain/contract.ts';
import type { EngineState } from './engine-state.ts';
import { type EngineView, unshownExitQty, type OrderView, whyUnproven, workingQty } from './engine-view.ts';
import type { RiskSettings } from '../domain/settings.ts';
import type { SessionController } from './session/session-controller.ts';

/** Nothing in it changes afterwards. */
export type EngineSnapshot = Readonly<ReturnType<typeof engineSnapshot>>;
export type StrategyEntry = ReturnType<typeof strategyEntry>;
export type PositionEntry = ReturnType<typeof positionEntry>;
export type OpenOrderEntry = Readonly<ReturnType<typeof orderEntry>>;

export function engineSnapshot(
  parts: EngineState,
  procedures: ReturnType<SessionController['status']>,
  counts: { readonly events: number; readonly gaps: number; readonly duplicates: number },
) {
  const { context, session, market, halt, portfolio, orders, registry, executor, fills } = parts;
  const hasOperator =
    portfolio.hasActivity(OPERATOR_INDEX) || orders.open.some(({ strategy }) => strategy === OPERATOR_INDEX);
  const owners = [...registry.registered.map(({ index }) => index), ...(hasOperator ? [OPERATOR_INDEX] : [])];
  const { readUs } = parts.positionReconciler;
  return {
    seq: context.seq,
    tsUs: context.nowUs,
    boot: session.boot,
    tradingDay: session.day,
    phase: session.phase,
    stream: market.isLive ? ('live' as const) : ('down' as const),
    /** Entries are halted for this reason until a person resumes, or null. */
    halted: halt.reason,
    haltCode: halt.code,
    /** Positions do not count as proven for this reason, or null. */
    unproven: whyUnproven(parts),
    stopsUnproven: stopsUnproven(parts),
    money: parts.moneyReconciler.view,
    ...procedures,
    strategies: owners.map((owner) => strategyEntry(parts, owner)),
    orders: orders.open.map(orderEntry),
    /** Over all strategies and the operator. */
    dayPnl: portfolio.accountDayPnl(),
    /** The account's loss that a resume would accept; 0 below the limit. */
    lossToAccept: parts.losses.acceptableLoss(null),
    ...portfolio.costs(),
    limits: limitUses(parts),
    contracts: parts.contracts.all.map(({ index, orderCode }) => ({
      orderCode: orderCode as string,
      /** Null until the market sends it. */
      band: market.of(index).band ?? null,
      ours: portfolio.accountQty(index),
      /** As read last; null before the first read. */
      broker: parts.positionReconciler.brokerQty(index) ?? null,
    })),
    /** The latest that strategies publish. */
    plots: parts.plots.all,
    /** Books that were read before it are old; null without a fill in this session. */
    lastFillUs: fills.lastUs,
    /** When the broker's positions were read; null before the first time. */
    positionsReadUs: readUs === -Infinity ? null : tsUs(readUs),
    /** Since the session began. */
    counts: {
      ...counts,
      orders: executor.placed,
      denials: executor.denials,
      /** Orders. */
      rejections: executor.rejected,
      /** Changes and cancels, by the broker. */
      refusedChanges: executor.refusedChanges,
      fills: fills.count,
      disagreements: parts.rows.disagreements,
    },
  };
}

function stopsUnproven({ orders, session }: EngineState): string | null {
  const waiting = orders.open.filter(({ isTriggerOrder, isAdopted }) => isTriggerOrder && !isAdopted);
  if (waiting.length > 0 && session.triggersReadUs === -Infinity)
    return 'the trigger book was not read since the start';
  const unseen = waiting.find(({ isUnseen }) => isUnseen);
  if (unseen === undefined) return null;
  return `${unseen.clientOrderId} waited at the broker in the last session, and its trigger book has not shown it since`;
}

function strategyEntry(parts: EngineState, strategy: StrategyIndex) {
  const { registry, contracts, portfolio, orders, halt } = parts;
  const legs: readonly string[] = registry.legs(strategy).map(({ orderCode }) => orderCode);
  const positions: readonly PositionEntry[] = contracts.all
    .map((contract) => positionEntry(parts, strategy, contract))
    .filter(({ qty, realised }) => qty !== 0 || realised !== 0);
  return {
    /** `OPERATOR_INDEX` for adopted positions. */
    strategy,
    id: registry.idOf(strategy),
    /** Null while it runs, else the reason why it was stopped. */
    stopped: registry.registered[strategy]?.stopped ?? null,
    /** Entries are off for this reason until a person resumes, or null. */
    halted: halt.strategyReason(strategy),
    legs,
    positions,
    openOrders: orders.open.filter((order) => order.strategy === strategy).length,
    ...portfolio.fees(strategy),
    /** Profit or loss of the trading day after costs (rulings, 37). */
    dayPnl: portfolio.dayPnl(strategy),
    /** The strategy's loss that a resume would accept; 0 below the limit. */
    lossToAccept: parts.losses.acceptableLoss(strategy),
  };
}

function positionEntry(
  parts: EngineState,
  strategy: StrategyIndex,
  { index: instrument, orderCode }: Contract,
) {
  const { portfolio, coveredByOthers, uncovered } = parts;
  const position = portfolio.position(strategy, instrument);
  const key = `${strategy} ${instrument}`;
  const by = coveredByOthers.get(key);
  return {
    instrument,
    orderCode: orderCode as string,
    ...position,
    /** Open profit at the last known price. */
    open: portfolio.openProfit(position, instrument),
    /** Why these contracts get no protective stop, as text; null otherwise. */
    coveredBy: by === undefined || whyUnproven(parts, instrument) !== null ? null : by,
    /** Contracts that should have a stop at the broker now and have none; 0 without `risk.protectiveStop`. */
    uncoveredQty: uncovered.get(key) ?? 0,
  };
}

const orderEntry = (order: OrderView) => ({
  clientOrderId: order.clientOrderId,
  strategy: order.strategy,
  orderNo: order.orderNo,
  /** The order's name in the trigger book; null for an order at the exchange. */
  orderKey: order.orderKey,
  orderCode: order.orderCode as string,
  side: order.side,
  qty: order.qty,
  filledQty: order.filledQty,
  limitPrice: order.limitPrice,
  /** Null for an order without a trigger. */
  triggerPrice: order.triggerPrice,
  /** It waits at the broker for a worse price than the market's. */
  isStop: order.isTriggerOrder && order.orderKey !== null && order.role === 'stop',
  status: order.status,
  /** A person may have to resolve it. */
  isInDoubt: isFateUnknown(order.status) || order.extras.isContradicted || order.extras.isNumberLost,
  isAdopted: order.isAdopted,
});

interface Limit {
  readonly limit: string;
  readonly unit: 'contracts' | 'orders' | 'messages' | 'VND' | '%';
  /** Key of the limit in the settings of the account, and of each strategy that has it. */
  readonly setting: keyof RiskSettings | 'collateralPercent';
  /** `strategy` is null for the account; undefined before it is read. */
  readonly used: (state: EngineState, strategy: StrategyIndex | null) => number | undefined;
}

/** The limits whose use an operator sees. The rules decide by their own figures; these are never read by a decision. */
const LIMITS = [
  { limit: 'position', unit: 'contracts', setting: 'positionMax', used: worstPosition },
  { limit: 'open_orders', unit: 'orders', setting: 'openOrdersMax', used: openOrders },
  {
    limit: 'daily_loss',
    unit: 'VND',
    setting: 'dailyLossMax',
    used: ({ losses }, strategy) =>
      strategy === null ? losses.accountLoss() : losses.strategyLoss(strategy),
  },
  {
    limit: 'orders_per_second',
    unit: 'orders',
    setting: 'ordersPerSecondMax',
    used: ({ breakers: { rate }, context }) => rate.count(US_PER_SECOND, context.nowUs),
  },
  {
    limit: 'orders_per_minute',
    unit: 'orders',
    setting: 'ordersPerMinuteMax',
    used: ({ breakers: { rate }, context }) => rate.count(US_PER_MINUTE, context.nowUs),
  },
  // The broker's margin use: required margin / collateral.
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
  { limit: 'drawdown', unit: 'VND', setting: 'drawdownMax', used: ({ breakers }) => breakers.drawdown },
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
    ...strategies.flatMap(({ risk: ofStrategy }, index) => usesOf(strategyIndex(index), ofStrategy)),
  ];
}

function openOrders({ orders }: Pick<EngineView, 'orders'>, strategy: StrategyIndex | null): number {
  const isOf = (order: OrderView): boolean => strategy === null || order.strategy === strategy;
  return orders.open.filter((order) => isOf(order) && !order.isProtective).length;
}

/** Largest position in one contract if everything on one side fills; `strategy` is null for the account. */
function worstPosition(view: EngineView, strategy: StrategyIndex | null): number {
  const { contracts, portfolio } = view;
  let most = 0;
  for (const { index } of contracts.all)
    for (const side of SIDES) {
      const held =
        strategy === null
          ? portfolio.grossQty(index, side)
          : signOf(side) * portfolio.position(strategy, index).qty;
      const working = workingQty(view, strategy, index, side);
      most = Math.max(most, held + working + unshownExitQty(view, strategy, index, side));
    }
  return most;
}
