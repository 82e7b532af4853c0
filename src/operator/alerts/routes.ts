/** Puts each message into the queues of the channels that take it; a message that one cannot deliver goes to the next. */
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { durationUs, milliseconds, minutes, seconds, type TsUs } from '../../domain/units.ts';
import { dropOldest, getOrCreate } from '../../domain/lists.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';
import { formatSpan } from '../../text/durations.ts';
import {
  bundle,
  dropLeast,
  type AlertChannel,
  type DeliveryResult,
  type AllClear,
  endedBy,
  isAtLeast,
  type AlertMessage,
} from './alert-message.ts';
import { errorText } from '../../domain/failure.ts';

/** In the order of replacement. */
export interface AlertRoute {
  readonly channel: AlertChannel;
  readonly least: AlertSeverity;
  /** Deliveries; faster messages leave together. */
  readonly perMinute: number;
}

export interface RoutesOptions {
  readonly routes: readonly AlertRoute[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly time: (at: TsUs) => string;
  /** A channel fails or works again. */
  readonly alert: (severity: AlertSeverity, code: string, text: string, about?: string) => void;
  /** Other messages wait than before. */
  readonly onChange: () => void;
}

/** Messages whose way is remembered: more than any two queues hold. */
const REMEMBERED_MAX = 2_000;

export class Routes {
  readonly #options: RoutesOptions;
  readonly #queues: readonly ChannelQueue[];
  /** Channels that a message was given to, by its id. */
  readonly #given = new Map<number, Set<string>>();

  constructor(options: RoutesOptions) {
    this.#options = options;
    this.#queues = options.routes.map((route) => new ChannelQueue(route, options, this));
  }

