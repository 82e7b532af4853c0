/**
 * A controller in a small world with virtual time: the real guard looks at every exit, a broker of a few lines answers cancels and reads
 * after a while. What was asked, said and decided is kept as lines.
 */
import { isSession, nextPhaseChange, type TradingCalendar } from '../../../src/domain/calendar.ts';
import { type TradingDay, tradingDay } from '../../../src/domain/civil-date.ts';
import type { Contract } from '../../../src/domain/contract.ts';
import { type ClientOrderId, clientOrderId } from '../../../src/domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../../src/domain/order.ts';
import type { EngineSettings } from '../../../src/domain/settings.ts';
import * as units from '../../../src/domain/units.ts';
import type { EngineState } from '../../../src/engine/engine-state.ts';
import type { ManagedOrder } from '../../../src/engine/orders/managed-order.ts';
import type { EngineEvent, ReadKind } from '../../../src/engine/ports/engine-event.ts';
import type { JournalEntry } from '../../../src/engine/ports/journal-entry.ts';
import { TargetExecutor } from '../../../src/engine/session/target-executor.ts';
import { SessionController } from '../../../src/engine/session/session-controller.ts';
import { CONTROLLER_TIMER, ENGINE_TIMER } from '../../../src/engine/state/timers.ts';
import type { ProposalDraft, DecisionSource } from '../../../src/engine/state/event-context.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { at } from '../../support/strategy-fixtures.ts';
import { boardOn } from './board.ts';
import { StateRig, type RigFacts } from './state-rig.ts';

export interface WorldOptions extends Pick<RigFacts, 'has'> {
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

type EventName = 'clock' | 'clock_skew' | 'booted' | 'position_snapshot' | 'book_snapshot' | 'trade';

/** Some methods are the test's; the others have nobody behind them. */
const instead = <Owner extends object>(owner: Owner, methods: Partial<Owner>): Owner =>
  Object.assign(Object.create(Object.getPrototypeOf(owner)) as Owner, methods);

export class SessionWorld extends StateRig {
  readonly calendar: TradingCalendar;
  readonly controller: SessionController;
  readonly broker: BrokerPace = { cancelUs: 200_000, readUs: 100_000, fillUs: 300_000 };
  /** Alerts, as `severity code text`. */
  readonly said: string[] = [];
  /** Everything that was asked for, as lines. */
  readonly asked: string[] = [];
  #count = 0;

  constructor({
    day = '2026-03-04',
    time = '10:00',
    settings = {},
    calendar = MARKET_CALENDAR,
    has = {},
  }: WorldOptions = {}) {
    super({ settings, calendar, startUs: at(time, tradingDay(day)), listed: boardOn(day), has });
    this.calendar = calendar;
    this.state.positionReconciler.restart();
    this.agree(units.addUs(this.now, -units.US_PER_MINUTE));
    this.state.context.setDecisions({
      propose: (strategy, _, asked) => this.#ask(strategy, asked),
      policies: () => null,
      isOlderVersion: () => false,
    } satisfies Partial<DecisionSource> as unknown as DecisionSource);
    this.hear((entry) => this.#hear(entry));
    this.controller = new SessionController(this.#ownState());
  }

  get day(): TradingDay {
    return this.state.session.tradingDay();
  }

  get orders(): readonly ManagedOrder[] {
    return this.state.orders.open;
  }

  /** The engine's calls of the session controller when a process starts now; what was carried is known with the session. */
  start(carry: () => void = () => undefined): this {
    this.controller.onPhase(this.state.session.phase);
    carry();
    this.controller.onSession(true);
    this.controller.onContracts();
    this.afterEvent('clock');
    return this;
  }

  /** Lets time pass up to a moment of the day; what falls due on the way happens in order. */
  runUntil(time: string, day: string = this.day): this {
    const end = at(time, tradingDay(day));
    for (;;) {
      const edge = nextPhaseChange(this.calendar, this.now);
      const moment = Math.min(this.state.timers.nextDueUs, edge);
      if (moment > end) break;
      this.#pass(units.tsUs(Math.max(moment, this.now)));
      this.#fire();
      this.afterEvent('clock');
    }
    this.#pass(end);
    this.afterEvent('clock');
    return this;
  }

  #fire(): void {
    const [next] = this.state.timers.dueBy(this.now);
    if (next === undefined || next.run === null) return;
    this.state.timers.clear(next.id);
    if (next.owner === CONTROLLER_TIMER) this.controller.onTimer(next.run);
    else next.run();
  }

  /** Seconds from now on. */
  run(secs: number): this {
    const end = units.addUs(this.now, Math.round(secs * units.US_PER_SECOND));
    this.state.timers.set(ENGINE_TIMER, end, () => undefined);
    const offset = this.calendar.utcOffsetMinutes * units.US_PER_MINUTE;
    const time = (end + offset) % units.US_PER_DAY;
    return this.runUntil(`00:00:${time / units.US_PER_SECOND}`);
  }

  /** Prices keep coming. At an edge of time it does what the engine does: a new session in the morning, and each phase. */
  #pass(moment: units.TsUs): void {
    const { session, market, contracts } = this.state;
    const before = { phase: session.phase, day: this.day };
    this.goTo(moment);
    for (const { index } of contracts.all) market.of(index).seenUs = moment;
    if (this.day !== before.day && isSession(this.calendar, this.day)) this.controller.onSession(true);
    if (session.phase !== before.phase) this.controller.onPhase(session.phase);
  }

  afterEvent(kind: EventName): void {
    // The controller looks at the kind alone.
    this.controller.afterEvent({ kind, seq: this.state.context.seq, tsUs: this.now } as EngineEvent);
  }

