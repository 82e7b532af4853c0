import { instrumentIndex, money, OPERATOR_INDEX, type StrategyIndex } from '../domain/units.ts';
import type { EngineParts } from './engine-parts.ts';
import type { EngineView, OpenOrderEntry, PositionEntry, StrategyEntry } from './engine-view.ts';

/** The engine's state as plain data: nothing in it changes afterwards. */
export function engineSnapshot(
  parts: EngineParts,
  counts: Pick<EngineView['counts'], 'events' | 'gaps' | 'duplicates'>,
): EngineView {
  const {
    context,
    session,
    market,
    halt,
    view,
    controller,
    portfolio,
    orders,
    registry,
    executor,
    outcomes,
    fills,
  } = parts;
  const owners = [...registry.seats.map(({ index }) => index), OPERATOR_INDEX];
  const strategies = owners
    .filter((owner) => owner !== OPERATOR_INDEX || portfolio.has(owner) || hasOpenOrders(parts, owner))
    .map((owner) => strategyEntry(parts, owner));
  const total = owners.map((owner) => portfolio.fees(owner));
  return {
    seq: context.seq,
    tsUs: context.nowUs,
    boot: session.boot,
    tradingDay: session.day,
    phase: session.phase,
    stream: market.isLive ? 'live' : 'down',
    halted: halt.reason,
    unproven: view.unproven(),
    procedure: controller.status(),
    strategies,
    orders: orders.open.map(orderEntry),
    dayPnl: portfolio.accountDayPnl(),
    fee: money(total.reduce((sum, { fee }) => sum + fee, 0)),
    tax: money(total.reduce((sum, { tax }) => sum + tax, 0)),
    counts: {
      events: counts.events,
      gaps: counts.gaps,
      duplicates: counts.duplicates,
      orders: executor.placed,
      denials: executor.denials,
      rejections: outcomes.rejected,
      fills: fills.count,
      disagreements: parts.disagreements.count,
    },
  };
}

function hasOpenOrders({ orders }: EngineParts, owner: StrategyIndex): boolean {
  return orders.open.some(({ strategy }) => strategy === owner);
}

function strategyEntry(parts: EngineParts, strategy: StrategyIndex): StrategyEntry {
  const { registry, portfolio, orders, halt } = parts;
  return {
    strategy,
    id: registry.idOf(strategy),
    stopped: registry.stoppedReason(strategy),
    latched: halt.strategyReason(strategy),
    legs: registry.legs(strategy).map(({ orderCode }) => orderCode),
    positions: positionEntries(parts, strategy),
    openOrders: orders.open.filter((order) => order.strategy === strategy).length,
    ...portfolio.fees(strategy),
    dayPnl: portfolio.dayPnl(strategy),
  };
}

function positionEntries(
  { contracts, portfolio }: EngineParts,
  strategy: StrategyIndex,
): readonly PositionEntry[] {
  const entries: PositionEntry[] = [];
  for (const { index, orderCode } of contracts.all) {
    const instrument = instrumentIndex(index);
    const position = portfolio.position(strategy, instrument);
    if (position.qty === 0 && position.realised === 0) continue;
    entries.push({ instrument, orderCode, ...position, open: portfolio.open(position, instrument) });
  }
  return entries;
}

const orderEntry = (order: EngineParts['orders']['open'][number]): OpenOrderEntry => ({
  clientOrderId: order.clientOrderId,
  strategy: order.strategy,
  orderNo: order.orderNo,
  orderCode: order.orderCode,
  side: order.side,
  qty: order.qty,
  filledQty: order.filledQty,
  limitPrice: order.limitPrice,
  status: order.status,
  isAdopted: order.isAdopted,
});
