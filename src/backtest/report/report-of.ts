/** Turns the result of a backtest into the model of its report. */
import { pointsOf } from '../../domain/contract.ts';
import { priceTicks, US_PER_SECOND } from '../../domain/units.ts';
import { formatCount, formatNumber } from '../../text/numbers.ts';
import type { BacktestFill, BacktestResult, Samples, StrategyResult } from '../backtest-result.ts';
import { closedTrades, runStatistics } from '../statistics/run-statistics.ts';
import { allFigures, headlineFigures, resultTables } from './report-figures.ts';
import type { ReportHistogram, ReportMark, ReportModel, ReportPrices, ReportSeries } from './report-model.ts';

const POINTS_MAX = 12_000;
/** More marks than this are a cloud: only the first so many are drawn. */
const MARKS_MAX = 20_000;
const BINS = 41;
/** Kinds of denials that a warning lists for one strategy. */
const DENIALS_TOLD = 4;

export function reportOf(result: BacktestResult, title: string): ReportModel {
  const found = runStatistics(result);
  const { moneyScale, equity } = result;
  const line = thinSeries(equity, POINTS_MAX, (value) => value / moneyScale);
  return {
    title,
    subtitle: subtitleOf(result),
    currency: result.currency,
    timeZone: result.timeZone,
    headlines: headlineFigures(found, result),
    figures: allFigures(found, result),
    equity: line,
    drawdown: belowPeak(line),
    prices: [...result.instruments.keys()]
      .filter((place) => hasPrices(result, place))
      .map((place) => pricesOf(result, place)),
    histograms: profitHistogram(result),
    heatMaps: [],
    tables: resultTables(result, found),
    warnings: warningsOf(result),
    provenance: provenanceOf(result),
  };
}

function subtitleOf(result: BacktestResult): string {
  const { days, warmUpDays, strategies, instruments } = result;
  const traded = days.slice(warmUpDays);
  const span = traded.length === 1 ? traded[0] : `${traded[0] ?? ''} to ${traded.at(-1) ?? ''}`;
  const symbols = instruments.filter((_, place) => hasPrices(result, place)).map(({ symbol }) => symbol);
  const sessions = formatCount(traded.length, 'session');
  return `${strategies.map(({ id }) => id).join(', ')} on ${symbols.join(', ')}, ${span ?? ''}, ${sessions}`;
}

/** A contract that is listed and was not recorded has none. */
const hasPrices = ({ instruments }: BacktestResult, place: number): boolean =>
  instruments[place]?.prices.values.some((price) => price > 0) === true;

/** The outline of equity holds its peaks and troughs, so the fall below the peak is exact where it is drawn. */
function belowPeak({ tsSeconds, values }: ReportSeries): ReportSeries {
  let peak = -Infinity;
  return {
    tsSeconds,
    values: values.map((value) => {
      peak = Math.max(peak, value);
      return value - peak;
    }),
  };
}

function pricesOf({ instruments, strategies }: BacktestResult, place: number): ReportPrices {
  const instrument = instruments[place];
  if (instrument === undefined) return { symbol: '', series: { tsSeconds: [], values: [] }, marks: [] };
  const { symbol, spec, prices } = instrument;
  const points = (ticks: number): number => pointsOf(spec, priceTicks(ticks));
  const first = prices.values.findIndex((price) => price > 0);
  const known = first === -1 ? prices.values.length : first;
  // A contract that is over keeps its last price to the end of the run: that is no picture of it.
  const end = prices.values.findLastIndex((price, i) => price !== prices.values[i - 1]) + 1;
  const series = thinSeries(
    { tsUs: prices.tsUs.subarray(known, end), values: prices.values.subarray(known, end) },
    POINTS_MAX,
    points,
  );
  const marks = strategies
    .flatMap(({ id, fills }) =>
      [...fills].filter((fill) => fill.instrument === place).map((fill) => markOf(fill, id, points)),
    )
    .toSorted((a, b) => a.tsSeconds - b.tsSeconds);
  return { symbol, series, marks: marks.slice(0, MARKS_MAX) };
}

function markOf(fill: BacktestFill, strategy: string, points: (ticks: number) => number): ReportMark {
  const { tsUs, side, qty, priceTicks, positionAfter } = fill;
  const isEntry = Math.sign(positionAfter) === (side === 'buy' ? 1 : -1);
  return {
    tsSeconds: Math.round(tsUs / US_PER_SECOND),
    price: points(priceTicks),
    side,
    effect: isEntry ? 'entry' : 'exit',
    qty,
    strategy,
  };
}

function profitHistogram({ strategies, moneyScale }: BacktestResult): readonly ReportHistogram[] {
  const profits = closedTrades(strategies).map(({ netProfit }) => netProfit / moneyScale);
  if (profits.length < 2) return [];
  const low = profits.reduce((least, profit) => Math.min(least, profit), Infinity);
  const high = profits.reduce((most, profit) => Math.max(most, profit), -Infinity);
  const width = (high - low) / BINS || 1;
  const counts = Array.from({ length: BINS }, () => 0);
  for (const profit of profits) {
    const bin = Math.min(BINS - 1, Math.floor((profit - low) / width));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const edges = Array.from({ length: BINS + 1 }, (_, i) => low + i * width);
  return [{ title: 'Net profit of a trade', edges, counts }];
}

function warningsOf({ notices, strategies }: BacktestResult): readonly string[] {
  const stopped = strategies.flatMap(({ id, stopped: why }) =>
    why === null ? [] : [`${id} was stopped: ${why}`],
  );
  return [...stopped, ...strategies.flatMap(denialWarning), ...notices.map(({ text }) => text)];
}

/** Denied orders are the commonest reason of an empty report. */
function denialWarning({ id, denials, denialCount }: StrategyResult): readonly string[] {
  if (denials.length === 0) return [];
  const codes = new Map<string, { count: number; text: string }>();
  for (const { code, text } of denials) {
    const known = codes.get(code);
    if (known === undefined) codes.set(code, { count: 1, text });
    else known.count += 1;
  }
  const parts = [...codes.values()]
    .toSorted((a, b) => b.count - a.count)
    .slice(0, DENIALS_TOLD)
    .map(({ count, text }) => `${count} x ${text}`);
  return [`${id}: denied calls, ${denialCount} in all: ${parts.join('; ')}`];
}

function provenanceOf(result: BacktestResult): readonly (readonly [string, string])[] {
  return [
    ['configuration', result.configDigest],
    ['data', result.dataDigest],
    ['journal', result.journalHash],
    ['seed', String(result.seed)],
    ...result.models,
    ['rows read', formatNumber(result.counts.rows)],
    ['orders', formatNumber(result.counts.orders)],
    ['fills', formatNumber(result.counts.fills)],
  ];
}

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
