import { firstAtLeast } from '../../domain/lists.ts';
import type { Side } from '../../domain/order.ts';
import { type InstrumentIndex, type StrategyIndex, type TsUs, US_PER_MINUTE } from '../../domain/units.ts';

/** Longest span that can be asked for. */
const KEPT_US = US_PER_MINUTE;

/** When places and modifies were sent, for the rate rule. */
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

  setClockBack(at: TsUs): void {
    this.#times = this.#times.slice(this.#start).map((each) => Math.min(each, at));
    this.#start = 0;
  }

  /** Sent after `now - spanUs`. */
  within(spanUs: number, now: TsUs): number {
    const { length } = this.#times;
    return length - firstAtLeast(this.#times, now - spanUs + 1, this.#start, length);
  }

  /** At least `max` were sent after `now - spanUs`. */
  reaches(max: number, spanUs: number, now: TsUs): boolean {
    const at = this.#times.length - max;
    return max <= 0 || (at >= this.#start && (this.#times[at] ?? -Infinity) > now - spanUs);
  }
}

// Remembers identical requests that were refused, in a row (failure cases, 32).

/** Requests remembered; the one refused longest ago leaves first. */
const REQUESTS_MAX = 256;

interface Request {
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly qty: number;
  readonly limitPrice: number;
}

/** How often the broker refused this very request lately, in a row. */
interface RejectionRecord {
  readonly count: number;
  readonly text: string;
  readonly lastUs: TsUs;
}

const keyOf = (strategy: StrategyIndex, { instrument, side, qty, limitPrice }: Request): string =>
  `${strategy}|${instrument}|${side}|${qty}|${limitPrice}`;

export class RejectionMemory {
  readonly #records = new Map<string, RejectionRecord>();

  rejected(strategy: StrategyIndex, request: Request, text: string, at: TsUs): void {
    const key = keyOf(strategy, request);
    const count = (this.#records.get(key)?.count ?? 0) + 1;
    this.#records.delete(key);
    this.#records.set(key, { count, text, lastUs: at });
    if (this.#records.size <= REQUESTS_MAX) return;
    for (const oldest of this.#records.keys()) {
      this.#records.delete(oldest);
      break;
    }
  }

  setClockBack(at: TsUs): void {
    for (const [key, record] of this.#records)
      if (record.lastUs > at) this.#records.set(key, { ...record, lastUs: at });
  }

  accepted(strategy: StrategyIndex, request: Request): void {
    if (this.#records.size > 0) this.#records.delete(keyOf(strategy, request));
  }

  of(strategy: StrategyIndex, request: Request): RejectionRecord | undefined {
    return this.#records.size === 0 ? undefined : this.#records.get(keyOf(strategy, request));
  }
}
