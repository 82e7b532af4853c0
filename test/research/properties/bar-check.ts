/** What no fill on bars may do, checked against the bars alone. */
import type { BacktestFill } from '../../../src/research/backtest-result.ts';
import type { BarFillModel } from '../../../src/venue/exchange/fill-models.ts';
import { timeOfDayUs } from '../../../src/domain/civil-date.ts';
import type { PriceBand } from '../../../src/domain/contract.ts';
import { US_PER_MINUTE } from '../../../src/domain/units.ts';

export interface DrawnBar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

const [OPEN, BREAK, RETURN, AUCTION, CLOSE] = [540, 690, 780, 870, 885];
const isTrading = (minute: number): boolean =>
  (minute >= OPEN && minute < BREAK) || (minute >= RETURN && minute < AUCTION);

/** Bars by their minute of the day, in order. */
export function wrongBarFills(
  bars: readonly (readonly [minute: number, bar: DrawnBar])[],
  { volumeBps }: BarFillModel,
  fills: readonly BacktestFill[],
  { floor, ceiling }: Pick<PriceBand, 'floor' | 'ceiling'>,
): readonly string[] {
  const wrong: string[] = [];
  const filled = new Map<number, number>();
  for (const { tsUs, side, qty, priceTicks: price, clause } of fills) {
    const minute = timeOfDayUs(tsUs, 420) / US_PER_MINUTE;
    const name = `${clause}: ${side} ${qty} at ${price} in minute ${minute}`;
    const isOnTime = clause === 'uncross' ? minute === CLOSE || minute === OPEN : isTrading(minute);
    if (!isOnTime) wrong.push(`${name}: not at this time`);
    if (price < floor || price > ceiling) wrong.push(`${name}: outside the band`);
    const place = bars.findLastIndex(([from]) => from <= minute);
    const [, bar] = bars[place]!;
    if (price < bar.low || price > bar.high) wrong.push(`${name}: the bar has ${bar.low} to ${bar.high}`);
    if ((clause === 'bar_open' || clause === 'uncross') && price !== bar.open)
      wrong.push(`${name}: not its open`);
    if (clause === 'bar_close' && price !== bar.close) wrong.push(`${name}: not its close`);
    filled.set(place, (filled.get(place) ?? 0) + qty);
  }
  for (const [place, qty] of filled) {
    const { volume } = bars[place]![1];
    if (volumeBps > 0 && qty > Math.floor((volume * volumeBps) / 10_000))
      wrong.push(`${qty} of a bar of ${volume}`);
  }
  return wrong;
}
