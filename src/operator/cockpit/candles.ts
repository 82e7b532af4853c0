/** Candles of a minute, for the page. */
import { type Contract, pointsOf } from '../../domain/contract.ts';
import { type PriceTicks, type TsUs, US_PER_MINUTE, US_PER_MS } from '../../domain/units.ts';
import type { CockpitBar } from './cockpit-model.ts';

const MS_PER_MINUTE = US_PER_MINUTE / US_PER_MS;
/** More than a day has; older ones leave. */
const CANDLES_MAX = 1_500;

/** Prices in ticks. */
interface OpenCandle {
  readonly minute: number;
  readonly open: PriceTicks;
  high: PriceTicks;
  low: PriceTicks;
  close: PriceTicks;
  volume: number;
}

/** Candles of a minute from trades in order. */
export class Candles {
  readonly #candles: OpenCandle[] = [];

  add(tsUs: TsUs, price: PriceTicks, qty: number): void {
    const minute = Math.floor(tsUs / US_PER_MINUTE);
    const last = this.#candles.at(-1);
    if (last === undefined || minute > last.minute) {
      this.#candles.push({ minute, open: price, high: price, low: price, close: price, volume: qty });
      if (this.#candles.length > CANDLES_MAX) this.#candles.shift();
      return;
    }
    if (price > last.high) last.high = price;
    if (price < last.low) last.low = price;
    last.close = price;
    last.volume += qty;
  }

  bars({ spec }: Contract): readonly CockpitBar[] {
    return this.#candles.map(({ minute, open, high, low, close, volume }) => [
      minute * MS_PER_MINUTE,
      pointsOf(spec, open),
      pointsOf(spec, high),
      pointsOf(spec, low),
      pointsOf(spec, close),
      volume,
    ]);
  }
}

/** The minute at the seam belongs to both. */
export function joined(past: readonly CockpitBar[], present: readonly CockpitBar[]): readonly CockpitBar[] {
  const last = past.at(-1);
  const first = present[0];
  if (last === undefined || first === undefined || last[0] !== first[0]) return [...past, ...present];
  const seam: CockpitBar = [
    last[0],
    last[1],
    Math.max(last[2], first[2]),
    Math.min(last[3], first[3]),
    first[4],
    last[5] + first[5],
  ];
  return [...past.slice(0, -1), seam, ...present.slice(1)];
}
