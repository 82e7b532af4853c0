/** The series and rows that a report draws: candles with their trades, positions, and how profits are spread. */
import type { BacktestFill, BacktestTrade, BacktestResult, ResultInstrument } from '../backtest-result.ts';
import { getOrCreate } from '../../domain/lists.ts';
import { quantileSorted } from 'simple-statistics';
import { assertDefined } from '../../domain/assert.ts';
import { type ContractSpec, pointDecimals, pointValueOf, pointsOf, unitsOf } from '../../domain/contract.ts';
import { priceTicks, US_PER_SECOND } from '../../domain/units.ts';
import { DAY, MINUTE } from '../../text/durations.ts';
import { mean } from '../statistics/return-ratios.ts';
import { closedTrades, instrumentOf } from '../statistics/run-statistics.ts';
import type {
  ReportAccount,
  ReportCandle,
  ReportHistogram,
  ReportLine,
  ReportMark,
  ReportPrices,
  ReportTrade,
} from './report-model.ts';

/** Over all pictures; one has no more than `CANDLES_MAX`. */
const CANDLES_TOTAL_MAX = 12_000;
const CANDLES_MAX = 4_000;
const CANDLES_MIN = 250;
const MARKS_MAX = 4_000;
const TRADES_MAX = 4_000;
/** Lines of strategies over one picture of candles. */
const LINES_MAX = 8;
const BINS = 40;
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

type TradedInstrument = ReturnType<typeof tradedOf>[number];

/** One picture for contracts of one underlying that follow each other, as front months do; one more for each that trades at the same time. */
export function picturesOf(result: BacktestResult): readonly ReportPrices[] {
  const chains = chainsOf(result.instruments);
  const share = Math.max(CANDLES_MIN, Math.floor(CANDLES_TOTAL_MAX / chains.length));
  return chains.map((chain) => pricesOf(result, chain, Math.min(CANDLES_MAX, share)));
}

function chainsOf(instruments: readonly ResultInstrument[]): readonly (readonly TradedInstrument[])[] {
  const chains: TradedInstrument[][] = [];
  for (const traded of instruments.flatMap(tradedOf).toSorted((a, b) => a.fromUs - b.fromUs)) {
    const { underlying } = traded.instrument.spec;
    const chain = chains.find((each) => {
      const last = each.at(-1);
      return (
        last !== undefined && last.instrument.spec.underlying === underlying && last.toUs < traded.fromUs
      );
    });
    if (chain === undefined) chains.push([traded]);
    else chain.push(traded);
  }
  return chains;
}

/** A contract with the samples before which it traded; nothing without one. */
function tradedOf(instrument: ResultInstrument, place: number) {
  const { prices, ranges } = instrument;
  const samples = [...ranges.high.keys()].filter((i) => (ranges.high[i] ?? 0) > 0);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [{ place, instrument, samples, fromUs: prices.tsUs[first] ?? 0, toUs: prices.tsUs[last] ?? 0 }];
}

function pricesOf(
  result: BacktestResult,
  chain: readonly TradedInstrument[],
  candlesMax: number,
): ReportPrices {
  const symbols = chain.map(({ instrument }) => instrument.symbol);
  const specs = new Map(chain.map(({ place, instrument }) => [place, instrument.spec]));
  const spec = assertDefined(chain[0], 'a picture has a contract').instrument.spec;
  let count = 0;
  const marks = result.strategies.flatMap(({ fills }) => {
    const first: ReportMark[] = [];
    for (const fill of fills) {
      const of = specs.get(fill.instrument);
      if (of === undefined) continue;
      count += 1;
      if (first.length < MARKS_MAX) first.push(markOf(fill, of));
    }
    return first;
  });
  const { everySeconds, candles } = candlesOf(chain, result.utcOffsetMinutes, candlesMax);
  const lines = linesOf(result, chain, candles);
  return {
    name: symbols.length === 1 ? (symbols[0] ?? '') : `${symbols[0] ?? ''} to ${symbols.at(-1) ?? ''}`,
    symbols,
    decimals: pointDecimals(spec),
    tick: pointsOf(spec, priceTicks(1)),
    everySeconds,
    candles,
    lines: lines.slice(0, LINES_MAX),
    lineCount: lines.length,
    marks: marks.toSorted((a, b) => a.tsSeconds - b.tsSeconds).slice(0, MARKS_MAX),
    fills: count,
  };
}

