/**
 * Decides. Everything that happens enters through `process`, and the same events always give the same decisions. Reading
 * it tells the whole program: timers that are due, the phase of now, the event, then what it made strategies ask for.
 */
import type { DueWork } from './state/due-work.ts';
import { CallDrain } from './orders/call-drain.ts';
import { CommandEvents } from './command-events.ts';
import type { EngineOptions } from './engine-base.ts';
import { createEngineParts, type EngineParts, type EngineDependencies } from './engine-parts.ts';
import { engineSnapshot } from './engine-snapshot.ts';
import type { EngineView } from './engine-view.ts';
import type { Booted, BookUpdate, ContractsListed, EngineEvent } from './ports/engine-event.ts';
import type { Alarm } from './ports/outbound.ts';
import type { EventDecisions, JournalDecisions } from './replay/journal-decisions.ts';
import { MarketEvents } from './market-events.ts';
import { SessionEvents } from './session-events.ts';
import { ENGINE_TIMER, CONTROLLER_TIMER, PARKED_EXITS } from './state/timer-owners.ts';
import type { TradeTick } from '../domain/ticks.ts';
import { type Seq, strategyIndex, type TsUs, tsUs } from '../domain/units.ts';
import type { IntentQueue } from './orders/intent-queue.ts';
import type { OrderUpdates } from './orders/order-updates.ts';
import { type OrderExecutor, PARKED_US_MAX } from './orders/order-executor.ts';
import type { Orders } from './orders/orders.ts';
import { ReportEvents } from './report-events.ts';
import type { SessionState } from './session/session-state.ts';
import type { StrategyStops } from './state/strategy-stops.ts';
import type { TimerHeap } from './state/timer-heap.ts';
import type { EventContext } from './state/event-context.ts';

export class Engine {
  readonly #parts: EngineParts;
  readonly #session: SessionEvents;
  readonly #market: MarketEvents;
  readonly #reports: ReportEvents;
  readonly #commands: CommandEvents;
  readonly #calls: CallDrain;
  readonly #alarm: Alarm;
  // What each event looks at: a field is found at once, a part of many parts is searched for.
  readonly #context: EventContext;
  readonly #dueWork: DueWork;
  readonly #timers: TimerHeap;
  readonly #state: SessionState;
  readonly #past: JournalDecisions;
  readonly #queue: IntentQueue;
  readonly #news: OrderUpdates;
  readonly #stops: StrategyStops;
  readonly #orders: Orders;
  readonly #executor: OrderExecutor;
  #wakeAtUs = NaN;
  #ordersVersion = -1;
  #events = 0;
  #isParkTimerSet = false;

  constructor(options: EngineOptions, house?: EngineDependencies) {
    const parts = createEngineParts(options, house);
    this.#parts = parts;
    this.#session = new SessionEvents(parts);
    this.#market = new MarketEvents(parts);
    this.#reports = new ReportEvents(parts);
    this.#commands = new CommandEvents(parts);
    this.#calls = new CallDrain(parts);
    this.#alarm = options.outbound.alarm;
    this.#context = parts.context;
    this.#dueWork = parts.dueWork;
    this.#timers = parts.timers;
    this.#state = parts.session;
    this.#past = parts.past;
    this.#queue = parts.queue;
    this.#news = parts.news;
    this.#stops = parts.stops;
    this.#orders = parts.orders;
    this.#executor = parts.executor;
  }

  process(event: EngineEvent): void {
    // Read once: events have twenty shapes, and each look at one of them is a search.
    const { kind } = event;
    if (kind === 'trade') return this.trade(event);
    if (kind === 'book_update') return this.book(event);
    this.#begin(event.seq, event.tsUs);
    if (kind === 'contracts') return this.#onContracts(event);
    // What happens from here on happens in the new process.
    if (kind === 'booted') this.#onBooted(event);
    this.#advance();
    this.#dispatch(event);
    this.#end(kind === 'clock');
  }

  /**
   * An event of before a restart, with the decisions that the journal holds of it; null: a kill cut the journal off before it.
   * The outbound ports are muted meanwhile.
   */
  replay(event: EngineEvent, decisions: EventDecisions | null): void {
    const { registry } = this.#parts;
    this.#past.begin(decisions);
    this.#context.decideBy(this.#past);
    if (decisions !== null && decisions.proposals.length > 0) this.#dueWork.open();
    this.process(event);
    if (decisions === null) return;
    for (const strategy of decisions.stopped) this.#stops.stop(strategy, 'stopped before the restart', null);
    this.#past.end((strategy) => registry.isStopped(strategy) || !registry.isStarted);
  }

  /** What `process` does with a trade. Who has them by the million may come in here: what it is need not be found out. */
  trade(tick: TradeTick): void {
    const isPlain = this.#passes(tick.seq, tick.tsUs);
    if (!isPlain) this.#open(tick.seq, tick.tsUs);
    this.#market.trade(tick);
    if (!isPlain || this.#dueWork.isOpen) this.#end(false);
  }

  /** What `process` does with a change of the book, for whom has them by the million. */
  book(update: BookUpdate): void {
    const isPlain = this.#passes(update.seq, update.tsUs);
    if (!isPlain) this.#open(update.seq, update.tsUs);
    this.#market.book(update);
    if (!isPlain || this.#dueWork.isOpen) this.#end(false);
  }

  /** Nothing is due and nothing waits: the event is a price and no more. */
  #passes(seq: Seq, at: TsUs): boolean {
    if (this.#dueWork.isOpen || this.#context.begin(seq, at) >= this.#dueWork.dueUs) return false;
    this.#events += 1;
    return true;
  }

  #open(seq: Seq, at: TsUs): void {
    this.#begin(seq, at);
    this.#advance();
    this.#parts.market.invalidateBand();
  }

  #begin(seq: Seq, at: TsUs): void {
    this.#context.begin(seq, at);
    this.#events += 1;
  }

