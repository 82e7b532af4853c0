/** Runs in the reader's browser: draws what the page holds as data, in the page's colours, as wide as the page is. */
import uPlot from 'uplot';
import type {
  ReportFan,
  ReportHistogram,
  ReportMark,
  ReportPrices,
  ReportSeries,
} from '../../backtest/report/report-model.ts';
import './report.css';

interface ChartData {
  readonly currency: string;
  readonly timeZone: string;
  readonly equity: ReportSeries | null;
  readonly drawdown: ReportSeries | null;
  readonly prices: readonly ReportPrices[];
  readonly histograms: readonly ReportHistogram[];
  readonly fans: readonly ReportFan[];
}

type Options = uPlot.Options;
type Drawn = { readonly options: Options; readonly data: uPlot.AlignedData };

const data: ChartData = JSON.parse(document.getElementById('report')?.textContent ?? '{}');
const ink = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const tinted = (name: string, percent: number): string =>
  `color-mix(in srgb, ${ink(name)} ${percent}%, transparent)`;
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 5 });
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const day = new Intl.DateTimeFormat('en-CA', { timeZone: data.timeZone, month: '2-digit', day: '2-digit' });
const minute = new Intl.DateTimeFormat('en-GB', {
  timeZone: data.timeZone,
  hour: '2-digit',
  minute: '2-digit',
});
const when = (seconds: number | undefined): string =>
  seconds === undefined ? '' : `${day.format(seconds * 1000)} ${minute.format(seconds * 1000)}`;

/** Samples stand side by side: nights and breaks take no room. */
function timeAxis(times: readonly number[]): uPlot.Axis {
  return {
    ...axis(),
    values: (_, splits) => splits.map((at) => (Number.isInteger(at) ? when(times[at]) : '')),
    space: 95,
  };
}

const axis = (): uPlot.Axis => ({
  stroke: ink('quiet'),
  grid: { stroke: ink('line'), width: 1 },
  ticks: { stroke: ink('line'), width: 1 },
});

const valueAxis = (format: Intl.NumberFormat): uPlot.Axis => ({
  ...axis(),
  size: 64,
  values: (_, splits) => splits.map((value) => format.format(value)),
});

/** The value under the cursor. */
const shown =
  (unit: string) =>
  (_: uPlot, value: number | null): string =>
    value === null ? '' : `${whole.format(value)}${unit}`;

const money = shown(` ${data.currency}`);

function base(
  times: readonly number[],
  height: number,
  format: Intl.NumberFormat = short,
): Pick<Options, 'width' | 'height' | 'padding' | 'scales' | 'axes' | 'legend'> {
  return {
    width: 0,
    height,
    // Half of the last label lies to the right of the picture.
    padding: [8, 40, 0, 0],
    scales: { x: { time: false } },
    axes: [timeAxis(times), valueAxis(format)],
    legend: { live: true },
  };
}

const timeSeries = (times: readonly number[]): uPlot.Series => ({
  label: 'time',
  value: (_, at) => (at === null ? '' : when(times[at])),
});

function line(series: ReportSeries, label: string, colour: string, height: number): Drawn {
  return {
    options: {
      ...base(series.tsSeconds, height),
      cursor: { sync: { key: 'account' } },
      series: [
        timeSeries(series.tsSeconds),
        { label, stroke: ink(colour), fill: tinted(colour, 12), width: 1.5, value: money },
      ],
    },
    data: [series.tsSeconds.map((_, i) => i), [...series.values]],
  };
}

/** The last sample at or before a moment. */
function placeOf(times: readonly number[], seconds: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((times[middle] ?? 0) <= seconds) low = middle;
    else high = middle - 1;
  }
  return low;
}

function prices({ symbol, series, marks }: ReportPrices): Drawn {
  const placed = marks.map((mark) => ({ mark, at: placeOf(series.tsSeconds, mark.tsSeconds) }));
  return {
    options: {
      ...base(series.tsSeconds, 380, whole),
      series: [
        timeSeries(series.tsSeconds),
        { label: symbol, stroke: ink('price'), width: 1, value: shown('') },
      ],
      hooks: { draw: [(plot) => drawMarks(plot, placed)] },
    },
    data: [series.tsSeconds.map((_, i) => i), [...series.values]],
  };
}

