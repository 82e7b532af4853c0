/**
 * A keeper in a small world with virtual time: the real guard looks at every exit, a broker of a few lines answers cancels and reads
 * after a while. What was asked, said and decided is kept as lines.
 */
import { isSession, nextPhaseChange, phaseAt, type TradingCalendar } from '../../../src/domain/calendar.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import type { Contract } from '../../../src/domain/contract.ts';
import { type ClientOrderId, clientOrderId } from '../../../src/domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../../src/domain/order.ts';
import type { EngineSettings } from '../../../src/domain/settings.ts';
import * as units from '../../../src/domain/units.ts';
import type { ManagedOrder } from '../../../src/engine/orders/managed-order.ts';
import type { HeldPosition } from '../../../src/engine/positions/portfolio.ts';
import { cover } from '../../../src/domain/cover.ts';
import { coverOf } from '../../../src/engine/risk/exposure.ts';
import { type Desk, SessionTimers } from '../../../src/engine/session/desk.ts';
import type { Command, EngineEvent, ReportKind } from '../../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import type { TimerId } from '../../../src/engine/ports/strategy-port.ts';
import { RiskGuard } from '../../../src/engine/risk/risk-guard.ts';
import { Targets } from '../../../src/engine/session/targets.ts';
import { SessionController } from '../../../src/engine/session/session-controller.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { at } from '../../support/strategy-fixtures.ts';
import { boardOn } from './board.ts';
import { DueQueue } from './due-queue.ts';
import { COSTS, type FakeOrder, FakeRiskView, SETTINGS } from './fake-risk-view.ts';
import type { OrderView } from '../../../src/engine/risk/risk-view.ts';

export interface WorldOptions {
  readonly day?: string;
  readonly time?: string;
  readonly settings?: Partial<EngineSettings>;
  readonly calendar?: TradingCalendar;
}

/** How long the broker takes; null is never. */
interface BrokerPace {
  cancelUs: number | null;
  readUs: number | null;
  /** Until a resting exit is filled whole. */
  fillUs: number | null;
}

type EventName = 'clock' | 'booted' | 'position_snapshot' | 'book_snapshot' | 'trade';

export class HouseWorld {
  readonly view = new FakeRiskView();
  readonly settings: EngineSettings;
  readonly guard: RiskGuard;
  readonly targets = new Targets();
  readonly keeper: SessionController;
  readonly broker: BrokerPace = { cancelUs: 200_000, readUs: 100_000, fillUs: 300_000 };
  /** Alerts, as `severity code text`. */
  readonly said: string[] = [];
  /** Everything that was asked for, as lines. */
  readonly asked: string[] = [];
  /** Orders that waited and ended canceled. */
  readonly canceled: FakeOrder[] = [];
  readonly legsOf = new Map<number, readonly Contract[]>();
  readonly #due = new DueQueue();
  #count = 0;

