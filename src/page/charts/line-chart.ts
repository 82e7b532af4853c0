/** Lines, areas and bars over time or over plain numbers, in the page's colours and as wide as their box. */
import {
  type AutoscaleInfo,
  BaselineSeries,
  createChart,
  HistogramSeries,
  type IChartApiBase,
  type ISeriesApi,
  LineSeries,
  type SeriesType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { MINUTE } from '../../text/durations.ts';
import './charts.css';
import { momentText, moneyText, numberLabels } from './axis-text.ts';
import { BASE, coloursOf, ink, onThemeChange, TIME_SCALE } from './price-chart.ts';

interface ChartLine {
  readonly label: string;
  /** Null leaves a gap. */
  readonly values: readonly (number | null)[];
  /** Name of a colour of the page. */
  readonly colour: string;
  /** Absent: `line`. */
  readonly kind?: 'line' | 'area' | 'bars';
  /** 0 .. 1; absent: 1. */
  readonly opacity?: number;
}

export interface ChartContent {
  /** Seconds since 1970 of each sample, drawn side by side; or plain numbers. */
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
}

export interface ChartLook {
  readonly height: number;
  /** Offset of the exchange's clocks; absent: x is no time. */
  readonly utcOffsetMinutes?: number;
  readonly unit: string;
  /** Digits of money values; absent: at most two. */
  readonly moneyDigits?: number;
  /** Unit of x where it is no time. */
  readonly xUnit?: string;
  /** The scale always holds zero. */
  readonly isFromZero?: boolean;
  /** Charts with the same name move their cursors together. */
  readonly sync?: string;
  /** Text for sample `at` instead of its moment or number. */
  readonly name?: (at: number) => string;
  /** Shown while the cursor is elsewhere; absent: the last sample. */
  readonly summary?: string;
}

/** Charts below each other have one edge where there is room for it. */
const AXIS_PX = 88;
const AXIS_FROM_PX = 600;

/** Returns how to remove it. */
export function drawLineChart(box: HTMLElement, look: ChartLook, content: ChartContent): () => void {
  let end = drawn(box, look, content);
  const stop = onThemeChange(() => {
    end();
    end = drawn(box, look, content);
  });
  return () => {
    stop();
    end();
  };
}

/** Charts that move their cursors together, by the name that they share. */
const together = new Map<string, Set<(at: number | null) => void>>();

/** Returns how to remove it. */
function drawn(box: HTMLElement, look: ChartLook, content: ChartContent): () => void {
  const { x, lines } = content;
  const { sync, summary, utcOffsetMinutes } = look;
  const reading = document.createElement('p');
  reading.className = 'reading';
  const frame = document.createElement('div');
  frame.style.height = `${look.height}px`;
  box.replaceChildren(reading, frame);
  const chart = createChart(frame, optionsOf(box, look, content));
  const times = timesOf(x, utcOffsetMinutes);
  const drawnSeries = lines.map((line) => addLine(chart, line, look, times));
  const [first] = drawnSeries;
  chart.timeScale().fitContent();
  /** Values under the cursor; without one those of the last sample. */
  const read = (under: number | null): void => {
    if (under === null && summary !== undefined) reading.replaceChildren(part('at', summary));
    else reading.replaceChildren(...readingOf(content, look, under ?? x.length - 1));
  };
  read(null);
  const follow = (at: number | null): void => {
    const time = at === null ? undefined : times[at];
    if (time === undefined || first === undefined) chart.clearCrosshairPosition();
    else chart.setCrosshairPosition(0, time, first);
    read(at);
  };
  const others = together.get(sync ?? '') ?? new Set();
  if (sync !== undefined) together.set(sync, others.add(follow));
  chart.subscribeCrosshairMove(({ logical, time }) => {
    const at = time === undefined || logical === undefined ? null : Math.round(logical);
    read(at);
    for (const other of others) if (other !== follow) other(at);
  });
  return () => {
    others.delete(follow);
    chart.remove();
  };
}

/** Samples are drawn side by side, each later than the one before it; those of plain numbers are counted. */
function timesOf(x: readonly number[], utcOffsetMinutes: number | undefined): readonly UTCTimestamp[] {
  let before = -Infinity;
  return x.map((moment, at) => {
    before = utcOffsetMinutes === undefined ? at : Math.max(before + 1, moment + utcOffsetMinutes * MINUTE);
    return before as UTCTimestamp; // oxlint-disable-line typescript/no-unsafe-type-assertion -- a brand of the library
  });
}

const optionsOf = (box: HTMLElement, { utcOffsetMinutes }: ChartLook, { x }: ChartContent) => ({
  ...BASE,
  ...coloursOf(),
  rightPriceScale: {
    borderVisible: false,
    minimumWidth: box.clientWidth < AXIS_FROM_PX ? 0 : AXIS_PX,
    scaleMargins: { top: 0.05, bottom: 0.05 },
  },
  timeScale: {
    ...TIME_SCALE,
    fixLeftEdge: true,
    fixRightEdge: true,
    ...(utcOffsetMinutes === undefined && {
      tickMarkFormatter: (at: Time) => ROUND.format(x[Number(at)] ?? 0),
      tickMarkMaxCharacterLength: 10,
    }),
  },
  localization: { locale: 'en-GB' },
  crosshair: { horzLine: { visible: false, labelVisible: false }, vertLine: { labelVisible: false } },
  handleScale: { mouseWheel: false },
});

function addLine(
  chart: IChartApiBase<Time>,
  { values, colour, kind = 'line', opacity = 1 }: ChartLine,
  { unit, isFromZero = false }: ChartLook,
  times: readonly UTCTimestamp[],
): ISeriesApi<SeriesType, Time> {
  const [color, pale] = [ink(colour, opacity), ink(colour, 0.14)];
  const labels = (prices: number[]): string[] => numberLabels(prices, unit === '%' ? unit : '');
  const plain = {
    priceLineVisible: false,
    lastValueVisible: false,
    priceFormat: {
      type: 'custom',
      minMove: 1e-6,
      formatter: (value: number) => labels([value])[0] ?? '',
      tickmarksFormatter: labels,
    },
    ...(isFromZero && { autoscaleInfoProvider: withZero }),
  } as const;
  // Filled down, or up, to zero.
  const filled = {
    ...plain,
    lineWidth: 2,
    topLineColor: color,
    topFillColor1: pale,
    topFillColor2: pale,
    bottomLineColor: color,
    bottomFillColor1: pale,
    bottomFillColor2: pale,
  } as const;
  const series =
    kind === 'bars'
      ? chart.addSeries(HistogramSeries, { ...plain, color })
      : kind === 'line'
        ? chart.addSeries(LineSeries, { ...plain, color, lineWidth: 2 })
        : chart.addSeries(BaselineSeries, filled);
  series.setData(
    times.map((time, at) => {
      const value = values[at];
      return value === null || value === undefined ? { time } : { time, value };
    }),
  );
  return series;
}

function withZero(original: () => AutoscaleInfo | null): AutoscaleInfo | null {
  const found = original();
  const range = found?.priceRange;
  if (found === null || range === null || range === undefined) return found;
  return {
    ...found,
    priceRange: { minValue: Math.min(0, range.minValue), maxValue: Math.max(0, range.maxValue) },
  };
}

const ROUND = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const VALUE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

function* readingOf({ x, lines }: ChartContent, look: ChartLook, at: number): Generator<Node> {
  const { utcOffsetMinutes, unit, moneyDigits, xUnit = '', name } = look;
  const moment = x[at];
  if (moment === undefined) return;
  const where =
    name?.(at) ??
    (utcOffsetMinutes === undefined
      ? `${VALUE.format(moment)} ${xUnit}`.trim()
      : momentText(moment, utcOffsetMinutes));
  yield part('at', where);
  for (const { label, values, colour } of lines) {
    const value = values[at];
    if (value === null || value === undefined) continue;
    const swatch = part('swatch', '');
    swatch.style.background = ink(colour);
    yield swatch;
    yield part('', `${label} `);
    const text = moneyDigits === undefined ? VALUE.format(value) : moneyText(value, moneyDigits);
    yield part('figure', `${text}${unit === '' ? '' : ` ${unit}`}`);
  }
}

function part(kind: string, text: string): HTMLElement {
  const element = document.createElement('span');
  element.className = kind;
  element.textContent = text;
  return element;
}
