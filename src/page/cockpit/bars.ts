/** Candles of a minute joined to longer ones. */
import type { CockpitBar, PlotLine } from '../../operator/cockpit/cockpit-model.ts';

const MINUTE_MS = 60_000;

export const BAR_MINUTES = [1, 5, 15, 60] as const;
export type BarMinutes = (typeof BAR_MINUTES)[number];

const startOf = (atMs: number, minutes: BarMinutes): number => {
  const step = minutes * MINUTE_MS;
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

export function joinedBars(bars: readonly CockpitBar[], minutes: BarMinutes): readonly CockpitBar[] {
  const longer: CockpitBar[] = [];
  for (const bar of bars) {
    const next = grown(longer.at(-1), bar, minutes);
    if (next[0] === longer.at(-1)?.[0]) longer.pop();
    longer.push(next);
  }
  return longer;
}

/** The last value within each bar. */
export const joinedValues = ({ values }: PlotLine, minutes: BarMinutes): ReadonlyMap<number, number> =>
  new Map(values.map(([atMs, value]) => [startOf(atMs, minutes), value]));
