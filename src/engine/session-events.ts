/** Starts, days, phases and the stream: what changes the frame in which everything else happens. */
import type { Contract } from '../domain/contract.ts';
import type { Booted, ContractsListed, SessionStarted, StreamChanged } from './ports/engine-event.ts';
import type { EngineParts } from './engine-parts.ts';
import { ENGINE_TIMER } from './state/timer-owners.ts';

export class SessionEvents {
  readonly #parts: EngineParts;
  #listed: readonly Contract[] | null = null;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** A process began. Calls that it has no answer to are unknown now, and everything is read and compared anew. */
  booted({ boot, accountTail, owners = [] }: Booted): void {
    const { adoption, ids, session, latch, orders, outcomes, truth, reads, timers, polls } = this.#parts;
    ids.boot(boot, accountTail);
    adoption.expect(owners);
    session.restart(boot);
    latch.restarted();
    reads.restart();
    truth.restart();
    for (const order of orders.open) outcomes.interrupted(order);
    this.#streamDown(null);
    timers.clearOwner(ENGINE_TIMER);
    polls.start();
    this.#startStrategies();
  }

  sessionStarted({ tradingDay, carried, carriedOrders, latched, latchedStrategies }: SessionStarted): void {
    const { session, dayEnd, portfolio, market, truth, latch, losses, keeper, turn, reads, adoption } =
      this.#parts;
    if (session.day === tradingDay) return;
    if (session.day !== null) {
      dayEnd.nextDay();
      this.#parts.exits.nextDay();
      this.#parts.children.nextDay();
      portfolio.clear();
      market.newDay();
    }
    losses.clear();
    session.begin(tradingDay);
    for (const each of carriedOrders ?? []) adoption.carryOver(each);
    for (const { strategy, instrument, qty, openValue } of carried) {
      portfolio.carry(strategy, instrument, qty, openValue);
      const head = { cause: turn.seq, tsUs: turn.nowUs, strategy };
      turn.append({ ...head, kind: 'position_event', event: 'carried', instrument, qty, value: openValue });
    }
    if (latched !== null) latch.carry(null, latched);
    for (const { strategy, reason } of latchedStrategies ?? []) latch.carry(strategy, reason);
    truth.restart();
    keeper.onSession();
    for (const what of ['contracts', 'book', 'positions'] as const) reads.want(what);
    this.#parts.polls.awaitReference();
    this.#startStrategies();
  }

  /**
   * A list takes effect with the event after it: a process that starts again tells the list before it says that it booted,
   * and nothing may be decided in between.
   */
  contractsListed(listed: ContractsListed): void {
    const { reads, polls } = this.#parts;
    polls.succeeded('contracts');
    reads.failed('contracts');
    this.#listed = listed.contracts;
  }

  get hasListed(): boolean {
    return this.#listed !== null;
  }

  useListed(): void {
    const { reads, polls, contracts: table, roster, keeper } = this.#parts;
    if (this.#listed === null) return;
    const isFirst = table.all.length === 0;
    table.set(this.#listed);
    this.#listed = null;
    if (roster.isStarted) keeper.onContracts();
    else this.#startStrategies();
    if (!isFirst) return;
    reads.want('book');
    polls.awaitReference();
  }

  stream({ state, reason, tsUs }: StreamChanged): void {
    const { market, roster, polls, reads } = this.#parts;
    if (state === 'down') return this.#streamDown(reason);
    market.up();
    polls.awaitReference();
    // What was filled meanwhile was not seen (failure cases, 19).
    reads.want('book');
    reads.want('positions');
    roster.dispatch((host) => host.onFeed({ tsUs, state }));
  }

  /** The phase of now, if it is another one. */
  advancePhase(): void {
    const { session, turn, roster, keeper, dayEnd, reads } = this.#parts;
    if (session.isDayOver()) dayEnd.over();
    const before = session.phase;
    const phase = session.advancePhase(turn.nowUs);
    if (phase === null) return;
    const tradingDay = session.tradingDay();
    turn.append({ kind: 'phase', cause: turn.seq, tsUs: turn.nowUs, strategy: null, tradingDay, phase });
    if (phase === 'closed' && before !== 'closed') {
      dayEnd.closed(turn.nowUs);
      reads.want('book');
      reads.want('positions');
    } else if (phase !== 'closed') dayEnd.opened();
    roster.dispatch((host) => host.onPhase({ tsUs: turn.nowUs, phase }));
    keeper.onPhase(phase);
  }

  /** Null when it is the process that ended: that is told elsewhere. */
  #streamDown(reason: string | null): void {
    const { market, roster, turn, session } = this.#parts;
    const wasLive = market.isLive;
    market.down();
    if (!wasLive) return;
    if (reason !== null && session.phase !== 'closed')
      turn.alert(null, 'warning', 'stream_down', `prices have stopped: ${reason}`);
    roster.dispatch((host) => host.onFeed({ tsUs: turn.nowUs, state: 'down' }));
  }

  /** Once contracts, trading day and boot number are known. */
  #startStrategies(): void {
    const { roster, contracts, session, ids, keeper, desk, turn, market } = this.#parts;
    if (roster.isStarted || contracts.all.length === 0 || session.day === null || !ids.isReady) return;
    keeper.onContracts();
    for (const { index, stopped } of roster.seats) {
      if (stopped !== null) continue;
      turn.append({ kind: 'strategy_started', cause: turn.seq, tsUs: turn.nowUs, strategy: index });
    }
    roster.start((host) => host.start(desk));
    if (market.isLive) roster.dispatch((host) => host.onFeed({ tsUs: turn.nowUs, state: 'live' }));
  }
}
