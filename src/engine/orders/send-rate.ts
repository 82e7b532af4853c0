/** When places and modifies were sent, for the rate rule. */
import { firstAtLeast } from '../../domain/first-at-least.ts';
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

  /** Sent after `now - spanUs`. */
  within(spanUs: number, now: TsUs): number {
    const { length } = this.#times;
    return length - firstAtLeast(this.#times, now - spanUs + 1, this.#start, length);
  }
}
