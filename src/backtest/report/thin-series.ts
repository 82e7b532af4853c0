import type { Samples } from '../backtest-result.ts';
import type { ReportSeries } from './report-model.ts';

const US_PER_SECOND = 1_000_000;

/**
 * At most about `pointsMax` samples, keeping the lowest and the highest of each stretch, so that a picture of them has the same
 * outline; first and last stay. `from` leaves out what came before.
 */
export function thinSeries(
  { tsUs, values }: Samples,
  pointsMax: number,
  scale: (value: number) => number,
): ReportSeries {
  const places =
    values.length <= pointsMax ? [...values.keys()] : extremes(values, Math.floor(pointsMax / 2));
  return {
    tsSeconds: places.map((place) => Math.round((tsUs[place] ?? 0) / US_PER_SECOND)),
    values: places.map((place) => scale(values[place] ?? 0)),
  };
}

function extremes(values: Float64Array, stretches: number): number[] {
  const places = new Set<number>([0]);
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const from = Math.floor((stretch * values.length) / stretches);
    const to = Math.floor(((stretch + 1) * values.length) / stretches);
    let low = from;
    let high = from;
    for (let i = from; i < to; i += 1) {
      if ((values[i] ?? 0) < (values[low] ?? 0)) low = i;
      if ((values[i] ?? 0) > (values[high] ?? 0)) high = i;
    }
    places.add(low).add(high);
  }
  places.add(values.length - 1);
  return [...places].toSorted((a, b) => a - b);
}
