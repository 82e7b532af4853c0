/** Lines, areas, steps and bars over time or over plain numbers, in the page's colours and as wide as their box. */
import {
  type AutoscaleInfo,
  BaselineSeries,
  createChart,
  HistogramSeries,
  type IChartApiBase,
  type ISeriesApi,
  LineSeries,
  LineType,
  type SeriesType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { MINUTE } from '../../text/durations.ts';
import './charts.css';
import { momentText, moneyText, numberLabels } from './axis-text.ts';
import { type BitmapScope, CanvasLayer, ink, onThemeChange } from './canvas-layer.ts';
import { BASE, coloursOf, TIME_SCALE } from './price-chart.ts';

interface ChartLine {
  readonly label: string;
  /** Null leaves a gap. */
  readonly values: readonly (number | null)[];
  /** Name of a colour of the page. */
  readonly colour: string;
  /** Absent: `line`. */
  readonly kind?: 'line' | 'area' | 'steps' | 'bars';
  /** 0 .. 1; absent: 1. */
  readonly opacity?: number;
}

/** A stretch of samples that is marked in the background. */
interface ChartShade {
  readonly from: number;
  readonly to: number;
  readonly colour: string;
}

/** An upright line, with a word at its top. */
interface ChartRule {
  readonly at: number;
  readonly label: string;
  readonly colour: string;
}

export interface ChartContent {
  /** Seconds since 1970 of each sample, drawn side by side; or plain numbers. */
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  /** Areas between two lines, by their places. */
  readonly bands?: readonly (readonly [upper: number, lower: number, colour: string])[];
  readonly shades?: readonly ChartShade[];
  readonly rules?: readonly ChartRule[];
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
  first?.attachPrimitive(new Backdrop(content));
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

const optionsOf = (box: HTMLElement, { utcOffsetMinutes }: ChartLook, { x, rules = [] }: ChartContent) => ({
  ...BASE,
  ...coloursOf(),
  rightPriceScale: {
    borderVisible: false,
    minimumWidth: box.clientWidth < AXIS_FROM_PX ? 0 : AXIS_PX,
    scaleMargins: { top: rules.length > 0 ? WORDS_ROOM : ROOM, bottom: ROOM },
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

const ROOM = 0.05;
const WORDS_ROOM = 0.12;

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
    lineType: kind === 'steps' ? LineType.WithSteps : LineType.Simple,
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

/** Shades and bands behind the lines, rules before them. */
class Backdrop extends CanvasLayer {
  readonly #content: ChartContent;

  constructor(content: ChartContent) {
    super();
    this.#content = content;
  }

  protected override drawBehind(scene: BitmapScope): void {
    const { context, bitmapSize } = scene;
    const { shades = [], bands = [], lines } = this.#content;
    for (const { from, to, colour } of shades) {
      const left = this.xOf(from, scene);
      context.fillStyle = ink(colour, 0.1);
      context.fillRect(left, 0, Math.max(1, this.xOf(to, scene) - left), bitmapSize.height);
    }
    for (const [upper, lower, colour] of bands) {
      const edge = (index: number): readonly (readonly [number, number])[] =>
        (lines[index]?.values ?? []).map((value, at) => [this.xOf(at, scene), this.yOf(value ?? 0, scene)]);
      context.fillStyle = ink(colour, 0.16);
      context.beginPath();
      for (const [x, y] of [...edge(upper), ...edge(lower).toReversed()]) context.lineTo(x, y);
      context.fill();
    }
  }

  protected override drawBefore(scene: BitmapScope): void {
    const { context, bitmapSize, horizontalPixelRatio: ratio } = scene;
    const { rules = [], x: xs } = this.#content;
    const first = Math.min(...rules.map(({ at }) => at));
    context.font = `${Math.round(12 * ratio)}px system-ui, sans-serif`;
    context.lineWidth = ratio;
    context.setLineDash([4 * ratio, 3 * ratio]);
    for (const { at, label, colour } of rules) {
      const x = this.xOf(placeAmong(xs, at), scene);
      context.strokeStyle = context.fillStyle = ink(colour);
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, bitmapSize.height);
      context.stroke();
      // Words of two rules side by side are on both sides of them.
      const isLeft = rules.length > 1 ? at === first : x > bitmapSize.width / 2;
      context.textAlign = isLeft ? 'right' : 'left';
      context.fillText(label, x + (isLeft ? -5 : 5) * ratio, 12 * ratio);
    }
  }
}

/** Where a number lies among samples in their order. */
function placeAmong(x: readonly number[], value: number): number {
  const next = x.findIndex((each) => each > value);
  if (next <= 0) return next === 0 ? 0 : x.length - 1;
  const [from = 0, to = 1] = x.slice(next - 1, next + 1);
  return next - 1 + (value - from) / (to - from);
}
