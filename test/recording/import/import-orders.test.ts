/** Single orders as Databento writes them. */
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCatalogue } from '../../../src/recording/columns/catalogue.ts';
import { readColumns } from '../../../src/recording/columns/tick-file.ts';
import { fileKind } from '../../../src/recording/import/file-kind.ts';
import { importOrders } from '../../../src/recording/import/import-orders.ts';
import { PLAIN_SIDES } from '../../../src/recording/import/import-table.ts';
import { timeZone } from '../../../src/text/time-zone.ts';
import { tempDir } from './imported-prints.ts';
import { QUIET, vietnamese } from './import-settings.ts';

const LEVELS = 3;
const HEAD =
  'ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,price,size,channel_id,order_id,flags,ts_in_delta,sequence\n';
const START = 1_609_160_400_000_000;

/** `A B 100 5 #1`: action, side, price, size and order of each row, a millisecond after the one before. */
async function orders(rows: readonly string[]) {
  const dir = tempDir();
  const file = join(dir, 'es.csv');
  const lines = rows.map((row, i) => {
    const [action, side, price, size, order = '#0'] = row.split(' ');
    const at = `${START + 1_000 * i}123`;
    const cells = [at, at, 160, 1, 5482, action, side, price, size, 0, order.slice(1), 128, 0, i];
    return `${cells.join(',')}\n`;
  });
  writeFileSync(file, HEAD + lines.join(''));
  const bad: string[] = [];
  const zone = timeZone('UTC')!;
  const steps = { tickSize: '0.25', levels: LEVELS, calendar: null, skipBad: true, sides: PLAIN_SIDES };
  await importOrders(
    file,
    { ...vietnamese(dir), zone, ...steps },
    { ...QUIET, bad: ({ line, reason }) => bad.push(`${line}: ${reason}`) },
  );
  const [day] = openCatalogue(dir);
  return { file, bad, columns: day && readColumns(day.path) };
}

function shown({ rows, priceTicks, qty, side, orders: of, book }: ReturnType<typeof readColumns>) {
  return Array.from({ length: rows }, (_, i) => {
    const levels = (prices: readonly Int32Array[], qtys: readonly Int32Array[]): string =>
      prices
        .map((column, level) => `${column[i]! / 4}x${qtys[level]![i]}`)
        .filter((text) => text !== '0x0')
        .join(' ');
    const trade = qty[i] === 0 ? '' : `${qty[i]} at ${priceTicks[i]! / 4} by ${side[i]}, `;
    return `${trade}#${of!.number[i]} ${of!.change[i]}: ${levels(book!.bidPrice, book!.bidQty)} | ${levels(book!.askPrice, book!.askQty)}`;
  });
}

test('orders come, change, trade and go', async () => {
  const { file, bad, columns } = await orders([
    'R N  0',
    'A B 100 5 #900',
    'A B 100 7 #901',
    'A A 101 9 #902',
    // 6 are sold: all of #900 and 1 of #901, each told once more.
    'T A 100 6',
    'F B 100 5 #900',
    'F B 100 1 #901',
    'C B 100 5 #900',
    'M B 100 6 #901',
    // Less keeps the place, more and another price lose it.
    'M B 100 4 #901',
    'M A 101 12 #902',
    'M B 99 4 #901',
    // 3 are bought, 2 of them from an order that nobody saw.
    'T B 101 3',
    'F A 101 1 #902',
    'C A 101 4 #902',
    'R N  0',
  ]);
  expect(await fileKind(file)).toBe('orders');
  expect(bad).toEqual([]);
  expect(shown(columns!)).toEqual([
    '#1 5: 100x5 | ',
    '#2 7: 100x12 | ',
    '#3 9: 100x12 | 101x9',
    '5 at 100 by -1, #1 0: 100x7 | 101x9',
    '1 at 100 by -1, #2 0: 100x6 | 101x9',
    '#2 -2: 100x4 | 101x9',
    '#3 -9: 100x4 | ',
    '#4 12: 100x4 | 101x12',
    '#2 -4:  | 101x12',
    '#5 4: 99x4 | 101x12',
    '1 at 101 by 1, #4 0: 99x4 | 101x11',
    '2 at 101 by 1, #0 0: 99x4 | 101x11',
    '#4 -3: 99x4 | 101x8',
    '#4 -8:  | ',
    '#5 -4:  | ',
  ]);
});

