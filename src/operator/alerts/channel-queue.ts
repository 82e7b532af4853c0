/** The queue of one channel: its own pace, patience and bound. What trading does never waits for it. */
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { errorText } from '../../domain/failure.ts';
import { durationUs, milliseconds, minutes, seconds, type TsUs } from '../../domain/units.ts';
import { bundle, type Channel, type DeliveryResult, isAtLeast, type Message } from './message.ts';

export interface QueueOptions {
  readonly channel: Channel;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Deliveries; what comes faster leaves together. */
  readonly perMinute: number;
  /** Real time for people. */
  readonly time: (at: TsUs) => string;
  /** A message will not leave in time, with the reason; called once until the channel works again. */
  readonly onTrouble: (reason: string) => void;
  readonly onWorks: (downForUs: number) => void;
  /** Messages that wait while the channel is in trouble: another one should tell them. */
  readonly onStuck: (messages: readonly Message[]) => void;
  /** Other messages wait than before. */
  readonly onChange: () => void;
}

/** Seconds between attempts that fail; the last one repeats. */
const PATIENCE_S = [1, 2, 5, 10, 30, 60] as const;
/** A person has to mend something: asked again, in case somebody has. */
const REFUSED_PAUSE = minutes(5);
/** A message that waits longer goes to another channel. */
const STUCK_AFTER = seconds(20);
/** Longer than a slow mail with a report takes: one that is given up comes again. */
const DELIVERY_MAX = minutes(2);
const WAITING_MAX = 500;

export class ChannelQueue {
  readonly #options: QueueOptions;
  #waiting: Message[] = [];
  #isSending = false;
  #isClosed = false;
  #failures = 0;
  #failingSinceUs: TsUs | null = null;
  #trouble: string | null = null;
  #nextUs = 0;
  #cancel: CancelTimer | undefined = undefined;
  #dropped = 0;
  readonly counts = { sent: 0, failed: 0, dropped: 0 };

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get id(): string {
    return this.#options.channel.id;
  }

  /** Why it does not deliver, or null. */
  get trouble(): string | null {
    return this.#trouble;
  }

  get waiting(): readonly Message[] {
    return this.#waiting;
  }

  has(id: number): boolean {
    return this.#waiting.some((message) => message.id === id);
  }

  add(message: Message): void {
    if (this.#isClosed) return;
    if (this.#waiting.length >= WAITING_MAX) this.#dropOne();
    this.#waiting.push(message);
    this.#options.onChange();
    if (this.#trouble !== null) this.#options.onStuck([message]);
    this.#arm();
  }

  /** Messages that wait stay in `waiting`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#options.channel.close();
  }

  /** The oldest of the least severe: the journal has them all. */
  #dropOne(): void {
    const least = (['info', 'warning', 'critical'] as const).find((severity) =>
      this.#waiting.some((message) => message.severity === severity),
    );
    const at = this.#waiting.findIndex(({ severity }) => isAtLeast(least ?? 'info', severity));
    this.#waiting.splice(Math.max(0, at), 1);
    this.#dropped += 1;
    this.counts.dropped += 1;
  }

  #arm(): void {
    if (this.#isSending || this.#isClosed || this.#waiting.length === 0) return;
    this.#cancel?.();
    const wait = Math.max(0, this.#nextUs - this.#options.clock.nowUs());
    this.#cancel = this.#options.timers.after(durationUs(wait), () => void this.#send());
  }

  async #send(): Promise<void> {
    const { channel, clock, perMinute, time } = this.#options;
    if (this.#isSending || this.#isClosed || this.#waiting.length === 0) return;
    this.#isSending = true;
    const { delivery, taken } = bundle(this.#waiting, channel.textMax, time);
    const leaving = this.#waiting.slice(0, taken);
    const lost = this.#dropped;
    const text =
      lost === 0
        ? delivery.text
        : `${lost} messages were dropped while this channel was down; tickwright journal has them.\n\n${delivery.text}`;
    const fromUs = clock.nowUs();
    let result: DeliveryResult;
    try {
      result = await this.#inTime(channel.send({ ...delivery, text: text.slice(0, channel.textMax) }));
    } catch (error) {
      result = { status: 'later', pauseMs: null, reason: errorText(error) };
    }
    this.#isSending = false;
    if (this.#isClosed) return;
    if (result.status === 'sent') {
      this.#dropped -= lost;
      this.counts.sent += taken;
      this.#waiting = this.#waiting.filter((message) => !leaving.includes(message));
      this.#nextUs = clock.nowUs() + minutes(1) / perMinute;
      this.#worked();
      this.#options.onChange();
    } else this.#failed(result, fromUs);
    this.#arm();
  }

  /** A mail server that goes on talking is no delivery: other channels wait for this one to fail. */
  async #inTime(sending: Promise<DeliveryResult>): Promise<DeliveryResult> {
    let cancel: CancelTimer | undefined;
    const late = new Promise<DeliveryResult>((resolve) => {
      const result = { status: 'later', pauseMs: null, reason: 'no answer in time' } as const;
      cancel = this.#options.timers.after(DELIVERY_MAX, () => resolve(result));
    });
    try {
      return await Promise.race([sending, late]);
    } finally {
      cancel?.();
    }
  }

  #worked(): void {
    const since = this.#failingSinceUs;
    this.#failures = 0;
    this.#failingSinceUs = null;
    if (this.#trouble === null || since === null) return;
    this.#trouble = null;
    this.#options.onWorks(this.#options.clock.nowUs() - since);
  }

  #failed(result: Exclude<DeliveryResult, { readonly status: 'sent' }>, fromUs: TsUs): void {
    const { clock, onTrouble, onStuck } = this.#options;
    const now = clock.nowUs();
    this.counts.failed += 1;
    this.#failingSinceUs ??= fromUs;
    const patience = seconds(PATIENCE_S[Math.min(this.#failures, PATIENCE_S.length - 1)] ?? 60);
    this.#failures += 1;
    const asked = result.status === 'later' && result.pauseMs !== null ? milliseconds(result.pauseMs) : 0;
    const pause = result.status === 'refused' ? REFUSED_PAUSE : Math.max(patience, asked);
    this.#nextUs = now + pause;
    const isStuck = result.status === 'refused' || this.#nextUs - this.#failingSinceUs > STUCK_AFTER;
    if (this.#trouble !== null || !isStuck) return;
    this.#trouble = result.reason;
    onTrouble(result.reason);
    onStuck(this.#waiting);
  }
}
