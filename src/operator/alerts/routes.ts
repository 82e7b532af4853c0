/** Puts each message into the queues of the channels that take it; what one cannot deliver goes to the next. */
import type { Clock, Timers } from '../../domain/clock.ts';
import type { TsUs } from '../../domain/units.ts';
import type { AlertSeverity } from '../../engine/ports/journal-entry.ts';
import { formatSpan } from '../../text/durations.ts';
import { ChannelQueue } from './channel-queue.ts';
import { type Channel, isAtLeast, type Message } from './message.ts';

/** In the order in which one stands in for the other. */
export interface Route {
  readonly channel: Channel;
  /** Alerts of lower severity are not sent to it. */
  readonly least: AlertSeverity;
  readonly perMinute: number;
}

export interface RoutesOptions {
  readonly routes: readonly Route[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly time: (at: TsUs) => string;
  /** A channel fails or works again. */
  readonly alert: (severity: AlertSeverity, code: string, text: string) => void;
  /** Other messages wait than before. */
  readonly onChange: () => void;
}

export interface ChannelState {
  readonly id: string;
  readonly trouble: string | null;
  readonly waiting: number;
  readonly sent: number;
  readonly failed: number;
  readonly dropped: number;
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
    this.#queues = options.routes.map((route, place) => this.#queue(route, place));
  }

  get states(): readonly ChannelState[] {
    return this.#queues.map(({ id, trouble, waiting, counts }) => ({
      id,
      trouble,
      waiting: waiting.length,
      ...counts,
    }));
  }

  /** By channel, for the next start. */
  get waiting(): readonly { readonly channel: string; readonly messages: readonly Message[] }[] {
    return this.#queues.map(({ id, waiting }) => ({ channel: id, messages: waiting }));
  }

  /** Nothing waits that could be delivered now. */
  get isIdle(): boolean {
    return this.#queues.every(({ trouble, waiting }) => trouble !== null || waiting.length === 0);
  }

  send(message: Message): void {
    for (const [place, { least }] of this.#options.routes.entries())
      if (message.kind !== 'alert' || isAtLeast(message.severity, least)) this.#give(message, place);
  }

  /** A message that an earlier run left in this channel's queue; nothing when the channel is gone from the configuration. */
  resume(channel: string, message: Message): void {
    const place = this.#queues.findIndex(({ id }) => id === channel);
    if (place !== -1) this.#give(message, place);
  }

  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }

  #queue({ channel, perMinute }: Route, place: number): ChannelQueue {
    const { clock, timers, time, alert, onChange } = this.#options;
    return new ChannelQueue({
      channel,
      clock,
      timers,
      perMinute,
      time,
      onTrouble: (reason) => {
        const others = this.#queues.some(({ id, trouble }) => id !== channel.id && trouble === null);
        const rest = others
          ? 'its messages go to the next channel'
          : 'no other channel works: its messages wait';
        alert('warning', 'channel_failed', `${channel.id} does not deliver (${reason}): ${rest}`);
      },
      onWorks: (downForUs) =>
        alert('info', 'channel_works', `${channel.id} delivers again, after ${formatSpan(downForUs)}`),
      onStuck: (messages) => {
        for (const message of messages) this.#passOn(message, place);
      },
      onChange,
    });
  }

  #give(message: Message, place: number): void {
    const queue = this.#queues[place];
    if (queue === undefined) return;
    const given = this.#given.get(message.id) ?? new Set<string>();
    if (given.has(queue.id)) return;
    given.add(queue.id);
    this.#given.set(message.id, given);
    for (const oldest of this.#given.keys()) {
      if (this.#given.size <= REMEMBERED_MAX) break;
      this.#given.delete(oldest);
    }
    queue.add(message);
  }

  /** To the first one after `place` that works, unless one that works has it. */
  #passOn(message: Message, place: number): void {
    const given = this.#given.get(message.id);
    const working = [...this.#queues.keys()]
      .map((step) => (place + 1 + step) % this.#queues.length)
      .filter((other) => other !== place && this.#queues[other]?.trouble === null);
    if (working.some((other) => given?.has(this.#queues[other]?.id ?? '') === true)) return;
    const [next] = working;
    if (next !== undefined) this.#give(message, next);
  }
}
