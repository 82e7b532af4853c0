/**
 * Fills and trades over candles, as many as the zoom has room for: from afar a strip that says where money was made and lost,
 * closer the line of each trade, and at last its entry and exit with their side and quantity. Prices stay visible.
 */
import type {
  IChartApiBase,
  IPrimitivePaneView,
  ISeriesApi,
  ISeriesPrimitive,
  Logical,
  SeriesAttachedParameter,
  Time,
} from 'lightweight-charts';
import { ink } from './theme.ts';

export interface PriceMark {
  readonly tsSeconds: number;
  readonly price: number;
  readonly side: 'buy' | 'sell';
  /** An entry is filled, an exit is hollow. */
  readonly effect: 'entry' | 'exit';
  readonly qty: number;
}

export interface PriceTrade {
  readonly entrySeconds: number;
  readonly entryPrice: number;
  readonly exitSeconds: number;
  readonly exitPrice: number;
  readonly direction: 'long' | 'short';
  readonly qty: number;
  /** After costs; its sign is the colour. */
  readonly profit: number;
}

export type BitmapScope = Parameters<
  Parameters<NonNullable<ReturnType<IPrimitivePaneView['renderer']>>['draw']>[0]['useBitmapCoordinateSpace']
>[0] extends (scope: infer Scope) => unknown
  ? Scope
  : never;

/** Least pixels between two distinct marks. */
const MARK_PX = 9;
/** Least pixels between two trades with distinct lines. */
const LINE_PX = 3;
const STRIP_PX = 36;
/** Marks closer than this go without their quantity. */
const QTY_PX = 40;
const COLUMN_PX = 3;

export class TradeLayer implements ISeriesPrimitive<Time> {
  #times: number[] = [];
  #marks: readonly PriceMark[] = [];
  #trades: readonly PriceTrade[] = [];
  #chart: IChartApiBase<Time> | null = null;
  #series: ISeriesApi<'Candlestick'> | null = null;
  #update: () => void = () => undefined;
  readonly #views: readonly IPrimitivePaneView[] = [
    { renderer: () => ({ draw: (target) => target.useBitmapCoordinateSpace((scene) => this.#draw(scene)) }) },
  ];

  attached({ chart, series, requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#chart = chart;
    this.#series = series as ISeriesApi<'Candlestick'>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- attached to candles alone
    this.#update = requestUpdate;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  setTimes(times: number[]): void {
    this.#times = times;
    this.#update();
  }

  addTime(time: number): void {
    if (time > (this.#times.at(-1) ?? -Infinity)) this.#times.push(time);
  }

  /** In time order. */
  setMarks(marks: readonly PriceMark[]): void {
    this.#marks = marks;
    this.#update();
  }

  setTrades(trades: readonly PriceTrade[]): void {
    this.#trades = trades;
    this.#update();
  }

  redraw(): void {
    this.#update();
  }

  #draw(scene: BitmapScope): void {
    const scale = this.#chart?.timeScale();
    const range = scale?.getVisibleLogicalRange() ?? null;
    if (scale === undefined || range === null) return;
    const xOf = (place: number): number =>
      (scale.logicalToCoordinate(place as Logical) ?? -1) * scene.horizontalPixelRatio; // oxlint-disable-line typescript/no-unsafe-type-assertion -- a brand of the library
    const yOf = (price: number): number =>
      (this.#series?.priceToCoordinate(price) ?? -1) * scene.verticalPixelRatio;
    const isSeen = (from: number, to: number): boolean => to >= range.from && from <= range.to;
    const trades = this.#trades
      .map((trade) => ({
        trade,
        from: placeOf(this.#times, trade.entrySeconds),
        to: placeOf(this.#times, trade.exitSeconds),
      }))
      .filter(({ from, to }) => isSeen(from, to));
    const marks = this.#marks
      .map((mark) => ({ mark, at: placeOf(this.#times, mark.tsSeconds) }))
      .filter(({ at }) => isSeen(at, at));
    const room = scene.mediaSize.width;
    const { context } = scene;
    context.save();
    if (trades.length > room / LINE_PX)
      drawStrip(
        scene,
        trades.map(({ trade, to }) => [xOf(to), trade.profit]),
      );
    else
      for (const { trade, from, to } of trades) {
        const ends = [xOf(from), yOf(trade.entryPrice), xOf(to), yOf(trade.exitPrice)] as const;
        drawTrade(scene, ends, trade.profit);
      }
    if (marks.length <= room / MARK_PX || this.#trades.length === 0)
      drawMarks(
        scene,
        marks.map(({ mark, at }) => ({ mark, x: xOf(at), y: yOf(mark.price) })),
      );
    context.restore();
  }
}

/** Place of the last sample at or before a moment. */
export function placeOf(times: readonly number[], seconds: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((times[middle] ?? 0) <= seconds) low = middle;
    else high = middle - 1;
  }
  return low;
}

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
  readonly mark: PriceMark;
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
