/**
 * A backtest whose strategy did not return runs again in a thread: the main thread, which ended it, cannot be looked into while it is busy,
 * and a thread can. The same run hangs in the same place.
 */
import type { Backtest } from '../backtest/load-backtest.ts';
import { StrategyHangs } from '../backtest/hang-watch.ts';
import { openTrialPool, sweepFingerprint } from './trial-pool.ts';

/** An event that took longer once may be ended sooner. */
const EVENT_MS_MAX = 5_000;
/** For the start of the thread, and for its answer. */
const MORE_MS = 10_000;

/** Where it stands, in frames of its author's files; empty when it did not hang again within the time of the first run. */
export async function framesOfHang(
  backtest: Backtest,
  { limitMs, ranMs }: { readonly limitMs: number; readonly ranMs: number },
): Promise<string> {
  const eventMsMax = Math.min(limitMs, EVENT_MS_MAX);
  const fingerprint = sweepFingerprint(backtest);
  const pool = await openTrialPool({ backtest, fingerprint, columns: new Map(), workers: 1, eventMsMax });
  let limit: NodeJS.Timeout | undefined = undefined;
  try {
    const isOver = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, ranMs + eventMsMax + MORE_MS);
    });
    await Promise.race([pool.run([{ params: {}, days: null }], () => undefined), isOver]);
    return '';
  } catch (error) {
    return error instanceof StrategyHangs ? error.frames : '';
  } finally {
    clearTimeout(limit);
    await pool.close();
  }
}
