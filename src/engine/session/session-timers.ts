/** The keeper's timers by what they do: the engine knows them by a number. */
import type { CancelTimer } from '../../domain/clock.ts';
import type { DurationUs, TsUs } from '../../domain/units.ts';
import type { SessionActions, TimerTag } from './session-actions.ts';
import type { TimerId } from '../ports/strategy-port.ts';

export class SessionTimers {
  readonly #actions: SessionActions;
  readonly #waiting = new Map<TimerTag, () => void>();
  #lastTag: TimerTag = 0;

  constructor(actions: SessionActions) {
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

  fire(tag: TimerTag): void {
    const run = this.#waiting.get(tag);
    this.#waiting.delete(tag);
    run?.();
  }

  #add(run: () => void): TimerTag {
    this.#lastTag += 1;
    this.#waiting.set(this.#lastTag, run);
    return this.#lastTag;
  }

  #stopper(tag: TimerTag, timer: TimerId): CancelTimer {
    return () => {
      if (this.#waiting.delete(tag)) this.#actions.clearTimer(timer);
    };
  }
}
