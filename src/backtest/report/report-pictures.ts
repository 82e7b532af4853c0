/** The series and rows that a report draws: candles with their trades, positions, and how profits are spread. */
import { type ContractSpec, pointDecimals, pointsOf } from '../../domain/contract.ts';
import { priceTicks, US_PER_SECOND } from '../../domain/units.ts';
import type {
  BacktestFill,
  BacktestResult,
  BacktestTrade,
  ResultInstrument,
  Samples,
} from '../backtest-result.ts';
import { mean, quantile } from '../statistics/moments.ts';
import { closedTrades } from '../statistics/run-statistics.ts';
import type { ReportHistogram, ReportMark, ReportPrices, ReportSeries, ReportTrade } from './report-model.ts';

const CANDLES_MAX = 4_000;
const MARKS_MAX = 4_000;
const TRADES_MAX = 4_000;
const BINS = 40;
const MINUTE = 60;
const DAY = 86_400;
/** Seconds. */
const CANDLE_LENGTHS = [
  1,
  5,
  15,
  30,
  ...[1, 2, 5, 10, 15, 30, 60, 120, 240].map((minutes) => minutes * MINUTE),
  ...[1, 7, 28].map((days) => days * DAY),
];

/** A contract that is listed and was not recorded has none. */
export const hasPrices = ({ prices }: ResultInstrument): boolean => prices.values.some((price) => price > 0);

export function pricesOf(result: BacktestResult, place: number, instrument: ResultInstrument): ReportPrices {
  const { symbol, spec } = instrument;
  const marks = result.strategies
    .flatMap(({ id, fills }) =>
      [...fills].filter((fill) => fill.instrument === place).map((fill) => markOf(fill, id, spec)),
    )
    .toSorted((a, b) => a.tsSeconds - b.tsSeconds);
  return {
    symbol,
    decimals: pointDecimals(spec),
    tick: pointsOf(spec, priceTicks(1)),
    ...candlesOf(instrument, result.utcOffsetMinutes),
    marks: marks.slice(0, MARKS_MAX),
    fills: marks.length,
  };
}

type Candles = Pick<ReportPrices, 'everySeconds' | 'tsSeconds' | 'open' | 'high' | 'low' | 'close'>;

/** Samples with trades, put together where they are too many. Candles lie on a grid from local midnight. */
function candlesOf({ spec, prices, ranges }: ResultInstrument, utcOffsetMinutes: number): Candles {
  const traded = [...prices.values.keys()].filter((i) => (ranges.high[i] ?? 0) > 0);
  const everyUs = usualGap(prices.tsUs);
  const starts = prices.tsUs.map((at, i) => Math.max(prices.tsUs[i - 1] ?? 0, at - everyUs) / US_PER_SECOND);
  const offset = utcOffsetMinutes * MINUTE;
  const cellOf = (i: number, length: number): number => Math.floor(((starts[i] ?? 0) + offset) / length);
  const everySeconds =
    CANDLE_LENGTHS.filter((length) => length * US_PER_SECOND >= everyUs).find(
      (length) => countCells(traded, (i) => cellOf(i, length)) <= CANDLES_MAX,
    ) ??
    CANDLE_LENGTHS.at(-1) ??
    DAY;
  const points = (ticks: number): number => pointsOf(spec, priceTicks(ticks));
  const tsSeconds: number[] = [];
  const open: number[] = [];
  const high: number[] = [];
  const low: number[] = [];
  const close: number[] = [];
  let cell = NaN;
  for (const i of traded) {
    const now = cellOf(i, everySeconds);
    const last = close.length - 1;
    const [top, bottom] = [points(ranges.high[i] ?? 0), points(ranges.low[i] ?? 0)];
    if (now !== cell) {
      cell = now;
      tsSeconds.push(now * everySeconds - offset);
      open.push(points(ranges.first[i] ?? 0));
      high.push(top);
      low.push(bottom);
      close.push(points(prices.values[i] ?? 0));
      continue;
    }
    high[last] = Math.max(high[last] ?? top, top);
    low[last] = Math.min(low[last] ?? bottom, bottom);
    close[last] = points(prices.values[i] ?? 0);
  }
  return { everySeconds, tsSeconds, open, high, low, close };
}

function countCells(places: readonly number[], cellOf: (place: number) => number): number {
  let count = 0;
  let cell = NaN;
  for (const place of places) {
    const now = cellOf(place);
    if (now !== cell) count += 1;
    cell = now;
  }
  return count;
}

