import type { DurationUs } from '../domain/units.ts';
import type { TraderPort, TimerId } from '../engine/ports/strategy-port.ts';
import type { StrategyGuard } from './strategy-guard.ts';

/** Timers that wait at the same time; a strategy with more sets one on every tick. */
export const TIMERS_MAX = 1_000;

/** The timers of one strategy: what is to be done when the engine says that one is due. */
export class StrategyTimers {
  readonly #guard: StrategyGuard;
  readonly #port: Pick<TraderPort, 'setTimer' | 'clearTimer'>;
  readonly #waiting = new Map<TimerId, () => void>();

  constructor(guard: StrategyGuard, port: Pick<TraderPort, 'setTimer' | 'clearTimer'>) {
    this.#guard = guard;
    this.#port = port;
    guard.atClose(() => this.#clearAll());
  }

  after(span: DurationUs, handler: () => void): TimerId {
    if (this.#waiting.size >= TIMERS_MAX)
      throw new Error(`more than ${TIMERS_MAX} timers wait at the same time`);
    const timer = this.#port.setTimer(this.#guard.index, span);
    this.#waiting.set(timer, handler);
    return timer;
  }

  clear(timer: TimerId): void {
    if (this.#waiting.delete(timer)) this.#port.clearTimer(this.#guard.index, timer);
  }

  /** A timer that was cleared in the same event may still arrive: nothing is left to do for it. */
  fire(timer: TimerId): void {
    const handler = this.#waiting.get(timer);
    this.#waiting.delete(timer);
    if (handler !== undefined) this.#guard.run('a timer', handler);
  }

  #clearAll(): void {
    for (const timer of this.#waiting.keys()) this.#port.clearTimer(this.#guard.index, timer);
    this.#waiting.clear();
  }
}
