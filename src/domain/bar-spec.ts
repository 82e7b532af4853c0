import type { DurationUs } from './units.ts';

/** When a bar is full. A trade is never split: the one that fills a volume bar belongs to it whole. */
export type BarSpec =
  | { readonly every: DurationUs }
  | { readonly everyTicks: number }
  | { readonly everyVolume: number };
