/**
 * Decides. Everything that happens enters through `process` (rows of a backtest through `trade` and `book`), and the same events always
 * give the same decisions. Each event runs the timers that are due, moves the phase, changes the state in one switch, then carries out
 * the calls it led to.
 */
import { assert } from '../domain/assert.ts';
import type { BrokerAccount } from '../domain/broker-order.ts';
import type { DaySummary, TradeTick } from '../domain/ticks.ts';
import {
  type InstrumentIndex,
  instrumentIndex,
  type Seq,
  type StrategyIndex,
  strategyIndex,
  type TsUs,
  tsUs,
  US_PER_MINUTE,
} from '../domain/units.ts';
import { engineSnapshot, type EngineSnapshot } from './engine-snapshot.ts';
import type { EngineOptions } from './engine-core.ts';
import { type CreateGuard, EngineState } from './engine-state.ts';
import type { InstrumentMarket } from './market/market.ts';
import { QuietStretch } from './quiet-stretch.ts';
import { PENDING_POSITION_US_MAX } from './orders/order-executor.ts';
import type {
  AccountSnapshot,
  OrderListSnapshot,
  BookUpdate,
  Booted,
  ContractsListed,
  EngineEvent,
  ExecutionReport,
  PositionSnapshot,
  ReferencePrices,
  UnjournaledCalls,
} from './ports/engine-event.ts';
import type { Alarm } from './ports/outbound.ts';
import type { StrategyHost } from './ports/strategy-port.ts';
import type { EventDecisions } from './replay/decisions.ts';
import { RiskGuard } from './risk/risk-guard.ts';
import { SessionController, type SessionProcedures } from './session/session-controller.ts';
import { SessionEvents } from './session/session-events.ts';
import { CONTROLLER_TIMER, ENGINE_TIMER } from './state/timers.ts';
import type { ReplayFault } from './session/strategy-stopper.ts';

/** Calls carried out for one event; a strategy that asks for more is stopped as endless. */
const CALLS_PER_EVENT_MAX = 256;
/** If the day ended longer ago than this, the machine slept: yesterday's timers of strategies are dropped. */
const STANDBY_US_MIN = US_PER_MINUTE;
type RareEvent = Exclude<EngineEvent, { readonly kind: 'trade' | 'book_update' }>;

/** Risk guard and session controller; tests put simpler ones in their place. */
export interface EngineDependencies {
  readonly createGuard: CreateGuard;
  createSessionController(state: EngineState): SessionProcedures;
}

const DEFAULTS: EngineDependencies = {
  createGuard: (view) => new RiskGuard(view),
  createSessionController: (state) => new SessionController(state),
};

export class Engine {
  readonly #state: EngineState;
  readonly #controller: SessionProcedures;
  readonly #sessionEvents: SessionEvents;
  readonly #alarm: Alarm;
  readonly #host: StrategyHost;
  readonly #stretches: QuietStretch[] = [];
  #listed: ContractsListed | null = null;
  #wakeAtUs = NaN;
  #ordersVersion = -1;
  #events = 0;
  #gaps = 0;
  #duplicates = 0;

  constructor(options: EngineOptions, dependencies = DEFAULTS) {
    const state = new EngineState(options, dependencies.createGuard);
    this.#state = state;
    this.#controller = dependencies.createSessionController(state);
    this.#sessionEvents = new SessionEvents(state, this.#controller);
    this.#alarm = options.outbound.alarm;
    this.#host = options.host;
  }

  process(event: EngineEvent): void {
    // Read once: events have twenty shapes, so V8 looks a property up at each access.
    const { kind } = event;
    if (kind === 'trade') return this.trade(event);
    if (kind === 'book_update') return this.book(event);
    this.#begin(event.seq, event.tsUs);
    if (kind === 'contracts') return this.#onContracts(event);
    // `booted` is the first event of a process: timers that fall due belong to the new process.
    if (kind === 'booted') this.#onBooted(event);
    // The calendar decides the phase, so it is applied first.
    if (kind === 'calendar') this.#sessionEvents.onCalendar(event);
    this.#advance();
    this.#dispatch(event);
    if (kind !== 'summary') {
      this.#state.losses.measureChanged();
      this.#controller.afterEvent(event);
    }
    this.#end(kind === 'clock');
  }

  /** Before a replay: calls that left though the journal holds no row of them. */
  noteUnjournaledCalls(sent: UnjournaledCalls): void {
    this.#state.past.noteUnjournaledCalls(sent);
  }

