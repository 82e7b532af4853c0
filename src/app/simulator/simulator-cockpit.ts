/** The page of a simulator that runs alone: its market, its customers, and its faults. */
import type { TradingCalendar } from '../../domain/calendar.ts';
import { dayAt } from '../../domain/civil-date.ts';
import { errorText } from '../../domain/failure.ts';
import type { AccountId } from '../../domain/ids.ts';
import { pointsOf } from '../../domain/contract.ts';
import type { PriceTicks } from '../../domain/units.ts';
import { type Cockpit, type CockpitHandlers, startCockpit } from '../../operator/cockpit/cockpit-server.ts';
import type { CockpitState, CustomerState, OrderState } from '../../operator/cockpit/cockpit-model.ts';
import type { CockpitFacts } from '../../operator/cockpit/event-streams.ts';
import { contractState, positionState, sessionState, toMs } from '../../operator/cockpit/market-state.ts';
import { PAGE_DIR } from '../../operator/cockpit/page-files.ts';
import { Secrets } from '../../operator/redact.ts';
import type { RunningSimulator } from '../../simulator/start-simulator.ts';
import type { ContractBoard } from '../../venue/exchange/contract-book.ts';
import type { OrderReport, TriggerReport } from '../../venue/venue-event.ts';
import { packageVersion } from '../host/package-version.ts';
import { systemClock } from '../host/system-clock.ts';
import { MarketLog } from './market-log.ts';
import { armedFaults, ownFaults, pageFaults, type SimulatorFaults } from './simulator-faults.ts';

export interface SimulatorPageOptions {
  /** On 127.0.0.1; 0 takes any. */
  readonly port: number;
  readonly calendar: TradingCalendar;
  /** Where accounts and orders are kept. */
  readonly stateDir: string;
  /** For the terminal. */
  readonly tell: (text: string) => void;
}

export async function startSimulatorPage(
  running: RunningSimulator,
  { port, calendar, stateDir, tell }: SimulatorPageOptions,
): Promise<Cockpit> {
  const faults = ownFaults(running.faults);
  const log = new MarketLog(running, calendar.utcOffsetMinutes);
  return startCockpit({
    address: '127.0.0.1',
    port,
    hosts: [],
    isBehindProxy: false,
    pageDir: PAGE_DIR,
    clock: systemClock,
    linkFrom: `tickwright open --state ${stateDir}`,
    secrets: new Secrets([]),
    handlers: {
      facts: () => Promise.resolve(simulatorState(running, faults, calendar, stateDir)),
      marketMs: () => toMs(running.marketNowUs()),
      prices: log,
      entries: log,
      onFailure: (error) => tell(`the page failed: ${errorText(error)}`),
      command: () => ({ ok: false, message: 'a simulator has no such command: its page takes faults' }),
      faults: pageFaults(faults, (text, _by, { ok, message }) =>
        log.add({ kind: 'fault', word: 'fault', tone: ok ? 'yellow' : 'red', text: `${text}: ${message}` }),
      ),
      reads: readsOf(log),
      refused: () => undefined,
      alert: tell,
    },
  });
}

/** A simulator has prices alone: its journal is the client's. */
const readsOf = (log: MarketLog): CockpitHandlers['reads'] => ({
  journal: () => Promise.resolve({ entries: [], before: null }),
  days: () => Promise.resolve([]),
  story: () => Promise.resolve(null),
  bars: (contract) => Promise.resolve(log.bars(contract)),
  research: () => Promise.resolve([]),
  report: () => Promise.resolve(null),
});

const ACCOUNT_TAIL = 4;

