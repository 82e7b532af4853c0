/** Dead man's switch: a service raises the alarm when these calls stay away, also when this machine is gone. */
import { every, type CancelTimer, type Timers } from '../../domain/clock.ts';
import type { DurationUs } from '../../domain/units.ts';
import { sendRequest } from './http-post.ts';

export interface DeadManOptions {
  /** Holds a secret. */
  readonly url: string;
  readonly every: DurationUs;
  /** Whether the service knows `/start` and `/fail`. */
  readonly start: boolean;
  readonly fail: boolean;
  readonly timers: Timers;
  readonly problem: () => string | null;
  /** The service cannot be reached, or can again (null). Called on changes. */
  readonly onService: (failure: string | null) => void;
}

const TIMEOUT_MS = 10_000;
/** One lost call is no news: the service waits for several. */
const ALERT_AFTER_FAILURES = 3;

export class DeadMansSwitch {
  readonly #options: DeadManOptions;
  readonly #closing = new AbortController();
  #cancel: CancelTimer | undefined = undefined;
  #problem: string | null = null;
  #failures = 0;

  constructor(options: DeadManOptions) {
    this.#options = options;
  }

  start(): void {
    const { start, timers, every: span } = this.#options;
    if (start) void this.#call('/start', null);
    this.#cancel = every(timers, span, () => this.#check());
  }

  close(): void {
    this.#closing.abort();
    this.#cancel?.();
  }

  /** While something is wrong no call leaves, and the service notices; one that knows `/fail` hears the reason at once. */
  #check(): void {
    const problem = this.#options.problem();
    const isNew = problem !== null && this.#problem === null;
    this.#problem = problem;
    if (problem === null) void this.#call('', null);
    else if (isNew && this.#options.fail) void this.#call('/fail', problem);
  }

  async #call(path: string, body: string | null): Promise<void> {
    const { url, onService } = this.#options;
    const at = new URL(url);
    at.pathname = at.pathname.replace(/\/+$/, '') + path;
    const answer = await sendRequest({
      url: at.href,
      method: body === null ? 'GET' : 'POST',
      ...(body === null ? {} : { body, type: 'text/plain; charset=utf-8' }),
      timeoutMs: TIMEOUT_MS,
      signal: this.#closing.signal,
    });
    if (this.#closing.signal.aborted) return;
    const failure =
      'failure' in answer ? answer.failure : answer.status < 300 ? null : `HTTP ${answer.status}`;
    if (failure === null) {
      if (this.#failures >= ALERT_AFTER_FAILURES) onService(null);
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    if (this.#failures === ALERT_AFTER_FAILURES) onService(failure);
  }
}
