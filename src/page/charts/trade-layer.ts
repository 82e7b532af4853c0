/**
 * Fills and trades over candles, as many as the zoom has room for: from afar a strip that says where money was made and lost,
 * closer the line of each trade, and at last its entry and exit with their side and quantity. Prices stay visible.
 */
import type { ReportMark, ReportTrade } from '../../research/report/report-model.ts';
import { type BitmapScope, CanvasLayer } from './canvas-layer.ts';
import { ink } from './theme.ts';

/** An entry is filled, an exit is hollow. */
export type PriceMark = Omit<ReportMark, 'strategy'>;

/** The sign of the profit is the colour. */
export type PriceTrade = Pick<
  ReportTrade,
  'entrySeconds' | 'entryPrice' | 'exitSeconds' | 'exitPrice' | 'profit'
>;

/** Least pixels between two distinct marks. */
const MARK_PX = 9;
/** Least pixels between two trades with distinct lines. */
const LINE_PX = 3;
const STRIP_PX = 36;
/** Marks closer than this go without their quantity. */
const QTY_PX = 40;
const COLUMN_PX = 3;

interface Layer {
  /** Of the candles. */
  readonly times: number[];
  /** In time order. */
  readonly marks: readonly PriceMark[];
  readonly trades: readonly PriceTrade[];
}

export class TradeLayer extends CanvasLayer {
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
