/** Prices as candles: nights and breaks take no room, trades are joined from entry to exit, orders are lines. */
import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  type UTCTimestamp,
} from 'lightweight-charts';
import { firstAtLeast } from '../../domain/lists.ts';
import { MINUTE } from '../../text/durations.ts';
import type { ReportMark, ReportTrade } from '../../research/report/report-model.ts';
import './charts.css';
import { momentText } from './axis-text.ts';
import { ink, onThemeChange, type BitmapScope, CanvasLayer } from './canvas-layer.ts';

/** Times are seconds since 1970, prices points of the contract. */
export interface Candle {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Contracts traded, drawn below the candles; absent: none is drawn. */
  readonly volume?: number;
}

interface OrderLine {
  readonly price: number;
  readonly side: 'buy' | 'sell';
  /** Dashed: it waits for a trigger. */
  readonly isTrigger: boolean;
  readonly label: string;
}

interface PriceLine {
  readonly label: string;
  readonly points: readonly { readonly time: number; readonly value: number }[];
}

interface PriceChartLook {
  readonly height: number;
  readonly utcOffsetMinutes: number;
  readonly decimals: number;
  /** Smallest step of a price in points. */
  readonly tick: number;
}

export type PriceChart = ReturnType<typeof createPriceChart>;

/** The part of the chart above the columns of volume. */
const VOLUME_TOP = 0.82;
const VOLUME_OPACITY = 0.35;

export function createPriceChart(box: HTMLElement, look: PriceChartLook) {
  const frame = document.createElement('div');
  frame.style.height = `${look.height}px`;
  const legend = document.createElement('p');
  legend.className = 'legend';
  box.replaceChildren(frame, legend);
  attribute(box);
  const chart = createChart(frame, { ...BASE, ...coloursOf(), ...timesOf(look) });
  const series = chart.addSeries(CandlestickSeries, {
    ...candleColours(),
    priceFormat: { type: 'price', precision: look.decimals, minMove: look.tick },
    priceLineVisible: false,
  });
  const volumes = chart.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    color: ink('quiet', VOLUME_OPACITY),
    priceLineVisible: false,
    lastValueVisible: false,
  });
  volumes.priceScale().applyOptions({ scaleMargins: { top: VOLUME_TOP, bottom: 0 } });
  const layer = new TradeLayer();
  series.attachPrimitive(layer);
  const local = (time: number): UTCTimestamp => (time + look.utcOffsetMinutes * MINUTE) as UTCTimestamp; // oxlint-disable-line typescript/no-unsafe-type-assertion -- a brand of the library
  const dataOf = (candle: Candle) => ({ ...candle, time: local(candle.time) });
  const volumeOf = ({ time, volume = 0 }: Candle) => ({ time: local(time), value: volume });
  const orders = new OrderLines(series);
  const lines = new PriceLines(chart, legend, local);
  const stopTheme = onThemeChange(() => {
    chart.applyOptions(coloursOf());
    series.applyOptions(candleColours());
    volumes.applyOptions({ color: ink('quiet', VOLUME_OPACITY) });
    orders.redraw();
    lines.redraw();
    layer.draw();
  });
  return {
    /** In time order. */
    setCandles(candles: readonly Candle[]): void {
      series.setData(candles.map(dataOf));
      volumes.setData(candles.filter(({ volume }) => volume !== undefined).map(volumeOf));
      layer.draw({ times: candles.map(({ time }) => time) });
      chart.timeScale().fitContent();
    },
    /** The last candle again, or the next one. */
    update(candle: Candle): void {
      series.update(dataOf(candle));
      if (candle.volume !== undefined) volumes.update(volumeOf(candle));
      layer.addTime(candle.time);
    },
    setMarks: (marks: readonly ReportMark[]): void => layer.draw({ marks }),
    setTrades: (trades: readonly PriceTrade[]): void => layer.draw({ trades }),
    setOrders: (next: readonly OrderLine[]): void => orders.set(next),
    setLines: (next: readonly PriceLine[]): void => lines.set(next),
    destroy(): void {
      stopTheme();
      chart.remove();
      box.replaceChildren();
    },
  };
}

