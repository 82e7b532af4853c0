/** What guard and keeper may read, as plain fields: a test says how the world is. */
import type { BrokerAccount } from '../../../src/domain/broker-order.ts';
import {
  phaseAt,
  type SessionPhase,
  type TradingCalendar,
  tradingDayAt,
} from '../../../src/domain/calendar.ts';
import type { TradingDay } from '../../../src/domain/civil-date.ts';
import { type Contract, type PriceBand, priceBand } from '../../../src/domain/contract.ts';
import type { CostSchedule } from '../../../src/domain/costs.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { brokerOrderNo, type ClientOrderId, clientOrderId } from '../../../src/domain/ids.ts';
import { type OrderStatus, type Side, signOf, TERMINAL_STATUSES } from '../../../src/domain/order.ts';
import { applyFill, FLAT_POSITION, type Position } from '../../../src/domain/position.ts';
import type { EngineSettings } from '../../../src/domain/settings.ts';
import type { BookTick, TradeTick } from '../../../src/domain/ticks.ts';
import * as units from '../../../src/domain/units.ts';
import type { Purpose } from '../../../src/engine/ports/approved.ts';
import type { OrderView, RejectionRecord, RiskView } from '../../../src/engine/risk/risk-view.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { at, bookTick, contract, tradeTick } from '../../support/strategy-fixtures.ts';
import { USUAL_SETTINGS } from '../../support/usual-settings.ts';

export const LAST = 13_000;
const TICK_MONEY = 10_000;

export const COSTS: CostSchedule = {
  exchangeFee: [{ from: tradingDay('2017-08-10'), value: 2_700 }],
  clearingFee: [{ from: tradingDay('2017-08-10'), value: 2_550 }],
  brokerFee: [{ from: tradingDay('2017-08-10'), value: 0 }],
  taxPpm: [{ from: tradingDay('2017-08-10'), value: 1_000 }],
  marginBps: [{ from: tradingDay('2017-08-10'), value: 1_700 }],
};

const strategyOf = (id: string, positionMax: number): EngineSettings['strategies'][number] => ({
  id,
  symbols: ['VN30F1M'],
  overnight: false,
  onExpiry: 'flatten',
  risk: { positionMax: units.qty(positionMax), dailyLossMax: units.money(20_000_000), openOrdersMax: 3 },
});

export const SETTINGS: EngineSettings = {
  risk: {
    orderQtyMax: units.qty(5),
    collarBps: 200,
    accountPositionMax: units.qty(6),
    openOrdersMax: 4,
    ordersPerSecondMax: 3,
    ordersPerMinuteMax: 10,
    dataAgeMax: units.seconds(15),
    accountDailyLossMax: units.money(50_000_000),
    accountAgeMax: units.seconds(60),
    marginUseBps: 8_000,
    sameRejectionsMax: 3,
    clockSkewMax: units.seconds(10),
  },
  strategies: [strategyOf('alpha', 4), strategyOf('beta', 4)],
  ...USUAL_SETTINGS,
  flatten: { ...USUAL_SETTINGS.flatten, attempts: 3 },
};

export interface FakeOrderTerms {
  readonly id: string;
  readonly side: Side;
  readonly qty: number;
  readonly strategy?: number;
  readonly instrument?: number;
  readonly price?: number;
  readonly purpose?: Purpose;
  readonly createdUs?: units.TsUs;
  readonly status?: OrderStatus;
  readonly orderNo?: null;
  readonly pendingPrice?: number;
  readonly pendingQty?: number;
}

/** An order as the view shows it, to be changed by the test. */
export class FakeOrder implements OrderView {
  readonly clientOrderId: ClientOrderId;
  readonly strategy: units.StrategyIndex;
  readonly instrument: units.InstrumentIndex;
  readonly orderCode: OrderView['orderCode'];
  readonly side: Side;
  readonly createdUs: units.TsUs;
  purpose: Purpose;
  orderNo: OrderView['orderNo'];
  status: OrderStatus;
  qty: units.Qty;
  limitPrice: units.PriceTicks;
  filledQty = units.qty(0);
  pendingPrice: units.PriceTicks | null;
  pendingQty: number;
  grownUs = -Infinity;
  grownFrom = units.qty(0);
  isAdopted = false;
  isWaiting = false;
  canCancel = true;
  canModify = true;
  cancelQueued = false;

