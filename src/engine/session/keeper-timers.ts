/** The keeper's timers by what they do: the engine knows them by a number. */
import type { CancelTimer } from '../../domain/clock.ts';
import type { DurationUs, TsUs } from '../../domain/units.ts';
import type { Actions, KeeperTag } from '../actions.ts';
import type { TimerId } from '../ports/strategy-port.ts';

export class KeeperTimers {
  readonly #actions: Actions;
  readonly #waiting = new Map<KeeperTag, () => void>();
  #lastTag: KeeperTag = 0;

  constructor(actions: Actions) {
    this.#actions = actions;
  }

  after(span: DurationUs, run: () => void): CancelTimer {
    const tag = this.#add(run);
    return this.#stopper(tag, this.#actions.setTimer(span, tag));
  }

  at(moment: TsUs, run: () => void): CancelTimer {
    const tag = this.#add(run);
    return this.#stopper(tag, this.#actions.setTimerAt(moment, tag));
  }

  fire(tag: KeeperTag): void {
    const run = this.#waiting.get(tag);
    this.#waiting.delete(tag);
    run?.();
  }

  #add(run: () => void): KeeperTag {
    this.#lastTag += 1;
    this.#waiting.set(this.#lastTag, run);
    return this.#lastTag;
  }

  #stopper(tag: KeeperTag, timer: TimerId): CancelTimer {
    return () => {
      if (this.#waiting.delete(tag)) this.#actions.clearTimer(timer);
    };
  }
}