/** The library's licence asks for its name and a link on the page. */
export function attribute(box: HTMLElement): void {
  if (document.querySelector('.attribution') !== null) return;
  const note = document.createElement('p');
  note.className = 'attribution';
  const link = document.createElement('a');
  link.href = 'https://www.tradingview.com/';
  link.rel = 'noreferrer';
  link.target = '_blank';
  link.textContent = 'TradingView';
  note.append('Lightweight Charts™ by ', link);
  box.append(note);
}

/** Of every chart. A page that scrolls past one is not caught in it. */
export const BASE = { autoSize: true, handleScroll: { mouseWheel: false, vertTouchDrag: false } };
export const TIME_SCALE = {
  timeVisible: true,
  secondsVisible: true,
  minBarSpacing: 0.01,
  borderVisible: false,
  allowBoldLabels: false,
};

export const coloursOf = () => ({
  layout: {
    background: { color: 'transparent' },
    textColor: ink('quiet'),
    fontFamily: 'system-ui, sans-serif',
    attributionLogo: false,
  },
  grid: { vertLines: { color: ink('line') }, horzLines: { color: ink('line') } },
  rightPriceScale: { borderColor: ink('line') },
});

const timesOf = ({ utcOffsetMinutes }: PriceChartLook) => ({
  timeScale: {
    ...TIME_SCALE,
    rightOffsetPixels: 16,
    // A window that is narrow for a moment shows the same candles after it.
    lockVisibleTimeRangeOnResize: true,
  },
  localization: {
    locale: 'en-GB',
    // Times were moved to the clocks at the exchange already.
    timeFormatter: (time: unknown) => momentText(Number(time) - utcOffsetMinutes * MINUTE, utcOffsetMinutes),
  },
  handleScale: { mouseWheel: true },
});

const candleColours = () => ({
  upColor: ink('candle-up'),
  wickUpColor: ink('quiet'),
  borderUpColor: ink('quiet'),
  downColor: ink('candle-down'),
  wickDownColor: ink('quiet'),
  borderDownColor: ink('quiet'),
});

class OrderLines {
  readonly #series: ISeriesApi<'Candlestick'>;
  #shown: readonly OrderLine[] = [];
  #lines: IPriceLine[] = [];

  constructor(series: ISeriesApi<'Candlestick'>) {
    this.#series = series;
  }

  set(orders: readonly OrderLine[]): void {
    this.#shown = orders;
    this.redraw();
  }

  redraw(): void {
    for (const line of this.#lines) this.#series.removePriceLine(line);
    this.#lines = this.#shown.map(({ price, side, isTrigger, label }) =>
      this.#series.createPriceLine({
        price,
        color: ink(side === 'buy' ? 'buy' : 'sell'),
        lineWidth: 1,
        lineStyle: isTrigger ? LineStyle.Dashed : LineStyle.Solid,
        axisLabelVisible: true,
        title: label,
      }),
    );
  }
}

/** Colours of the page; further lines have them again, dashed. */
const LINE_COLOURS = ['price', 'mark', 'accent-3', 'accent-4'];

const lineLook = (index: number) => ({
  color: ink(LINE_COLOURS[index % LINE_COLOURS.length] ?? 'price'),
  lineStyle: index < LINE_COLOURS.length ? LineStyle.Solid : LineStyle.Dashed,
});

class PriceLines {
  readonly #chart: IChartApi;
  readonly #legend: HTMLElement;
  readonly #local: (time: number) => UTCTimestamp;
  readonly #series = new Map<string, ISeriesApi<'Line'>>();

  constructor(chart: IChartApi, legend: HTMLElement, local: (time: number) => UTCTimestamp) {
    this.#chart = chart;
    this.#legend = legend;
    this.#local = local;
  }