/** Samples with trades, put together where they are too many. Candles lie on a grid from local midnight. */
function candlesOf(chain: readonly TradedInstrument[], utcOffsetMinutes: number, candlesMax: number) {
  const gapSeconds = usualGap(chain) / US_PER_SECOND;
  const offset = utcOffsetMinutes * MINUTE;
  const count = chain.reduce((sum, { samples }) => sum + samples.length, 0);
  const leastSeconds = gapSeconds * Math.max(1, count / candlesMax);
  const everySeconds =
    CANDLE_LENGTHS.find((length) => length >= leastSeconds) ?? CANDLE_LENGTHS.at(-1) ?? DAY;
  const candles: ReportCandle[] = [];
  for (const { instrument, samples } of chain) {
    const { spec, prices, ranges } = instrument;
    const points = (ticks: number | undefined): number => pointsOf(spec, priceTicks(ticks ?? 0));
    for (const i of samples) {
      // A sample ends a stretch: its trades lie before it.
      const before = ((prices.tsUs[i] ?? 0) - 1) / US_PER_SECOND + offset;
      const time = Math.floor(before / everySeconds) * everySeconds - offset;
      const [high, low, close] = [points(ranges.high[i]), points(ranges.low[i]), points(prices.values[i])];
      const last = candles.at(-1);
      if (last === undefined || time > last.time)
        candles.push({ time, open: points(ranges.first[i]), high, low, close });
      else {
        const range = { high: Math.max(last.high, high), low: Math.min(last.low, low) };
        candles[candles.length - 1] = { ...last, ...range, close };
      }
    }
  }
  return { everySeconds, candles };
}

/** The values that strategies drew, by the candle in which they did. */
function linesOf(
  { strategies }: BacktestResult,
  chain: readonly TradedInstrument[],
  candles: readonly ReportCandle[],
): readonly ReportLine[] {
  const lines = new Map<string, (number | null)[]>();
  let fromUs = -Infinity;
  for (const { place, instrument, toUs } of chain) {
    const digits = pointDecimals(instrument.spec) + 1;
    for (const { id, plots } of strategies)
      for (const { name, values, instrument: of } of plots) {
        if (of !== place) continue;
        const key = `${id} ${name}`;
        const line = getOrCreate(lines, key, () => candles.map(() => null));
        let at = -1;
        values.tsUs.forEach((us, i) => {
          if (us <= fromUs) return;
          while ((candles[at + 1]?.time ?? Infinity) * US_PER_SECOND <= us) at += 1;
          if (at < 0) return;
          const points = (values.values[i] ?? 0) * pointsOf(instrument.spec, priceTicks(1));
          line[at] = Number(points.toFixed(digits));
        });
      }
    fromUs = toUs;
  }
  return [...lines].map(([name, values]) => ({ name, values }));
}

/** Median time between two samples with trades, microseconds; a day at most. */
function usualGap(chain: readonly TradedInstrument[]): number {
  const gaps = chain
    .flatMap(({ instrument: { prices }, samples }) =>
      samples.slice(1).map((i, before) => (prices.tsUs[i] ?? 0) - (prices.tsUs[samples[before] ?? 0] ?? 0)),
    )
    .toSorted((a, b) => a - b);
  return Math.min(DAY * US_PER_SECOND, Math.max(US_PER_SECOND, gaps[(gaps.length - 1) >> 1] ?? 0));
}

function markOf(
  { tsUs, side, qty, priceTicks: ticks, positionAfter }: BacktestFill,
  spec: ContractSpec,
): ReportMark {
  const isEntry = Math.sign(positionAfter) === (side === 'buy' ? 1 : -1);
  return {
    tsSeconds: Math.floor(tsUs / US_PER_SECOND),
    price: pointsOf(spec, priceTicks(ticks)),
    side,
    effect: isEntry ? 'entry' : 'exit',
    qty: unitsOf(spec, qty),
  };
}

/** All round trips, also those that the end of the run left open. */
export function reportTrades(result: BacktestResult): { trades: readonly ReportTrade[]; tradeCount: number } {
  // The trades of one strategy are in the order of their exits.
  const trades = result.strategies
    .flatMap(({ id, trades: all }) => all.slice(0, TRADES_MAX).map((trade) => ({ trade, id })))
    .toSorted((a, b) => a.trade.exitUs - b.trade.exitUs);
  return {
    trades: trades.slice(0, TRADES_MAX).map(({ trade, id }) => tradeOf(result, trade, id)),
    tradeCount: result.strategies.reduce((sum, { trades: all }) => sum + all.length, 0),
  };
}

export function tradeOf(
  { instruments, moneyScale }: Pick<BacktestResult, 'instruments' | 'moneyScale'>,
  trade: BacktestTrade,
  strategy: string,
): ReportTrade {
  const { spec, symbol } = instrumentOf(instruments, trade.instrument);
  const digits = pointDecimals(spec) + 2;
  const price = (value: number): number => Number((value / (trade.qty * pointValueOf(spec))).toFixed(digits));
  return {
    strategy,
    symbol,
    direction: trade.direction,
    qty: unitsOf(spec, trade.qty),
    entrySeconds: Math.floor(trade.entryUs / US_PER_SECOND),
    entryPrice: price(trade.entryValue),
    exitSeconds: Math.floor(trade.exitUs / US_PER_SECOND),
    exitPrice: price(trade.exitValue),
    costs: (trade.fee + trade.tax) / moneyScale,
    profit: trade.netProfit / moneyScale,
    adverse: trade.adverse / moneyScale,
    favourable: trade.favourable / moneyScale,
    isOpen: trade.isOpen,
  };
}