  command(command: Parameters<SessionController['onCommand']>[0]): this {
    this.controller.onCommand(command);
    this.afterEvent('clock');
    return this;
  }

  codes(): readonly string[] {
    return this.said.map((line) => line.split(' ')[1] ?? '');
  }

  /** Lines of what was asked for that begin with a word. */
  asks(word: string): readonly string[] {
    return this.asked.filter((line) => line.startsWith(word));
  }

  /** The contracts that the broker lists from now on. */
  list(contracts: readonly Contract[]): void {
    this.state.contracts.set(contracts);
    this.controller.onContracts();
  }

  /** What a controller asks of others is written down. */
  #ownState(): EngineState {
    const { registry, reads, withdrawal, stopper } = this.state;
    const setLegs = registry.setLegs.bind(registry);
    registry.setLegs = (strategy, legs, lacksMonth) => {
      this.asked.push(`legs ${strategy} ${legs.map(({ orderCode: code }) => code).join(' ')}`);
      setLegs(strategy, legs, lacksMonth);
    };
    const own = Object.assign({}, this.state, {
      reads: instead(reads, { request: (what) => this.#read(what) }),
      withdrawal: instead(withdrawal, {
        isCover: (id) => withdrawal.isCover(id),
        isUnread: (id) => withdrawal.isUnread(id),
        withdrawOrder: ({ strategy, clientOrderId: id }) => {
          this.asked.push(`withdraw ${strategy} ${id}`);
          this.#cancel(id);
        },
        withdrawEntries: (strategy) => void this.asked.push(`withdraw the entries of ${strategy ?? 'all'}`),
      }),
      stopper: instead(stopper, {
        stop: (strategy, reason) => {
          this.asked.push(`stop ${strategy} ${reason}`);
          registry.stop(strategy, reason);
        },
      }),
    });
    return Object.assign(own, { targetExecutor: new TargetExecutor(own) });
  }

  #hear(entry: JournalEntry): void {
    if (entry.kind === 'alert') this.said.push(`${entry.severity} ${entry.code} ${entry.text}`);
    if (entry.kind === 'stop_ready') this.asked.push(`ready ${entry.reason}`);
    if (entry.kind !== 'position_event') return;
    const { event, strategy, qty, instrument, value } = entry;
    this.asked.push(`${event} ${strategy} ${qty} of ${instrument} for ${value}`);
  }

  /** The answer to the first order of the house is lost. */
  loseFirstAnswer(): void {
    const submit = this.submitFor.bind(this);
    this.submitFor = (strategy, intent) => {
      const id = submit(strategy, intent);
      if (this.asks('submit').length === 1) this.become(this.state.orders.get(id)!, 'unknown');
      return id;
    };
  }

  #ask(strategy: units.StrategyIndex, asked: ProposalDraft): ClientOrderId {
    if (asked.do === 'submit') return this.submitFor(strategy, asked.intent);
    if (asked.do === 'modify') this.#modify(strategy, asked.change);
    else this.cancel(strategy, asked.clientOrderId);
    return clientOrderId('call');
  }

  submitFor(strategy: units.StrategyIndex, intent: OrderIntent): ClientOrderId {
    this.#count += 1;
    const id = clientOrderId(`x${this.#count}`);
    const verdict = this.guard.checkSubmit(strategy, id, intent, 'system', false);
    const line = `submit ${strategy} ${intent.side} ${intent.qty} of ${intent.instrument} at ${intent.limitPrice}`;
    this.asked.push(verdict.kind === 'denied' ? `${line}: ${verdict.denial.code}` : line);
    if (verdict.kind !== 'approved') return id;
    const { side, qty, limitPrice: price, purpose, instrument } = verdict.approved;
    const order = this.add({ id, strategy, instrument, side, qty, price, purpose, createdUs: this.now });
    this.#later(this.broker.fillUs, () => {
      if (order.leavesQty > 0 && this.broker.fillUs !== null) this.fill(order, order.leavesQty);
    });
    return id;
  }

  #modify(strategy: units.StrategyIndex, change: ModifyIntent): void {
    const verdict = this.guard.checkModify(strategy, clientOrderId('call'), change, 'system', false);
    const order = this.state.orders.get(change.clientOrderId);
    const to =
      change.kind === 'qty' ? change.qty : change.kind === 'price' ? change.limitPrice : change.triggerPrice;
    const line = `modify ${change.clientOrderId} to ${to}`;
    this.asked.push(verdict.kind === 'denied' ? `${line}: ${verdict.denial.code}` : line);
    if (verdict.kind !== 'approved') return;
    const { limitPrice, qty } = verdict.approved;
    Object.assign(order!, { limitPrice, qty });
  }

  cancel(strategy: units.StrategyIndex, id: ClientOrderId): void {
    this.asked.push(`cancel ${strategy} ${id}`);
    this.#cancel(id);
  }

  #cancel(id: ClientOrderId): void {
    const order = this.state.orders.get(id)!;
    if (order.orderNo === null) {
      order.writableExtras().queuedCancel = clientOrderId('call');
      return;
    }
    const before = order.status;
    this.become(order, 'pending_cancel');
    this.#later(this.broker.cancelUs, () => {
      if (order.status !== 'pending_cancel') return;
      this.become(order, this.state.session.phase === 'continuous' ? 'canceled' : before);
    });
  }

  #read(what: ReadKind): void {
    this.asked.push(`read ${what}`);
    const startedUs = this.now;
    this.#later(this.broker.readUs, () => {
      if (what !== 'positions') return;
      this.read(startedUs);
      this.afterEvent('position_snapshot');
    });
  }

  #later(afterUs: number | null, run: () => void): void {
    if (afterUs !== null) this.state.timers.set(ENGINE_TIMER, this.now + afterUs, run);
  }
}
