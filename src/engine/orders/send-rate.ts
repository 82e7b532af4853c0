/** When places and modifies were sent, for the rate rule. */
import { type TsUs, US_PER_MINUTE } from '../../domain/units.ts';

/** Longest span that can be asked for. */
const KEPT_US = US_PER_MINUTE;

export class SendRate {
  #times: number[] = [];
  #start = 0;

  sent(at: TsUs): void {
    this.#times.push(at);
    while ((this.#times[this.#start] ?? Infinity) < at - KEPT_US) this.#start += 1;
    if (this.#start < 1024) return;
    this.#times = this.#times.slice(this.#start);
    this.#start = 0;
  }

  /** Sent after `now - spanUs`: times only rise, so that the first of them is found by halving. */
  within(spanUs: number, now: TsUs): number {
    let from = this.#start;
    let to = this.#times.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#times[middle] ?? 0) <= now - spanUs) from = middle + 1;
      else to = middle;
    }
    return this.#times.length - from;
  }
}
