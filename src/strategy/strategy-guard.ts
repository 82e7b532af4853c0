/**
 * Runs the code of one strategy. The first throw stops this strategy and is reported at once; the others go on. While its
 * code runs, slot 0 of `running` names it: the watchdog of another thread reads there who hangs (rulings, 32).
 */
import type { TraderPort } from '../engine/ports/strategy-port.ts';
import type { StrategyIndex } from '../domain/units.ts';

/** Slot 0 while no strategy runs. */
export const NO_STRATEGY = -1;

/** A call by a strategy that is stopped, or outside the event being processed. */
class TraderClosedError extends Error {
  override readonly name = 'TraderClosedError';
}

export class StrategyGuard {
  readonly index: StrategyIndex;
  readonly running: Int32Array;
  readonly #port: Pick<TraderPort, 'fault'>;
  readonly #atClose: (() => void)[] = [];
  #closed = false;

  constructor(index: StrategyIndex, running: Int32Array, port: Pick<TraderPort, 'fault'>) {
    this.index = index;
    this.running = running;
    this.#port = port;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** What is to be dropped when the strategy stops. */
  atClose(drop: () => void): void {
    this.#atClose.push(drop);
  }

  run(where: string, action: () => void): void {
    if (this.#closed) return;
    const before = this.running[0] ?? NO_STRATEGY;
    this.running[0] = this.index;
    try {
      action();
    } catch (error) {
      this.fault(error, where);
    }
    this.running[0] = before;
  }

  /** Stops the strategy and tells the engine, once: what follows from the first fault is not news. */
  fault(error: unknown, where: string): void {
    if (this.#closed) return;
    this.close();
    this.#port.fault(this.index, error, where);
  }

  close(): void {
    this.#closed = true;
    for (const drop of this.#atClose.splice(0)) drop();
  }

  /**
   * Throws unless the strategy's own code runs inside an event. A call from a promise or a foreign callback would be in no
   * replay, so it is a fault (rulings, 34).
   */
  assertTurn(what: string): void {
    if (this.running[0] === this.index && !this.#closed) return;
    if (this.#closed) throw new TraderClosedError(`${what}: this strategy is stopped`);
    const error = new TraderClosedError(`${what} was called outside the event being processed`);
    this.fault(error, what);
    throw error;
  }
}
