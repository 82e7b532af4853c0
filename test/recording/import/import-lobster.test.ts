import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCatalogue } from '../../../src/recording/columns/catalogue.ts';
import { readColumns } from '../../../src/recording/columns/tick-file.ts';
import { fileKind } from '../../../src/recording/import/file-kind.ts';
import { importLobster } from '../../../src/recording/import/import-lobster.ts';
import type { BadRow, ImportOptions } from '../../../src/recording/import/import-table.ts';
import { timeZone } from '../../../src/text/time-zone.ts';
import { tempDir } from './imported-prints.ts';
import { QUIET, vietnamese } from './import-settings.ts';

const LEVELS = 3;
const NAME = 'AAPL_2012-06-21_34200000_57600000_message_10.csv';

/** `book`: text of the order book file beside it. */
async function messages(text: string, over: Partial<ImportOptions> = {}, book?: string) {
  const dir = tempDir();
  const file = join(dir, NAME);
  writeFileSync(file, text);
  if (book !== undefined) writeFileSync(join(dir, NAME.replace('message', 'orderbook')), book);
  const bad: string[] = [];
  const zone = timeZone('America/New_York')!;
  const options = { ...vietnamese(dir), zone, tickSize: '0.01', levels: LEVELS, calendar: null, ...over };
  const watch = { ...QUIET, bad: ({ line, reason }: BadRow) => bad.push(`${line}: ${reason}`) };
  const { notes } = await importLobster(file, options, watch);
  const [day] = openCatalogue(dir);
  return { bad, notes, name: `${day?.symbol} ${day?.day}`, columns: day && readColumns(day.path), file };
}

/** Rows as texts: trade, order, then the levels. */
function shown(columns: ReturnType<typeof readColumns>): readonly string[] {
  const { rows, priceTicks, qty, side, orders, book } = columns;
  return Array.from({ length: rows }, (_, i) => {
    const { number, price, change, side: of } = orders!;
    const levels = (prices: readonly Int32Array[], qtys: readonly Int32Array[]): string =>
      prices
        .map((column, level) => `${column[i]}x${qtys[level]![i]}`)
        .filter((text) => text !== '0x0')
        .join(' ');
    const trade = `${qty[i]} at ${priceTicks[i]} by ${side[i]}`;
    const order = `#${number[i]} ${change[i]} at ${price[i]} of ${of[i]}`;
    return `${trade}, ${order}: ${levels(book!.bidPrice, book!.bidQty)} | ${levels(book!.askPrice, book!.askQty)}`;
  });
}

test('each message is a row with its order and the book after it', async () => {
  const { bad, name, columns, file } = await messages(`34200.000000001,1,100,50,5850000,1
34200.5,1,101,30,5860000,-1
34201.000001,1,102,20,5850000,1
34202,2,100,10,5850000,1
34203,4,101,5,5860000,-1
34204,5,0,7,5855000,1
34205,3,102,20,5850000,1
34206,7,0,0,-1,-1
`);
  expect(await fileKind(file)).toBe('lobster');
  expect({ bad, name }).toEqual({ bad: [], name: 'AAPL 2012-06-21' });
  expect(shown(columns!)).toEqual([
    '0 at 0 by 0, #1 50 at 58500 of 1: 58500x50 | ',
    '0 at 0 by 0, #2 30 at 58600 of -1: 58500x50 | 58600x30',
    '0 at 0 by 0, #3 20 at 58500 of 1: 58500x70 | 58600x30',
    '0 at 0 by 0, #1 -10 at 58500 of 1: 58500x60 | 58600x30',
    '5 at 58600 by 1, #2 0 at 58600 of -1: 58500x60 | 58600x25',
    '7 at 58550 by -1, #0 0 at 0 of 0: 58500x60 | 58600x25',
    '0 at 58550 by 0, #3 -20 at 58500 of 1: 58500x40 | 58600x25',
  ]);
  // 09:30 in New York, in summer.
  expect(new Date(columns!.tsUs[1]! / 1_000).toISOString()).toBe('2012-06-21T13:30:00.500Z');
});

