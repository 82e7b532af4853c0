/** The engine's state as plain data, for the status line, the summary and the control API. */
import type { SessionPhase } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import type { PriceBand } from '../domain/contract.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId } from '../domain/ids.ts';
import { type OrderStatus, type Side, signOf } from '../domain/order.ts';
import {
  type InstrumentIndex,
  type Money,
  OPERATOR_INDEX,
  type PriceTicks,
  type Qty,
  type Seq,
  type SignedQty,
  type StrategyIndex,
  strategyIndex,
  type TsUs,
  tsUs,
  US_PER_MINUTE,
  US_PER_SECOND,
} from '../domain/units.ts';
import { IN_DOUBT } from './orders/order-life.ts';
import type { EngineState } from './engine-state.ts';
import { type EngineView, whyUnproven, workingQty } from './engine-view.ts';
import type { PlotValue } from './ports/outbound.ts';
import type { MoneyView } from './positions/money-reconciler.ts';
import type { RiskSettings } from '../domain/settings.ts';

export interface PositionEntry {
  readonly instrument: InstrumentIndex;
  readonly orderCode: string;
  readonly qty: SignedQty;
  readonly openValue: Money;
  readonly realised: Money;
  /** Open profit at the last known price. */
  readonly open: Money;
  /** By whom contracts are covered that get no stop of their own, in words, or null. */
  readonly coveredBy: string | null;
  /** Contracts that should have a stop at the broker now and have none; 0 without `risk.protectiveStop`. */
  readonly uncoveredQty: number;
}

export interface StrategyEntry {
  /** `OPERATOR_INDEX` for adopted positions. */
  readonly strategy: StrategyIndex;
  readonly id: string;
  /** Null while it runs, else the reason why it was stopped. */
  readonly stopped: string | null;
  /** Entries are off for this reason until a person resumes, or null. */
  readonly halted: string | null;
  readonly legs: readonly string[];
  readonly positions: readonly PositionEntry[];
  readonly openOrders: number;
  readonly fills: number;
  readonly fee: Money;
  readonly tax: Money;
  /** Profit or loss of the trading day after costs (rulings, 37). */
  readonly dayPnl: Money;
  /** Its loss of the day that a resume would accept: it has reached its limit, else 0. */
  readonly lossToAccept: Money;
}

export interface OpenOrderEntry {
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly orderNo: BrokerOrderNo | null;
  /** Its name in the trigger book; null elsewhere. */
  readonly orderKey: BrokerOrderKey | null;
  readonly orderCode: string;
  readonly side: Side;
  readonly qty: Qty;
  readonly filledQty: Qty;
  readonly limitPrice: PriceTicks;
  /** Null for an order without a trigger. */
  readonly triggerPrice: PriceTicks | null;
  /** It waits at the broker for a worse price than the market's. */
  readonly isStop: boolean;
  readonly status: OrderStatus;
  /** A person may have to resolve it. */
  readonly isInDoubt: boolean;
  readonly isAdopted: boolean;
}

interface ContractEntry {
  readonly orderCode: string;
  /** Null until the market sends it. */
  readonly band: PriceBand | null;
  readonly ours: SignedQty;
  /** As read last; null before the first read. */
  readonly broker: SignedQty | null;
}

export interface EngineSnapshot {
  readonly seq: Seq;
  readonly tsUs: TsUs;
  readonly boot: number;
  readonly tradingDay: TradingDay | null;
  readonly phase: SessionPhase;
  readonly stream: 'live' | 'down';
  /** Entries are halted for this reason until a person resumes, or null. */
  readonly halted: string | null;
  /** Positions do not count as proven for this reason, or null. */
  readonly unproven: string | null;
  /** Why our stops at the broker are not proven, or null. */
  readonly stopsUnproven: string | null;
  /** Our money of the day against the broker's. */
  readonly money: MoneyView;
  /** Procedures of the session controller under way, empty when there are none. */
  readonly procedure: string;
  readonly strategies: readonly StrategyEntry[];
  readonly orders: readonly OpenOrderEntry[];
  /** Over all strategies and the operator. */
  readonly dayPnl: Money;
  /** As of a strategy. */
  readonly lossToAccept: Money;
  readonly fee: Money;
  readonly tax: Money;
  readonly limits: readonly LimitUse[];
  readonly contracts: readonly ContractEntry[];
  /** The latest that strategies publish. */
  readonly plots: readonly PlotValue[];
  /** When the broker's positions were read; null before the first time. */
  readonly positionsReadUs: TsUs | null;
  /** Books that were read before it are old; null without a fill in this session. */
  readonly lastFillUs: TsUs | null;
  readonly counts: EngineCounts;
}

/** Counted since the session began. */
interface EngineCounts {
  readonly events: number;
  readonly orders: number;
  readonly denials: number;
  /** Orders. */
  readonly rejections: number;
  /** Changes and cancels, by the broker. */
  readonly refusedChanges: number;
  readonly fills: number;
  readonly gaps: number;
  readonly duplicates: number;
  readonly disagreements: number;
}

