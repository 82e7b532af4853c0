/**
 * The engine's side of the door, small and in virtual time: it queues what a trader is asked for, answers after the event as
 * the engine does, fills what the book crosses, and writes down every call.
 */
import {
  type SessionPhase,
  nextPhaseChange,
  phaseAt,
  type TradingCalendar,
} from '../../src/domain/calendar.ts';
import { type Contract, type PriceBand, priceBand, valueOf } from '../../src/domain/contract.ts';
import { clientOrderId, type ClientOrderId } from '../../src/domain/ids.ts';
import { type ModifyIntent, type OrderIntent, type Side, signOf } from '../../src/domain/order.ts';
import type { Position } from '../../src/domain/position.ts';
import type { BookTick, TradeTick } from '../../src/domain/ticks.ts';
import * as units from '../../src/domain/units.ts';
import type {
  TraderPort,
  LegChange,
  OrderUpdate,
  StrategyHost,
  TimerId,
  WorkingOrder,
} from '../../src/engine/ports/strategy-port.ts';
import { type Answer, FakeOrders } from './fake-orders.ts';
import { at, bookTick, contract, EXCHANGE_DAY, feedGap, tradeTick } from './strategy-fixtures.ts';

export interface FakeTraderOptions {
  readonly calendar?: TradingCalendar;
  readonly start?: units.TsUs;
  readonly contracts?: readonly Contract[];
  /** What becomes of an order; accepted when not given. */
  readonly answer?: (intent: OrderIntent) => Answer;
  readonly modifyAnswer?: () => 'accept' | 'deny';
  readonly cancelAnswer?: () => 'accept' | 'refuse';
  /** Most contracts that one look at the book fills; all when not given. */
  readonly fillMax?: number;
}

interface FakeTimer {
  readonly id: TimerId;
  readonly strategy: units.StrategyIndex;
  readonly dueUs: number;
}

const DRAIN_MAX = 1_000;
/** 1300.0 points: floor 1209.0, ceiling 1391.0. */
const REFERENCE = units.priceHundredths(130_000);

export class FakeTrader implements TraderPort {
  readonly calls: string[] = [];
  readonly notes: string[] = [];
  readonly faults: { readonly strategy: number; readonly message: string; readonly where: string }[] = [];
  readonly contracts: readonly Contract[];
  readonly orders: FakeOrders;
  answer: (intent: OrderIntent) => Answer;
  modifyAnswer: () => 'accept' | 'deny';
  cancelAnswer: () => 'accept' | 'refuse';
  fillMax: number;
  funds: units.Money | undefined = undefined;
  readonly #calendar: TradingCalendar;
  readonly #rolled = new Map<string, Contract>();
  readonly #bands = new Map<number, PriceBand>();
  readonly #trades = new Map<number, TradeTick>();
  readonly #books = new Map<number, BookTick>();
  readonly #queue: (() => void)[] = [];
  #timers: FakeTimer[] = [];
  host: StrategyHost | null = null;
  #now: units.TsUs;
  #phase: SessionPhase;
  #count = 0;
  #seq = 0;
  #totalVolume = 0;

  constructor(options: FakeTraderOptions = {}) {
    this.#calendar = options.calendar ?? EXCHANGE_DAY;
    this.#now = options.start ?? at('09:30:00');
    this.#phase = phaseAt(this.#calendar, this.#now);
    this.contracts = options.contracts ?? [contract(0), contract(1)];
    this.orders = new FakeOrders(this.contracts, (strategy, update) => this.host?.onOrder(strategy, update));
    this.answer = options.answer ?? ((): Answer => 'accept');
    this.modifyAnswer = options.modifyAnswer ?? ((): 'accept' => 'accept');
    this.cancelAnswer = options.cancelAnswer ?? ((): 'accept' => 'accept');
    this.fillMax = options.fillMax ?? Infinity;
    for (const { index, spec } of this.contracts) this.#bands.set(index, priceBand(spec, REFERENCE));
  }

  start(host: StrategyHost): void {
    this.host = host;
    this.dispatch(() => host.start(this));
  }

  // The market, as a test plays it.

