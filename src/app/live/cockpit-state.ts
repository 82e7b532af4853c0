/** The daemon as its page shows it. */
import { nextPhaseChange, phaseAt, type SessionPhase, type TradingCalendar } from '../../domain/calendar.ts';
import { type Contract, NO_BAND_BPS, pointsOf, type PriceBand } from '../../domain/contract.ts';
import { type PriceTicks, priceTicks, seconds, type TsUs, US_PER_MS } from '../../domain/units.ts';
import type { EngineView, OpenOrderEntry, StrategyEntry } from '../../engine/engine-snapshot.ts';
import { NO_PRICE } from '../../engine/orders/adoption.ts';
import type {
  AccountMoney,
  BooksState,
  CockpitState,
  ContractState,
  EngineHealth,
  LimitState,
  OrderState,
  PlotState,
  PositionState,
  SessionState,
  StrategyState,
} from '../../operator/cockpit/cockpit-model.ts';
import { avgPoints } from '../inspect/read-orders.ts';
import { jobsText } from '../edge/schedule.ts';
import { systemClock } from '../host/system-clock.ts';
import { armedFaults } from '../simulator/simulator-faults.ts';
import type { Daemon } from './daemon.ts';
import { healthProblem } from './health.ts';

/** The view comes each second; an engine that computes for longer has hung or is overloaded. */
const ANSWER_MAX = seconds(4);
const ACCOUNT_TAIL = 4;
const BPS_PER_PERCENT = 100;
const HUNDREDTHS = 100;
/** Phase changes of more than a month without a session. */
const CHANGES_SEARCHED_MAX = 400;

const toMs = (at: TsUs): number => Math.floor(at / US_PER_MS);

/** The server adds the code that confirms. */
export function cockpitState(daemon: Daemon, version: string): Omit<CockpitState, 'confirm'> {
  const { config, edge, lastView: view } = daemon;
  const { address, clockMap } = daemon.options;
  const { state, isStale, connections } = edge.stream.status();
  const contracts = edge.table.contracts;
  return {
    mode: config.mode,
    version,
    account: `…${address.subAccountId.slice(-ACCOUNT_TAIL)}`,
    session: sessionState(config.calendar, daemon.clock.nowUs(), clockMap.speed, daemon.sessionDay ?? null),
    halted: daemon.halt.reason ?? view?.halted ?? null,
    sweep: daemon.sweep.progress,
    problems: problemsOf(daemon),
    engine: engineHealth(daemon),
    feed: { state, isStale, isBehind: daemon.cycle.session?.inbox.isBehind === true, connections },
    token: tokenState(daemon),
    jobs: jobsText(daemon.jobs),
    money: moneyOf(view),
    strategies: (view?.strategies ?? []).map((entry) => strategyState(daemon, entry, contracts)),
    limits: (view?.limits ?? []).map((use) => limitState(daemon, use)),
    orders: (view?.orders ?? []).map((order) => orderState(daemon, order, contracts)),
    books: booksState(view),
    contracts: contracts.map((contract) =>
      contractState(
        contract,
        view?.contracts.find(({ orderCode }) => orderCode === contract.orderCode)?.band ?? null,
      ),
    ),
    plots: (view?.plots ?? []).flatMap((plot) => plotState(daemon, plot, contracts)),
    procedure: view?.procedure ?? '',
    alerts: { unseen: daemon.alerting.state.unseen },
    ...(address.faults !== null && { faults: armedFaults(address.faults) }),
  };
}

function sessionState(calendar: TradingCalendar, now: TsUs, speed: number, day: string | null): SessionState {
  const change = phaseEnd(calendar, now);
  return {
    day,
    phase: phaseAt(calendar, now),
    endsMs: change === null ? null : toMs(change.at),
    next: change === null ? null : change.next,
    utcOffsetMinutes: calendar.utcOffsetMinutes,
    speed,
  };
}

/** Nights, weekends and holidays are one closed phase; null where the calendar knows no end of it. */
function phaseEnd(
  calendar: TradingCalendar,
  now: TsUs,
): { readonly at: TsUs; readonly next: SessionPhase } | null {
  const phase = phaseAt(calendar, now);
  let at = now;
  for (let look = 0; look < CHANGES_SEARCHED_MAX; look += 1) {
    at = nextPhaseChange(calendar, at);
    const next = phaseAt(calendar, at);
    if (next !== phase) return { at, next };
  }
  return null;
}

const tickPoints = ({ spec }: Contract): number => pointsOf(spec, priceTicks(1));

function contractState(contract: Contract, band: PriceBand | null): ContractState {
  const { spec, orderCode } = contract;
  const hasBand = band !== null && spec.bandBps < NO_BAND_BPS;
  return {
    contract: orderCode,
    tickPoints: tickPoints(contract),
    floorPoints: hasBand ? pointsOf(spec, band.floor) : null,
    ceilingPoints: hasBand ? pointsOf(spec, band.ceiling) : null,
    referencePoints: band === null ? null : band.reference / (spec.partsPerPoint ?? HUNDREDTHS),
  };
}