function drawMarks(plot: uPlot, placed: readonly { mark: ReportMark; at: number }[]): void {
  const { ctx, bbox } = plot;
  const size = 5 * devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const { min = 0, max = 0 } = plot.scales['x'] ?? {};
  for (const { mark, at } of placed) {
    if (at < min || at > max) continue;
    const x = plot.valToPos(at, 'x', true);
    const y = plot.valToPos(mark.price, 'y', true);
    const up = mark.side === 'buy' ? 1 : -1;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x - size, y + up * 1.8 * size);
    ctx.lineTo(x + size, y + up * 1.8 * size);
    ctx.closePath();
    ctx.fillStyle = ctx.strokeStyle = ink(mark.side === 'buy' ? 'gain' : 'loss');
    ctx.lineWidth = devicePixelRatio;
    if (mark.effect === 'entry') ctx.fill();
    else ctx.stroke();
  }
  ctx.restore();
}

function histogram({ edges, counts }: ReportHistogram): Drawn {
  const edge = (at: number): string => (Number.isInteger(at) ? short.format(edges[at] ?? 0) : '');
  const range = (at: number): string =>
    `${whole.format(edges[at] ?? 0)} to ${whole.format(edges[at + 1] ?? 0)}`;
  const bars = uPlot.paths.bars?.({ size: [0.9, Number.POSITIVE_INFINITY], align: 1 });
  return {
    options: {
      ...base([], 220),
      scales: {
        x: { time: false, range: [0, counts.length] },
        y: { range: (_, _min, max) => [0, Math.max(1, max)] },
      },
      axes: [
        { ...axis(), values: (_, splits) => splits.map(edge), space: 70 },
        { ...axis(), size: 64 },
      ],
      series: [
        { label: 'from', value: (_, at) => (at === null ? '' : range(at)) },
        {
          label: 'count',
          points: { show: false },
          stroke: ink('price'),
          fill: tinted('price', 45),
          ...(bars === undefined ? {} : { paths: bars }),
        },
      ],
    },
    data: [counts.map((_, i) => i), [...counts]],
  };
}

/** Outer bands pale, inner ones darker, the middle as a line. */
function fan({ xName, x, bands }: ReportFan): Drawn {
  const middle = Math.floor(bands.length / 2);
  return {
    options: {
      ...base([], 260),
      axes: [axis(), valueAxis(short)],
      series: [
        { label: xName },
        ...bands.map(([label], i) => ({
          label,
          stroke: i === middle ? ink('price') : tinted('price', 45),
          width: i === middle ? 1.8 : 0.8,
          points: { show: false },
          value: money,
        })),
      ],
      bands: Array.from({ length: middle }, (_, i) => ({
        series: [bands.length - i, i + 1] as [number, number],
        fill: tinted('price', 14),
      })),
    },
    data: [[...x], ...bands.map(([, values]) => [...values])],
  };
}

function drawn(kind: string | undefined, place: number): Drawn | undefined {
  const price = data.prices[place];
  const bins = data.histograms[place];
  const paths = data.fans[place];
  if (kind === 'equity' && data.equity !== null) return line(data.equity, 'equity', 'price', 260);
  if (kind === 'drawdown' && data.drawdown !== null) return line(data.drawdown, 'drawdown', 'loss', 150);
  if (kind === 'prices' && price !== undefined) return prices(price);
  if (kind === 'histogram' && bins !== undefined) return histogram(bins);
  if (kind === 'fan' && paths !== undefined) return fan(paths);
  return undefined;
}

let plots: uPlot[] = [];

function drawAll(): void {
  for (const plot of plots) plot.destroy();
  plots = [];
  for (const box of document.querySelectorAll<HTMLElement>('[data-chart]')) {
    const found = drawn(box.dataset['chart'], Number(box.dataset['place']));
    if (found === undefined) continue;
    plots.push(new uPlot({ ...found.options, width: box.clientWidth }, found.data, box));
  }
  document.documentElement.dataset['drawn'] = String(plots.length);
}

drawAll();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
addEventListener('resize', () => {
  for (const plot of plots)
    plot.setSize({ width: plot.root.parentElement?.clientWidth ?? plot.width, height: plot.height });
});
