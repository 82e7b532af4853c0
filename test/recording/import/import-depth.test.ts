import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCatalogue } from '../../../src/recording/columns/catalogue.ts';
import { readColumns } from '../../../src/recording/columns/tick-file.ts';
import { fileKind } from '../../../src/recording/import/file-kind.ts';
import { importDepth } from '../../../src/recording/import/import-depth.ts';
import type { ImportOptions } from '../../../src/recording/import/import-table.ts';
import { timeZone } from '../../../src/text/time-zone.ts';
import { tempDir } from './imported-prints.ts';
import { QUIET, vietnamese } from './import-settings.ts';

const LEVELS = 2;
const START_MS = Date.UTC(2024, 0, 3);

async function depth(
  messages: readonly (object | string)[],
  over: Partial<ImportOptions> = {},
  name = 'btcusdt.jsonl',
) {
  const dir = tempDir();
  const file = join(dir, name);
  writeFileSync(
    file,
    messages.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n'),
  );
  const bad: string[] = [];
  const zone = timeZone('UTC')!;
  const steps = { tickSize: '0.01', lotSize: '0.001', levels: LEVELS, calendar: null };
  const options = { ...vietnamese(dir), zone, ...steps, ...over };
  await importDepth(file, options, { ...QUIET, bad: ({ line, reason }) => bad.push(`${line}: ${reason}`) });
  const [day] = openCatalogue(dir);
  const columns = day && readColumns(day.path);
  return { bad, file, name: `${day?.symbol} ${day?.day}`, meta: day?.meta, rows: columns && shown(columns) };
}

const levelsAt = (prices: readonly Int32Array[], qtys: readonly Int32Array[], i: number): string =>
  prices
    .map((column, level) => `${column[i]}x${qtys[level]![i]}`)
    .filter((text) => text !== '0x0')
    .join(' ');

function shown({
  rows,
  tsUs,
  priceTicks,
  qty,
  side,
  book,
}: ReturnType<typeof readColumns>): readonly string[] {
  return Array.from({ length: rows }, (_, i) => {
    const bids = levelsAt(book!.bidPrice, book!.bidQty, i);
    const asks = levelsAt(book!.askPrice, book!.askQty, i);
    return `${tsUs[i]! / 1_000 - START_MS} ${qty[i]} at ${priceTicks[i]} by ${side[i]}: ${bids} | ${asks}`;
  });
}

const SNAPSHOT = {
  type: 'snapshot',
  time: START_MS,
  sequence: 10,
  bids: [
    ['100.00', '1.5'],
    ['99.99', '2'],
    ['99.98', '3'],
  ],
  asks: [['100.02', 0.25]],
};

test('a snapshot, its updates and trades', async () => {
  const { bad, file, name, meta, rows } = await depth([
    SNAPSHOT,
    { type: 'update', time: START_MS + 1, sequence: 11, bids: [['100.00', '0']], asks: [['100.01', '1']] },
    { type: 'update', time: START_MS + 2, sequence: 12, bids: [['99.90', '7']] },
    { type: 'trade', time: START_MS + 3, price: '100.01', qty: '0.5', side: 'buy' },
    { type: 'update', time: START_MS + 3, sequence: 13, asks: [['100.01', '0.5']] },
  ]);
  expect(await fileKind(file)).toBe('depth');
  expect({ bad, name, gaps: meta?.gaps, quotes: meta?.quotes }).toEqual({
    bad: [],
    name: 'BTCUSDT 2024-01-03',
    gaps: [],
    quotes: undefined,
  });
  // The second update changes no level that is kept.
  expect(rows).toEqual([
    '0 0 at 0 by 0: 10000x1500 9999x2000 | 10002x250',
    '1 0 at 0 by 0: 9999x2000 9998x3000 | 10001x1000 10002x250',
    '3 500 at 10001 by 1: 9999x2000 9998x3000 | 10001x1000 10002x250',
    '3 0 at 10001 by 0: 9999x2000 9998x3000 | 10001x500 10002x250',
  ]);
});

