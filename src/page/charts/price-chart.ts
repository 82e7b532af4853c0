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
import './charts.css';
import { MINUTE } from '../../text/durations.ts';
import { momentText } from './axis-text.ts';
import { type PriceMark, type PriceTrade, TradeLayer } from './trade-layer.ts';
import { ink, onThemeChange } from './theme.ts';

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

export interface OrderLine {
  readonly price: number;
  readonly side: 'buy' | 'sell';
  /** Dashed: it waits for a trigger. */
  readonly isTrigger: boolean;
  readonly label: string;
}

export interface PriceLine {
  readonly label: string;
  readonly points: readonly { readonly time: number; readonly value: number }[];
}

export interface PriceChartLook {
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
  const chart = createChart(frame, { autoSize: true, ...coloursOf(), ...timesOf(look) });
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
    setMarks: (marks: readonly PriceMark[]): void => layer.draw({ marks }),
    setTrades: (trades: readonly PriceTrade[]): void => layer.draw({ trades }),
    setOrders: (next: readonly OrderLine[]): void => orders.set(next),
    /** Indicators and the like, over the candles. */
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
    timeVisible: true,
    secondsVisible: false,
    minBarSpacing: 0.01,
    rightOffsetPixels: 16,
    // A window that is narrow for a moment shows the same candles after it.
    lockVisibleTimeRangeOnResize: true,
    borderVisible: false,
    allowBoldLabels: false,
  },
  localization: {
    locale: 'en-GB',
    // Times were moved to the clocks at the exchange already.
    timeFormatter: (time: unknown) => momentText(Number(time) - utcOffsetMinutes * MINUTE, utcOffsetMinutes),
  },
  // A page that scrolls past a chart is not caught in it.
  handleScroll: { mouseWheel: false, vertTouchDrag: false },
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

const lineLook = (place: number) => ({
  color: ink(LINE_COLOURS[place % LINE_COLOURS.length] ?? 'price'),
  lineStyle: place < LINE_COLOURS.length ? LineStyle.Solid : LineStyle.Dashed,
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
    for (const [place, [, series]] of shown.entries()) series.applyOptions(lineLook(place));
    this.#legend.replaceChildren(...shown.map(([label], place) => legendOf(label, place)));
  }
}

const LINE_OPTIONS = {
  lineWidth: 1,
  priceLineVisible: false,
  lastValueVisible: false,
  crosshairMarkerVisible: false,
} as const;

function legendOf(label: string, place: number): HTMLElement {
  const { color, lineStyle } = lineLook(place);
  const swatch = document.createElement('i');
  swatch.ariaHidden = 'true';
  swatch.style.borderTop = `3px ${lineStyle === LineStyle.Solid ? 'solid' : 'dashed'} ${color}`;
  const part = document.createElement('span');
  part.append(swatch, label);
  return part;
}
