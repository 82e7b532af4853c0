/** Without a token a program is healthy and waits (rulings, 23). */
import type { TokenKeeper } from '../../broker/auth/token-keeper.ts';
import type { Timers } from '../../domain/clock.ts';
import { seconds } from '../../domain/units.ts';

const ASK_AGAIN_AFTER = seconds(30);

/** Until there is a token, or `isEnding`. */
export async function awaitToken(
  tokens: TokenKeeper,
  timers: Timers,
  isEnding: () => boolean,
): Promise<void> {
  while (tokens.current() === undefined && !isEnding()) {
    const changed = new Promise<void>((resolve) => {
      const stop = tokens.onChange(() => {
        stop();
        resolve();
      });
    });
    const result = await tokens.refresh('needed');
    if (!result.ok) await Promise.race([changed, pause(timers)]);
  }
}

const pause = (timers: Timers): Promise<void> =>
  new Promise((resolve) => {
    timers.after(ASK_AGAIN_AFTER, resolve);
  });