  constructor(terms: FakeOrderTerms) {
    this.clientOrderId = clientOrderId(terms.id);
    this.strategy = units.strategyIndex(terms.strategy ?? 0);
    this.instrument = units.instrumentIndex(terms.instrument ?? 0);
    this.orderCode = contract(this.instrument).orderCode;
    this.side = terms.side;
    this.createdUs = terms.createdUs ?? at('09:30');
    this.purpose = terms.purpose ?? 'entry';
    this.orderNo = terms.orderNo === null ? null : brokerOrderNo('1');
    this.status = terms.status ?? 'accepted';
    this.qty = units.qty(terms.qty);
    this.limitPrice = units.priceTicks(terms.price ?? LAST);
    this.pendingPrice = terms.pendingPrice === undefined ? null : units.priceTicks(terms.pendingPrice);
    this.pendingQty = terms.pendingQty ?? 0;
  }

  get isFinal(): boolean {
    return TERMINAL_STATUSES.has(this.status);
  }

  get leavesQty(): units.Qty {
    return units.qty(this.isFinal ? 0 : this.qty - this.filledQty);
  }

  get exposedQty(): units.Qty {
    return units.qty(this.isFinal ? 0 : Math.max(this.qty, this.pendingQty) - this.filledQty);
  }
}

export class FakeRiskView implements RiskView {
  now: units.TsUs = at('10:00');
  calendar: TradingCalendar = MARKET_CALENDAR;
  listed: readonly Contract[] = [contract(0), contract(1)];
  bands = true;
  streamLive = true;
  referenceFresh = true;
  bookAwaited = false;
  dataAge = 0;
  trade: TradeTick | undefined = tradeTick({ seq: 1, tsUs: at('09:59') }, LAST);
  book: BookTick | undefined = bookTick({ seq: 1, tsUs: at('09:59') }, LAST - 1, LAST + 1);
  readonly orders: FakeOrder[] = [];
  readonly positions = new Map<string, Position>();
  /** The broker's figures where they differ from ours. */
  readonly brokerQtys = new Map<number, number>();
  isPositionRead = true;
  positionsRead: number = at('10:00');
  bookRead: number = at('10:00');
  conditionsRead: number = at('10:00');
  unprovenReason: string | null = null;
  buyingPower = 1_000_000_000;
  hasAccount = true;
  accountRead: number = at('10:00');
  readonly pnl = new Map<number, number>();
  accountPnl = 0;
  haltedReason: string | null = null;
  readonly haltedStrategies = new Map<number, string>();
  readonly stopped = new Set<number>();
  stopping = false;
  readonly flattening = new Set<number>();
  sentTimes: number[] = [];
  rejection: RejectionRecord | undefined = undefined;
  skew = 0;

