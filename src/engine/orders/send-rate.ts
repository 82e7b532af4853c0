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

  within(spanUs: number, now: TsUs): number {
    let count = 0;
    for (let i = this.#times.length - 1; i >= this.#start; i -= 1) {
      if ((this.#times[i] ?? 0) <= now - spanUs) break;
      count += 1;
    }
    return count;
  }
}
