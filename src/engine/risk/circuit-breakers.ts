/**
 * Halts entries until a person resumes when the broker refuses too many orders, when too many messages are sent, or when the account
 * has lost too much since its peak. The halt outlives restarts; so does the peak, which the next session begins with.
 */
import type { EngineCore } from '../engine-core.ts';
import {
  type InstrumentIndex,
  type Money,
  money,
  type StrategyIndex,
  type TsUs,
  US_PER_MINUTE,
} from '../../domain/units.ts';
import type { EntryHalt } from './entry-halt.ts';
import type { HaltCode } from '../ports/engine-event.ts';
import { grouped } from './loss-limits.ts';
import { firstAtLeast } from '../../domain/lists.ts';
import type { Side, Trigger } from '../../domain/order.ts';

/** The peak is journaled when it has risen by this part of the limit. */
const PEAK_PARTS = 100;

export class CircuitBreakers {
  readonly #core: EngineCore;
  readonly #halt: EntryHalt;
  /** Places and changes, for the rules on rates. */
  readonly rate = new SendRate();
  readonly refusals = new RejectionMemory();
  readonly #messages = new SendRate();
  readonly #rejections = new SendRate();
  /** Highest net asset value since a person resumed; -Infinity when none was read. */
  #peak = -Infinity;
  #journaled = -Infinity;
  #last = -Infinity;
  /** The fall came while entries were off for another reason, and is alerted. */
  #isAlerted = false;

  constructor(core: EngineCore, halt: EntryHalt) {
    this.#core = core;
    this.#halt = halt;
  }

  setClockBack(at: TsUs): void {
    for (const each of [this.rate, this.refusals, this.#messages, this.#rejections]) each.setClockBack(at);
  }

  /** A place, a change or a cancel leaves. */
  onSent(): void {
    const max = this.#core.settings.risk.messagesPerMinuteMax;
    if (max === undefined) return;
    this.#messages.add(this.#core.context.nowUs);
    const sent = this.messages;
    if (sent >= max)
      this.#halt.onLimitReached(
        `${sent} messages within a minute, the limit is ${max} (risk.messagesPerMinuteMax)`,
        'message_rate',
      );
  }

  /** The broker refused a place. A change refused because its order has just filled is ordinary; the message rate bounds those. */
  onRejected(): void {
    const max = this.#core.settings.risk.rejectionsPerMinuteMax;
    if (max === undefined) return;
    this.#rejections.add(this.#core.context.nowUs);
    const { rejections: rejected } = this;
    if (rejected < max) return;
    this.#halt.onLimitReached(
      `the broker refused ${rejected} orders within a minute, the limit is ${max} (risk.rejectionsPerMinuteMax)`,
      'rejections',
    );
  }

  /** Deposits raise the peak, and a withdrawal counts like a loss: only a person can distinguish them. */
  onAccount(netAssetValue: Money): void {
    const max = this.#core.settings.risk.drawdownMax;
    if (max === undefined) return;
    this.#last = netAssetValue;
    this.#peak = Math.max(this.#peak, netAssetValue);
    this.#journalPeak(max);
    this.#checkDrawdown(max);
  }

  carryOver(peak: Money): void {
    this.#peak = Math.max(this.#peak, peak);
    this.#journalPeak(this.#core.settings.risk.drawdownMax ?? Infinity);
  }

  /** `ended`: what a person has seen. A fall that was the reason is accepted, and measured from here; another one goes on. */
  resume(ended: HaltCode | undefined): void {
    const max = this.#core.settings.risk.drawdownMax;
    if (max === undefined) return;
    this.#isAlerted = false;
    if (ended !== 'drawdown') return this.#checkDrawdown(max);
    this.#peak = this.#last;
    this.#journaled = -Infinity;
    if (this.#last !== -Infinity) this.#journalPeak(max);
  }

  /** Within the last minute. */
  get messages(): number {
    return this.#messages.count(US_PER_MINUTE, this.#core.context.nowUs);
  }

  /** Within the last minute. */
  get rejections(): number {
    return this.#rejections.count(US_PER_MINUTE, this.#core.context.nowUs);
  }

  get drawdown(): number {
    return this.#last === -Infinity ? 0 : this.#peak - this.#last;
  }

  #checkDrawdown(max: number): void {
    const { drawdown } = this;
    if (drawdown < max) return;
    const text = `the account has lost ${grouped(drawdown)} VND since its peak of ${grouped(this.#peak)}, the limit is ${grouped(max)} (risk.drawdownMax)`;
    if (this.#halt.reason === null) return this.#halt.onLimitReached(text, 'drawdown');
    if (this.#isAlerted || this.#halt.code === 'drawdown') return;
    this.#isAlerted = true;
    this.#core.context.alert(null, 'critical', 'drawdown', `${text}, while entries are off already`);
  }

  #journalPeak(max: number): void {
    if (max === Infinity || this.#peak - this.#journaled < max / PEAK_PARTS) return;
    this.#journaled = this.#peak;
    this.#core.context.append({
      kind: 'equity_peak',
      ...this.#core.context.head(null),
      value: money(this.#peak),
    });
  }
}

/** Longest span that `count` can cover. */
const KEPT_US = US_PER_MINUTE;

/** When places and modifies were sent, or orders refused: for limits of rates. */
class SendRate {
  #times: number[] = [];
  #start = 0;

  add(at: TsUs): void {
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

  /** How many were added after `now - spanUs`. */
  count(spanUs: number, now: TsUs): number {
    const { length } = this.#times;
    return length - firstAtLeast(this.#times, now - spanUs + 1, this.#start, length);
  }

  /** At least `max` were sent after `now - spanUs`. */
  reaches(max: number, spanUs: number, now: TsUs): boolean {
    const at = this.#times.length - max;
    return max <= 0 || (at >= this.#start && (this.#times[at] ?? -Infinity) > now - spanUs);
  }
}

/** Requests remembered; the one refused longest ago leaves first. */
const REQUESTS_MAX = 256;

interface Terms {
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly qty: number;
  readonly limitPrice: number;
  readonly trigger: Trigger | null;
}

/** How often the broker refused this very request lately, in a row. */
interface RejectionRecord {
  readonly count: number;
  readonly text: string;
  readonly lastUs: TsUs;
}

/** A stop that is refused says nothing about an exit of the same terms: at the floor of the day both have one limit. */
const keyOf = (strategy: StrategyIndex, { instrument, side, qty, limitPrice, trigger }: Terms): string =>
  `${strategy}|${instrument}|${side}|${qty}|${limitPrice}|${JSON.stringify(trigger)}`;

/** Remembers identical requests that were refused, in a row (failure cases, 32). */
class RejectionMemory {
  readonly #records = new Map<string, RejectionRecord>();

  onRejected(strategy: StrategyIndex, request: Terms, text: string, at: TsUs): void {
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

  onAccepted(strategy: StrategyIndex, request: Terms): void {
    if (this.#records.size > 0) this.#records.delete(keyOf(strategy, request));
  }

  find(strategy: StrategyIndex, request: Terms): RejectionRecord | undefined {
    return this.#records.size === 0 ? undefined : this.#records.get(keyOf(strategy, request));
  }
}
