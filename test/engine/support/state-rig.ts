/** The engine's own state without the rest of the engine: a test changes it by what happens. */
import { ScanEvidence } from '../../../src/domain/broker-order.ts';
import type { TradingCalendar } from '../../../src/domain/calendar.ts';
import { type Contract, priceBand } from '../../../src/domain/contract.ts';
import { brokerOrderNo, clientOrderId } from '../../../src/domain/ids.ts';
import { type OrderStatus, signOf } from '../../../src/domain/order.ts';
import type { EngineSettings } from '../../../src/domain/settings.ts';
import * as units from '../../../src/domain/units.ts';
import { EngineState } from '../../../src/engine/engine-state.ts';
import { ManagedOrder, type OrderTerms } from '../../../src/engine/orders/managed-order.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { RiskGuard } from '../../../src/engine/risk/risk-guard.ts';
import { accountWith } from '../../support/engine-facts.ts';
import { ScriptedHost } from '../../support/engine-host.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { RigPorts } from '../../support/rig-ports.ts';
import { at, contract, tradeTick, VN_COSTS } from '../../support/strategy-fixtures.ts';
import { riskSettings, USUAL_SETTINGS } from '../../support/usual-settings.ts';

export const LAST = 13_000;
const TICK_MONEY = 10_000;
const CAUSE = units.seq(7);

const strategyOf = (id: string, positionMax: number): EngineSettings['strategies'][number] => ({
  id,
  symbols: ['VN30F1M'],
  overnight: false,
  onExpiry: 'flatten',
  risk: { positionMax: units.qty(positionMax), dailyLossMax: units.money(20_000_000), openOrdersMax: 3 },
});

export const SETTINGS: EngineSettings = {
  risk: riskSettings({
    orderQtyMax: units.qty(5),
    positionMax: units.qty(6),
    openOrdersMax: 4,
    ordersPerSecondMax: 3,
    ordersPerMinuteMax: 10,
  }),
  strategies: [strategyOf('alpha', 4), strategyOf('beta', 4)],
  ...USUAL_SETTINGS,
  flatten: { ...USUAL_SETTINGS.flatten, attempts: 3 },
};

/** What is not said is as of a limit order that rests since 09:30. */
export interface OrderFacts extends Partial<Omit<OrderTerms, 'strategy' | 'instrument' | 'qty'>> {
  readonly id: string;
  readonly side: OrderTerms['side'];
  readonly qty: number;
  readonly strategy?: number;
  readonly instrument?: number;
  readonly price?: number;
  readonly status?: OrderStatus;
  readonly orderNo?: null;
  readonly createdUs?: units.TsUs;
  readonly parent?: ManagedOrder['parent'];
  readonly isWaiting?: boolean;
  readonly isAdopted?: boolean;
  readonly isProtective?: boolean;
}

export interface RigFacts {
  readonly settings?: Partial<EngineSettings>;
  readonly calendar?: TradingCalendar;
  readonly startUs?: units.TsUs;
  readonly listed?: readonly Contract[];
  /** Prices are known of trades and books, and of the reference. */
  readonly has?: { readonly trades?: boolean; readonly reference?: boolean; readonly account?: boolean };
}

/** At first everything is in order, and nobody holds or has asked for anything. */
export class StateRig {
  readonly settings: EngineSettings;
  readonly state: EngineState;
  readonly guard: RiskGuard;
  /** The broker's figures where they differ from ours. */
  readonly shown = new Map<number, number>();
  readonly #heard: ((entry: JournalEntry) => void)[] = [];

  constructor({
    settings,
    calendar = MARKET_CALENDAR,
    startUs = at('10:00'),
    listed,
    has = {},
  }: RigFacts = {}) {
    this.settings = { ...SETTINGS, ...settings };
    let guard: RiskGuard | null = null;
    const journal = { append: (entry: JournalEntry) => this.#heard.forEach((hear) => hear(entry)) };
    const host = new ScriptedHost([{}, {}]);
    const outbound = { ...new RigPorts().outbound(), journal };
    this.state = new EngineState(
      { settings: this.settings, calendar, costs: VN_COSTS, host, outbound },
      (view) => (guard = new RiskGuard(view)),
    );
    this.guard = guard!;
    this.state.contracts.set(listed ?? [contract(0), contract(1)]);
    this.state.context.onBooted();
    this.goTo(startUs).#begin(has);
  }

  get now(): units.TsUs {
    return this.state.context.nowUs;
  }

  hear(hear: (entry: JournalEntry) => void): void {
    this.#heard.push(hear);
  }

  /** Nothing but the time is another one; it may be an earlier one. */
  goTo(moment: units.TsUs): this {
    const { context, session } = this.state;
    context.setBack(moment);
    context.begin(CAUSE, moment);
    session.setClockBack();
    session.advancePhase(moment);
    return this;
  }

  #begin({ trades = true, reference = true, account = true }: NonNullable<RigFacts['has']>): void {
    const { market, session, contracts } = this.state;
    market.onStreamUp();
    if (reference) this.reference();
    if (trades) this.trade(LAST).book(LAST - 1, LAST + 1);
    for (const { index } of contracts.all) market.of(index).seenUs = this.now;
    session.triggersReadUs = this.now;
    if (account) this.account();
    this.agree();
  }