test('the names of exchanges are read too', async () => {
  const { bad, name, rows } = await depth(
    [
      { lastUpdateId: 10, bids: SNAPSHOT.bids, asks: SNAPSHOT.asks },
      { e: 'depthUpdate', E: START_MS, s: 'BTCUSDT', U: 8, u: 9, b: [['99', '9']], a: [] },
      { e: 'depthUpdate', E: START_MS + 1, s: 'BTCUSDT', U: 9, u: 12, b: [['100.00', '0']], a: [] },
      {
        stream: 'x',
        data: {
          e: 'depthUpdate',
          E: START_MS + 2,
          s: 'BTCUSDT',
          U: 15,
          u: 20,
          pu: 12,
          b: [],
          a: [['100.01', '1']],
        },
      },
      { e: 'aggTrade', E: START_MS + 3, s: 'BTCUSDT', a: 7, p: '100.01', q: '1', T: START_MS + 3, m: true },
    ],
    { symbol: 'BTCUSDT' },
  );
  expect({ bad, name }).toEqual({ bad: [], name: 'BTCUSDT 2024-01-03' });
  expect(rows).toEqual([
    '1 0 at 0 by 0: 9999x2000 9998x3000 | 10002x250',
    '2 0 at 0 by 0: 9999x2000 9998x3000 | 10001x1000 10002x250',
    '3 1000 at 10001 by -1: 9999x2000 9998x3000 | 10001x1000 10002x250',
  ]);
});

test('a gap in the numbers is noted, and there is no book until the next snapshot', async () => {
  const { bad, meta, rows } = await depth([
    SNAPSHOT,
    { type: 'update', time: START_MS + 5, sequence: 13, bids: [['99.00', '1']] },
    { type: 'update', time: START_MS + 6, sequence: 14, bids: [['99.00', '2']] },
    { ...SNAPSHOT, time: START_MS + 9, sequence: 20 },
    { type: 'trade', time: START_MS + 9, price: '100.02', qty: '0.1' },
  ]);
  expect(bad).toEqual([]);
  expect(meta?.gaps).toEqual([
    { fromUs: START_MS * 1_000, toUs: (START_MS + 9) * 1_000, kind: 'missed', qty: null },
  ]);
  expect(rows).toEqual([
    '0 0 at 0 by 0: 10000x1500 9999x2000 | 10002x250',
    '5 0 at 0 by 0:  | ',
    '9 0 at 0 by 0: 10000x1500 9999x2000 | 10002x250',
    '9 100 at 10002 by 0: 10000x1500 9999x2000 | 10002x250',
  ]);
});

test('without trades rows are quotes at their middle, so that orders that wait can fill', async () => {
  const { meta, rows } = await depth([
    SNAPSHOT,
    { type: 'update', time: START_MS + 1, sequence: 11, asks: [['100.01', '1']] },
  ]);
  expect(meta?.quotes).toBe('sized');
  expect(rows).toEqual([
    '0 1 at 10001 by 0: 10000x1500 9999x2000 | 10002x250',
    '1 1 at 10000 by 0: 10000x1500 9999x2000 | 10001x1000 10002x250',
  ]);
});

test.each([
  ['{"type":', 'expected a JSON object, was'],
  [{ type: 'update', sequence: 11, bids: [] }, 'expected a time, was none'],
  [{ type: 'update', time: 'noon', sequence: 11, bids: [] }, 'expected a time, was "noon"'],
  [
    { type: 'update', time: START_MS - 2_000, sequence: 11, bids: [] },
    'expected a time at most a second before',
  ],
  [
    { type: 'update', time: START_MS, sequence: 11, bids: [['100.005', '1']] },
    'expected a price above 0 on the grid of 0.01',
  ],
  [
    { type: 'update', time: START_MS, sequence: 11, bids: [['100.01', '-1']] },
    'expected a quantity in lots of 0.001',
  ],
  [
    { type: 'update', time: START_MS, sequence: 11, bids: [['100.01', '9000000']] },
    'expected a quantity in lots of 0.001',
  ],
  [
    { type: 'update', time: START_MS, sequence: 11, bids: [['100.02', '1']] },
    'expected bids below asks, was a crossed book',
  ],
  [{ type: 'update', time: START_MS, sequence: 11, bids: 'none' }, 'expected levels as'],
  [{ type: 'trade', time: START_MS, price: '100', qty: '0' }, 'expected a qty above 0'],
  [{ type: 'trade', time: START_MS, price: '100', qty: '1', side: 'up' }, 'expected a side of buy or sell'],
  [{ type: 'ping', time: START_MS }, 'expected bids and asks, or a price'],
  ['[1]', 'expected a JSON object'],
])('%j is a bad row with its line', async (message, reason) => {
  const { bad } = await depth([SNAPSHOT, message]);
  expect(bad).toEqual([expect.stringContaining(`2: ${reason}`)]);
});