/** Median time between two samples. A sample ends a stretch; the first of a day is taken to be as long as the others. */
function usualGap(tsUs: Float64Array): number {
  const gaps = tsUs.subarray(1).map((at, i) => at - (tsUs[i] ?? 0));
  return gaps.toSorted()[(gaps.length - 1) >> 1] ?? US_PER_SECOND;
}

function markOf(
  { tsUs, side, qty, priceTicks: ticks, positionAfter }: BacktestFill,
  strategy: string,
  spec: ContractSpec,
): ReportMark {
  const isEntry = Math.sign(positionAfter) === (side === 'buy' ? 1 : -1);
  return {
    tsSeconds: Math.floor(tsUs / US_PER_SECOND),
    price: pointsOf(spec, priceTicks(ticks)),
    side,
    effect: isEntry ? 'entry' : 'exit',
    qty,
    strategy,
  };
}

/** All round trips, also those that the end of the run left open. */
export function tradesOf(result: BacktestResult): { trades: readonly ReportTrade[]; tradeCount: number } {
  const trades = result.strategies
    .flatMap((strategy) => [...strategy.trades].map((trade) => ({ trade, id: strategy.id })))
    .toSorted((a, b) => a.trade.exitUs - b.trade.exitUs);
  return {
    trades: trades.slice(0, TRADES_MAX).flatMap(({ trade, id }) => tradeOf(result, trade, id)),
    tradeCount: trades.length,
  };
}

function tradeOf(
  { instruments, moneyScale }: BacktestResult,
  trade: BacktestTrade,
  strategy: string,
): readonly ReportTrade[] {
  const instrument = instruments[trade.instrument];
  if (instrument === undefined) return [];
  const { spec, symbol } = instrument;
  const digits = pointDecimals(spec) + 2;
  const price = (value: number): number =>
    Number((value / (trade.qty * spec.moneyPerHundredth * (spec.partsPerPoint ?? 100))).toFixed(digits));
  return [
    {
      strategy,
      symbol,
      direction: trade.direction,
      qty: trade.qty,
      entrySeconds: Math.floor(trade.entryUs / US_PER_SECOND),
      entryPrice: price(trade.entryValue),
      exitSeconds: Math.floor(trade.exitUs / US_PER_SECOND),
      exitPrice: price(trade.exitValue),
      costs: (trade.fee + trade.tax) / moneyScale,
      profit: trade.netProfit / moneyScale,
      adverse: trade.adverse / moneyScale,
      favourable: trade.favourable / moneyScale,
      isOpen: trade.isOpen,
    },
  ];
}

/** Bins of one width with an edge at zero, so that a bar is either gains or losses. */
export function profitHistogram({ strategies, moneyScale }: BacktestResult): readonly ReportHistogram[] {
  const profits = closedTrades(strategies)
    .map(({ netProfit }) => netProfit / moneyScale)
    .toSorted((a, b) => a - b);
  if (profits.length < 2) return [];
  const low = Math.min(0, profits[0] ?? 0);
  const high = Math.max(0, profits.at(-1) ?? 0);
  const width = (high - low) / BINS || 1;
  const first = Math.floor(low / width);
  const count = Math.floor(high / width) - first + 1;
  const counts = Array.from({ length: count }, () => 0);
  for (const profit of profits) {
    const bin = Math.min(count - 1, Math.floor(profit / width) - first);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const edges = Array.from({ length: count + 1 }, (_, i) => (first + i) * width);
  return [
    {
      title: 'Net profit of a trade',
      edges,
      counts,
      mean: mean(profits) ?? 0,
      median: quantile(profits, 0.5),
    },
  ];
}

/** Contracts held over all strategies: at each sample of equity the position of that time that was furthest from zero. */
export function positionSamples({ strategies, equity }: BacktestResult): Samples {
  const fills = strategies.flatMap((each) => [...each.fills]).toSorted((a, b) => a.tsUs - b.tsUs);
  const held = new Map<string, number>();
  let position = 0;
  let next = 0;
  const values = equity.tsUs.map((atUs) => {
    let furthest = position;
    for (let fill = fills[next]; fill !== undefined && fill.tsUs <= atUs; fill = fills[next]) {
      const key = `${fill.strategy} ${fill.instrument}`;
      position += fill.positionAfter - (held.get(key) ?? 0);
      held.set(key, fill.positionAfter);
      if (Math.abs(position) > Math.abs(furthest)) furthest = position;
      next += 1;
    }
    return furthest;
  });
  return { tsUs: equity.tsUs, values };
}

/**
 * At most about `pointsMax` samples, keeping the lowest and the highest of each stretch, so that a picture of them has the same
 * outline; first and last stay.
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