  nowUs = (): units.TsUs => this.now;
  owedExitQty = (): number => 0;
  awaitedExits = 0;
  awaitedExitQty = (): number => this.awaitedExits;
  unseenExitQty = (): number => 0;
  seq = (): units.Seq => units.seq(7);
  tradingDay = (): TradingDay => tradingDayAt(this.calendar, this.now);
  phase = (): SessionPhase => phaseAt(this.calendar, this.now);
  contract = (instrument: number): Contract | undefined =>
    this.listed.find(({ index }) => index === instrument);
  contracts = (): readonly Contract[] => this.listed;
  band = (instrument: number): PriceBand | undefined =>
    this.bands && this.contract(instrument)
      ? priceBand(contract(0).spec, units.priceHundredths(LAST * 10))
      : undefined;
  tradedPrice = (): units.PriceTicks | undefined => this.trade?.price;
  lastBook = (): BookTick | undefined => this.book;
  isBookAwaited = (): boolean => this.bookAwaited;
  dataAgeUs = (): number => this.dataAge;
  isStreamLive = (): boolean => this.streamLive;
  isEnded = (): boolean => false;
  isReferenceFresh = (): boolean => this.referenceFresh;
  order = (id: ClientOrderId): FakeOrder | undefined =>
    this.orders.find((order) => order.clientOrderId === id);
  openOrders = (): readonly FakeOrder[] => this.orders.filter((order) => !order.isFinal);
  position = (strategy: number, instrument: number): Position =>
    this.positions.get(`${strategy}/${instrument}`) ?? FLAT_POSITION;
  brokerQty = (instrument: number): units.SignedQty | undefined =>
    this.isPositionRead
      ? units.signedQty(this.brokerQtys.get(instrument) ?? this.accountQty(instrument))
      : undefined;
  positionsReadUs = (): number => (this.isPositionRead ? this.positionsRead : -Infinity);
  bookReadUs = (): number => this.bookRead;
  triggersReadUs = (): number => this.conditionsRead;
  unproven = (): string | null => this.unprovenReason;
  accountReadUs = (): number => (this.hasAccount ? this.accountRead : -Infinity);
  arrivedUs = (): number | null => null;
  lossOf = (strategy: number): units.Money => units.money(0 - (this.pnl.get(strategy) ?? 0));
  accountLoss = (): units.Money => units.money(0 - this.accountPnl);
  accountLossAtMost = (): units.Money => this.accountLoss();
  halted = (): string | null => this.haltedReason;
  haltedUntilUs = (): number => (this.haltedReason === null ? -Infinity : Infinity);
  strategyHalted = (strategy: number): string | null => this.haltedStrategies.get(strategy) ?? null;
  isStopped = (strategy: number): boolean => this.stopped.has(strategy);
  isStopping = (): boolean => this.stopping;
  isFlattening = (strategy: number): boolean => this.flattening.has(strategy);
  sentWithin = (span: number): number => this.sentTimes.filter((time) => time > this.now - span).length;
  rejections = (): RejectionRecord | undefined => this.rejection;
  clockSkewUs = (): number => this.skew;
  clockStepUs = (): number => 0;

  accountQty(instrument: number): units.SignedQty {
    let net = 0;
    for (let i = -1; i < 4; i += 1) net += this.position(i, instrument).qty;
    return units.signedQty(net);
  }

  grossQty(instrument: number, side: Side): number {
    let gross = 0;
    for (let i = -1; i < 4; i += 1) gross += Math.max(0, signOf(side) * this.position(i, instrument).qty);
    return gross;
  }

  closedByHand(): number {
    return 0;
  }

  account(): BrokerAccount | undefined {
    const zero = units.money(0);
    const buyingPower = units.money(this.buyingPower);
    if (!this.hasAccount) return undefined;
    return {
      cash: buyingPower,
      netAssetValue: buyingPower,
      initialMargin: zero,
      requiredMargin: zero,
      buyingPower,
      profit: zero,
      uncollected: zero,
      fee: zero,
      tax: zero,
      withdrawable: null,
      usageBps: 0,
    };
  }

  hold(strategy: number, change: number, instrument = 0): void {
    const key = `${strategy}/${instrument}`;
    const value = Math.abs(change) * LAST * TICK_MONEY;
    this.positions.set(key, applyFill(this.position(strategy, instrument), change, value));
  }

  add(terms: FakeOrderTerms): FakeOrder {
    const order = new FakeOrder(terms);
    this.orders.push(order);
    return order;
  }

  fill(order: FakeOrder, quantity: number): void {
    order.filledQty = units.qty(order.filledQty + quantity);
    if (order.filledQty >= order.qty) order.status = 'filled';
    else if (order.status === 'accepted') order.status = 'partially_filled';
    this.hold(order.strategy, signOf(order.side) * quantity, order.instrument);
  }
}