test.each([
  [
    'C B 100 1 #7',
    'expected the id of an order in the book; a file that begins within the day needs its snapshot, was "7"',
  ],
  ['A B 100 1 #1', 'expected the id of a new order, was "1"'],
  ['C B 100 6 #1', 'expected a size of at most 5, as its order has, was "6"'],
  ['F B 100 6 #1', 'expected a size of at most 5, as its order has, was "6"'],
  ['M A 100 5 #1', 'expected the side of its order, was "A"'],
  ['X B 100 1 #1', 'expected an action of A, C, M, T, F, R or N, was "X"'],
  ['A B 100.1 1 #2', 'expected a price above 0 on the grid of 0.25, was "100.1"'],
  ['A N 100 1 #2', 'expected a side of A or B, was "N"'],
])('%s is a bad row with its line, and changes nothing', async (row, reason) => {
  const { bad, columns } = await orders(['A B 100 5 #1', row, 'C B 100 5 #1']);
  expect(bad).toEqual([`3: ${reason}`]);
  expect(shown(columns!)).toEqual(['#1 5: 100x5 | ', '#1 -5:  | ']);
});

const letter = (side: number): string => (side > 0 ? 'B' : 'A');

test('the book equals one of plain maps at every row', async () => {
  const draws = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(draws, async (drawn) => {
      const live = new Map<number, { side: number; price: number; left: number }>();
      const rows: string[] = [];
      const books = new Map<number, string>();
      drawn.forEach((draw, at) => {
        const ids = [...live.keys()];
        const id = ids[Math.floor(draw / 8) % Math.max(1, ids.length)];
        const of = id === undefined ? undefined : live.get(id);
        if (id === undefined || of === undefined || draw % 8 < 4) {
          const side = draw % 2 === 0 ? 1 : -1;
          const price = (Math.floor(draw / 16) % 20) + (side > 0 ? 1 : 21);
          const left = 1 + (Math.floor(draw / 512) % 50);
          live.set(at + 1, { side, price, left });
          rows.push(`A ${letter(side)} ${price} ${left} #${at + 1}`);
        } else {
          const size = 1 + (Math.floor(draw / 32) % of.left);
          const text = `${letter(of.side)} ${of.price}`;
          if (draw % 8 < 6) rows.push(`C ${text} ${size} #${id}`);
          else if (size === of.left) rows.push(`F ${text} ${size} #${id}`, `C ${text} ${size} #${id}`);
          else rows.push(`F ${text} ${size} #${id}`, `M ${text} ${of.left - size} #${id}`);
          of.left -= size;
          if (of.left === 0) live.delete(id);
        }
        const levels = (side: number): string => {
          const sums = new Map<number, number>();
          for (const each of live.values())
            if (each.side === side) sums.set(each.price, (sums.get(each.price) ?? 0) + each.left);
          const sorted = [...sums].toSorted(([a], [b]) => side * (b - a)).slice(0, LEVELS);
          return sorted.map(([price, qty]) => `${price}x${qty}`).join(' ');
        };
        books.set(rows.length - 1, `${levels(1)} | ${levels(-1)}`);
      });
      const { bad, columns } = await orders(rows);
      expect(bad).toEqual([]);
      // A row that tells a fill once more makes none: the book of the moment before stands.
      const seen = shown(columns!).map((row) => row.slice(row.indexOf(': ') + 2));
      const byRow = new Map<number, string>();
      seen.forEach((book, i) => byRow.set(Math.round((columns!.tsUs[i]! - START) / 1_000), book));
      for (const [row, book] of books) expect(byRow.get(row) ?? byRow.get(row - 1)).toBe(book);
    }),
    { numRuns: 40 },
  );
});
