/** What strategies are still to be told. It is told after the event has changed everything it changes, never in between. */
import type { StrategyIndex } from '../../domain/units.ts';
import type { DueWork } from '../state/due-work.ts';
import type { OrderUpdate } from '../ports/strategy-port.ts';

export interface News {
  readonly strategy: StrategyIndex;
  readonly update: OrderUpdate;
}

export class OrderUpdates {
  readonly #dueWork: DueWork;
  #waiting: News[] = [];

  constructor(dueWork: DueWork) {
    this.#dueWork = dueWork;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(strategy: StrategyIndex, update: OrderUpdate): void {
    this.#waiting.push({ strategy, update });
    this.#dueWork.open();
  }

  take(): readonly News[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}
