import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCatalogue } from '../../../src/recording/columns/catalogue.ts';
import { readColumns } from '../../../src/recording/columns/tick-file.ts';
import { fileKind } from '../../../src/recording/import/file-kind.ts';
import { importLobster } from '../../../src/recording/import/import-lobster.ts';
import type { ImportOptions } from '../../../src/recording/import/import-table.ts';
import { timeZone } from '../../../src/text/time-zone.ts';
import { tempDir } from './imported-prints.ts';
import { QUIET, vietnamese } from './import-settings.ts';

const LEVELS = 3;
const NAME = 'AAPL_2012-06-21_34200000_57600000_message_10.csv';

async function messages(text: string, over: Partial<ImportOptions> = {}) {
  const dir = tempDir();
  const file = join(dir, NAME);
  writeFileSync(file, text);
  const bad: string[] = [];
  const zone = timeZone('America/New_York')!;
  const options = { ...vietnamese(dir), zone, tickSize: '0.01', levels: LEVELS, calendar: null, ...over };
  await importLobster(file, options, { ...QUIET, bad: ({ line, reason }) => bad.push(`${line}: ${reason}`) });
  const [day] = openCatalogue(dir);
  return { bad, name: `${day?.symbol} ${day?.day}`, columns: day && readColumns(day.path), file };
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
  ['3,999,10,5850000,1', 'expected the id of an order in the book, was "999"'],
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

/** A market from drawn numbers, and its book after each message by plain maps. */
function market(draws: readonly number[]) {
  const live: Live[] = [];
  const lines: string[] = [];
  const books: string[] = [];
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
    const levels = (of: number): string => {
      const sums = new Map<number, number>();
      for (const each of live)
        if (each.side === of) sums.set(each.price, (sums.get(each.price) ?? 0) + each.left);
      const sorted = [...sums].toSorted(([a], [b]) => of * (b - a)).slice(0, LEVELS);
      return sorted.map(([price, qty]) => `${price}x${qty}`).join(' ');
    };
    books.push(`${levels(1)} | ${levels(-1)}`);
  });
  return { text: lines.join(''), books };
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