  /**
   * Replays an event from before a restart with the decisions that the journal holds of it; null: a kill cut the journal off before it.
   * `older`: strategies of which an earlier version decided. The outbound ports are muted meanwhile.
   */
  replay(event: EngineEvent, decisions: EventDecisions | null, older: readonly StrategyIndex[]): void {
    const { past } = this.#state;
    if (event.kind === 'booted') past.processBegan();
    past.begin(decisions, older);
    this.#state.context.setDecisions(past);
    if (decisions !== null && (decisions.proposals.length > 0 || decisions.policies?.length !== 0))
      this.#state.dueWork.markPending();
    this.#state.stopper.stopAsJournaled(decisions?.stopped ?? []);
    this.process(event);
    if (decisions === null) return;
    if (event.kind !== 'session_started') this.#state.halt.haltAsJournaled(hasWithdrawn(decisions));
    for (const strategy of decisions.stopped)
      if (!past.isOlderVersion(strategy))
        this.#state.stopper.stop(strategy, 'stopped before the restart', null);
    past.end((strategy) => this.#state.registry.isSilent(strategy));
  }

  /**
   * The replay is over: strategies that differed from the journal are stopped; the next event journals it.
   * `areReadsSent`: another engine of this process sent them, and their answers come here.
   */
  endReplay(areReadsSent = false): void {
    const { present, past, reads } = this.#state;
    this.#state.stopper.endReplay(past);
    // The ports were muted: reads that the past of another process asked for get no answer.
    if (this.#state.context.decisions !== present && !areReadsSent) reads.restart();
    this.#state.context.setDecisions(present);
    this.#wakeAtUs = NaN;
    this.#state.dueWork.markPending();
  }

  /** Faults found so far by a replay that is under way. */
  replayFaults(): readonly ReplayFault[] {
    return this.#state.stopper.faultsOf(this.#state.past);
  }

  snapshot(): EngineSnapshot {
    return engineSnapshot(this.#state, this.#controller.status(), {
      events: this.#events,
      gaps: this.#gaps,
      duplicates: this.#duplicates,
    });
  }

  /** Fast path for trades; skips event dispatch. */
  trade(tick: TradeTick): void {
    const stretch = this.enterStretch(tick.instrument, tick.totalVolume - tick.qty);
    if (stretch?.has(tick.tsUs, tick.price) === true) {
      stretch.trade(tick);
      stretch.leave(tick.seq, tick.tsUs);
      return this.leaveStretch(1);
    }
    const isPlain = this.#beginIfQuiet(tick.seq, tick.tsUs);
    if (!isPlain) this.#advanceTo(tick.seq, tick.tsUs);
    this.#onTrade(tick);
    if (!isPlain || this.#state.dueWork.hasPending) this.#end(false);
  }

  /** Quiet trades that follow on a total volume of `totalVolume`; null while each event needs the full path. */
  enterStretch(instrument: InstrumentIndex, totalVolume: number): QuietStretch | null {
    const stretch = this.stretchOf(instrument);
    return stretch.enter(totalVolume) ? stretch : null;
  }

  stretchOf(instrument: InstrumentIndex): QuietStretch {
    return this.#stretches[instrument] ?? this.#createStretches(instrument);
  }

  /** `events` of quiet stretches are over. */
  leaveStretch(events: number): void {
    this.#events += events;
    if (this.#state.dueWork.hasPending) this.#end(false);
  }

  /** Fast path for changes of the book. */
  book(update: BookUpdate): void {
    const isPlain = this.#beginIfQuiet(update.seq, update.tsUs);
    if (!isPlain) this.#advanceTo(update.seq, update.tsUs);
    const tick = this.#state.market.mergeBook(update);
    if (tick !== null && this.#state.registry.isRunning) {
      this.#state.registry.begin().onBook(tick);
      this.#state.registry.end();
    }
    if (!isPlain || this.#state.dueWork.hasPending) this.#end(false);
  }

  /** Nothing is due and nothing waits before this time: an event is only a price. */
  get quietUntilUs(): number {
    return this.#state.dueWork.quietUntilUs;
  }

  #createStretches(upTo: InstrumentIndex): QuietStretch {
    for (let at = this.#stretches.length; at <= upTo; at += 1) {
      const instrument = instrumentIndex(at);
      const market = this.#state.market.of(instrument);
      this.#stretches.push(new QuietStretch(this.#state, market, this.#host.listenersOf(instrument)));
    }
    const stretch = this.#stretches[upTo];
    assert(stretch !== undefined, 'each contract has its stretch');
    return stretch;
  }

  /** True when nothing is due and nothing waits: the event is only a price. */
  #beginIfQuiet(seq: Seq, at: TsUs): boolean {
    if (this.#state.context.begin(seq, at) >= this.#state.dueWork.quietUntilUs) return false;
    this.#events += 1;
    return true;
  }

  #advanceTo(seq: Seq, at: TsUs): void {
    this.#begin(seq, at);
    this.#advance();
    this.#state.market.emptyQuietPrices();
  }

  #begin(seq: Seq, at: TsUs): void {
    this.#state.context.begin(seq, at);
    this.#events += 1;
  }

  /** Work that is due by the time of the event, before the event itself. */
  #advance(): void {
    const { nowUs } = this.#state.context;
    if (this.#listed !== null) this.#useContracts(this.#listed);
    const { phaseUntilUs } = this.#state.session;
    const isDayOver = phaseUntilUs <= nowUs && this.#state.session.isDayOver();
    if (isDayOver && nowUs - phaseUntilUs > STANDBY_US_MIN) this.#state.registry.pause();
    if (this.#state.timers.nextDueUs <= nowUs) this.#fireTimers();
    if (phaseUntilUs <= nowUs) this.#sessionEvents.advancePhase();
    // The last bar of a day ends with it.
    if (isDayOver) this.#state.registry.pause();
  }

  /** Carries out the calls that the event led to. */
  #end(isClock: boolean): void {
    this.#state.context.decisions.load();
    if (this.#state.stopper.hasPending) this.#state.stopper.reportPending();
    this.#drain();
    if (this.#state.orders.version !== this.#ordersVersion) this.#setReadPace();
    if (this.#state.executor.hasPending) this.#retryPendingCalls();
    // A position changed after the losses were measured: the next price, of any contract, measures them again.
    if (!this.#state.losses.isMeasured) this.#state.market.emptyQuietPrices();
    this.#state.dueWork.quietUntilUs = this.#setAlarm(isClock);
  }

  #dispatch(event: RareEvent): void {
    const { halt, reads } = this.#state;
    switch (event.kind) {
      case 'summary':
        return this.#onSummary(event);
      case 'stream':
        return this.#sessionEvents.onStream(event);
      case 'reference':
        return this.#onReference(event);
      case 'book_snapshot':
        return this.#onOrderList(event);
      case 'position_snapshot':
        return this.#onPositions(event);
      case 'account_snapshot':
        return this.#onAccount(event);
      case 'closed_snapshot':
        return void reads.onArrived('closed', event.startedUs);
      case 'read_failed':
        reads.onFailed(event);
        if (event.what === 'positions') this.#state.executor.retryPending(true);
        if (event.what === 'contracts') this.#state.polls.onContractsFailed();
        return;
      case 'execution_report':
        return this.#onReport(event);
      case 'command':
        return this.#sessionEvents.onCommand(event);
      case 'session_started':
        this.#state.losses.invalidate();
        return this.#sessionEvents.onSessionStarted(event);
      case 'strategies':
        return this.#sessionEvents.onStrategies(event);
      case 'journal_failed':
        return halt.onWriteFailed(`the journal could not be written: ${event.reason}`);
      case 'clock_skew':
        return this.#sessionEvents.onClockSkew(event);
      case 'clock_step':
        return this.#sessionEvents.onClockStep(event);
      case 'token': // for the session controller
      case 'contracts': // taken in by `process`
      case 'calendar':
      case 'booted':
      case 'clock':
        return;
    }
  }

  #onTrade(tick: TradeTick): void {
    const market = this.#state.market.of(tick.instrument);
    if (!market.possiblePrices.has(tick.price)) return this.#onOddPrice(tick, market);
    const link = market.onTrade(tick);
    if (link === 'duplicate') {
      this.#duplicates += 1;
      return;
    }
    if (link === 'gap') this.#onGap(tick, market.chain.expectedTotal);
    if (this.#state.registry.isRunning) {
      this.#state.registry.begin().onTrade(tick);
      this.#state.registry.end();
    }
    if (!market.quietPrices.has(tick.price)) this.#onPrice(tick, market);
  }

  /** Only the chain of volumes takes it in: without it the next trade would look like a gap. */
  #onOddPrice({ instrument, price, qty, totalVolume }: TradeTick, market: InstrumentMarket): void {
    market.chain.take(qty, totalVolume);
    if (market.isOddPriceReported) return;
    market.isOddPriceReported = true;
    const { contracts, context } = this.#state;
    const text = `${contracts.codeOf(instrument)} came at ${contracts.priceText(instrument, price)}, outside of the band of the day: such a price marks nothing and reaches no strategy; later ones of today are not alerted`;
    context.alert(null, 'warning', 'price_outside_band', text);
  }

  /** The price may touch an order of ours or bring a loss to its limit. Caches the band in which neither happens. */
  #onPrice({ instrument, price }: TradeTick, market: InstrumentMarket): void {
    const untouched = this.#state.orders.untouchedOf(instrument);
    if (!untouched.has(price)) this.#onTouch();
    if (!this.#state.losses.isWithinBand(instrument, price)) this.#state.losses.measure();
    const { quietPrices, safePrices, possiblePrices } = market;
    quietPrices.set(
      Math.max(untouched.low, safePrices.low, possiblePrices.low),
      Math.min(untouched.high, safePrices.high, possiblePrices.high),
    );
  }

  /** A print at the price of one of our orders: its fill may be in the book. */
  #onTouch(): void {
    const { reads } = this.#state;
    reads.request('book');
    if (this.#state.orders.hasWaiting) reads.request('triggers');
  }

  #onGap({ seq, tsUs: at, instrument, totalVolume }: TradeTick, expectedTotalVolume: number): void {
    this.#gaps += 1;
    const missed = totalVolume - expectedTotalVolume;
    this.#state.context.append({ kind: 'gap', ...this.#state.context.head(null), instrument, missed });
    this.#state.registry.dispatch((host) =>
      host.onGap({ kind: 'gap', seq, tsUs: at, instrument, expectedTotalVolume, totalVolume }),
    );
  }