test.each([
  [
    '3,999,10,5850000,1',
    'expected the id of an order in the book, as no order book file is beside it, was "999"',
  ],
  ['1,100,10,5850000,1', 'expected the id of a new order, was "100"'],
  ['1,102,10,5860000,1', 'expected a price that leaves the book uncrossed, was "5860000"'],
  ['4,100,60,5850000,1', 'expected a size of at most 50, as its order has, was "60"'],
  ['3,100,20,5850000,1', 'expected a size of 50, as its order has, was "20"'],
  ['2,100,10,5840000,1', 'expected the price of its order, was "5840000"'],
  ['2,100,10,5850000,-1', 'expected the direction 1 of its order, was "-1"'],
  ['1,103,10,5850050,1', 'expected a price in ten-thousandths on the grid of 0.01, was "5850050"'],
  ['1,103,0,5850000,1', 'expected a size above 0, was "0"'],
  ['9,103,10,5850000,1', 'expected a type from 1 to 7, was "9"'],
  ['1,103,10,5850000,2', 'expected a direction of 1 or -1, was "2"'],
])('%s is a bad row with its line, and changes nothing', async (cells, reason) => {
  const before = '34200,1,100,50,5850000,1\n34201,1,101,30,5860000,-1\n';
  const { bad, columns } = await messages(`${before}34202,${cells}\n34203,3,100,50,5850000,1\n`, {
    skipBad: true,
  });
  expect(bad).toEqual([`3: ${reason}`]);
  expect(columns!.rows).toBe(3);
});

test('a time that falls is a bad row', async () => {
  const { bad } = await messages('34200,1,100,50,5850000,1\n34199,1,101,30,5860000,-1\n');
  expect(bad).toEqual(['2: expected a time not before that of the row before, was "34199"']);
});

interface Live {
  readonly id: number;
  readonly side: number;
  readonly price: number;
  left: number;
}

/** A market from drawn numbers, and its book after each message by plain maps: as a text, and as a line of an order book file. */
function market(draws: readonly number[]) {
  const live: Live[] = [];
  const lines: string[] = [];
  const books: string[] = [];
  const bookLines: string[] = [];
  draws.forEach((draw, at) => {
    const side = draw % 2 === 0 ? 1 : -1;
    const order = live[Math.floor(draw / 8) % Math.max(1, live.length)];
    const kind = draw % 8 < 5 || order === undefined ? 1 : [2, 3, 4][draw % 3]!;
    const write = (type: number, of: Live, size: number): void => {
      lines.push(`${34_200 + at},${type},${of.id},${size},${of.price * 100},${of.side}\n`);
    };
    if (kind === 1) {
      // Bids at 1 to 20, asks at 21 to 40: never crossed.
      const price = (Math.floor(draw / 16) % 20) + (side > 0 ? 1 : 21);
      const of = { id: at + 1, side, price, left: 1 + (Math.floor(draw / 512) % 50) };
      live.push(of);
      write(1, of, of.left);
    } else if (order !== undefined) {
      const size = kind === 3 ? order.left : 1 + (Math.floor(draw / 32) % order.left);
      order.left -= size;
      write(kind, order, size);
      if (order.left === 0) live.splice(live.indexOf(order), 1);
    }
    const levels = (of: number): readonly (readonly [number, number])[] => {
      const sums = new Map<number, number>();
      for (const each of live)
        if (each.side === of) sums.set(each.price, (sums.get(each.price) ?? 0) + each.left);
      return [...sums].toSorted(([a], [b]) => of * (b - a)).slice(0, LEVELS);
    };
    const [bids, asks] = [levels(1), levels(-1)];
    const text = (side: typeof bids): string => side.map(([price, qty]) => `${price}x${qty}`).join(' ');
    books.push(`${text(bids)} | ${text(asks)}`);
    const cells = Array.from({ length: LEVELS }, (_, i) => {
      const [ask, askQty] = asks[i] ?? [99_999_999.99, 0];
      const [bid, bidQty] = bids[i] ?? [-99_999_999.99, 0];
      return `${Math.round(ask * 100)},${askQty},${Math.round(bid * 100)},${bidQty}`;
    });
    bookLines.push(`${cells.join(',')}\n`);
  });
  return { lines, text: lines.join(''), books, bookLines };
}

test('the book equals one of plain maps at every message', async () => {
  const draws = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 400 });
  await fc.assert(
    fc.asyncProperty(draws, async (drawn) => {
      const { text, books } = market(drawn);
      const { bad, columns } = await messages(text);
      expect(bad).toEqual([]);
      expect(shown(columns!).map((row) => row.slice(row.indexOf(': ') + 2))).toEqual(books);
    }),
    { numRuns: 40 },
  );
});

