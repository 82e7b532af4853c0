/**
 * Halts entries until a person resumes when the broker refuses too many orders, when too many messages are sent, or when the account
 * has lost too much since its peak. The halt outlives restarts; so does the peak, which the next session begins with.
 */
import type { RiskSettings } from '../../domain/settings.ts';
import { type Money, money, type TsUs, US_PER_MINUTE } from '../../domain/units.ts';
import type { EntryHalt } from './entry-halt.ts';
import { grouped } from './loss-limits.ts';
import type { EventContext } from '../state/event-context.ts';
import { SendRate } from './send-history.ts';

/** The peak is journaled when it has risen by this part of the limit. */
const PEAK_PARTS = 100;
/** Begins the reason of a halt; it is known by that on later days too. */
export const FALLEN = 'the account has lost ';

export class CircuitBreakers {
  readonly #context: EventContext;
  readonly #halt: EntryHalt;
  readonly #risk: RiskSettings;
  readonly #messages = new SendRate();
  readonly #rejections = new SendRate();
  /** Highest net asset value since a person resumed; -Infinity when none was read. */
  #peak = -Infinity;
  #journaled = -Infinity;
  #last = -Infinity;
  /** The fall came while entries were off for another reason, and is alerted. */
  #isAlerted = false;

  constructor(context: EventContext, halt: EntryHalt, risk: RiskSettings) {
    this.#context = context;
    this.#halt = halt;
    this.#risk = risk;
  }

  setClockBack(at: TsUs): void {
    this.#messages.setClockBack(at);
    this.#rejections.setClockBack(at);
  }

  /** A place, a change or a cancel leaves. */
  sent(): void {
    const max = this.#risk.messagesPerMinuteMax;
    if (max === undefined) return;
    this.#messages.sent(this.#context.nowUs);
    const sent = this.messages;
    if (sent >= max)
      this.#halt.limitReached(
        `${sent} messages within a minute, the limit is ${max} (risk.messagesPerMinuteMax)`,
        'message_rate',
      );
  }

  /** The broker refused a place. A change refused because its order has just filled is ordinary; the message rate bounds those. */
  rejected(): void {
    const max = this.#risk.rejectionsPerMinuteMax;
    if (max === undefined) return;
    this.#rejections.sent(this.#context.nowUs);
    const { rejections: rejected } = this;
    if (rejected < max) return;
    this.#halt.limitReached(
      `the broker refused ${rejected} orders within a minute, the limit is ${max} (risk.rejectionsPerMinuteMax)`,
      'rejections',
    );
  }

  /** Deposits raise the peak, and a withdrawal counts like a loss: only a person can distinguish them. */
  account(netAssetValue: Money): void {
    const max = this.#risk.drawdownMax;
    if (max === undefined) return;
    this.#last = netAssetValue;
    this.#peak = Math.max(this.#peak, netAssetValue);
    this.#journal(max);
    this.#judge(max);
  }

  carryOver(peak: Money): void {
    this.#peak = Math.max(this.#peak, peak);
    this.#journal(this.#risk.drawdownMax ?? Infinity);
  }

  /** `ended`: the reason that a person has seen. A fall that was the reason is accepted, and measured from here; another one goes on. */
  resume(ended: string | null): void {
    const max = this.#risk.drawdownMax;
    if (max === undefined) return;
    this.#isAlerted = false;
    if (ended?.startsWith(FALLEN) !== true) return this.#judge(max);
    this.#peak = this.#last;
    this.#journaled = -Infinity;
    if (this.#last !== -Infinity) this.#journal(max);
  }

  /** Within the last minute. */
  get messages(): number {
    return this.#messages.within(US_PER_MINUTE, this.#context.nowUs);
  }

  /** Within the last minute. */
  get rejections(): number {
    return this.#rejections.within(US_PER_MINUTE, this.#context.nowUs);
  }

  /** Since the peak. */
  get lost(): number {
    return this.#last === -Infinity ? 0 : this.#peak - this.#last;
  }

  #judge(max: number): void {
    const { lost } = this;
    if (lost < max) return;
    const text = `${FALLEN}${grouped(lost)} VND since its peak of ${grouped(this.#peak)}, the limit is ${grouped(max)} (risk.drawdownMax)`;
    const { reason } = this.#halt;
    if (reason === null) return this.#halt.limitReached(text, 'drawdown');
    if (this.#isAlerted || reason.startsWith(FALLEN)) return;
    this.#isAlerted = true;
    this.#context.alert(null, 'critical', 'drawdown', `${text}, while entries are off already`);
  }

  #journal(max: number): void {
    if (max === Infinity || this.#peak - this.#journaled < max / PEAK_PARTS) return;
    this.#journaled = this.#peak;
    this.#context.append({ kind: 'equity_peak', ...this.#context.head(null), value: money(this.#peak) });
  }
}