  set(lines: readonly PriceLine[]): void {
    let isOther = lines.length !== this.#series.size;
    for (const [label, series] of this.#series) {
      if (lines.some((line) => line.label === label)) continue;
      this.#chart.removeSeries(series);
      this.#series.delete(label);
      isOther = true;
    }
    for (const { label, points } of lines) {
      const series = this.#series.get(label) ?? this.#chart.addSeries(LineSeries, LINE_OPTIONS);
      this.#series.set(label, series);
      series.setData(points.map(({ time, value }) => ({ time: this.#local(time), value })));
    }
    if (isOther) this.redraw();
  }

  redraw(): void {
    const shown = [...this.#series];
    for (const [index, [, series]] of shown.entries()) series.applyOptions(lineLook(index));
    this.#legend.replaceChildren(...shown.map(([label], index) => legendOf(label, index)));
  }
}

const LINE_OPTIONS = {
  lineWidth: 1,
  priceLineVisible: false,
  lastValueVisible: false,
  crosshairMarkerVisible: false,
} as const;

function legendOf(label: string, index: number): HTMLElement {
  const { color, lineStyle } = lineLook(index);
  const swatch = document.createElement('i');
  swatch.ariaHidden = 'true';
  swatch.style.borderTop = `3px ${lineStyle === LineStyle.Solid ? 'solid' : 'dashed'} ${color}`;
  const part = document.createElement('span');
  part.append(swatch, label);
  return part;
}

/** The sign of the profit is the colour. */
type PriceTrade = Pick<ReportTrade, 'entrySeconds' | 'entryPrice' | 'exitSeconds' | 'exitPrice' | 'profit'>;

const MARK_PX = 9;
const LINE_PX = 3;
const STRIP_PX = 36;
/** Marks closer than this go without their quantity. */
const QTY_PX = 40;
const COLUMN_PX = 3;

interface Layer {
  /** Of the candles. */
  readonly times: number[];
  /** In time order. */
  readonly marks: readonly ReportMark[];
  readonly trades: readonly PriceTrade[];
}

/**
 * Fills and trades over candles, as many as the zoom has room for: from afar a strip that says where money was made and lost,
 * closer the line of each trade, and at last its entry and exit with their side and quantity. Prices stay visible.
 */
class TradeLayer extends CanvasLayer {
  #layer: Layer = { times: [], marks: [], trades: [] };

  /** Draws again, with these in place of those before. */
  draw(changed: Partial<Layer> = {}): void {
    this.#layer = { ...this.#layer, ...changed };
    this.attachedTo?.requestUpdate();
  }

  addTime(time: number): void {
    const { times } = this.#layer;
    if (time > (times.at(-1) ?? -Infinity)) times.push(time);
  }

  protected override drawBefore(scene: BitmapScope): void {
    const range = this.attachedTo?.chart.timeScale().getVisibleLogicalRange() ?? null;
    if (range === null) return;
    const isSeen = (from: number, to: number): boolean => to >= range.from && from <= range.to;
    const { times } = this.#layer;
    const trades = this.#layer.trades
      .map((trade) => ({
        trade,
        from: placeOf(times, trade.entrySeconds),
        to: placeOf(times, trade.exitSeconds),
      }))
      .filter(({ from, to }) => isSeen(from, to));
    const marks = this.#layer.marks
      .map((mark) => ({ mark, at: placeOf(times, mark.tsSeconds) }))
      .filter(({ at }) => isSeen(at, at));
    const room = scene.mediaSize.width;
    const { context } = scene;
    context.save();
    if (trades.length > room / LINE_PX)
      drawStrip(
        scene,
        trades.map(({ trade, to }) => [this.xOf(to, scene), trade.profit]),
      );
    else
      for (const { trade, from, to } of trades) {
        const entry = [this.xOf(from, scene), this.yOf(trade.entryPrice, scene)] as const;
        const exit = [this.xOf(to, scene), this.yOf(trade.exitPrice, scene)] as const;
        drawTrade(scene, [...entry, ...exit], trade.profit);
      }
    if (marks.length <= room / MARK_PX || this.#layer.trades.length === 0)
      drawMarks(
        scene,
        marks.map(({ mark, at }) => ({ mark, x: this.xOf(at, scene), y: this.yOf(mark.price, scene) })),
      );
    context.restore();
  }
}

/** Place of the last candle that begins at or before a moment, in whole seconds. */
export const placeOf = (times: readonly number[], seconds: number): number =>
  Math.max(0, firstAtLeast(times, Math.floor(seconds) + 1, 0, times.length) - 1);

/** Sum of the profits a column of pixels, as bars along the bottom: up is a gain, down is a loss. */
function drawStrip(
  { context, bitmapSize, horizontalPixelRatio, verticalPixelRatio }: BitmapScope,
  ends: readonly (readonly [x: number, profit: number])[],
): void {
  const width = COLUMN_PX * horizontalPixelRatio;
  const columns = new Map<number, number>();
  for (const [x, profit] of ends) {
    const column = Math.floor(x / width);
    columns.set(column, (columns.get(column) ?? 0) + profit);
  }
  const most = Math.max(...[...columns.values()].map(Math.abs), 1e-12);
  const half = (STRIP_PX / 2) * verticalPixelRatio;
  const middle = bitmapSize.height - half - 2 * verticalPixelRatio;
  for (const [column, profit] of columns) {
    const height = Math.max(verticalPixelRatio, (Math.abs(profit) / most) * half);
    context.fillStyle = ink(profit < 0 ? 'loss' : 'gain');
    context.fillRect(column * width, profit < 0 ? middle : middle - height, width - 1, height);
  }
}

function drawTrade(
  { context, horizontalPixelRatio: ratio }: BitmapScope,
  [x1, y1, x2, y2]: readonly [number, number, number, number],
  profit: number,
): void {
  context.strokeStyle = ink(profit < 0 ? 'loss' : 'gain');
  context.lineWidth = 1.5 * ratio;
  context.setLineDash(profit < 0 ? [3 * ratio, 3 * ratio] : []);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

interface MarkPosition {
  readonly mark: ReportMark;
  readonly x: number;
  readonly y: number;
}

/** Triangles that point at the price of their fill from outside; of those that would overlap the first is drawn, but an entry covers an exit. */
function drawMarks(
  { context, horizontalPixelRatio: ratio, mediaSize: { width: room } }: BitmapScope,
  placed: readonly MarkPosition[],
): void {
  const size = 5 * ratio;
  const drawn = { buy: { x: -Infinity, isEntry: false }, sell: { x: -Infinity, isEntry: false } };
  context.setLineDash([]);
  context.lineWidth = 1.5 * ratio;
  context.font = `${Math.round(11 * ratio)}px system-ui, sans-serif`;
  context.textAlign = 'center';
  for (const { mark, x, y } of placed) {
    const { side, effect, qty } = mark;
    const isEntry = effect === 'entry';
    const isNear = x - drawn[side].x < MARK_PX * ratio;
    if (isNear && (drawn[side].isEntry || !isEntry)) continue;
    drawn[side] = { x, isEntry };
    const down = side === 'buy' ? 1 : -1;
    context.beginPath();
    context.moveTo(x, y + down * 2 * ratio);
    context.lineTo(x - size, y + down * (2 * ratio + 1.8 * size));
    context.lineTo(x + size, y + down * (2 * ratio + 1.8 * size));
    context.closePath();
    context.fillStyle = isEntry ? ink(side) : ink('page');
    context.strokeStyle = ink(side);
    context.fill();
    context.stroke();
    if (qty === 1 || placed.length * QTY_PX > room) continue;
    context.fillStyle = ink('ink');
    context.fillText(String(qty), x, y + down * 26 * ratio + (down > 0 ? 0 : 4 * ratio));
  }
}
