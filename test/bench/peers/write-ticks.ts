/**
 * The measured ticks for programs in other languages: plain columns of doubles, one row a print. Bid and ask are the touch that our
 * own backtest infers from the print and shows to its strategies, so that peers are shown as much as ours. Contracts follow each other.
 */
import { writeFileSync } from 'node:fs';
import type { TickRows } from '../../../src/recording/columns/tick-file.ts';
import { InferredBook } from '../../../src/venue/exchange/shown-book.ts';

/** Time (us), price (ticks), quantity, side (1 or -1), bid, ask (ticks), quantities there. */
const COLUMNS = 8;

export function writeTicks(path: string, ...tapes: readonly TickRows[]): void {
  writeFileSync(path, Buffer.concat(tapes.map((tape) => tableOf(tape))));
}

function tableOf({ rows, tsUs, priceTicks, qty, side }: TickRows): Uint8Array {
  const book = new InferredBook();
  const table = new Float64Array(rows * COLUMNS);
  for (let row = 0; row < rows; row += 1) {
    const [price, traded, by] = [priceTicks[row] ?? 0, qty[row] ?? 0, side[row] ?? 0];
    book.trade(price, traded, by);
    const at = row * COLUMNS;
    table[at] = tsUs[row] ?? 0;
    table[at + 1] = price;
    table[at + 2] = traded;
    table[at + 3] = by;
    table[at + 4] = book.bid;
    table[at + 5] = book.ask;
    table[at + 6] = book.bidQty;
    table[at + 7] = book.askQty;
  }
  return new Uint8Array(table.buffer);
}
