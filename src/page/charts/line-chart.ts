/** Lines, areas, steps and bars over time or over plain numbers, in the page's colours and as wide as their box. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './charts.css';
import { momentText, moneyText, numberLabels, type ScaleWords, timeTicks } from './axis-text.ts';
import { ink, onThemeChange } from './theme.ts';

export interface ChartLine {
  readonly label: string;
  /** Null leaves a gap. */
  readonly values: readonly (number | null)[];
  /** Name of a colour of the page. */
  readonly colour: string;
  /** Of bars below zero; absent: the same. */
  readonly colourBelow?: string;
  /** Absent: `line`. */
  readonly kind?: 'line' | 'area' | 'steps' | 'bars';
  /** 0 .. 1; absent: 1. */
  readonly opacity?: number;
}

/** A stretch of samples that is marked in the background. */
export interface ChartShade {
  readonly from: number;
  readonly to: number;
  readonly colour: string;
}

/** An upright line, with a word at its top. */
export interface ChartRule {
  readonly at: number;
  readonly label: string;
  readonly colour: string;
}

export interface ChartContent {
  /** Seconds since 1970 of each sample, which stand side by side; or plain numbers. */
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  /** Areas between two lines, by their places. */
  readonly bands?: readonly (readonly [upper: number, lower: number, colour: string])[];
  readonly shades?: readonly ChartShade[];
  readonly rules?: readonly ChartRule[];
}

export interface ChartLook {
  readonly height: number;
  /** Of the clocks at the exchange; absent: x is no time. */
  readonly utcOffsetMinutes?: number;
  readonly unit: string;
  /** Of values that are money; absent: at most two. */
  readonly moneyDigits?: number;
  /** Unit of x where it is no time. */
  readonly xUnit?: string;
  /** The scale always holds zero. */
  readonly isFromZero?: boolean;
  /** Charts with the same name move their cursors together. */
  readonly sync?: string;
  readonly scaleWords?: ScaleWords;
  /** Text for sample `at` instead of its moment or number. */
  readonly name?: (at: number) => string;
  /** Shown while the cursor is elsewhere; absent: the last sample. */
  readonly summary?: string;
}

export interface LineChart {
  set(content: ChartContent): void;
  destroy(): void;
}

const LABEL_PX = 84;
const CHAR_PX = 7;
const AXIS_PX = 56;
/** Charts below each other have one left edge where there is room for it. */
const WIDE_AXIS_PX = 80;
const WIDE_FROM_PX = 600;
const TITLE_FONT = '12px system-ui, sans-serif';

export function createLineChart(box: HTMLElement, look: ChartLook, content: ChartContent): LineChart {
  const reading = document.createElement('p');
  reading.className = 'reading';
  const frame = document.createElement('div');
  box.replaceChildren(reading, frame);
  let shown = content;
  let plot = drawn();

  function drawn(): uPlot {
    const options = optionsOf(shown, look, (at) => read(at));
    const made = new uPlot({ ...options, width: Math.max(1, box.clientWidth) }, dataOf(shown, look), frame);
    read(null);
    return made;
  }

  /** Values under the cursor; without one those of the last sample. */
  function read(under: number | null): void {
    if (under === null && look.summary !== undefined) reading.replaceChildren(part('at', look.summary));
    else reading.replaceChildren(...readingOf(shown, look, under ?? shown.x.length - 1));
  }

  function redraw(): void {
    plot.destroy();
    plot = drawn();
  }

  const stopTheme = onThemeChange(redraw);
  const size = new ResizeObserver(() => {
    const width = Math.max(1, box.clientWidth);
    if (width !== plot.width) plot.setSize({ width, height: look.height });
  });
  size.observe(box);
  return {
    set(next) {
      const isSameShape = next.lines.length === shown.lines.length;
      shown = next;
      if (!isSameShape) return redraw();
      plot.setData(dataOf(next, look));
      read(plot.cursor.idx ?? null);
    },
    destroy() {
      stopTheme();
      size.disconnect();
      plot.destroy();
      box.replaceChildren();
    },
  };
}

const dataOf = ({ x, lines }: ChartContent, { utcOffsetMinutes }: ChartLook): uPlot.AlignedData => [
  utcOffsetMinutes === undefined ? [...x] : x.map((_, at) => at),
  ...lines.map(({ values }) => [...values]),
];

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

function optionsOf(
  content: ChartContent,
  look: ChartLook,
  onCursor: (at: number | null) => void,
): Omit<uPlot.Options, 'width'> {
  const { height, sync, isFromZero = false } = look;
  const { bands = [], rules = [] } = content;
  return {
    height,
    // Half of the last label lies to the right of the picture.
    padding: [10, 32, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { size: 6 },
      ...(sync === undefined ? {} : { sync: { key: sync } }),
    },
    scales: {
      x: { time: false, ...(hasBars(content) ? { range: wholeBars } : {}) },
      ...(isFromZero ? { y: { range: withZero(rules.length > 0 ? WORDS_ROOM : ROOM) } } : {}),
    },
    axes: [xAxis(content, look), yAxis(look)],
    series: [{}, ...content.lines.map(seriesOf)],
    bands: bands.map(([upper, lower, colour]) => ({
      series: [upper + 1, lower + 1],
      fill: ink(colour, 0.16),
    })),
    hooks: {
      drawClear: [(plot) => drawShades(plot, content.shades ?? [])],
      draw: [(plot) => drawRules(plot, rules)],
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)],
    },
  };
}