  get states() {
    return this.#queues.map(({ id, isProven, trouble, waiting, counts }) => ({
      id,
      isTried: isProven,
      trouble,
      waiting: waiting.length,
      ...counts,
    }));
  }

  /** By channel, for the next start. */
  get waiting(): readonly { readonly channel: string; readonly messages: readonly AlertMessage[] }[] {
    return this.#queues.map(({ id, waiting }) => ({
      channel: id,
      messages: waiting.map((each) => ({ ...each, given: [...(this.#given.get(each.id) ?? [])] })),
    }));
  }

  /** Nothing waits that could be delivered now. */
  get isIdle(): boolean {
    return this.#queues.every(({ trouble, waiting }) => trouble !== null || waiting.length === 0);
  }

  send(message: AlertMessage): void {
    for (const [index, { least }] of this.#options.routes.entries())
      if (message.kind !== 'alert' || isAtLeast(message.severity, least)) this.#give(message, index);
  }

  /** A message that an earlier run left in this channel's queue; nothing when the channel is gone from the configuration. */
  resume(channel: string, message: AlertMessage): void {
    const queue = this.#queues.find(({ id }) => id === channel);
    if (queue === undefined) return;
    this.#givenOf(message).add(channel);
    queue.add(message);
  }

  /** Messages that wait while their condition ends say so when they leave. */
  end(ending: AllClear): void {
    for (const queue of this.#queues) queue.waiting = queue.waiting.map((each) => endedBy(each, ending));
    this.#options.onChange();
  }

  onTrial(channel: string, failure: string | null): void {
    this.#queues.find(({ id }) => id === channel)?.onTrial(failure);
  }

  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }

  hasOtherWorking(queue: ChannelQueue): boolean {
    return this.#queues.some((other) => other !== queue && other.trouble === null);
  }

  /** Messages that wait while their channel is in trouble: another one should send them. */
  passOn(messages: readonly AlertMessage[], from: ChannelQueue): void {
    const index = this.#queues.indexOf(from);
    for (const message of messages) this.#passOn(message, index);
  }

  #give(message: AlertMessage, index: number): void {
    const queue = this.#queues[index];
    if (queue === undefined) return;
    const given = this.#givenOf(message);
    if (given.has(queue.id)) return;
    given.add(queue.id);
    queue.add(message);
  }

  #givenOf({ id, given: earlier }: AlertMessage): Set<string> {
    const given = getOrCreate(this.#given, id, () => new Set(earlier));
    dropOldest(this.#given, REMEMBERED_MAX);
    return given;
  }

  /** To the first one after `index` that works, unless one that works has it. */
  #passOn(message: AlertMessage, index: number): void {
    const given = this.#given.get(message.id);
    const working = [...this.#queues.keys()]
      .map((step) => (index + 1 + step) % this.#queues.length)
      .filter((other) => other !== index && this.#queues[other]?.trouble === null);
    if (working.some((other) => given?.has(this.#queues[other]?.id ?? '') === true)) return;
    const [next] = working;
    if (next !== undefined) this.#give(message, next);
  }
}

// The queue of one channel: its own pace, patience and bound. Trading never waits for it.

/** Seconds between attempts that fail; the last one repeats. */
const RETRY_PAUSES_S = [1, 2, 5, 10, 30, 60] as const;
/** A person has to fix something: asked again, in case somebody has. */
const REFUSED_PAUSE = minutes(5);
/** A message that waits longer goes to another channel. */
const STUCK_AFTER = seconds(20);
/** Longer than a slow mail with a report takes: one that is given up comes again. */
const DELIVERY_MAX = minutes(2);
const WAITING_MAX = 500;

class ChannelQueue {
  readonly #route: AlertRoute;
  readonly #options: RoutesOptions;
  readonly #routes: Routes;
  waiting: AlertMessage[] = [];
  #isSending = false;
  #isClosed = false;
  #failures = 0;
  #failingSinceUs: TsUs | null = null;
  /** Since the start it has delivered, or is in trouble. */
  isProven = false;
  trouble: string | null = null;
  #nextUs = 0;
  #cancel: CancelTimer | undefined = undefined;
  #dropped = 0;
  readonly counts = { sent: 0, failed: 0, dropped: 0 };

  constructor(route: AlertRoute, options: RoutesOptions, routes: Routes) {
    this.#route = route;
    this.#options = options;
    this.#routes = routes;
  }

  get id(): string {
    return this.#route.channel.id;
  }

  add(message: AlertMessage): void {
    if (this.#isClosed) return;
    if (this.waiting.length >= WAITING_MAX) {
      dropLeast(this.waiting);
      this.#dropped += 1;
      this.counts.dropped += 1;
    }
    this.waiting.push(message);
    this.#options.onChange();
    if (this.trouble !== null) this.#routes.passOn([message], this);
    this.#arm();
  }

  /** Messages that wait stay in `waiting`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#route.channel.close();
  }

  #arm(): void {
    if (this.#isSending || this.#isClosed || this.waiting.length === 0) return;
    this.#cancel?.();
    const wait = Math.max(0, this.#nextUs - this.#options.clock.nowUs());
    this.#cancel = this.#options.timers.after(durationUs(wait), () => void this.#send());
  }

  async #send(): Promise<void> {
    const { channel, perMinute } = this.#route;
    const { clock, time } = this.#options;
    if (this.#isSending || this.#isClosed || this.waiting.length === 0) return;
    this.#isSending = true;
    const { delivery, taken } = bundle(this.waiting, channel.textMax, time);
    const leaving = this.waiting.slice(0, taken);
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
      const left = new Set(leaving.map(({ id }) => id));
      this.waiting = this.waiting.filter(({ id }) => !left.has(id));
      this.#nextUs = clock.nowUs() + minutes(1) / perMinute;
      this.#endTrouble();
      this.#options.onChange();
    } else this.#onFailure(result, fromUs);
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

  /** As a person has just tried it, past this queue. */
  onTrial(failure: string | null): void {
    const { clock } = this.#options;
    if (failure !== null) {
      this.#failingSinceUs ??= clock.nowUs();
      return this.#beginTrouble(failure);
    }
    this.#nextUs = Math.min(this.#nextUs, clock.nowUs());
    this.#endTrouble();
    this.#arm();
  }

  #beginTrouble(reason: string): void {
    this.isProven = true;
    const isNew = this.trouble === null;
    this.trouble = reason;
    if (!isNew) return;
    const next = this.#routes.hasOtherWorking(this)
      ? 'its messages go to the next channel'
      : 'no other channel works: its messages wait';
    const text = `${this.id} does not deliver (${reason}): ${next}`;
    this.#options.alert('warning', 'channel_failed', text, this.id);
    this.#routes.passOn(this.waiting, this);
  }

  #endTrouble(): void {
    this.isProven = true;
    const since = this.#failingSinceUs;
    this.#failures = 0;
    this.#failingSinceUs = null;
    if (this.trouble === null || since === null) return;
    this.trouble = null;
    const { clock, alert } = this.#options;
    const text = `${this.id} delivers again, after ${formatSpan(clock.nowUs() - since)}`;
    alert('info', 'channel_works', text, this.id);
  }

  #onFailure(result: Exclude<DeliveryResult, { readonly status: 'sent' }>, fromUs: TsUs): void {
    const { clock } = this.#options;
    const now = clock.nowUs();
    this.counts.failed += 1;
    this.#failingSinceUs ??= fromUs;
    const patience = seconds(RETRY_PAUSES_S[Math.min(this.#failures, RETRY_PAUSES_S.length - 1)] ?? 60);
    this.#failures += 1;
    const requested = result.status === 'later' && result.pauseMs !== null ? milliseconds(result.pauseMs) : 0;
    const pause = result.status === 'refused' ? REFUSED_PAUSE : Math.max(patience, requested);
    this.#nextUs = now + pause;
    const isStuck = result.status === 'refused' || this.#nextUs - this.#failingSinceUs > STUCK_AFTER;
    if (isStuck) this.#beginTrouble(result.reason);
  }
}
