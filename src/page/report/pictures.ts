import type {
  ReportData,
  ReportFan,
  ReportFunds,
  ReportHistogram,
  ReportPrices,
  ReportSeries,
} from '../../research/report/report-model.ts';
import { moneyText } from '../charts/axis-text.ts';
import { type ChartContent, type ChartLook, drawLineChart } from '../charts/line-chart.ts';
import { createPriceChart } from '../charts/price-chart.ts';
import { placeOf } from '../charts/trade-layer.ts';

const PERCENT = 100;
/** Drawdowns that are marked behind the equity. */
const SHADES = 3;
const ACCOUNT = 'account';

type Picture = readonly [ChartLook, ChartContent];

export function drawChart(box: HTMLElement, data: ReportData, kind: string, place: number): void {
  const prices = data.prices[place];
  if (kind === 'prices' && prices !== undefined) return drawPrices(box, data, prices);
  const picture = pictureOf(data, kind, place);
  if (picture !== null) drawLineChart(box, ...picture);
}

function pictureOf(data: ReportData, kind: string, place: number): Picture | null {
  const { equity, drawdown, position, funds, histograms, fans } = data;
  const bins = histograms[place];
  const fan = fans[place];
  if (kind === 'equity' && equity !== null) return equityPicture(data, equity);
  if (kind === 'drawdown' && equity !== null && drawdown !== null)
    return drawdownPicture(data, equity, drawdown);
  if (kind === 'position' && position !== null) return positionPicture(data, position);
  if (kind === 'funds' && funds !== null) return fundsPicture(data, funds);
  if (kind === 'histogram' && bins !== undefined) return histogramPicture(data, bins);
  if (kind === 'fan' && fan !== undefined) return fanPicture(data, fan);
  return null;
}

function equityPicture(
  { utcOffsetMinutes, currency, moneyDigits, worst }: ReportData,
  equity: ReportSeries,
): Picture {
  const { tsSeconds: x, values } = equity;
  return [
    { height: 280, utcOffsetMinutes, unit: currency, moneyDigits, sync: ACCOUNT },
    {
      x,
      lines: [{ label: 'equity', values, colour: 'price', kind: 'area' }],
      shades: worst.slice(0, SHADES).map(({ peakSeconds, recoveredSeconds }) => ({
        from: placeOf(x, peakSeconds),
        to: recoveredSeconds === null ? x.length - 1 : placeOf(x, recoveredSeconds),
        colour: 'loss',
      })),
    },
  ];
}

function drawdownPicture(
  { utcOffsetMinutes }: ReportData,
  { tsSeconds: x, values: equity }: ReportSeries,
  { values: below }: ReportSeries,
): Picture {
  const values = below.map((money, i) => {
    const peak = (equity[i] ?? 0) - money;
    return peak > 0 ? (money / peak) * PERCENT : null;
  });
  return [
    { height: 150, utcOffsetMinutes, unit: '%', sync: ACCOUNT, isFromZero: true },
    { x, lines: [{ label: 'below the peak', values, colour: 'loss', kind: 'area' }] },
  ];
}

function positionPicture(
  { utcOffsetMinutes, currency, moneyDigits }: ReportData,
  { tsSeconds: x, values, unit }: NonNullable<ReportData['position']>,
): Picture {
  return [
    { height: 150, utcOffsetMinutes, unit, isFromZero: true, ...(unit === currency && { moneyDigits }) },
    { x, lines: [{ label: 'held', values, colour: 'price', kind: 'steps' }] },
  ];
}

function fundsPicture(
  { utcOffsetMinutes, currency, moneyDigits }: ReportData,
  { tsSeconds: x, cash, marginUsed, buyingPower }: ReportFunds,
): Picture {
  return [
    { height: 200, utcOffsetMinutes, unit: currency, moneyDigits, isFromZero: true },
    {
      x,
      lines: [
        { label: 'cash', values: cash, colour: 'price' },
        { label: 'buying power', values: buyingPower, colour: 'accent-3' },
        { label: 'margin used', values: marginUsed, colour: 'mark' },
      ],
    },
  ];
}

function histogramPicture({ currency, moneyDigits }: ReportData, histogram: ReportHistogram): Picture {
  const { edges, counts, mean, median } = histogram;
  const money = (amount: number): string => moneyText(amount, moneyDigits);
  const middle = (i: number): number => ((edges[i] ?? 0) + (edges[i + 1] ?? 0)) / 2;
  const x = counts.map((_, i) => middle(i));
  const side = (isGain: boolean): readonly (number | null)[] =>
    counts.map((count, i) => (count > 0 && middle(i) > 0 === isGain ? count : null));
  return [
    {
      height: 240,
      unit: 'trades',
      isFromZero: true,
      summary: `${moneyText(
        counts.reduce((sum, count) => sum + count, 0),
        0,
      )} trades, mean ${money(mean)}, median ${money(median)} ${currency}`,
      name: (at) => `${money(edges[at] ?? 0)} to ${money(edges[at + 1] ?? 0)} ${currency}`,
    },
    {
      x,
      lines: [
        { label: 'lost', values: side(false), colour: 'loss', kind: 'bars' },
        { label: 'won', values: side(true), colour: 'gain', kind: 'bars' },
      ],
      rules: [
        { at: mean, label: 'mean', colour: 'ink' },
        { at: median, label: 'median', colour: 'quiet' },
      ],
    },
  ];
}

/** Outer bands pale, inner ones darker, the middle as a line. */
function fanPicture({ currency, moneyDigits }: ReportData, { xName, x, bands }: ReportFan): Picture {
  const middle = Math.floor(bands.length / 2);
  return [
    { height: 280, unit: currency, moneyDigits, xUnit: xName },
    {
      x,
      lines: bands.map(([label, values], i) => ({
        label,
        values,
        colour: 'price',
        opacity: i === middle ? 1 : 0.4,
      })),
      bands: Array.from({ length: middle }, (_, i) => [bands.length - 1 - i, i, 'price'] as const),
    },
  ];
}

function drawPrices(box: HTMLElement, { trades, utcOffsetMinutes }: ReportData, prices: ReportPrices): void {
  const { symbols, decimals, tick, tsSeconds, open, high, low, close, lines, marks } = prices;
  const chart = createPriceChart(box, { height: 420, utcOffsetMinutes, decimals, tick });
  chart.setTrades(trades.filter(({ symbol }) => symbols.includes(symbol)));
  chart.setLines(
    lines.map(({ name, values }) => ({
      label: name,
      points: values.flatMap((value, i) => (value === null ? [] : [{ time: tsSeconds[i] ?? 0, value }])),
    })),
  );
  chart.setMarks(marks);
  chart.setCandles(
    tsSeconds.map((time, i) => ({
      time,
      open: open[i] ?? 0,
      high: high[i] ?? 0,
      low: low[i] ?? 0,
      close: close[i] ?? 0,
    })),
  );
}
