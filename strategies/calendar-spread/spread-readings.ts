import { combineLatest, filter, map, type Observable, type OperatorFunction, pairwise } from 'rxjs';
import { BollingerBands } from 'trading-signals';
import type { BookTick } from '../../src/domain/ticks.ts';
import type { TsUs } from '../../src/domain/units.ts';
import { type FeedChange, indicate, type LegTicks, seconds } from '../../src/strategy/index.ts';

/** How far the spread is from its recent mean. */
export interface SpreadReading {
  /** Middle of next month less middle of front month, in ticks. */
  readonly spread: number;
  readonly mean: number;
  /** Distance from the mean in standard deviations; 0 while the spread has not moved. */
  readonly z: number;
}

/** Middle of next month less middle of front month, in ticks; NaN while a book has no two sides. */
export const spreadOf = (front: LegTicks, next: LegTicks): Observable<number> =>
  combineLatest([next.books$, front.books$]).pipe(map(([far, near]) => middleOf(far) - middleOf(near)));

/** Each spread within the window of those before it, once that is full. */
export const readings =
  (window: number): OperatorFunction<number, SpreadReading> =>
  (spread$) =>
    spread$.pipe(
      filter((spread) => !Number.isNaN(spread)),
      indicate({ bands: () => new BollingerBands(window, 1) }, (spread) => spread),
      map(({ item: spread, bands: { middle: mean, upper } }) => ({
        spread,
        mean,
        z: upper === mean ? 0 : (spread - mean) / (upper - mean),
      })),
    );

/** Books of before do not count any more, as those of the trader do not. */
export const lost = ({ feed$ }: LegTicks): Observable<FeedChange> =>
  feed$.pipe(filter(({ state }) => state !== 'live'));

/** A moment that comes later than this. */
const LATE_MAX = seconds(10);

export const standbys = (
  moments$: Observable<TsUs>,
  { sampleSeconds }: { readonly sampleSeconds: number },
): Observable<unknown> =>
  moments$.pipe(
    pairwise(),
    filter(([before, now]) => now - before > seconds(sampleSeconds) + LATE_MAX),
  );

/** NaN without two sides. */
function middleOf({ bids: [bid], asks: [ask], crossed }: BookTick): number {
  return crossed || bid === undefined || ask === undefined ? Number.NaN : (bid.price + ask.price) / 2;
}
