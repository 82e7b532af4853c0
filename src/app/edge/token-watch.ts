/** Renews the token before it ends, and at once without one, as long as the day's exchanges allow. */
import type { TokenKeeper } from '../../broker/auth/token-keeper.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { durationUs, seconds } from '../../domain/units.ts';
import { systemTimers } from '../host/market-clock.ts';

export interface TokenWatchOptions {
  readonly tokens: Pick<TokenKeeper, 'refreshDueUs' | 'refresh' | 'onChange'>;
  /** Real time. */
  readonly clock: Clock;
  readonly timers: Timers;
}

/** A broker that refuses each new token at once must not cost the exchanges of a day in a minute. */
const REFRESH_AGAIN_MIN = seconds(30);

/** Returns how to stop. */
export function watchToken({ tokens, clock, timers }: TokenWatchOptions): () => void {
  let cancel: CancelTimer | undefined;
  let askedUs = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  const ask = (): void => {
    askedUs = clock.nowUs();
    void tokens.refresh('needed').finally(arm);
  };
  const arm = (): void => {
    cancel?.();
    const due = tokens.refreshDueUs();
    if (due === undefined || isStopped) return;
    const wait = Math.max(due, askedUs + REFRESH_AGAIN_MIN) - clock.nowUs();
    cancel = timers.after(durationUs(Math.max(0, wait)), ask);
  };
  const stopListening = tokens.onChange(arm);
  arm();
  return () => {
    isStopped = true;
    cancel?.();
    stopListening();
  };
}

const ASK_AGAIN_AFTER = seconds(30);

/** Returns once there is a token, or `isEnding`: a program without a token is healthy and waits (rulings, 23). */
export async function awaitToken(tokens: TokenKeeper, isEnding: () => boolean): Promise<void> {
  while (tokens.current() === undefined && !isEnding()) {
    const changed = new Promise<void>((resolve) => {
      const stop = tokens.onChange(() => {
        stop();
        resolve();
      });
    });
    const result = await tokens.refresh('needed');
    if (!result.ok) await Promise.race([changed, pause()]);
  }
}

const pause = (): Promise<void> =>
  new Promise((resolve) => {
    systemTimers.after(ASK_AGAIN_AFTER, resolve);
  });