  #onSummary(summary: DaySummary): void {
    this.#state.market.of(summary.instrument).seenUs = summary.tsUs;
    this.#state.registry.dispatch((host) => host.onSummary(summary));
  }

  /** Takes effect with the next event: a process lists contracts before it boots, and nothing may be decided in between. */
  #onContracts(event: ContractsListed): void {
    this.#listed = event;
    this.#state.reads.onArrived('contracts');
    this.#state.losses.invalidate();
    this.#state.dueWork.markPending();
    this.#wakeAtUs = event.tsUs;
    this.#alarm.wakeAt(event.tsUs);
  }

  #useContracts(listed: ContractsListed): void {
    this.#listed = null;
    this.#sessionEvents.onContracts(listed);
  }

  #onBooted(event: Booted): void {
    this.#ordersVersion = -1;
    this.#state.losses.invalidate();
    this.#sessionEvents.onBooted(event);
  }

  #onReference(prices: ReferencePrices): void {
    this.#state.reads.onArrived('reference');
    this.#state.losses.invalidate();
    const { market, session, settings } = this.#state;
    // A backtest has no failure policies, and its bands are guesses.
    market.setReference(prices, session.isSurelyToday(prices.tsUs), settings.policies !== undefined);
  }

  #onAccount(snapshot: AccountSnapshot): void {
    if (this.#state.reads.onArrived('account', snapshot.startedUs))
      this.#applyAccount(snapshot.account, snapshot.startedUs, snapshot.tsUs);
  }

  #applyAccount(account: BrokerAccount, startedUs: TsUs, at: TsUs): void {
    const { moneyReconciler, breakers } = this.#state;
    this.#state.session.account.take(account, startedUs);
    moneyReconciler.onAccount(account, startedUs, at);
    breakers.onAccount(account.netAssetValue);
  }

  /** The answer comes first: rows are known by the number in it. */
  #onReport({ answer, news, tsUs: at }: ExecutionReport): void {
    const { executor, reconciler } = this.#state;
    if (answer !== null) executor.onAnswer(answer);
    if (news !== null) {
      reconciler.onRows(news.rows, news.startedUs);
      if (news.account !== null) this.#applyAccount(news.account, news.startedUs, at);
    }
    if (answer !== null) this.#requestComparison();
  }

  #onOrderList(snapshot: OrderListSnapshot): void {
    const { reads, contracts, reconciler } = this.#state;
    const { list, startedUs, complete } = snapshot;
    const what = list === 'orders' ? 'book' : 'triggers';
    // Rows name contracts: before the contract list is known they are useless.
    if (!reads.onArrived(what, startedUs) || contracts.all.length === 0) return;
    reconciler.take(snapshot);
    if (list === 'orders') this.#afterOrderList(snapshot);
    else if (complete)
      this.#state.session.triggersReadUs = Math.max(this.#state.session.triggersReadUs, startedUs);
  }

  #afterOrderList(snapshot: OrderListSnapshot): void {
    const { dayEnd, positionReconciler, rows, fills, rowOwners, exitCover, reads } = this.#state;
    dayEnd.afterOrderList(snapshot);
    if (!snapshot.complete) return;
    this.#state.session.ordersReadUs = Math.max(this.#state.session.ordersReadUs, snapshot.startedUs);
    // The fills of a row of unknown ownership may be the whole difference.
    const unresolved = this.#state.orders.unresolved + rowOwners.undecidedCount;
    const book = { fillVersion: fills.count, unresolved };
    positionReconciler.onOrderList(snapshot, book);
    this.#state.moneyReconciler.onOrderList(snapshot, book);
    if (unresolved > 0) return;
    if (positionReconciler.unproven() === null) {
      rows.endAbsent();
      exitCover.step(snapshot.startedUs);
    }
    if (positionReconciler.nextRead() === 'positions') reads.request('positions');
  }

  #onPositions(snapshot: PositionSnapshot): void {
    const { reads, contracts, positionReconciler, fills } = this.#state;
    if (!reads.onArrived('positions', snapshot.startedUs) || contracts.all.length === 0) return;
    positionReconciler.onPositions(snapshot, fills.count);
    this.#state.executor.retryPending(false);
    this.#requestComparison();
  }

  /** Requests the scan without which positions stay unproven: a read before a scan, or with an order on its way, proves nothing. */
  #requestComparison(): void {
    const { positionReconciler, reads } = this.#state;
    if (positionReconciler.nextRead() !== null) reads.request('book');
  }

  /** Publishes order updates and carries out calls, in turn, until there are none left. */
  #drain(): void {
    const { life, queue, executor } = this.#state;
    for (let calls = 0; ; calls += 1) {
      const updates = life.drainUpdates();
      for (const each of updates) this.#state.registry.publish(each);
      if (calls === CALLS_PER_EVENT_MAX) this.#stopEndless();
      const call = queue.next();
      if (call !== undefined) executor.execute(call);
      else if (updates.length === 0) return;
    }
  }

  /** A strategy that answers each refusal with another order would hold the engine for ever. */
  #stopEndless(): void {
    const calls = this.#state.queue.dropRest().filter(({ by }) => by === 'strategy');
    const message = `asked for more than ${CALLS_PER_EVENT_MAX} calls in one event`;
    for (const strategy of new Set(calls.map((call) => call.strategy)))
      this.#state.stopper.stop(strategy, 'fault', { message, where: 'trader' });
  }

  #fireTimers(): void {
    for (const { id, owner, run } of this.#state.timers.dueBy(this.#state.context.nowUs)) {
      // Cleared by one before it.
      if (!this.#state.timers.clear(id)) continue;
      if (run === null) {
        const strategy = strategyIndex(owner);
        if (!this.#state.registry.isStopped(strategy))
          this.#state.registry.dispatch((host) => host.onTimer(strategy, id));
      } else if (owner === CONTROLLER_TIMER) this.#controller.onTimer(run);
      else run();
    }
  }

  #retryPendingCalls(): void {
    const { executor } = this.#state;
    if (this.#state.timers.has(executor)) return;
    const dueUs = this.#state.context.nowUs + PENDING_POSITION_US_MAX;
    this.#state.timers.set(ENGINE_TIMER, dueUs, () => executor.retryPending(false), executor);
  }

  #setReadPace(): void {
    const { reads, polls } = this.#state;
    const { hasOwnOpen, triggerPace, version } = this.#state.orders;
    this.#ordersVersion = version;
    if (triggerPace !== polls.triggerPace) polls.followTriggers(triggerPace);
    reads.setPace(hasOwnOpen ? 'fast' : 'slow');
  }

  /** Sets the alarm and returns when something is due next. */
  #setAlarm(isDue: boolean): number {
    const { nextDueUs } = this.#state.timers;
    const { phaseUntilUs } = this.#state.session;
    const next = nextDueUs < phaseUntilUs ? nextDueUs : phaseUntilUs;
    if (next === this.#wakeAtUs && !isDue) return next;
    this.#wakeAtUs = next;
    this.#alarm.wakeAt(next === Infinity ? Infinity : tsUs(next));
    return next;
  }
}

const hasWithdrawn = ({ proposals }: EventDecisions): boolean =>
  proposals.some(({ proposal }) => proposal.do === 'cancel' && proposal.isWithdrawal === true);
