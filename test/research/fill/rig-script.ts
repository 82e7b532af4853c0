/** Reads the script of a hand-written day: `fill-rig.ts` says how it is written. */
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { UNLIMITED_QTY } from '../../../src/domain/ticks.ts';
import { allocateRows, type TickRows } from '../../../src/recording/columns/tick-file.ts';

export interface Action {
  readonly atUs: number;
  /** Place of the strategy. */
  readonly who: number;
  readonly words: readonly string[];
}

interface Level {
  readonly price: number;
  readonly qty: number;
}

interface Row {
  readonly atUs: number;
  readonly price: number;
  readonly qty: number;
  readonly side: number;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

const DAY = tradingDay('2026-03-04');
const SIDES: Readonly<Record<string, number>> = { bought: 1, sold: -1, '-': 0 };
const DEPTH = 2;
const MINUTE = 60_000_000;
const THIRD = 20_000_000;

function timeUs(text: string): number {
  const [hour = 0, minute = 0, second = 0] = text.split(':').map(Number);
  return momentOf(DAY, ((hour * 60 + minute) * 60 + second) * 1_000_000, 420);
}

export function parseScript(
  script: string,
  first: 'high' | 'low',
): {
  readonly rows: TickRows;
  readonly actions: readonly Action[];
} {
  const rows: Row[] = [];
  const volumes: number[] = [];
  const actions: Action[] = [];
  let [bids, asks]: [readonly Level[], readonly Level[]] = [[], []];
  let hasBook = false;
  let isQuotes = false;
  let last = 0;
  let tickUs = 0;
  for (const line of script.split('\n')) {
    const [time, what, ...words] = line.trim().split(/\s+/);
    if (time === undefined || time === '') continue;
    // What is written later in the same second happens later in it.
    const atUs = Math.max(timeUs(time), tickUs + 1, actions.at(-1)?.atUs ?? 0);
    if (what === 'book' || what === 'trade' || what === 'quote') tickUs = atUs;
    if (what === 'book') {
      hasBook = true;
      const bar = words.indexOf('|');
      bids = words.slice(0, bar).map(level);
      asks = words.slice(bar + 1).map(level);
      rows.push({ atUs, price: last, qty: 0, side: 0, bids, asks });
    } else if (what === 'quote') {
      hasBook = true;
      isQuotes = true;
      const [bid, , ask] = words;
      bids = [level(bid ?? '')];
      asks = [level(ask ?? '')];
      const middle = Math.floor(((bids[0]?.price ?? 0) + (asks[0]?.price ?? 0)) / 2);
      rows.push({ atUs, price: middle, qty: 1, side: 0, bids, asks });
    } else if (what === 'bar') {
      const [open = 0, high = 0, low = 0, close = 0, , volume = 0] = words.map(Number);
      volumes.push(volume);
      const extremes = first === 'high' ? [high, low] : [low, high];
      [open, ...extremes, close].forEach((price, place) => {
        const isClose = place === 3;
        const end = timeUs(time) + MINUTE - 1;
        rows.push({
          atUs: isClose ? end : timeUs(time) + place * THIRD,
          price,
          qty: 1,
          side: 0,
          bids,
          asks,
        });
      });
    } else if (what === 'trade') {
      const [price, , qty, side] = words;
      last = Number(price);
      rows.push({ atUs, price: last, qty: Number(qty), side: SIDES[side ?? '-'] ?? Number.NaN, bids, asks });
    } else actions.push({ atUs, who: 'ABCDEF'.indexOf(what ?? ''), words });
  }
  const bars = volumes.length === 0 ? null : { everyUs: MINUTE, volume: Float64Array.from(volumes) };
  return { rows: { ...columnsOf(rows, hasBook), bars, isQuotes }, actions };
}

function level(text: string): Level {
  const [price, qty] = text.split('x').map(Number);
  return { price: price ?? 0, qty: qty ?? UNLIMITED_QTY };
}

function columnsOf(rows: readonly Row[], hasBook: boolean): TickRows {
  const columns = allocateRows(hasBook ? DEPTH : 0, rows.length);
  rows.forEach((row, at) => {
    columns.tsUs[at] = row.atUs;
    columns.priceTicks[at] = row.price;
    columns.qty[at] = row.qty;
    columns.side[at] = row.side;
    const { book } = columns;
    for (let deep = 0; deep < (book?.depth ?? 0); deep += 1) {
      book!.bidPrice[deep]![at] = row.bids[deep]?.price ?? 0;
      book!.bidQty[deep]![at] = row.bids[deep]?.qty ?? 0;
      book!.askPrice[deep]![at] = row.asks[deep]?.price ?? 0;
      book!.askQty[deep]![at] = row.asks[deep]?.qty ?? 0;
    }
  });
  return columns;
}
