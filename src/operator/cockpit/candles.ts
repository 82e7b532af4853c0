/** Longer candles from those of a minute, for the page. */
import { US_PER_MINUTE, US_PER_MS } from '../../domain/units.ts';
import type { CockpitBar, PlotLine } from './cockpit-model.ts';

const MS_PER_MINUTE = US_PER_MINUTE / US_PER_MS;

export const BAR_MINUTES = [1, 5, 15, 60] as const;
export type BarMinutes = (typeof BAR_MINUTES)[number];

const startOf = (atMs: number, minutes: BarMinutes): number => {
  const step = minutes * MS_PER_MINUTE;
  return Math.floor(atMs / step) * step;
};

/** The bar that `next` belongs to: the newest one, grown, or the next one. */
export function grown(newest: CockpitBar | undefined, next: CockpitBar, minutes: BarMinutes): CockpitBar {
  const [atMs, o, h, l, c, volume] = next;
  const start = startOf(atMs, minutes);
  if (newest === undefined || start > newest[0]) return [start, o, h, l, c, volume];
  const [at, open, high, low, , before] = newest;
  return [at, open, Math.max(high, h), Math.min(low, l), c, before + volume];
}

/** Bars of this many minutes from bars in order; two of one minute, as at a seam, are one. */
export function joinedBars(bars: readonly CockpitBar[], minutes: BarMinutes): readonly CockpitBar[] {
  const longer: CockpitBar[] = [];
  for (const bar of bars) {
    const next = grown(longer.at(-1), bar, minutes);
    if (next[0] === longer.at(-1)?.[0]) longer.pop();
    longer.push(next);
  }
  return longer;
}

export const joinedValues = ({ values }: PlotLine, minutes: BarMinutes): ReadonlyMap<number, number> =>
  new Map(values.map(([atMs, value]) => [startOf(atMs, minutes), value]));
