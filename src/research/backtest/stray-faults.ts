/** Faults of strategies in promises and timers of the machine. They come up when a run, which is synchronous, is over. */
import { errorText } from '../../domain/failure.ts';
import type { Backtest } from '../spec/load-backtest.ts';

/** Frames of the program before and behind the strategy's own say nothing to its author. */
const FRAMES_MAX = 6;

/** The frames of a stack from the innermost one in the files of the strategy's author. */
export function framesInSource({ strategies }: Backtest, place: number, stack: string): string {
  const own = strategies[place];
  const lines = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const first = Math.max(
    0,
    lines.findIndex((line) => own !== undefined && line.includes(own.place)),
  );
  const frames = lines.slice(first, first + FRAMES_MAX).join('\n');
  return own?.inSource(frames) ?? frames;
}

/** Runs `work` and waits for the promises that it left. */
export async function withStrays<T>(work: () => Promise<T>) {
  const strays: unknown[] = [];
  const note = (error: unknown): void => void strays.push(error);
  process.on('unhandledRejection', note).on('uncaughtException', note);
  try {
    const value = await work();
    // Timers without a delay that were set before ring before this one; RxJS throws in such a timer.
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 1);
    });
    return { value, strays };
  } finally {
    process.off('unhandledRejection', note).off('uncaughtException', note);
  }
}

/** The first one of each strategy: the others follow from it, and the runs of a verification fail alike. */
export function strayTexts(backtest: Backtest, strays: readonly unknown[]): readonly string[] {
  const texts = new Map<string, string>();
  for (const error of strays) {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const place = backtest.strategies.findIndex((each) => stack.includes(each.place));
    const id = backtest.strategies[place]?.id ?? 'a strategy';
    const head = `${id} failed in a promise or a timer of the machine, after the event was over: ${errorText(error)}`;
    if (!texts.has(id)) texts.set(id, `${head}\n${framesInSource(backtest, place, stack)}`.trimEnd());
  }
  return [...texts.values()];
}