const hasBars = ({ lines }: ChartContent): boolean => lines.some(({ kind }) => kind === 'bars');

/** Half a bar stands to the left of its place. */
const wholeBars: uPlot.Range.Function = (plot, low, high) => {
  const [first = 0, second = first + 1] = plot.data[0];
  const half = (second - first) / 2;
  return [low - half, high + half];
};

/** `above`: part of the height that stays free there. */
const withZero =
  (above: number): uPlot.Range.Function =>
  (_, low, high) => {
    const [from, to] = [Math.min(0, low), Math.max(0, high)];
    const height = to - from || 1;
    return [from < 0 ? from - height * ROOM : 0, to > 0 ? to + height * above : 0];
  };
const ROOM = 0.05;
/** For the words of rules. */
const WORDS_ROOM = 0.12;

const axis = (): uPlot.Axis => ({
  stroke: ink('quiet'),
  font: TITLE_FONT,
  grid: { stroke: ink('line'), width: 1 },
  ticks: { stroke: ink('line'), width: 1 },
});

const yAxis = ({ unit, scaleWords }: ChartLook): uPlot.Axis => ({
  ...axis(),
  size: ({ width }, labels) =>
    Math.max(
      width < WIDE_FROM_PX ? AXIS_PX : WIDE_AXIS_PX,
      ...(labels ?? []).map((label) => label.length * CHAR_PX + 16),
    ),
  space: 24,
  values: (_, splits) => numberLabels(splits, unit === '%' ? unit : '', scaleWords),
});

function xAxis({ x }: ChartContent, { utcOffsetMinutes, scaleWords }: ChartLook): uPlot.Axis {
  if (utcOffsetMinutes === undefined)
    return { ...axis(), space: LABEL_PX, values: (_, splits) => numberLabels(splits, '', scaleWords) };
  let labels = new Map<number, string>();
  return {
    ...axis(),
    size: 44,
    splits: (plot, _, from, to) => {
      const countMax = Math.max(2, Math.floor(plot.bbox.width / devicePixelRatio / LABEL_PX));
      const ticks = timeTicks(x, utcOffsetMinutes, [from, to], countMax);
      labels = new Map(ticks.map(({ at, label }) => [at, label]));
      return ticks.map(({ at }) => at);
    },
    values: (_, splits) => splits.map((at) => labels.get(at) ?? ''),
  };
}

function seriesOf({ label, colour, colourBelow, kind = 'line', opacity = 1 }: ChartLine): uPlot.Series {
  const stroke = ink(colour, opacity);
  const plain = { label, stroke, width: 1.5, points: { show: false } };
  const { bars, stepped } = uPlot.paths;
  if (kind === 'area') return { ...plain, fill: ink(colour, 0.14) };
  if (kind === 'steps' && stepped !== undefined)
    return { ...plain, fill: ink(colour, 0.14), paths: stepped({ align: 1 }) };
  if (kind === 'bars' && bars !== undefined)
    return {
      ...plain,
      width: 0,
      paths: bars({
        size: [0.86, 48],
        disp: { fill: { unit: COLOUR, values: barColours(colour, colourBelow) } },
      }),
    };
  return plain;
}

/** The library's types name its kinds of facets, its code does not. */
const COLOUR = 3 as uPlot.Series.BarsPathBuilderFacetUnit.Color; // oxlint-disable-line typescript/no-unsafe-enum-assignment

/** One colour a bar, by its sign. */
const barColours =
  (colour: string, below = colour) =>
  (plot: uPlot, series: number): string[] => {
    const [up, down] = [ink(colour), ink(below)];
    return Array.from(plot.data[series] ?? [], (value) => ((value ?? 0) < 0 ? down : up));
  };

function drawShades(plot: uPlot, shades: readonly ChartShade[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { from, to, colour } of shades) {
    const [left, right] = [plot.valToPos(from, 'x', true), plot.valToPos(to, 'x', true)];
    ctx.fillStyle = ink(colour, 0.1);
    ctx.fillRect(left, bbox.top, Math.max(1, right - left), bbox.height);
  }
  ctx.restore();
}

function drawRules(plot: uPlot, rules: readonly ChartRule[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.font = `${Math.round(12 * devicePixelRatio)}px system-ui, sans-serif`;
  ctx.lineWidth = devicePixelRatio;
  const first = Math.min(...rules.map(({ at }) => at));
  for (const { at, label, colour } of rules) {
    const x = plot.valToPos(at, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = ctx.fillStyle = ink(colour);
    ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    // Words of two rules side by side stand on both sides of them.
    const isLeft = rules.length > 1 ? at === first : x > bbox.left + bbox.width / 2;
    ctx.textAlign = isLeft ? 'right' : 'left';
    ctx.fillText(label, x + (isLeft ? -5 : 5) * devicePixelRatio, bbox.top + 12 * devicePixelRatio);
  }
  ctx.restore();
}
