/** The token: asked for when the plan of the day says so, for as long as the program runs. */
import type { CancelTimer, Clock, Timers } from '../domain/clock.ts';
import { durationUs, minutes, seconds } from '../domain/units.ts';
import { withTimeout } from '../host/system-clock.ts';
import type { TokenKeeper } from '../broker/auth/token-keeper.ts';

interface TokenWatchOptions {
  readonly tokens: Pick<TokenKeeper, 'refreshDueUs' | 'refresh' | 'onChange'>;
  /** Real time. */
  readonly clock: Clock;
  readonly timers: Timers;
}

/** While no refresh is allowed, the plan is checked again this often: the broker's day changes, and a failure is forgiven. */
const CHECK_AGAIN = minutes(5);
/** A broker that refuses each new token at once must not cost the exchanges of a day in a minute. */
const REFRESH_AGAIN_MIN = seconds(30);

export function followTokenPlan({ tokens, clock, timers }: TokenWatchOptions): () => void {
  let cancel: CancelTimer | undefined;
  let askedUs = Number.NEGATIVE_INFINITY;
  let isStopped = false;
  const ask = (): void => {
    askedUs = clock.nowUs();
    void tokens.refresh('needed').finally(arm);
  };
  const arm = (): void => {
    cancel?.();
    if (isStopped) return;
    const due = tokens.refreshDueUs();
    if (due === undefined) {
      cancel = timers.after(CHECK_AGAIN, arm);
      return;
    }
    const wait = Math.max(due, askedUs + REFRESH_AGAIN_MIN) - clock.nowUs();
    // A machine that slept may have passed that time: timers pause meanwhile.
    cancel =
      wait > CHECK_AGAIN ? timers.after(CHECK_AGAIN, arm) : timers.after(durationUs(Math.max(0, wait)), ask);
  };
  const stopListening = tokens.onChange(arm);
  arm();
  return () => {
    isStopped = true;
    cancel?.();
    stopListening();
  };
}

const nothing = (): void => undefined;

const ASK_AGAIN_AFTER = seconds(30);

/** Returns once there is a token, or `isEnding`: a program without a token is healthy and waits (rulings, 23). */
export async function awaitToken(
  tokens: Pick<TokenKeeper, 'current' | 'refresh' | 'onChange'>,
  isEnding: () => boolean,
): Promise<void> {
  while (tokens.current() === undefined && !isEnding()) {
    let stopListening = nothing;
    const changed = new Promise<void>((resolve) => {
      stopListening = tokens.onChange(resolve);
    });
    const result = await tokens.refresh('needed');
    if (!result.ok) await withTimeout(changed, ASK_AGAIN_AFTER);
    stopListening();
  }
}