/** The engine's state as plain data: nothing in it changes afterwards. */
export function engineSnapshot(
  parts: EngineState,
  procedure: string,
  counts: Pick<EngineSnapshot['counts'], 'events' | 'gaps' | 'duplicates'>,
): EngineSnapshot {
  const { context, session, market, halt, portfolio, orders, registry, executor, fills } = parts;
  const hasOperator =
    portfolio.has(OPERATOR_INDEX) || orders.open.some(({ strategy }) => strategy === OPERATOR_INDEX);
  const owners = [...registry.seats.map(({ index }) => index), ...(hasOperator ? [OPERATOR_INDEX] : [])];
  const { fee, tax } = portfolio.costs();
  const { readUs } = parts.positionReconciler;
  return {
    seq: context.seq,
    tsUs: context.nowUs,
    boot: session.boot,
    tradingDay: session.day,
    phase: session.phase,
    stream: market.isLive ? 'live' : 'down',
    halted: halt.reason,
    unproven: whyUnproven(parts),
    stopsUnproven: stopsUnproven(parts),
    money: parts.moneyReconciler.view,
    procedure,
    strategies: owners.map((owner) => strategyEntry(parts, owner)),
    orders: orders.open.map(orderEntry),
    dayPnl: portfolio.accountDayPnl(),
    lossToAccept: parts.losses.toAccept(null),
    fee,
    tax,
    limits: limitUses(parts),
    contracts: contractEntries(parts),
    plots: parts.plots.all,
    lastFillUs: fills.lastUs,
    positionsReadUs: readUs === -Infinity ? null : tsUs(readUs),
    counts: {
      ...counts,
      orders: executor.placed,
      denials: executor.denials,
      rejections: executor.rejected,
      refusedChanges: executor.refusedChanges,
      fills: fills.count,
      disagreements: parts.rows.disagreements,
    },
  };
}

function stopsUnproven({ orders, session }: EngineState): string | null {
  const waiting = orders.open.filter(({ isWaiting, isAdopted }) => isWaiting && !isAdopted);
  if (waiting.length > 0 && session.triggersReadUs === -Infinity)
    return 'the trigger book was not read since the start';
  const unseen = waiting.find(({ isUnseen }) => isUnseen);
  if (unseen === undefined) return null;
  return `${unseen.clientOrderId} waited at the broker in the last session, and its trigger book has not shown it since`;
}

function strategyEntry(parts: EngineState, strategy: StrategyIndex): StrategyEntry {
  const { registry, portfolio, orders, halt } = parts;
  return {
    strategy,
    id: registry.idOf(strategy),
    stopped: registry.seats[strategy]?.stopped ?? null,
    halted: halt.strategyReason(strategy),
    legs: registry.legs(strategy).map(({ orderCode }) => orderCode),
    positions: positionEntries(parts, strategy),
    openOrders: orders.open.filter((order) => order.strategy === strategy).length,
    ...portfolio.fees(strategy),
    dayPnl: portfolio.dayPnl(strategy),
    lossToAccept: parts.losses.toAccept(strategy),
  };
}

function positionEntries(parts: EngineState, strategy: StrategyIndex): readonly PositionEntry[] {
  const { contracts, portfolio, coveredByOthers, uncovered } = parts;
  const entries: PositionEntry[] = [];
  for (const { index: instrument, orderCode } of contracts.all) {
    const position = portfolio.position(strategy, instrument);
    if (position.qty === 0 && position.realised === 0) continue;
    const by = coveredByOthers.size === 0 ? undefined : coveredByOthers.get(`${strategy} ${instrument}`);
    const coveredBy = by === undefined || whyUnproven(parts) !== null ? null : by;
    entries.push({
      instrument,
      orderCode,
      ...position,
      open: portfolio.open(position, instrument),
      coveredBy,
      uncoveredQty: uncovered.get(`${strategy} ${instrument}`) ?? 0,
    });
  }
  return entries;
}

const contractEntries = ({
  contracts,
  market,
  portfolio,
  positionReconciler,
}: EngineState): readonly ContractEntry[] =>
  contracts.all.map(({ index, orderCode }) => ({
    orderCode,
    band: market.band(index) ?? null,
    ours: portfolio.accountQty(index),
    broker: positionReconciler.brokerQty(index) ?? null,
  }));

const orderEntry = (order: EngineState['orders']['open'][number]): OpenOrderEntry => ({
  clientOrderId: order.clientOrderId,
  strategy: order.strategy,
  orderNo: order.orderNo,
  orderKey: order.orderKey,
  orderCode: order.orderCode,
  side: order.side,
  qty: order.qty,
  filledQty: order.filledQty,
  limitPrice: order.limitPrice,
  triggerPrice: order.triggerPrice,
  isStop: order.isWaiting && order.orderKey !== null && order.role === 'stop',
  status: order.status,
  isInDoubt: IN_DOUBT.has(order.status) || order.doubt.isContradicted || order.doubt.isNumberLost,
  isAdopted: order.isAdopted,
});

// The limits whose use an operator sees. The rules decide by their own figures; these are never read by a decision.

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
    used: ({ breakers: { rate }, context }) => rate.within(US_PER_SECOND, context.nowUs),
  },
  {
    limit: 'orders_per_minute',
    unit: 'orders',
    setting: 'ordersPerMinuteMax',
    used: ({ breakers: { rate }, context }) => rate.within(US_PER_MINUTE, context.nowUs),
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