/** `34200` of `34200,1,...`, and the lots that were traded by then. */
const TRADE = /^\d+,4,\d+,(\d+)/;

test('with an order book file beside it a file may begin in mid-day and leave out what its levels do not show', async () => {
  const draws = fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 400 });
  await fc.assert(
    fc.asyncProperty(draws, fc.nat(30), async (drawn, from) => {
      const { lines, books, bookLines } = market(drawn);
      const kept = lines.map((_, i) => i).filter((i) => i > from && books[i] !== books[i - 1]);
      const of = (all: readonly string[]): string[] => kept.map((i) => all[i]!);
      // A trade that leaves the levels as they are is one at a level that is not shown.
      const { bad, columns } = await messages(of(lines).join(''), {}, of(bookLines).join(''));
      expect(bad).toEqual([]);
      const last = new Map<number, string>();
      shown(columns!).forEach((row, i) => last.set(columns!.tsUs[i]!, row.slice(row.indexOf(': ') + 2)));
      expect([...last.values()]).toEqual(of(books));
      const traded = of(lines).reduce((sum, line) => sum + Number(TRADE.exec(line)?.[1] ?? 0), 0);
      expect(columns!.qty.reduce((sum, qty) => sum + qty, 0)).toBe(traded);
      // No order leaves with more than it came with: places in queues stay true.
      const left = new Map<number, number>();
      for (let i = 0; i < columns!.rows; i += 1) {
        const number = columns!.orders!.number[i]!;
        const change = columns!.orders!.change[i]! || -columns!.qty[i]!;
        left.set(number, (left.get(number) ?? 0) + change);
        expect(left.get(number)).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 60 },
  );
});

/** The public samples begin at 09:30 with orders of before: 100 bids and 50 asks stand here, and 999 is of them. */
test('orders of before a file stand in front of those that come, and the import says how many rows are about them', async () => {
  const { bad, notes, columns } = await messages(
    `34200.004241176,1,16113575,18,5853300,1
34201,3,999,40,5853300,1
34202,4,998,30,5854000,-1
34203,5,0,5,5853600,1
`,
    {},
    `5854000,50,5853300,118,9999999999,0,-9999999999,0
5854000,50,5853300,78,9999999999,0,-9999999999,0
5854000,20,5853300,78,9999999999,0,-9999999999,0
5854000,20,5853300,78,9999999999,0,-9999999999,0`,
  );
  expect(bad).toEqual([]);
  expect(shown(columns!)).toEqual([
    '0 at 0 by 0, #1 100 at 58533 of 1: 58533x100 | 58540x50',
    '0 at 0 by 0, #2 50 at 58540 of -1: 58533x100 | 58540x50',
    '0 at 0 by 0, #3 18 at 58533 of 1: 58533x118 | 58540x50',
    '0 at 0 by 0, #1 -40 at 58533 of 1: 58533x78 | 58540x50',
    '30 at 58540 by 1, #2 0 at 58540 of -1: 58533x78 | 58540x20',
    '5 at 58536 by -1, #0 0 at 0 of 0: 58533x78 | 58540x20',
  ]);
  expect(notes).toEqual([
    'the book is that of AAPL_2012-06-21_34200000_57600000_orderbook_10.csv: 2 rows are about orders that no message brought, and 2 times a level stood there or changed without a message',
  ]);
});

test.each([
  ['5854000,50,5853300\n', 'line 1: expected 4 columns a level, was 3 columns'],
  ['5854000,50,5853300,1x\n', 'line 1: expected 4 whole numbers between commas'],
  ['5854000,50,5853300,18\n', 'expected a line for each message, was over before that of line 2'],
  [
    `${'5854000,50,5853300,18\n'.repeat(2)}5854000,50,5853300,18`,
    'a line for each of 2 messages, was longer',
  ],
])('an order book file that does not fit is refused: %s', async (book, reason) => {
  const text = '34200,1,100,18,5853300,1\n34201,1,101,18,5853300,1\n';
  await expect(messages(text, {}, book)).rejects.toThrow(reason);
});

test('a message that its order book contradicts is a bad row', async () => {
  const { bad } = await messages('34200,1,100,18,5853300,1\n', {}, '5854000,50,5853300,7\n');
  expect(bad[0]).toMatch(/^1: expected the price and size that line 1 of .*_orderbook_10\.csv shows, was/);
});