test('an update before the first snapshot is a bad row', async () => {
  const { bad } = await depth([
    { type: 'update', time: START_MS, sequence: 11, bids: [['100', '1']] },
    SNAPSHOT,
  ]);
  expect(bad).toEqual(['1: expected a snapshot before the first update']);
});

const best = (side: ReadonlyMap<number, number>, sign: number): string =>
  [...side]
    .toSorted(([a], [b]) => sign * (b - a))
    .slice(0, LEVELS)
    .map(([price, qty]) => `${price}x${qty}`)
    .join(' ');

test('the book equals one of plain maps at every message', async () => {
  const change = fc.record({
    isBid: fc.boolean(),
    // Bids at 1 to 20, asks at 21 to 40: never crossed.
    price: fc.integer({ min: 1, max: 20 }),
    qty: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1_000 })),
  });
  const message = fc.record({
    isSnapshot: fc.boolean(),
    changes: fc.array(change, { maxLength: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 60 }), async (drawn) => {
      const bids = new Map<number, number>();
      const asks = new Map<number, number>();
      const expected: string[] = [];
      const lines = drawn.map(({ isSnapshot, changes }, at) => {
        const isFirst = at === 0 || (isSnapshot && at % 7 === 0);
        if (isFirst) {
          bids.clear();
          asks.clear();
        }
        for (const { isBid, price, qty } of changes) {
          const [side, level] = isBid ? [bids, price] : [asks, price + 20];
          if (qty === 0) side.delete(level);
          else side.set(level, qty);
        }
        const row = `${best(bids, 1)} | ${best(asks, -1)}`;
        if (row !== (expected.at(-1) ?? ' | ')) expected.push(row);
        const levels = (of: boolean): readonly (readonly number[])[] =>
          changes
            .filter(({ isBid }) => isBid === of)
            .map(({ price, qty }) => [(of ? price : price + 20) / 100, qty / 1_000]);
        return {
          type: isFirst ? 'snapshot' : 'update',
          time: START_MS + at,
          sequence: at,
          bids: levels(true),
          asks: levels(false),
        };
      });
      const { bad, rows = [] } = await depth(lines);
      expect(bad).toEqual([]);
      expect(rows.map((row) => row.slice(row.indexOf(': ') + 2))).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

const TARDIS = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount';
const FIRST_US = START_MS * 1_000;
const row = (us: number, snapshot: boolean, side: string, price: number, amount: number): string =>
  `binance,BTCUSDT,${FIRST_US + us},${FIRST_US + us + 9},${snapshot},${side},${price},${amount}`;

/** Levels of one moment are one message: no book is shown between them. A second snapshot begins the book anew. */
test('a table with a level a row, as tardis.dev writes incremental_book_L2', async () => {
  const lines = [
    TARDIS,
    row(0, true, 'bid', 100, 1.5),
    row(0, true, 'bid', 99.99, 2),
    row(1, true, 'ask', 100.02, 0.25),
    row(1_000, false, 'bid', 100, 0),
    row(1_000, false, 'ask', 100, 1),
    row(2_000, false, 'ask', 100, 0.5),
    row(3_000, true, 'bid', 90, 1),
    row(3_000, true, 'ask', 91, 1),
  ];
  const { bad, file, rows } = await depth(lines, {}, 'btcusdt.csv');
  expect(await fileKind(file)).toBe('depth');
  expect(bad).toEqual([]);
  expect(rows).toEqual([
    '0 1 at 10001 by 0: 10000x1500 9999x2000 | 10002x250',
    '1 1 at 9999 by 0: 9999x2000 | 10000x1000 10002x250',
    '2 1 at 9999 by 0: 9999x2000 | 10000x500 10002x250',
    '3 1 at 9050 by 0: 9000x1000 | 9100x1000',
  ]);
});

test.each([
  [
    'tardis.dev writes book_snapshot_N',
    'exchange,symbol,timestamp,asks[0].price,asks[0].amount,bids[0].price,bids[0].amount,asks[1].price,asks[1].amount,bids[1].price,bids[1].amount',
    [
      `binance,BTCUSDT,${FIRST_US},100.02,0.25,100,1.5,,,99.99,2`,
      `binance,BTCUSDT,${FIRST_US + 1_000},100,1,99.99,2,100.02,0.25,,`,
    ],
    [
      '0 1 at 10001 by 0: 10000x1500 9999x2000 | 10002x250',
      '1 1 at 9999 by 0: 9999x2000 | 10000x1000 10002x250',
    ],
  ],
  [
    'Databento writes mbp-10',
    'ts_event,action,side,price,size,bid_px_00,ask_px_00,bid_sz_00,ask_sz_00,bid_px_01,ask_px_01,bid_sz_01,ask_sz_01',
    [
      `${FIRST_US}000,A,B,100.000000000,1.5,100.000000000,100.020000000,1.5,0.25,99.990000000,,2,0`,
      `${FIRST_US + 1_000}000,T,A,100.000000000,0.5,100.000000000,100.020000000,1,0.25,99.990000000,,2,0`,
    ],
    [
      '0 0 at 0 by 0: 10000x1500 9999x2000 | 10002x250',
      '1 500 at 10000 by -1: 10000x1500 9999x2000 | 10002x250',
      '1 0 at 10000 by 0: 10000x1000 9999x2000 | 10002x250',
    ],
  ],
])('a table with the book in each row, as %s', async (_, header, lines, expected) => {
  const { bad, file, rows } = await depth([header, ...lines], {}, 'btcusdt.csv');
  expect(await fileKind(file)).toBe('depth');
  expect({ bad, rows }).toEqual({ bad: [], rows: expected });
});

test('bad rows of a table have the line at which their message begins', async () => {
  const lines = [
    TARDIS,
    `binance,BTCUSDT,${FIRST_US},0,true,bid,100,1`,
    `binance,BTCUSDT,${FIRST_US},0,true,ask,101,1`,
    `binance,BTCUSDT,${FIRST_US},0,false,ask,101.001,1`,
    `binance,BTCUSDT,soon,0,false,ask,101,1`,
    `binance,BTCUSDT,${FIRST_US},0,false,offer,101,1`,
  ];
  const { bad } = await depth(lines, {}, 'btcusdt.csv');
  expect(bad).toEqual([
    '4: expected a price above 0 on the grid of 0.01, was "101.001"',
    '5: expected a time, was "soon"',
    '6: expected levels as [[price, quantity], ...], was "a side of offer"',
  ]);
  await expect(depth(['a,b,c'], {}, 'btcusdt.csv')).rejects.toThrow('line 1: expected columns timestamp');
});

const bookOf = (symbol: string, bid: string) => ({
  type: 'snapshot',
  symbol,
  time: START_MS,
  sequence: 1,
  bids: [[bid, '1']],
  asks: [['200.00', '1']],
});

test('a file of one contract, as it was named, holds no messages of another', async () => {
  const messages = [bookOf('BTCUSDT', '100.00'), bookOf('ETHUSDT', '50.00')];
  const { bad } = await depth(messages, { symbol: 'BTC' });
  expect(bad).toEqual([expect.stringContaining('2: expected the symbol of the rows before, "BTCUSDT"')]);
  expect((await depth(messages)).bad).toEqual([]);
});

const { symbol: _, ...UNNAMED } = bookOf('', '100.00');

/** Both books fit into one: nothing but the name tells them apart. */
test.each([
  ['of a stream', (name: string) => ({ stream: `${name}@depth20`, data: { ...UNNAMED } })],
  ['of an instrument', (name: string) => ({ ...UNNAMED, instrument: name })],
  ['of a product', (name: string) => ({ ...UNNAMED, product_id: name })],
])('a file of one contract takes no book %s of another', async (_name, book) => {
  const messages = [book('btcusdt'), book('ethusdt')];
  const { bad } = await depth(messages, { symbol: 'BTC' });
  expect(bad).toEqual([expect.stringContaining('2: expected the symbol of the rows before, "btcusdt"')]);
});

test('a file of one contract takes no book of another number', async () => {
  const { bad } = await depth(
    [1, 2].map((symbol) => ({ ...UNNAMED, symbol })),
    { symbol: 'BTC' },
  );
  expect(bad).toEqual([expect.stringContaining('2: expected the symbol of the rows before, "1"')]);
});
