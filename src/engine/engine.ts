/**
 * Decides. Everything that happens enters through `process`, and the same events always give the same decisions. Reading
 * it tells the whole program: timers that are due, the phase of now, the event, then what it made strategies ask for.
 */
import { CommandEvents } from './command-events.ts';
import { createEngineParts, type EngineOptions, type EngineParts, type House } from './engine-parts.ts';
import { engineSnapshot } from './engine-snapshot.ts';
import type { EngineView } from './engine-view.ts';
import type {
  Booted,
  BookSnapshot,
  ClockSkew,
  ConditionSnapshot,
  ContractsListed,
  EngineEvent,
  PositionSnapshot,
} from './ports/engine-event.ts';
import type { Alarm } from './ports/outbound.ts';
import type { Recorded } from './recorded.ts';
import { MarketEvents } from './market-events.ts';
import { SessionEvents } from './session-events.ts';
import { ENGINE_TIMER, KEEPER_TIMER, PARKED_EXITS } from './timer-owners.ts';
import { strategyIndex, tsUs, US_PER_SECOND } from '../domain/units.ts';
import { PARKED_US_MAX } from './orders/order-desk.ts';

/** Calls carried out for one event; strategies that still ask then ask without end, and are stopped. */
const CALLS_PER_EVENT_MAX = 256;
/** Clock skew above which a person is told (rulings, 28). */
const SKEW_TOLD_US = 2 * US_PER_SECOND;

export class Engine {
  readonly #parts: EngineParts;
  readonly #session: SessionEvents;
  readonly #market: MarketEvents;
  readonly #commands: CommandEvents;
  readonly #alarm: Alarm;
  #wakeAtUs = NaN;
  #ordersVersion = -1;
  #events = 0;
  #isSkewTold = false;
  #isParkTimerSet = false;

  constructor(options: EngineOptions, house?: House) {
    this.#parts = createEngineParts(options, house);
    this.#session = new SessionEvents(this.#parts);
    this.#market = new MarketEvents(this.#parts);
    this.#commands = new CommandEvents(this.#parts);
    this.#alarm = options.outbound.alarm;
  }

  /** `recorded` is what the journal holds of this event, when it is replayed after a restart. */
  process(event: EngineEvent, recorded?: Recorded): void {
    const { turn, timers, session, replay, queue, news, orders, orderDesk, stops } = this.#parts;
    // Read once: events have twenty shapes, and each look at one of them is a search.
    const { kind, seq, tsUs } = event;
    if (recorded !== undefined || replay.isActive) replay.begin(recorded);
    turn.begin(seq, tsUs, recorded !== undefined, recorded?.durable === false);
    this.#events += 1;
    if (kind === 'contracts') return this.#onContracts(event, recorded === undefined);
    // What happens from here on happens in the new process.
    if (kind === 'booted') this.#onBooted(event);
    if (this.#session.hasListed) this.#session.useListed();
    if (timers.nextDueUs <= turn.nowUs) this.#fireTimers();
    if (session.phaseUntilUs <= turn.nowUs) this.#session.advancePhase();
    if (kind === 'trade') this.#market.trade(event);
    else if (kind === 'book_update') this.#market.book(event);
    else this.#dispatch(event);
    if (queue.isWaiting || news.isWaiting || recorded !== undefined || stops.hasUntold) this.#settle();
    if (orders.version !== this.#ordersVersion) this.#followOrders();
    if (orderDesk.hasParked) this.#awaitParked();
    if (recorded === undefined) this.#setAlarm(kind === 'clock');
  }

  /** The replay is over: strategies that differed from the journal are stopped; the next event tells it. */
  endReplay(): void {
    this.#parts.stops.endReplay();
    this.#wakeAtUs = NaN;
  }

  snapshot(): EngineView {
    const { gaps, duplicates } = this.#market;
    return engineSnapshot(this.#parts, { events: this.#events, gaps, duplicates });
  }

  #dispatch(event: Exclude<EngineEvent, { readonly kind: 'trade' | 'book_update' }>): void {
    const { keeper } = this.#parts;
    switch (event.kind) {
      case 'summary':
        return this.#market.summary(event);
      case 'contracts':
        return;
      case 'stream':
      case 'reference':
      case 'book_snapshot':
      case 'condition_snapshot':
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
        return keeper.afterEvent(event);
    }
  }

  #onContracts(event: ContractsListed, isLive: boolean): void {
    this.#session.contractsListed(event);
    if (!isLive) return;
    this.#wakeAtUs = event.tsUs;
    this.#alarm.wakeAt(event.tsUs);
  }

  #onBooted(event: Booted): void {
    this.#ordersVersion = -1;
    this.#isParkTimerSet = false; // the start clears the engine's timers and sets them anew
    this.#session.booted(event);
  }