  constructor({
    day = '2026-03-04',
    time = '10:00',
    settings = {},
    calendar = MARKET_CALENDAR,
  }: WorldOptions = {}) {
    this.settings = { ...SETTINGS, ...settings };
    this.view.calendar = calendar;
    this.view.now = at(time, tradingDay(day));
    this.view.listed = boardOn(day);
    this.view.positionsRead = -Infinity;
    this.view.bookRead = -Infinity;
    this.guard = new RiskGuard(this.settings, calendar, COSTS);
    this.keeper = new SessionController(this.#desk(calendar));
    this.view.isFlattening = (strategy) => this.targets.isFlattening(units.strategyIndex(strategy));
  }

  /** What the engine tells the keeper when a process starts at this moment; what was carried is known with the session. */
  start(carry: () => void = () => undefined): this {
    this.keeper.onPhase(this.view.phase());
    carry();
    this.keeper.onSession();
    this.keeper.onContracts();
    this.tell('clock');
    return this;
  }

  /** Lets time pass up to a moment of the day; what falls due on the way happens in order. */
  runUntil(time: string, day: string = this.view.tradingDay()): this {
    const end = at(time, tradingDay(day));
    for (;;) {
      const next = this.#due.first();
      const edge = nextPhaseChange(this.view.calendar, this.view.now);
      const moment = Math.min(next?.atUs ?? Infinity, edge);
      if (moment > end) break;
      const before = { phase: this.view.phase(), day: this.view.tradingDay() };
      this.view.now = units.tsUs(Math.max(moment, this.view.now));
      this.#cross(before);
      if (next !== undefined && next.atUs <= this.view.now) {
        this.#due.drop(next.id);
        next.run();
      }
      this.tell('clock');
    }
    this.view.now = end;
    this.tell('clock');
    return this;
  }

  /** Seconds from now on. */
  run(secs: number): this {
    const end = units.addUs(this.view.now, Math.round(secs * units.US_PER_SECOND));
    this.#due.add(end, () => undefined);
    const offset = this.view.calendar.utcOffsetMinutes * units.US_PER_MINUTE;
    const time = (end + offset) % units.US_PER_DAY;
    return this.runUntil(`00:00:${time / units.US_PER_SECOND}`);
  }

  tell(kind: EventName): void {
    // The keeper looks at the kind alone.
    this.keeper.afterEvent({ kind, seq: this.view.seq(), tsUs: this.view.now } as EngineEvent);
  }

  command(command: Command): this {
    this.keeper.onCommand(command);
    this.tell('clock');
    return this;
  }

  codes(): readonly string[] {
    return this.said.map((line) => line.split(' ')[1] ?? '');
  }

  /** Lines of what was asked for that begin with a word. */
  asks(word: string): readonly string[] {
    return this.asked.filter((line) => line.startsWith(word));
  }

  /** What the keeper may do. */
  #desk(calendar: TradingCalendar): Desk {
    const { view, settings } = this;
    const held = (): readonly HeldPosition[] => this.heldPositions();
    const clock = {
      get nowUs() {
        return view.now;
      },
    };
    const heap = {
      set: (_: number, dueUs: number, tag: number) =>
        this.#due.add(dueUs, () => this.keeper.onTimer(tag)) as TimerId,
      clear: (timer: TimerId) => this.#due.drop(timer),
    };
    return {
      settings,
      calendar,
      view,
      context: {
        decisions: { policies: () => null },
        head: (strategy) => ({ cause: view.seq(), tsUs: view.now, strategy }),
        append: (entry) => this.#append(entry),
        alert: (_, severity, code, text) => this.said.push(`${severity} ${code} ${text}`),
        ask: (strategy, _, asked) => {
          if (asked.do === 'submit') return this.submitFor(strategy, asked.intent);
          if (asked.do === 'modify') this.#modify(strategy, asked.change);
          return clientOrderId('call');
        },
        cancel: (strategy, id) => this.cancel(strategy, id),
        withdraw: (strategy, id) => this.cancel(strategy, id),
      },
      orders: {
        canceledWaiting: this.canceled as unknown as ManagedOrder[],
        get waiting() {
          return view.openOrders().filter(({ isWaiting }) => isWaiting).length;
        },
      },
      portfolio: {
        held,
        get isHolding() {
          return held().length > 0;
        },
        has: () => true,
        addWithoutFill: (strategy, _, instrument, qty) => view.hold(strategy, qty, instrument),
      },
      registry: {
        seats: settings.strategies.map((each, i) => ({
          index: units.strategyIndex(i),
          settings: each,
          legs: [],
          stopped: null,
        })),
        hasUnmanaged: true,
        isStopped: (strategy) => view.isStopped(strategy),
        legs: (strategy) => this.legsOf.get(strategy) ?? [],
        setLegs: (strategy, legs) => {
          this.asked.push(`legs ${strategy} ${legs.map(({ orderCode: code }) => code).join(' ')}`);
          this.legsOf.set(strategy, legs);
        },
      },
      snapshots: { want: (what) => this.#read(what) },
      entries: {
        isCover: (id) => this.#isCover(id),
        withdraw: (strategy) => this.asked.push(`withdraw the entries of ${strategy ?? 'all'}`),
      },
      stops: {
        stop: (strategy, reason) => {
          this.asked.push(`stop ${strategy} ${reason}`);
          view.stopped.add(strategy);
        },
      },
      targets: this.targets,
      timers: new SessionTimers(clock, heap),
    };
  }

  #append(entry: JournalEntry): void {
    if (entry.kind === 'stop_ready') this.asked.push(`ready ${entry.reason}`);
    if (entry.kind !== 'position_event') return;
    const { event, strategy, qty, instrument, value } = entry;
    this.asked.push(`${event} ${strategy} ${qty} of ${instrument} for ${value}`);
  }

