/** Starts, days, phases, commands, lists of strategies, the stream and clocks. */
import { signedQty, type StrategyIndex, type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import { brokerOrderNo, type ClientOrderId, shortOrderId } from '../../domain/ids.ts';
import type {
  Booted,
  CalendarKnown,
  ClockSkew,
  ClockStep,
  Command,
  CommandReceived,
  ConfiguredStrategy,
  ContractsListed,
  SessionStarted,
  StrategiesConfigured,
  StreamChanged,
} from '../ports/engine-event.ts';
import { transition } from '../orders/order-life.ts';
import type { EngineState } from '../engine-state.ts';
import { ENGINE_TIMER } from '../state/timers.ts';
import { EngineTrader } from '../engine-trader.ts';
import type { SessionProcedures } from './session-controller.ts';
import type { StrategySettings } from '../../domain/settings.ts';
import { isSameVersion, versionOf } from '../ports/journal-entry.ts';

type ResumeCommand = Extract<Command, { readonly name: 'resume' }>;

/** Clock skew above which a person is alerted (rulings, 28). */
const SKEW_ALERT_US = 2 * US_PER_SECOND;

/** Reason of the stop of a strategy that is in no list any more. */
const LEFT_CONFIGURATION = 'it is no longer configured';

export class SessionEvents {
  readonly #state: EngineState;
  readonly #controller: SessionProcedures;
  /** Null until the first list of the session. */
  #configured: ReadonlyMap<string, ConfiguredStrategy> | null = null;
  #isSkewAlerted = false;
  #isDownAlerted = false;

  constructor(state: EngineState, controller: SessionProcedures) {
    this.#state = state;
    this.#controller = controller;
  }

  /** A process began. Calls without an answer become unknown, and everything is read and compared again. */
  onBooted({ tsUs, boot, accountTail, stamp = '', owners = [], changes = [], cancels = [] }: Booted): void {
    if (tsUs < this.#state.context.nowUs) setClockBack(this.#state, tsUs);
    const { adoption, ids, context, session, halt, orders, executor } = this.#state;
    const { positionReconciler, reads, timers, polls } = this.#state;
    ids.boot(boot, accountTail, stamp, session.day);
    context.onBooted();
    adoption.expect(owners);
    session.restart(boot);
    halt.isStopping = false;
    reads.restart(tsUs);
    positionReconciler.restart();
    this.#state.moneyReconciler.restart();
    executor.countSent(adoption.adoptSent());
    executor.onUnjournaledCalls({ owners, changes, cancels });
    this.#state.withdrawal.onBooted();
    for (const order of orders.open) executor.onInterrupted(order);
    this.#onStreamDown('down', null);
    timers.clearOwner(ENGINE_TIMER);
    polls.start();
    this.#startStrategies();
  }

  /** Commands of a person or of the schedule. Each is journaled before it is done. */
  onCommand({ by, command }: CommandReceived): void {
    const { halt, losses, context, withdrawal, stopper } = this.#state;
    losses.invalidate();
    context.append({ kind: 'command', ...context.head(null), by, command });
    switch (command.name) {
      case 'halt':
        return halt.haltByCommand(command.reason, command.strategy ?? null, command.code);
      case 'resume':
        this.#resume(command);
        return this.#controller.onCommand(command);
      case 'cancel_all':
        return withdrawal.cancelAll();
      case 'cancel_order':
        return withdrawal.cancelOrder(command.clientOrderId);
      case 'stop_strategy':
        return stopper.command(command, by);
      case 'start_strategy':
        return stopper.allowStart(command.strategy);
      case 'resolve_order':
        return this.#resolve(command.clientOrderId, command.as, command.reason);
      case 'stop':
        halt.isStopping = true;
        return this.#controller.onCommand(command);
      case 'flatten':
      case 'rollover':
        return this.#controller.onCommand(command);
      case 'reload': // the list of strategies follows
        return;
    }
  }

  /** `id`: an order, or the broker's number of one that has no owner. */
  #resolve(id: ClientOrderId, as: 'absent' | 'live', reason: string): void {
    const { context, life, orders, rowOwners, reads } = this.#state;
    const order = orders.get(id);
    if (order === undefined) {
      if (as === 'live' && rowOwners.assignToOperator(brokerOrderNo(id))) return reads.request('book');
      const text = `there is no order ${id} to resolve; of one that is booked for nobody give the broker's number and live`;
      return context.alert(null, 'warning', 'order_not_found', text);
    }
    if (as === 'absent' && order.isInBook) {
      const text = `${id} is ${order.status}, and no complete scan of its book lacks it: cancel it`;
      return context.alert(order.strategy, 'warning', 'order_not_missing', text);
    }
    const event = as === 'absent' ? 'resolved_absent' : 'resolved_live';
    if (!order.extras.isContradicted) {
      if (transition(order, event) !== null) return life.apply(order, event, reason);
      const text = `${id} is ${order.status}: there is nothing to resolve`;
      return context.alert(order.strategy, 'warning', 'order_not_in_doubt', text);
    }
    const extras = order.writableExtras();
    extras.isContradicted = false;
    extras.resolvedAs = as;
    orders.changed(order);
    if (as === 'absent') life.apply(order, 'seen_canceled', reason);
  }

  /** A person has seen why entries are off, and accepts it. */
  #resume({ strategy, reason }: ResumeCommand): void {
    const { halt, losses, moneyReconciler, breakers, orders, positionReconciler } = this.#state;
    losses.resume(strategy);
    if (typeof strategy === 'number') return halt.resumeStrategies(reason, strategy);
    moneyReconciler.resume();
    const ended = halt.resume(reason);
    if (strategy === undefined) halt.resumeStrategies(reason);
    breakers.resume(ended);
    positionReconciler.resume((instrument, side) => {
      const lost = orders.open.find(
        (order) => order.instrument === instrument && order.side === side && order.isLost,
      );
      return lost && shortOrderId(lost.clientOrderId);
    });
  }

  onSessionStarted(started: SessionStarted): void {
    const { tradingDay, follows, isRestarted, carriedOrders = [] } = started;
    const { session, portfolio, positionReconciler, halt, losses, context, reads, registry, ids } =
      this.#state;
    if (session.day === tradingDay) return;
    if (session.day !== null) this.#endDay();
    losses.beginDay(started.earned ?? []);
    session.begin(tradingDay);
    ids.before.carryOver(started.minted ?? []);
    // The broker counts the day's fills from before too.
    if (isRestarted === true) this.#state.fills.hasCarriedFills = true;
    if (started.equityPeak !== undefined) this.#state.breakers.carryOver(started.equityPeak);
    // Else the clock was set back over a day: its orders may work on.
    const wasNight = isRestarted !== true && (follows === undefined || follows < tradingDay);
    for (const each of carriedOrders) this.#state.carriedOrders.carryOver(each, wasNight);
    this.#state.withdrawal.carryOver(carriedOrders);
    for (const { strategy, instrument, qty, openValue } of started.carriedOver) {
      portfolio.carry(strategy, instrument, qty, openValue);
      const carried = { event: 'carried_over', instrument, qty, value: openValue } as const;
      context.append({ ...context.head(strategy), kind: 'position_event', ...carried });
    }
    if (started.halted !== null) halt.carryOver(null, started.halted);
    if (started.lossReached !== undefined) halt.carryOverLoss(started.lossReached);
    for (const each of started.haltedStrategies ?? []) halt.carryOver(each.strategy, each);
    for (const { strategy, reason } of started.stoppedStrategies ?? [])
      this.#state.stopper.carryOver(strategy, reason);
    this.#alertUnclosed(started.unclosed ?? []);
    // Strategies find their positions and halts as they are.
    registry.resume();
    positionReconciler.restart();
    if (follows !== undefined) positionReconciler.expectCarriedOver();
    this.#controller.onSession(wasNight);
    for (const what of ['contracts', 'book', 'positions'] as const) reads.request(what);
    this.#state.polls.awaitReference();
    this.#startStrategies();
  }

  /** An engine forgets a flatten with its day. */
  #alertUnclosed(unclosed: NonNullable<SessionStarted['unclosed']>): void {
    for (const { strategy, reason } of unclosed) {
      const text = `flatten (${reason}): the day ended before it was done, and stops of the position may be gone: ask again if you still want it`;
      this.#state.context.alert(strategy, 'critical', 'flatten_dropped', text);
    }
  }

  #endDay(): void {
    const { dayEnd, exits, rowOwners, fills, moneyReconciler, portfolio, market } = this.#state;
    dayEnd.nextDay();
    exits.nextDay();
    rowOwners.nextDay();
    fills.nextDay();
    moneyReconciler.newDay();
    portfolio.clear();
    market.newDay();
  }

  /** Which version of each strategy decides from here on, and under which settings: it follows the lists, and reports changes. */
  onStrategies({ strategies }: StrategiesConfigured): void {
    const { context, registry, stopper, losses } = this.#state;
    const before = this.#configured;
    this.#configured = new Map(strategies.map((each) => [each.settings.id, each]));
    // Strategies are matched by id: a replay of the day may give them other indexes.
    const registered = registry.registered.toSorted((a, b) => (a.settings.id < b.settings.id ? -1 : 1));
    for (const { index, settings } of registered) {
      const now = this.#configured.get(settings.id);
      const isEarlier = context.decisions.isOlderVersion(index);
      if (now !== undefined) {
        // The first list of a session is no change.
        if (before !== null) this.#noteChange(index, before.get(settings.id), now);
        this.#useSettings(index, now.settings);
        if (!isEarlier) stopper.applyStop(index);
      }
      // In a past with another list it may have been configured again since.
      else if (!isEarlier) stopper.stop(index, LEFT_CONFIGURATION, null);
    }
    // A strategy whose symbols were edited may hold what it no longer trades.
    if (before !== null && registry.isStarted) this.#controller.onContracts();
    losses.invalidate();
  }

  /** Limits hold from their list on, so that a replay meets them at the same moment. Its contracts are those of its code. */
  #useSettings(strategy: StrategyIndex, settings: StrategySettings): void {
    const { strategies } = this.#state.settings;
    const present = strategies[strategy];
    if (present !== undefined && present.isOrphan !== true)
      strategies[strategy] = { ...settings, symbols: present.symbols };
  }

  #noteChange(
    strategy: StrategyIndex,
    before: ConfiguredStrategy | undefined,
    now: ConfiguredStrategy,
  ): void {
    const from = before === undefined ? null : versionOf(before);
    const to = versionOf(now);
    if (from !== null && isSameVersion(from, to)) return;
    const { context, portfolio, orders } = this.#state;
    const held = portfolio.held().filter((each) => each.strategy === strategy);
    const heldQty = signedQty(held.reduce((sum, each) => sum + each.qty, 0));
    const openOrders = orders.open.filter((order) => order.strategy === strategy).length;
    context.append({ ...context.head(strategy), kind: 'strategy_changed', from, to, heldQty, openOrders });
  }

  /** A contract may have its last session on another day from now on. */
  onCalendar(known: CalendarKnown): void {
    const { calendar, session, registry } = this.#state;
    if (!calendar.replace(known)) return;
    session.recheckPhase();
    if (registry.isStarted) this.#controller.onContracts();
  }

  onContracts({ contracts, listed }: ContractsListed): void {
    const { reads, polls, contracts: table, registry, adoption, executor } = this.#state;
    const isFirst = table.all.length === 0;
    table.set(contracts, listed);
    const sent = adoption.adoptSent();
    executor.countSent(sent);
    for (const order of sent) executor.onInterrupted(order);
    if (registry.isStarted) this.#controller.onContracts();
    else this.#startStrategies();
    if (!isFirst) return;
    reads.request('book');
    polls.awaitReference();
  }

  onStream({ state, reason, tsUs }: StreamChanged): void {
    const { market, registry, polls, reads } = this.#state;
    if (state !== 'live') return this.#onStreamDown(state, reason);
    market.onStreamUp();
    if (this.#isDownAlerted)
      this.#state.context.alert(null, 'info', 'stream_up', 'the price stream is connected again');
    this.#isDownAlerted = false;
    polls.awaitReference();
    // Fills, triggers and closes of the meantime were not seen (failure cases, 19).
    for (const what of ['triggers', 'book', 'positions', 'account'] as const) reads.request(what);
    registry.dispatch((host) => host.onFeed({ tsUs, state }));
  }

  /** Moves to the current phase, if it is another one. */
  advancePhase(): void {
    const { session, context, registry, dayEnd, reads, polls } = this.#state;
    if (session.isDayOver()) dayEnd.endUnproven();
    const before = session.phase;
    const phase = session.advancePhase(context.nowUs);
    if (phase === null) return;
    const tradingDay = session.tradingDay();
    context.append({ ...context.head(null), kind: 'phase', tradingDay, phase });
    if (phase === 'closed' && before !== 'closed') {
      dayEnd.onClose(context.nowUs);
      reads.request('book');
      reads.request('positions');
    } else if (phase !== 'closed') {
      dayEnd.onOpen();
      if (before === 'closed') polls.onOpen();
    }
    registry.dispatch((host) => host.onPhase({ tsUs: context.nowUs, phase }));
    this.#controller.onPhase(phase);
  }

  onClockSkew({ skewUs }: ClockSkew): void {
    this.#state.session.clockSkewUs = skewUs;
    const isLarge = Math.abs(skewUs) > SKEW_ALERT_US;
    if (isLarge && !this.#isSkewAlerted) {
      const text = `our clock differs from the broker's by ${skewUs / US_PER_SECOND} s`;
      this.#state.context.alert(null, 'warning', 'clock_skew', text);
    }
    this.#isSkewAlerted = isLarge;
  }

  onClockStep({ stepUs }: ClockStep): void {
    this.#state.session.clockStepUs = stepUs;
    if (stepUs === 0) {
      const text = 'the wall clock agrees with market time again';
      return this.#state.context.alert(null, 'info', 'clock_step', text);
    }
    const by = `${Math.round(Math.abs(stepUs) / US_PER_SECOND)} s ${stepUs > 0 ? 'ahead of' : 'behind'} market time`;
    const text = `the wall clock of this machine was set: it is ${by}, which goes on as before; entries wait; set the clock right, or restart to take its time`;
    this.#state.context.alert(null, 'critical', 'clock_step', text);
  }

  /** `reason` null: the process ended, journaled elsewhere. A stale stream empties the books too: its next levels may not fit. */
  #onStreamDown(state: 'stale' | 'down', reason: string | null): void {
    const { market, registry, context, session } = this.#state;
    const wasLive = market.isLive;
    market.onStreamDown();
    if (!wasLive) return;
    if (reason !== null && state === 'down' && session.phase !== 'closed') {
      this.#isDownAlerted = true;
      context.alert(null, 'warning', 'stream_down', `prices have stopped: ${reason}`);
    }
    registry.dispatch((host) => host.onFeed({ tsUs: context.nowUs, state }));
  }

  /** Starts strategies as soon as contracts, trading day and boot number are known. */
  #startStrategies(): void {
    const { registry, contracts, session, ids, context, market } = this.#state;
    if (registry.isStarted || contracts.all.length === 0 || session.day === null || !ids.isReady) return;
    this.#controller.onContracts();
    for (const { index, stopped, settings } of registry.registered) {
      if (stopped !== null || settings.isOrphan === true) continue;
      context.append({ ...context.head(index), kind: 'strategy_started' });
    }
    registry.start((host) => host.start(new EngineTrader(this.#state)));
    if (market.isLive) registry.dispatch((host) => host.onFeed({ tsUs: context.nowUs, state: 'live' }));
  }
}

/**
 * A process starts with a clock behind that of the process before it: somebody set the clock back. Whatever was stamped ahead of the
 * new time is stamped with it, or bars, timers, reads and exits would wait until the old time comes again.
 */
function setClockBack(state: EngineState, at: TsUs): void {
  const { context, timers, session, registry, orders, executor, dayEnd, exits, rowOwners, reconciler } =
    state;
  timers.bringForward(context.nowUs - at);
  context.setBack(at);
  session.setClockBack();
  if (!session.isDayOver()) registry.resume();
  reconciler.setClockBack(at);
  for (const order of orders.open) order.setClockBack(at);
  executor.setClockBack(at);
  dayEnd.setClockBack(at);
  exits.setClockBack();
  rowOwners.setClockBack(at);
  state.breakers.setClockBack(at);
  state.market.setClockBack(at);
}