function problemsOf(daemon: Daemon): readonly string[] {
  const { lastView: view, degraded, clockProblem, programTold, alerting } = daemon;
  const told = [
    degraded,
    healthProblem(daemon),
    clockProblem,
    typeof view?.unproven === 'string' ? `positions are not proven: ${view.unproven}` : null,
    view?.money.state === 'differs' ? 'money differs from the broker’s' : null,
    programTold,
    ...alerting.state.channels.map(({ id, trouble }) =>
      trouble === null ? null : `the channel ${id} fails: ${trouble}`,
    ),
  ];
  return [...new Set(told.filter((text) => text !== null))];
}

export function engineHealth({ sessionDay, viewedUs, lastView }: Daemon): EngineHealth {
  if (sessionDay === undefined || lastView === undefined) return { state: 'none' };
  const isLate = systemClock.nowUs() - viewedUs > ANSWER_MAX;
  return { state: isLate ? 'hung' : 'running' };
}

function tokenState({ edge: { tokens }, otpDesk }: Daemon): CockpitState['token'] {
  const token = tokens.current();
  return {
    untilRealMs: token === undefined ? null : toMs(token.expiresAt),
    isOtpAwaited: otpDesk.isWaiting,
    exchangesUsed: tokens.budget.used,
    exchangesAllowed: tokens.budget.allowed,
  };
}

const moneyOf = (view: EngineView | undefined): AccountMoney => ({
  dayPnlVnd: view?.dayPnl ?? 0,
  feeVnd: view?.fee ?? 0,
  taxVnd: view?.tax ?? 0,
});

function strategyState(
  { cycle }: Daemon,
  entry: StrategyEntry,
  contracts: readonly Contract[],
): StrategyState {
  const configured = cycle.session?.strategies.present.configured;
  return {
    id: entry.id,
    strategy: configured?.find(({ settings }) => settings.id === entry.id)?.definition ?? '',
    stopped: entry.stopped,
    halted: entry.halted,
    contracts: entry.legs,
    positions: entry.positions.map((held) => positionState(held, contracts)),
    openOrders: entry.openOrders,
    fills: entry.fills,
    feeVnd: entry.fee,
    taxVnd: entry.tax,
    dayPnlVnd: entry.dayPnl,
  };
}

function positionState(
  { orderCode, qty, openValue, open }: StrategyEntry['positions'][number],
  contracts: readonly Contract[],
): PositionState {
  const contract = contracts.find((each) => each.orderCode === orderCode);
  const isPriced = qty !== 0 && contract !== undefined;
  return {
    contract: orderCode,
    qty,
    avgPoints: isPriced ? avgPoints(contract.spec, openValue, qty) : null,
    openVnd: open,
  };
}

const UNIT: Readonly<Record<EngineView['limits'][number]['limit'], LimitState['unit']>> = {
  position: 'contracts',
  open_orders: 'orders',
  daily_loss: 'VND',
  orders_per_second: 'orders',
  orders_per_minute: 'orders',
  messages_per_minute: 'messages',
  rejections_per_minute: 'orders',
  drawdown: 'VND',
  margin: '%',
};

function limitState(
  { names }: Daemon,
  { limit, strategy, used, max }: EngineView['limits'][number],
): LimitState {
  const unit = UNIT[limit];
  const scale = unit === '%' ? BPS_PER_PERCENT : 1;
  const owner = strategy === null ? null : names.nameOf(strategy);
  return { limit, strategy: owner, used: used / scale, max: max / scale, unit };
}

function orderState({ names }: Daemon, order: OpenOrderEntry, contracts: readonly Contract[]): OrderState {
  const contract = contracts.find(({ orderCode }) => orderCode === order.orderCode);
  const points = (price: PriceTicks | null): number | null =>
    price === null || price === NO_PRICE || contract === undefined ? null : pointsOf(contract.spec, price);
  return {
    id: order.clientOrderId,
    orderNo: order.orderNo,
    strategy: names.nameOf(order.strategy),
    contract: order.orderCode,
    side: order.side,
    qty: order.qty,
    filledQty: order.filledQty,
    limitPoints: points(order.limitPrice),
    triggerPoints: points(order.triggerPrice),
    status: order.status,
    isAdopted: order.isAdopted,
    isUnknown: order.status === 'unknown' || order.status === 'presumed_absent',
  };
}

function plotState(
  { names }: Daemon,
  { strategy, instrument, name, tsUs, value }: EngineView['plots'][number],
  contracts: readonly Contract[],
): readonly PlotState[] {
  const contract = contracts[instrument];
  if (contract === undefined) return [];
  const points = value * tickPoints(contract);
  return [{ strategy: names.nameOf(strategy), name, contract: contract.orderCode, atMs: toMs(tsUs), points }];
}

const msOf = (at: TsUs | null | undefined): number | null =>
  at === null || at === undefined ? null : toMs(at);

function booksState(view: EngineView | undefined): BooksState {
  const held = (view?.contracts ?? []).filter(
    ({ ours, broker }) => ours !== 0 || (broker !== null && broker !== 0),
  );
  return {
    unproven: view?.unproven ?? null,
    positions: held.map(({ orderCode, ours, broker }) => ({
      contract: orderCode,
      ours,
      broker: broker ?? 0,
    })),
    money: view?.money.state ?? 'unread',
    figures: view?.money.figures ?? [],
    positionsMs: msOf(view?.positionsReadUs),
    moneyMs: msOf(view?.money.comparedUs),
    lastFillMs: msOf(view?.lastFillUs),
  };
}
