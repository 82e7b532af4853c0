/** Runs in the reader's browser: draws the data of the page, in the page's colours, as wide as the page is. */
import { h, render } from 'preact';
import type { ReportData, ReportPrices } from '../../research/report/report-model.ts';
import { attribute, createPriceChart, placeOf } from '../charts/price-chart.ts';
import { Calendar } from '../charts/calendar.tsx';
import { moneyText } from '../charts/axis-text.ts';
import { type ChartContent, type ChartLook, drawLineChart } from '../charts/line-chart.ts';
import { TradeList } from './trade-list.tsx';
import './report.css';

const PERCENT = 100;
/** Drawdowns that are marked behind the equity. */
const SHADES = 3;
const ACCOUNT = 'account';

type Picture = readonly [ChartLook, ChartContent];

export function drawChart(box: HTMLElement, data: ReportData, kind: string, index: number): void {
  const prices = data.prices[index];
  if (kind === 'prices' && prices !== undefined) return drawPrices(box, data, prices);
  const picture = PICTURES[kind]?.(data, index) ?? null;
  if (picture !== null) drawLineChart(box, ...picture);
}

/** By kind, each null where the report has no such data. */
const PICTURES: Readonly<Record<string, (data: ReportData, index: number) => Picture | null>> = {
  equity({ account: { tsSeconds: x, equity: values }, worst, utcOffsetMinutes, currency, moneyDigits }) {
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
  },

  /** The outline of equity holds its peaks and troughs, so the fall below the peak is exact where it is drawn. */
  drawdown({ account: { tsSeconds: x, equity }, utcOffsetMinutes }) {
    let peak = -Infinity;
    const values = equity.map((money) => {
      peak = Math.max(peak, money);
      return peak > 0 ? ((money - peak) / peak) * PERCENT : null;
    });
    return [
      { height: 150, utcOffsetMinutes, unit: '%', sync: ACCOUNT, isFromZero: true },
      { x, lines: [{ label: 'below the peak', values, colour: 'loss', kind: 'area' }] },
    ];
  },

  position({ account, utcOffsetMinutes, currency, moneyDigits }) {
    const { tsSeconds: x, position: values, positionUnit: unit } = account;
    return [
      { height: 150, utcOffsetMinutes, unit, isFromZero: true, ...(unit === currency && { moneyDigits }) },
      { x, lines: [{ label: 'held', values, colour: 'price', kind: 'steps' }] },
    ];
  },

  funds({ account, utcOffsetMinutes, currency, moneyDigits }) {
    const { tsSeconds: x, cash, marginUsed, buyingPower } = account;
    return [
      { height: 200, utcOffsetMinutes, unit: currency, moneyDigits, isFromZero: true },
      {
        x,
        lines: [
          { label: 'cash', values: cash, colour: 'price' },
          { label: 'buying power', values: buyingPower, colour: 'accent-3' },
          { label: 'margin, with the loss of the day', values: marginUsed, colour: 'mark' },
        ],
      },
    ];
  },

  histogram({ histogram, currency, moneyDigits }) {
    if (histogram === null) return null;
    const { edges, counts, mean, median } = histogram;
    const money = (amount: number): string => moneyText(amount, moneyDigits);
    const middle = (i: number): number => ((edges[i] ?? 0) + (edges[i + 1] ?? 0)) / 2;
    const side = (isGain: boolean): readonly (number | null)[] =>
      counts.map((count, i) => (count > 0 && middle(i) > 0 === isGain ? count : null));
    const all = counts.reduce((sum, count) => sum + count, 0);
    return [
      {
        height: 240,
        unit: 'trades',
        isFromZero: true,
        summary: `${moneyText(all, 0)} trades, mean ${money(mean)}, median ${money(median)} ${currency}`,
        name: (at) => `${money(edges[at] ?? 0)} to ${money(edges[at + 1] ?? 0)} ${currency}`,
      },
      {
        x: counts.map((_, i) => middle(i)),
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
  },

  /** Outer bands pale, inner ones darker, the middle as a line. */
  fan({ fans, currency, moneyDigits }, index) {
    const fan = fans[index];
    if (fan === undefined) return null;
    const { xName, x, bands } = fan;
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
  },
};

function drawPrices(box: HTMLElement, { trades, utcOffsetMinutes }: ReportData, prices: ReportPrices): void {
  const { symbols, decimals, tick, candles, lines, marks } = prices;
  const chart = createPriceChart(box, { height: 420, utcOffsetMinutes, decimals, tick });
  chart.setTrades(trades.filter(({ symbol }) => symbols.includes(symbol)));
  chart.setLines(
    lines.map(({ name, values }) => ({
      label: name,
      points: values.flatMap((value, i) => (value === null ? [] : [{ time: candles[i]?.time ?? 0, value }])),
    })),
  );
  chart.setMarks(marks);
  chart.setCandles(candles);
}

/** The data are packed: gzip in base64. */
async function unpacked(): Promise<ReportData> {
  const text = document.getElementById('report')?.textContent ?? '';
  const bytes = Uint8Array.from(atob(text), (char) => char.codePointAt(0) ?? 0);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

const data = await unpacked();
for (const box of document.querySelectorAll<HTMLElement>('[data-chart]'))
  drawChart(box, data, box.dataset['chart'] ?? '', Number(box.dataset['place']));
attribute(document.body);
for (const box of document.querySelectorAll<HTMLElement>('[data-part]')) {
  if (box.dataset['part'] === 'calendar') render(Calendar(data.daily, data.moneyDigits), box);
  if (box.dataset['part'] === 'trades') render(h(TradeList, data), box);
}
document.documentElement.dataset['drawn'] = String(
  [...document.querySelectorAll('[data-chart]')].filter((box) => box.querySelector('canvas') !== null).length,
);