  /** What the time of the event brings about before the event itself. */
  #advance(): void {
    const { nowUs } = this.#context;
    if (this.#session.hasListed) this.#session.useListed();
    if (this.#timers.nextDueUs <= nowUs) this.#fireTimers();
    if (this.#state.phaseUntilUs <= nowUs) this.#session.advancePhase();
  }

  /** What the event made the house and the strategies ask for. */
  #end(isClock: boolean): void {
    this.#context.decisions.load();
    if (this.#queue.isWaiting || this.#news.isWaiting || this.#stops.hasUntold) this.#calls.drain();
    if (this.#orders.version !== this.#ordersVersion) this.#followOrders();
    if (this.#executor.hasParked) this.#awaitParked();
    this.#parts.market.invalidateBand();
    this.#dueWork.close(this.#setAlarm(isClock));
  }

  /** The replay is over: strategies that differed from the journal are stopped; the next event tells it. */
  endReplay(): void {
    const { present, snapshots } = this.#parts;
    this.#stops.endReplay(this.#past);
    // The ports were muted: reads that the past asked for were never sent.
    if (this.#context.decisions !== present) snapshots.restart();
    this.#context.decideBy(present);
    this.#wakeAtUs = NaN;
    this.#dueWork.open();
  }

  snapshot(): EngineView {
    const { gaps, duplicates } = this.#market;
    return engineSnapshot(this.#parts, { events: this.#events, gaps, duplicates });
  }

  #dispatch(event: Exclude<EngineEvent, { readonly kind: 'trade' | 'book_update' }>): void {
    const { controller } = this.#parts;
    switch (event.kind) {
      case 'summary':
        return this.#market.summary(event);
      case 'contracts':
        return;
      case 'stream':
      case 'reference':
      case 'book_snapshot':
      case 'position_snapshot':
      case 'account_snapshot':
      case 'read_failed':
      case 'call_outcome':
      case 'command':
      case 'booted':
      case 'session_started':
      case 'journal_failed':
      case 'clock_skew':
      case 'clock':
        this.#onRare(event);
        this.#market.watchLosses();
        return controller.afterEvent(event);
    }
  }

  #onContracts(event: ContractsListed): void {
    this.#session.contractsListed(event);
    this.#parts.lossBand.invalidate();
    this.#dueWork.open();
    this.#wakeAtUs = event.tsUs;
    this.#alarm.wakeAt(event.tsUs);
  }

  #onBooted(event: Booted): void {
    this.#ordersVersion = -1;
    this.#parts.lossBand.invalidate();
    this.#isParkTimerSet = false; // the start clears the engine's timers and sets them anew
    this.#session.booted(event);
  }

  #onRare(
    event: Exclude<EngineEvent, { readonly kind: 'trade' | 'book_update' | 'summary' | 'contracts' }>,
  ): void {
    const { outcomes, halt, lossBand } = this.#parts;
    switch (event.kind) {
      case 'stream':
        return this.#session.stream(event);
      case 'reference':
        return this.#reports.reference(event);
      case 'book_snapshot':
        return this.#reports.book(event);
      case 'position_snapshot':
        return this.#reports.positions(event);
      case 'account_snapshot':
        return this.#reports.account(event);
      case 'read_failed':
        return this.#reports.readFailed(event);
      case 'call_outcome':
        return outcomes.take(event);
      case 'command':
        lossBand.invalidate();
        return this.#commands.take(event);
      case 'booted':
      case 'clock':
        return;
      case 'session_started':
        lossBand.invalidate();
        return this.#session.sessionStarted(event);
      case 'journal_failed':
        return halt.halt(`the journal could not be written: ${event.reason}`, 'journal_failed');
      case 'clock_skew':
        return this.#reports.clockSkew(event);
    }
  }

  #fireTimers(): void {
    const { timers, context, registry, controller, polls, executor } = this.#parts;
    for (const { id, owner, tag } of timers.takeDue(context.nowUs)) {
      if (owner === CONTROLLER_TIMER) controller.onTimer(tag);
      else if (owner !== ENGINE_TIMER) {
        const strategy = strategyIndex(owner);
        if (!registry.isStopped(strategy)) registry.dispatch((host) => host.onTimer(strategy, id));
      } else if (tag === PARKED_EXITS) {
        this.#isParkTimerSet = false;
        executor.retryParked(false);
      } else polls.onTimer(tag);
    }
  }

  #awaitParked(): void {
    const { timers, context } = this.#parts;
    if (this.#isParkTimerSet) return;
    this.#isParkTimerSet = true;
    timers.set(ENGINE_TIMER, context.nowUs + PARKED_US_MAX, PARKED_EXITS);
  }

  #followOrders(): void {
    const { orders, snapshots, polls } = this.#parts;
    this.#ordersVersion = orders.version;
    polls.followTriggers(orders.triggerTempo);
    snapshots.tempo(orders.ownOpen > 0 ? 'fast' : 'slow');
  }

  /** Returns when something is due next. */
  #setAlarm(isDue: boolean): number {
    const { nextDueUs } = this.#timers;
    const { phaseUntilUs } = this.#state;
    const next = nextDueUs < phaseUntilUs ? nextDueUs : phaseUntilUs;
    if (next === this.#wakeAtUs && !isDue) return next;
    this.#wakeAtUs = next;
    this.#alarm.wakeAt(next === Infinity ? Infinity : tsUs(next));
    return next;
  }
}