  advance(span: number): void {
    this.advanceTo(units.addUs(this.#now, span));
  }

  /** Another process goes on with a clock that is behind: timers keep the time that is left. */
  setBack(span: number): void {
    this.#now = units.addUs(this.#now, -span);
    this.#timers = this.#timers.map((timer) => ({ ...timer, dueUs: timer.dueUs - span }));
  }

  /** Lets time pass: due timers and changes of phase happen on the way, in order. */
  advanceTo(until: units.TsUs): void {
    for (;;) {
      const timer = this.#timers[0];
      const change = nextPhaseChange(this.#calendar, this.#now);
      const next = Math.min(timer?.dueUs ?? Infinity, change);
      if (next > until) break;
      this.#now = units.tsUs(next);
      if (change === next) this.#changePhase();
      if (timer?.dueUs === next) this.#fire(timer);
    }
    this.#now = until;
  }

  /** A standby: the clock jumps, and what was due meanwhile is found due afterwards, all at once. */
  jumpTo(until: units.TsUs): void {
    this.#now = until;
    this.#changePhase();
    for (let timer = this.#timers[0]; timer !== undefined && timer.dueUs <= until; timer = this.#timers[0]) {
      this.#fire(timer);
    }
  }

  trade(price: number, qty = 1, instrument = 0): void {
    this.#totalVolume += qty;
    const tick = tradeTick(this.#head(instrument), price, qty, this.#totalVolume);
    this.#trades.set(instrument, tick);
    this.dispatch(() => this.host?.onTrade(tick));
  }

  book(bid: number | null, ask: number | null, instrument = 0): void {
    const tick = bookTick(this.#head(instrument), bid, ask);
    this.#books.set(instrument, tick);
    this.dispatch(() => this.host?.onBook(tick));
    this.dispatch(() => this.#fillCrossed());
  }

  gap(instrument = 0): void {
    const gap = feedGap(this.#head(instrument), this.#totalVolume);
    this.#totalVolume += 1;
    this.dispatch(() => this.host?.onGap(gap));
  }

  feed(state: 'live' | 'down'): void {
    if (state === 'down') for (const { index } of this.contracts) this.book(null, null, index);
    this.dispatch(() => this.host?.onFeed({ tsUs: this.#now, state }));
  }

  roll(strategy: number, legs: readonly LegChange[]): void {
    for (const { leg, contract: to } of legs) this.#rolled.set(`${strategy}/${leg}`, to);
    this.dispatch(() => this.host?.onLegs(units.strategyIndex(strategy), legs));
  }

  /** A fill of an order that the engine placed for the strategy, such as its flatten. */
  foreignFill(strategy: number, side: 'buy' | 'sell', qty: number, instrument = 0): void {
    const id = this.#nextId('E');
    this.orders.add(units.strategyIndex(strategy), id, {
      kind: 'limit',
      instrument: units.instrumentIndex(instrument),
      side,
      qty: units.qty(qty),
      limitPrice: REFERENCE as number as units.PriceTicks,
      reason: 'flatten',
    });
    this.dispatch(() => this.orders.fill(id, qty));
  }

  /** Something that the broker or the engine does, with the answers that follow from it. */
  dispatch(event: () => void): void {
    event();
    for (let drained = 0; this.#queue.length > 0; drained += 1) {
      if (drained > DRAIN_MAX) throw new Error('the strategy answers each answer with another order');
      this.#queue.shift()?.();
    }
  }

  held(strategy = 0, instrument = 0): number {
    return this.orders.position(strategy, instrument).qty;
  }

  get timersWaiting(): number {
    return this.#timers.length;
  }

  // The trader, as strategies use it.

  submit(strategy: units.StrategyIndex, intent: OrderIntent): ClientOrderId {
    const id = this.#nextId('S');
    const code = this.contracts[intent.instrument]?.orderCode ?? '?';
    this.calls.push(`${strategy} submit ${intent.side} ${intent.qty} ${code} @ ${intent.limitPrice}`);
    this.#queue.push(() => {
      this.orders.add(strategy, id, intent);
      this.orders.answer(id, this.answer(intent));
      this.#fillCrossed();
    });
    return id;
  }

  modify(strategy: units.StrategyIndex, change: ModifyIntent): void {
    const { kind, clientOrderId: _id, ...terms } = change;
    const what = `${kind} ${Object.values(terms).join(' ')}`;
    this.calls.push(`${strategy} modify ${what}`);
    this.#queue.push(() => {
      this.orders.change(change, this.modifyAnswer());
      this.#fillCrossed();
    });
  }

  cancel(strategy: units.StrategyIndex, order: ClientOrderId): void {
    this.calls.push(`${strategy} cancel`);
    this.#queue.push(() => this.orders.cancel(order, this.cancelAnswer()));
  }

  position(strategy: units.StrategyIndex, instrument: units.InstrumentIndex): Position {
    return this.orders.position(strategy, instrument);
  }

  workingOrders(strategy: number): readonly WorkingOrder[] {
    return this.orders.working(strategy).map((order) => ({
      ...order,
      sinceUs: this.#now,
      isLeftBehind: this.leftBehind.has(order.clientOrderId),
    }));
  }

  equity(): units.Money | undefined {
    return this.funds;
  }

  /** Every contract is paid in full. */
  marginOfLot({ index, spec }: Contract): units.Money | undefined {
    const last = this.lastTrade(index);
    return last === undefined ? undefined : valueOf(spec, last.price, 1);
  }

  nowUs(): units.TsUs {
    return this.#now;
  }

  phase(): SessionPhase {
    return this.#phase;
  }

  calendar(): TradingCalendar {
    return this.#calendar;
  }

  leg(strategy: units.StrategyIndex, leg: number): Contract {
    const found = this.#rolled.get(`${strategy}/${leg}`) ?? this.contracts[leg];
    if (found === undefined) throw new Error(`no contract for leg ${leg}`);
    return found;
  }

  /** At the edge of the band; 50 ticks beyond a trigger. */
  marketPrice(
    _: units.StrategyIndex,
    { index }: Contract,
    side: Side,
    trigger?: units.PriceTicks,
  ): units.PriceTicks {
    if (trigger !== undefined) return units.priceTicks(trigger + signOf(side) * 50);
    const band = this.#bands.get(index);
    if (band === undefined) throw new Error('a contract without a band');
    return side === 'buy' ? band.ceiling : band.floor;
  }

  band(instrument: units.InstrumentIndex): PriceBand | undefined {
    return this.#bands.get(instrument);
  }

  lastTrade(instrument: units.InstrumentIndex): TradeTick | undefined {
    return this.#trades.get(instrument);
  }

  plot(): void {}

  isOnBars = false;

  /** Orders of an earlier version. */
  readonly leftBehind = new Set<ClientOrderId>();

  hasBooks(): boolean {
    return !this.isOnBars;
  }

  lastBook(instrument: units.InstrumentIndex): BookTick | undefined {
    return this.#books.get(instrument);
  }

  setTimer(strategy: units.StrategyIndex, after: units.DurationUs): TimerId {
    this.#count += 1;
    const id = this.#count as TimerId;
    this.#timers = [...this.#timers, { id, strategy, dueUs: this.#now + after }].toSorted(
      (a, b) => a.dueUs - b.dueUs,
    );
    return id;
  }

  clearTimer(timer: TimerId): void {
    this.#timers = this.#timers.filter(({ id }) => id !== timer);
  }

  note(strategy: units.StrategyIndex, text: string): void {
    this.notes.push(`${strategy} ${text}`);
  }

  fault(strategy: units.StrategyIndex, error: unknown, where: string): void {
    this.faults.push({ strategy, message: error instanceof Error ? error.message : String(error), where });
    this.host?.stop(strategy);
  }

  #fillCrossed(): void {
    if (this.#phase !== 'continuous') return;
    const touch = ({ side, instrument }: OrderUpdate): units.PriceTicks | undefined => {
      const book = this.#books.get(instrument);
      return (side === 'buy' ? book?.asks : book?.bids)?.[0]?.price;
    };
    this.orders.fillCrossed(touch, this.fillMax);
  }

  #changePhase(): void {
    const phase = phaseAt(this.#calendar, this.#now);
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.dispatch(() => this.host?.onPhase({ tsUs: this.#now, phase }));
  }

  #fire(timer: FakeTimer): void {
    this.clearTimer(timer.id);
    this.dispatch(() => this.host?.onTimer(timer.strategy, timer.id));
  }

  #nextId(kind: string): ClientOrderId {
    this.#count += 1;
    return clientOrderId(`${kind}${this.#count}`);
  }

  #head(instrument: number): { seq: number; tsUs: units.TsUs; instrument: number } {
    this.#seq += 1;
    return { seq: this.#seq, tsUs: this.#now, instrument };
  }
}