  /** Positions are proven: by a read between two scans of the book. */
  agree(readUs = this.now): void {
    const scan = (startedUs: units.TsUs): void => {
      const book = { list: 'orders', complete: true, orders: [], startedUs, tsUs: startedUs } as const;
      const facts = { fillVersion: 0, unresolved: 0 };
      this.state.positionReconciler.onOrderList({ ...this.#head('book_snapshot'), ...book }, facts);
    };
    scan(readUs);
    this.read(readUs);
    scan(this.now);
  }

  #head<Kind extends string>(kind: Kind) {
    return { kind, seq: CAUSE, tsUs: this.now, startedUs: this.now };
  }

  /** Positions as the broker shows them, by a read that began then. */
  read(startedUs = this.now): this {
    const { contracts, portfolio, positionReconciler } = this.state;
    const positions = contracts.all.map(({ index, orderCode }) => ({
      orderCode,
      qty: units.signedQty(this.shown.get(index) ?? portfolio.accountQty(index)),
      lastPrice: units.priceHundredths(LAST * 10),
      openProfit: null,
    }));
    positionReconciler.onPositions({ ...this.#head('position_snapshot'), startedUs, positions }, 0);
    return this;
  }

  account(buyingPower = 1_000_000_000): this {
    this.state.session.account.take(accountWith(buyingPower), this.now);
    return this;
  }

  reference(): this {
    const { market, contracts } = this.state;
    const reference = units.priceHundredths(LAST * 10);
    const rows = contracts.all.map(({ index, spec }) => ({
      instrument: index,
      ...priceBand(spec, reference),
      lastPrice: null,
    }));
    market.setReference({ ...this.#head('reference'), rows }, true);
    return this;
  }

  /** Of each contract; prices stay as before, and are of now. */
  trade(price: number): this {
    const { market, contracts } = this.state;
    for (const { index } of contracts.all) {
      const { chain } = market.of(index);
      const volume = Math.max(0, chain.total) + 1;
      market.of(index).onTrade(tradeTick({ seq: 7, tsUs: this.now, instrument: index }, price, 1, volume));
    }
    return this;
  }

  /** One level a side of each contract; null is an empty side. */
  book(bid: number | null, ask: number | null): this {
    const { market, contracts } = this.state;
    for (const { index } of contracts.all)
      for (const [side, price] of [
        ['bid', bid],
        ['ask', ask],
      ] as const) {
        const level = price === null ? null : { price: units.priceTicks(price), qty: units.qty(100) };
        market.mergeBook({ ...this.#head('book_update'), instrument: index, side, levels: [level] });
      }
    return this;
  }

  heldBy(strategy: number, instrument = 0): number {
    return this.state.portfolio.position(units.strategyIndex(strategy), units.instrumentIndex(instrument))
      .qty;
  }

  /** Bought, or sold below zero, at the last price; the broker shows it with the next read. */
  hold(strategy: number, change: number, instrument = 0): this {
    const value = Math.abs(change) * LAST * TICK_MONEY;
    this.state.portfolio.add(units.strategyIndex(strategy), units.instrumentIndex(instrument), change, value);
    return this;
  }

  add({
    id,
    strategy = 0,
    instrument = 0,
    price = LAST,
    status = 'accepted',
    createdUs = at('09:30'),
    parent = null,
    isWaiting = false,
    isAdopted = false,
    isProtective = false,
    ...facts
  }: OrderFacts): ManagedOrder {
    const terms: OrderTerms = {
      purpose: 'entry',
      orderCode: contract(instrument).orderCode,
      trigger: null,
      ...facts,
      clientOrderId: clientOrderId(id),
      strategy: units.strategyIndex(strategy),
      instrument: units.instrumentIndex(instrument),
      qty: units.qty(facts.qty),
      limitPrice: units.priceTicks(price),
    };
    const order = new ManagedOrder(terms, createdUs, parent, isWaiting);
    Object.assign(order, { isAdopted, isProtective });
    order.orderNo = facts.orderNo === null ? null : brokerOrderNo('1');
    order.become(status);
    this.state.orders.add(order);
    return order;
  }

  become(order: ManagedOrder, status: OrderStatus): this {
    order.become(status);
    this.state.orders.changed(order);
    return this;
  }

  /** A change that is on its way: until it is confirmed either of both may rest. */
  change(order: ManagedOrder, terms: { readonly qty?: number; readonly price?: number }): this {
    order.writableExtras().openModify = {
      callId: clientOrderId('change'),
      qty: units.qty(terms.qty ?? order.qty),
      limitPrice: units.priceTicks(terms.price ?? order.limitPrice),
      triggerPrice: null,
      answer: 'none',
      evidence: new ScanEvidence(this.now),
    };
    return this;
  }

  fill(order: ManagedOrder, quantity: number): this {
    order.filledQty = units.qty(order.filledQty + quantity);
    this.hold(order.strategy, signOf(order.side) * quantity, order.instrument);
    if (order.filledQty >= order.qty) return this.become(order, 'filled');
    return this.become(order, order.status === 'accepted' ? 'partially_filled' : order.status);
  }
}