/** Bins of one width with an edge at zero, so that a bar is either gains or losses. */
export function profitHistogram(result: BacktestResult): ReportHistogram | null {
  const { strategies, moneyScale } = result;
  const profits = closedTrades(strategies)
    .map(({ netProfit }) => netProfit / moneyScale)
    .toSorted((a, b) => a - b);
  if (profits.length < 2) return null;
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
  return {
    title: `Trades by net profit in ${result.currency}`,
    edges,
    counts,
    mean: mean(profits) ?? 0,
    median: quantileSorted(profits, 0.5),
  };
}

/** About `pointsMax` samples: first, last, and the lowest and the highest equity of each stretch keep the outline. */
export function accountSamples(result: BacktestResult, pointsMax: number): ReportAccount {
  const { equity, funds, moneyScale, utcOffsetMinutes } = result;
  const places = outlineOf(equity.values, pointsMax);
  const least = places.map((place, i) => leastBetween(funds.buyingPower, (places[i - 1] ?? -1) + 1, place));
  const at = (column: Float64Array, rows: readonly number[]): readonly number[] =>
    rows.map((row) => (column[row] ?? 0) / moneyScale);
  const times = places.map((place) => equity.tsUs[place] ?? 0);
  return {
    tsSeconds: times.map((us) => sampleSeconds(us, utcOffsetMinutes)),
    equity: at(equity.values, places),
    ...positionsUntil(result, times),
    cash: at(funds.cash, least),
    marginUsed: at(funds.marginUsed, least),
    buyingPower: at(funds.buyingPower, least),
  };
}

/**
 * Held over all strategies, long above zero: the position furthest from zero since the moment before. Contracts of one underlying are
 * counted. Of several the value at the price of their last fills is taken: a share and a coin have no sum.
 */
function positionsUntil(
  { strategies, instruments, currency, moneyScale }: BacktestResult,
  moments: readonly number[],
): Pick<ReportAccount, 'position' | 'positionUnit'> {
  const isCounted = new Set(instruments.map(({ spec }) => spec.underlying)).size <= 1;
  const heldAfter = ({ instrument, positionAfter, value, qty }: BacktestFill): number => {
    const { spec } = instrumentOf(instruments, instrument);
    return isCounted ? unitsOf(spec, positionAfter) : (positionAfter * value) / qty / moneyScale;
  };
  const changes = strategies
    .flatMap(({ fills }, index) =>
      Array.from(fills, (fill) => ({
        atUs: fill.tsUs,
        of: `${index} ${fill.instrument}`,
        after: heldAfter(fill),
      })),
    )
    .toSorted((a, b) => a.atUs - b.atUs);
  const held = new Map<string, number>();
  let [position, next] = [0, 0];
  const values = moments.map((untilUs) => {
    let furthest = position;
    for (let change = changes[next]; change !== undefined && change.atUs <= untilUs; change = changes[next]) {
      position += change.after - (held.get(change.of) ?? 0);
      held.set(change.of, change.after);
      next += 1;
      if (Math.abs(position) > Math.abs(furthest)) furthest = position;
    }
    return furthest;
  });
  const [first] = instruments;
  const counted = first?.spec.lotSize === undefined ? 'contracts' : `units of ${first.symbol}`;
  return { position: values, positionUnit: isCounted ? counted : currency };
}

/** A sample ends a stretch: one at midnight belongs to the day before, and is shown as its last second. */
export function sampleSeconds(us: number, utcOffsetMinutes: number): number {
  const seconds = Math.round(us / US_PER_SECOND);
  return (seconds + utcOffsetMinutes * MINUTE) % DAY === 0 ? seconds - 1 : seconds;
}

/** Places of the first and the last value, and of the least and the greatest one of each stretch. */
export function outlineOf(values: Float64Array, pointsMax: number): readonly number[] {
  if (values.length <= pointsMax) return [...values.keys()];
  const stretches = Math.floor(pointsMax / 2);
  const places = new Set<number>([0, values.length - 1]);
  const negative = values.map((value) => -value);
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const from = Math.floor((stretch * values.length) / stretches);
    const to = Math.floor(((stretch + 1) * values.length) / stretches) - 1;
    places.add(leastBetween(values, from, to)).add(leastBetween(negative, from, to));
  }
  return [...places].toSorted((a, b) => a - b);
}

/** The first place of the least value, both ends included. */
function leastBetween(values: Float64Array, from: number, to: number): number {
  let least = from;
  for (let i = from + 1; i <= to; i += 1) if ((values[i] ?? 0) < (values[least] ?? 0)) least = i;
  return least;
}