  heldPositions(): readonly HeldPosition[] {
    const held: HeldPosition[] = [];
    for (const [key, { qty }] of this.view.positions) {
      const [strategy, instrument] = key.split('/').map(Number);
      if (qty === 0) continue;
      held.push({
        strategy: units.strategyIndex(strategy!),
        instrument: units.instrumentIndex(instrument!),
        qty,
      });
    }
    return held;
  }

  /** The answer to the first order of the house is lost. */
  loseFirstAnswer(): void {
    const submit = this.submitFor.bind(this);
    this.submitFor = (strategy, intent) => {
      const id = submit(strategy, intent);
      if (this.asks('submit').length === 1) this.view.order(id)!.status = 'unknown';
      return id;
    };
  }

  submitFor(strategy: units.StrategyIndex, intent: OrderIntent): ClientOrderId {
    this.#count += 1;
    const id = clientOrderId(`x${this.#count}`);
    if (intent.kind !== 'limit') throw new Error('the house sends plain orders');
    const verdict = this.guard.checkSubmit(this.view, strategy, id, intent, 'exit');
    const line = `submit ${strategy} ${intent.side} ${intent.qty} of ${intent.instrument} at ${intent.limitPrice}`;
    this.asked.push(verdict.ok ? line : `${line}: ${verdict.denial.code}`);
    if (!verdict.ok) return id;
    const { side, qty, limitPrice: price, purpose, instrument } = verdict.order;
    const order = this.view.add({
      id,
      strategy,
      instrument,
      side,
      qty,
      price,
      purpose,
      createdUs: this.view.now,
    });
    this.#later(this.broker.fillUs, () => {
      if (order.leavesQty > 0 && this.broker.fillUs !== null) this.view.fill(order, order.leavesQty);
    });
    return id;
  }

  #modify(strategy: units.StrategyIndex, change: ModifyIntent): void {
    const verdict = this.guard.checkModify(this.view, strategy, clientOrderId('call'), change, 'system');
    const order = this.view.order(change.clientOrderId);
    const to =
      change.kind === 'qty' ? change.qty : change.kind === 'price' ? change.limitPrice : change.triggerPrice;
    const line = `modify ${change.clientOrderId} to ${to}`;
    this.asked.push(verdict.ok ? line : `${line}: ${verdict.denial.code}`);
    if (verdict.ok) Object.assign(order!, { limitPrice: verdict.modify.limitPrice, qty: verdict.modify.qty });
  }

  #isCover(id: ClientOrderId): boolean {
    const order = this.view.order(id);
    if (order === undefined || !isStop(order)) return false;
    const { strategy, instrument } = order;
    const theirs = this.view
      .openOrders()
      .filter((each) => each.strategy === strategy && each.instrument === instrument);
    return !cover(this.view.position(strategy, instrument).qty, theirs, coverOf).increasing.has(order);
  }

  cancel(strategy: units.StrategyIndex, id: ClientOrderId): void {
    this.asked.push(`cancel ${strategy} ${id}`);
    const order = this.view.order(id)!;
    if (order.orderNo === null) {
      order.cancelQueued = true;
      return;
    }
    const before = order.status;
    order.status = 'pending_cancel';
    this.#later(this.broker.cancelUs, () => {
      if (order.status !== 'pending_cancel') return;
      order.status = this.view.phase() === 'continuous' ? 'canceled' : before;
    });
  }

  #read(what: ReportKind): void {
    this.asked.push(`read ${what}`);
    const startedUs = this.view.now;
    this.#later(this.broker.readUs, () => {
      if (what !== 'positions') return;
      this.view.positionsRead = Math.max(this.view.positionsRead, startedUs);
      this.tell('position_snapshot');
    });
  }

  #later(afterUs: number | null, run: () => void): void {
    if (afterUs !== null) this.#due.add(this.view.now + afterUs, run);
  }

  /** What the engine does at an edge of time: a new session in the morning, and each phase. */
  #cross(before: { readonly phase: string; readonly day: string }): void {
    const { now, calendar } = this.view;
    const day = this.view.tradingDay();
    if (day !== before.day && isSession(calendar, day)) this.keeper.onSession();
    const phase = phaseAt(calendar, now);
    if (phase !== before.phase) this.keeper.onPhase(phase);
  }
}

const isStop = ({ isWaiting, parent }: OrderView): boolean =>
  isWaiting === true || typeof parent === 'string';