function simulatorState(
  running: RunningSimulator,
  faults: SimulatorFaults,
  calendar: TradingCalendar,
  stateDir: string,
): CockpitFacts {
  const now = running.marketNowUs();
  const boards = running.boards();
  const armed = armedFaults(faults);
  return {
    ...NO_DAEMON,
    version: packageVersion(),
    account: `…${running.subAccountId.slice(-ACCOUNT_TAIL)}`,
    stateDir,
    session: sessionState(calendar, now, running.clockMap().speed, dayAt(now, calendar.utcOffsetMinutes)),
    problems: armed.map(({ name, text }) => `fault ${name}${text === '' ? '' : `: ${text}`}`),
    orders: running.customers.flatMap(({ accountId, name }) =>
      [...running.orders(accountId), ...running.triggers(accountId)].flatMap((order) =>
        orderState(order, customerName(name, accountId), boards),
      ),
    ),
    contracts: boards.map(({ contract, band }) => contractState(contract, band)),
    faults: armed,
    broker: {
      clients: running.connections,
      customers: running.customers.map(({ accountId, name }) =>
        customerState(running, accountId, name, boards),
      ),
    },
  };
}

const NO_DAEMON: Pick<
  CockpitState,
  | 'mode'
  | 'halted'
  | 'sweep'
  | 'engine'
  | 'feed'
  | 'token'
  | 'money'
  | 'strategies'
  | 'limits'
  | 'books'
  | 'plots'
  | 'procedure'
  | 'alerts'
> = {
  mode: 'simulator',
  halted: null,
  sweep: { status: 'idle', text: '' },
  engine: { state: 'none', degraded: null },
  feed: { state: 'stopped', isStale: false, isBehind: false, connections: 0 },
  token: { untilRealMs: null, isOtpAwaited: false, exchangesUsed: 0, exchangesAllowed: 0 },
  money: { dayPnlVnd: 0, feeVnd: 0, taxVnd: 0 },
  strategies: [],
  limits: [],
  books: {
    unproven: null,
    positions: [],
    money: 'off',
    figures: [],
    positionsMs: null,
    moneyMs: null,
    lastFillMs: null,
  },
  plots: [],
  procedure: '',
  alerts: { unseen: 0, channels: [] },
};

const customerName = (name: string, id: AccountId): string => `${name} …${id.slice(-ACCOUNT_TAIL)}`;

function customerState(
  running: RunningSimulator,
  accountId: AccountId,
  name: string,
  boards: readonly ContractBoard[],
): CustomerState {
  const { netAssetValue, brokerFee, exchangeFee, clearingFee, tax, dayProfit, usageBps } =
    running.account(accountId);
  return {
    name: customerName(name, accountId),
    positions: running.positions(accountId).map(({ orderCode, net, openValue, openProfit, closedProfit }) =>
      positionState(boards.find(({ contract }) => contract.orderCode === orderCode)?.contract, {
        orderCode,
        qty: net,
        openValue,
        open: openProfit,
        realised: closedProfit,
      }),
    ),
    assetsVnd: netAssetValue,
    costsVnd: brokerFee + exchangeFee + clearingFee + tax,
    dayProfitVnd: dayProfit,
    marginPercent: usageBps / 100,
  };
}

/** Words of a daemon for orders that work. */
const WORKING: Readonly<Partial<Record<OrderReport['status'] | TriggerReport['status'], string>>> = {
  queued: 'submitted',
  resting: 'accepted',
  modified: 'accepted',
  matched: 'partially_filled',
  modify_pending: 'pending_modify',
  cancel_pending: 'pending_cancel',
  matched_cancel_pending: 'pending_cancel',
  pending: 'pending_trigger',
};

function orderState(
  order: OrderReport | TriggerReport,
  customer: string,
  boards: readonly ContractBoard[],
): readonly OrderState[] {
  const filledQty = 'filledQty' in order ? order.filledQty : 0;
  const status = WORKING[order.status];
  if (status === undefined || order.canceledUs !== null || filledQty === order.qty) return [];
  const spec = boards.find(({ contract }) => contract.orderCode === order.orderCode)?.contract.spec;
  const points = (price: PriceTicks | null): number | null =>
    price === null || spec === undefined ? null : pointsOf(spec, price);
  return [
    {
      id: order.orderKey,
      orderNo: order.orderNo,
      strategy: customer,
      contract: order.orderCode,
      side: order.side,
      qty: order.qty,
      filledQty,
      limitPoints: points(order.limitPrice),
      triggerPoints: 'triggerPrice' in order ? points(order.triggerPrice) : null,
      status,
      isAdopted: false,
      isUnknown: false,
    },
  ];
}