  #onRare(
    event: Exclude<EngineEvent, { readonly kind: 'trade' | 'book_update' | 'summary' | 'contracts' }>,
  ): void {
    const { market, reads, polls, orderDesk, outcomes, latch, session } = this.#parts;
    switch (event.kind) {
      case 'stream':
        return this.#session.stream(event);
      case 'reference':
        polls.succeeded('reference');
        reads.failed('reference');
        return market.reference(event);
      case 'book_snapshot':
        return this.#onBookSnapshot(event);
      case 'condition_snapshot':
        return this.#onConditions(event);
      case 'position_snapshot':
        return this.#onPositions(event);
      case 'account_snapshot':
        polls.succeeded('account');
        reads.arrived('account', event.startedUs);
        return session.takeAccount(event);
      case 'read_failed':
        polls.failed(event);
        return event.what === 'positions' ? orderDesk.retryParked(true) : undefined;
      case 'call_outcome':
        return outcomes.take(event);
      case 'command':
        return this.#commands.take(event);
      case 'booted':
      case 'clock':
        return;
      case 'session_started':
        return this.#session.sessionStarted(event);
      case 'journal_failed':
        return latch.latch(`the journal could not be written: ${event.reason}`, 'journal_failed');
      case 'clock_skew':
        return this.#onClockSkew(event);
    }
  }

  #onBookSnapshot(snapshot: BookSnapshot): void {
    const { reads, polls, contracts, book, dayEnd, session, truth, fills, orders, children, exitCover } =
      this.#parts;
    polls.succeeded('book');
    reads.arrived('book', snapshot.startedUs);
    // Rows name contracts: before the list is known they say nothing.
    if (contracts.all.length === 0) return;
    book.take(snapshot);
    dayEnd.afterBook(snapshot);
    if (!snapshot.complete) return;
    session.bookReadUs = Math.max(session.bookReadUs, snapshot.startedUs);
    const isOneAbsent = orders.presumedAbsent !== null;
    // What a row of unknown ownership filled may be what a difference is made of.
    const unresolved = orders.unresolved + children.held;
    truth.takeBook(snapshot, { fillVersion: fills.version, unresolved, isOneAbsent });
    if (unresolved === 0) exitCover.step(snapshot.startedUs);
    if (unresolved === 0 && truth.nextRead() === 'positions') reads.want('positions');
  }

  #onConditions(snapshot: ConditionSnapshot): void {
    const { reads, polls, contracts, conditions, session } = this.#parts;
    polls.succeeded('conditions');
    reads.arrived('conditions', snapshot.startedUs);
    if (contracts.all.length === 0) return;
    conditions.take(snapshot);
    if (snapshot.complete) session.conditionsReadUs = Math.max(session.conditionsReadUs, snapshot.startedUs);
  }

  #onPositions(snapshot: PositionSnapshot): void {
    const { reads, polls, contracts, truth, fills, orderDesk } = this.#parts;
    polls.succeeded('positions');
    reads.arrived('positions', snapshot.startedUs);
    if (contracts.all.length === 0) return;
    truth.takePositions(snapshot, fills.version);
    orderDesk.retryParked(false);
    if (truth.nextRead() === 'book') reads.want('book');
  }

  #onClockSkew({ skewUs }: ClockSkew): void {
    const { session, turn } = this.#parts;
    session.clockSkewUs = skewUs;
    const isLarge = Math.abs(skewUs) > SKEW_TOLD_US;
    if (isLarge && !this.#isSkewTold) {
      turn.alert(
        null,
        'warning',
        'clock_skew',
        `our clock differs from the broker's by ${skewUs / US_PER_SECOND} s`,
      );
    }
    this.#isSkewTold = isLarge;
  }

  #fireTimers(): void {
    const { timers, turn, roster, keeper, polls, orderDesk } = this.#parts;
    for (const { id, owner, tag } of timers.takeDue(turn.nowUs)) {
      if (owner === KEEPER_TIMER) keeper.onTimer(tag);
      else if (owner !== ENGINE_TIMER) {
        const strategy = strategyIndex(owner);
        if (!roster.isStopped(strategy)) roster.dispatch((host) => host.onTimer(strategy, id));
      } else if (tag === PARKED_EXITS) {
        this.#isParkTimerSet = false;
        orderDesk.retryParked(false);
      } else polls.onTimer(tag);
    }
  }

  /** Tells the news and carries out the calls, in turn, until there are none: what a call brings about is news again. */
  #settle(): void {
    const { replay, stops, queue, orderDesk, roster } = this.#parts;
    if (replay.isDurable) queue.loadRecorded();
    if (!replay.isActive && stops.hasUntold) stops.tellUntold();
    for (let calls = 0; this.#publish() || queue.isWaiting; calls += 1) {
      if (calls === CALLS_PER_EVENT_MAX) this.#endless();
      const call = queue.take();
      if (call !== undefined) orderDesk.execute(call);
    }
    if (!replay.isDurable) return;
    stops.stopRecorded();
    replay.end((strategy) => roster.isStopped(strategy) || !roster.isStarted);
  }

  #publish(): boolean {
    const { news, roster } = this.#parts;
    if (!news.isWaiting) return false;
    for (const each of news.take()) roster.publish(each);
    return true;
  }

  /** A strategy that answers each refusal with another order would hold the engine for ever. */
  #endless(): void {
    const { queue, stops } = this.#parts;
    const asking = new Set(
      queue
        .drop()
        .filter(({ by }) => by === 'desk')
        .map(({ strategy }) => strategy),
    );
    const message = `asked for more than ${CALLS_PER_EVENT_MAX} calls in one event`;
    for (const strategy of asking) stops.stop(strategy, 'fault', { message, where: 'desk' });
  }

  #awaitParked(): void {
    const { timers, turn } = this.#parts;
    if (this.#isParkTimerSet) return;
    this.#isParkTimerSet = true;
    timers.set(ENGINE_TIMER, turn.nowUs + PARKED_US_MAX, PARKED_EXITS);
  }

  #followOrders(): void {
    const { orders, reads, polls } = this.#parts;
    this.#ordersVersion = orders.version;
    polls.followConditions(orders.conditionTempo);
    reads.tempo(orders.ownOpen > 0 ? 'fast' : 'slow');
  }

  #setAlarm(isDue: boolean): void {
    const { timers, session } = this.#parts;
    const next = Math.min(timers.nextDueUs, session.phaseUntilUs);
    if (next === this.#wakeAtUs && !isDue) return;
    this.#wakeAtUs = next;
    this.#alarm.wakeAt(next === Infinity ? Infinity : tsUs(next));
  }
}
