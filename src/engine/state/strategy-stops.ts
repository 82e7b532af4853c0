/** How a strategy ends: nothing reaches it any more, its working orders are cancelled, a person hears of it; the others go on. */
import type { StrategyIndex } from '../../domain/units.ts';
import type { DueWork } from './due-work.ts';
import type { IntentQueue } from '../orders/intent-queue.ts';
import type { Orders } from '../orders/orders.ts';
import type { Replay } from '../replay/replay.ts';
import type { StrategyRegistry } from './strategy-registry.ts';
import type { TimerHeap } from './timer-heap.ts';
import type { EventContext } from './event-context.ts';

export interface Fault {
  readonly message: string;
  readonly where: string;
}

interface Ending {
  readonly reason: string;
  readonly fault: Fault | null;
}

export interface StrategyStopsParts {
  readonly turn: EventContext;
  readonly agenda: DueWork;
  readonly roster: StrategyRegistry;
  readonly replay: Replay;
  readonly timers: TimerHeap;
  readonly orders: Orders;
  readonly queue: IntentQueue;
}

export class StrategyStops {
  readonly #parts: StrategyStopsParts;
  /** Ends that the journal does not hold yet: they came up in a replay, or outside an event. */
  readonly #untold = new Map<StrategyIndex, Ending>();
  #houseDifference: string | null = null;

  constructor(parts: StrategyStopsParts) {
    this.#parts = parts;
  }

  get hasUntold(): boolean {
    return this.#untold.size > 0 || this.#houseDifference !== null;
  }

  stop(strategy: StrategyIndex, reason: string, fault: Fault | null): void {
    const { roster, replay } = this.#parts;
    if (roster.isStopped(strategy) || this.#untold.has(strategy)) return;
    if (replay.isActive && !replay.stopped().includes(strategy)) {
      this.#leave(strategy, { reason, fault });
      return;
    }
    roster.stop(strategy, reason);
    this.#tell(strategy, { reason, fault });
  }

  /** A desk was used, or a handler threw, outside any event: it is told with the next one. */
  stopLater(strategy: StrategyIndex, reason: string, fault: Fault): void {
    if (this.#parts.roster.isStopped(strategy) || this.#untold.has(strategy)) return;
    this.#leave(strategy, { reason, fault });
  }

  #leave(strategy: StrategyIndex, ending: Ending): void {
    this.#untold.set(strategy, ending);
    this.#parts.agenda.open();
  }

  /** Strategies that the journal says stopped in the event just replayed. */
  stopRecorded(): void {
    for (const strategy of this.#parts.replay.stopped())
      this.stop(strategy, 'stopped before the restart', null);
  }

  /** The replay is over: who differed from the journal, or ended in it unrecorded, stops here. */
  endReplay(): void {
    const { roster, replay } = this.#parts;
    for (const [strategy, text] of replay.differences) {
      const fault = { message: `replay_diverged: ${text}`, where: 'replay' };
      this.#untold.set(strategy, { reason: 'replay_diverged', fault });
    }
    this.#houseDifference = replay.houseDifference;
    for (const [strategy, { reason }] of this.#untold) roster.stop(strategy, reason);
    replay.forget();
  }

  /** Tells, in the event being processed, what could not be told before. */
  tellUntold(): void {
    const { turn, roster } = this.#parts;
    for (const [strategy, ending] of this.#untold) {
      roster.stop(strategy, ending.reason);
      this.#tell(strategy, ending);
    }
    this.#untold.clear();
    if (this.#houseDifference === null) return;
    const text = `after the restart the engine itself decided otherwise: ${this.#houseDifference}`;
    turn.alert(null, 'warning', 'house_diverged', text);
    this.#houseDifference = null;
  }

  #tell(strategy: StrategyIndex, { reason, fault }: Ending): void {
    const { turn, roster, timers, orders, queue } = this.#parts;
    timers.clearOwner(strategy);
    const head = { cause: turn.seq, tsUs: turn.nowUs, strategy };
    if (fault !== null)
      turn.append({ ...head, kind: 'strategy_fault', message: fault.message, where: fault.where });
    turn.append({ ...head, kind: 'strategy_stopped', reason });
    const code = fault === null ? 'strategy_stopped' : 'strategy_fault';
    const cause = fault === null ? reason : `${reason}: ${fault.message} (in ${fault.where})`;
    turn.alert(
      strategy,
      'critical',
      code,
      `${roster.idOf(strategy)} is stopped, its orders are cancelled: ${cause}`,
    );
    for (const order of orders.open) {
      if (order.strategy === strategy) {
        queue.ask(strategy, 'house', { do: 'cancel', clientOrderId: order.clientOrderId });
      }
    }
  }
}
