/** Ends a run on a signal, at the end of a tape or of `--duration`, or on the operator's command. The first reason counts. */
import { once } from 'node:events';
import { every, type CancelTimer, type ClockMap, type Timers } from '../domain/clock.ts';
import { type DurationUs, seconds, type TsUs } from '../domain/units.ts';
import { atMarketTime } from './system-clock.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const EXIT_HURRIED = 1;
/** One Ctrl-C may arrive twice: from the terminal, and from the npm or the shell that started the program. */
const SAME_SIGNAL_MS = 1_000;

export class Shutdown {
  readonly #controller = new AbortController();
  readonly #cancels: CancelTimer[] = [];
  #signalledAtMs = -Infinity;
  readonly #onSignal = (name: NodeJS.Signals): void => {
    const now = performance.now();
    if (now - this.#signalledAtMs < SAME_SIGNAL_MS) return;
    this.#signalledAtMs = now;
    if (!this.isAsked) return this.ask(name);
    const reason = `${name} again: ended before the clean end was done`;
    process.stderr.write(`${reason}; the next start looks up what was left open\n`);
    this.onHurried(reason);
    process.exit(EXIT_HURRIED);
  };
  /** A person ends the process before its clean end: no crash. */
  onHurried: (reason: string) => void = () => undefined;

  /** Listens from now on, so that a signal during the start ends the run cleanly too. */
  constructor() {
    for (const name of SIGNALS) process.on(name, this.#onSignal);
  }

  get isAsked(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Resolves with the reason. */
  async wait(): Promise<string> {
    const { signal } = this.#controller;
    if (!signal.aborted) await once(signal, 'abort');
    return String(signal.reason);
  }

  ask(reason: string): void {
    this.#controller.abort(reason);
  }

  askAfter(ms: number, reason: string): void {
    const timer = setTimeout(() => this.ask(reason), ms);
    this.#cancels.push(() => clearTimeout(timer));
  }

  /** At a market time, also where market time pauses in between. */
  askAt(map: ClockMap, at: TsUs, reason: string): void {
    this.#cancels.push(atMarketTime(map, at, () => this.ask(reason)));
  }

  close(): void {
    for (const name of SIGNALS) process.off(name, this.#onSignal);
    for (const cancel of this.#cancels) cancel();
  }
}

const CHECK_EVERY = seconds(1);

/** Calls `onOver` after this much time without waiting, which does no work: a phase of the market may be an hour away. */
export function runWithin(
  timers: Timers,
  limit: DurationUs,
  isWaiting: () => boolean,
  onOver: () => void,
): CancelTimer {
  let leftUs: number = limit;
  const cancel = every(timers, CHECK_EVERY, () => {
    leftUs = isWaiting() ? limit : leftUs - CHECK_EVERY;
    if (leftUs > 0) return;
    cancel();
    onOver();
  });
  return cancel;
}
