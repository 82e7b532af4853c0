import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UNLIMITED_QTY } from '../../../src/domain/ticks.ts';
import { openCatalogue } from '../../../src/recording/columns/catalogue.ts';
import { readColumns } from '../../../src/recording/columns/tick-file.ts';
import { fileKind } from '../../../src/recording/import/file-kind.ts';
import { importQuotes } from '../../../src/recording/import/import-ticks.ts';
import type { ImportOptions } from '../../../src/recording/import/import-table.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { QUIET, vietnamese } from './import-settings.ts';
import { timeZone } from '../../../src/text/dates.ts';

async function quotes(text: string, over: Partial<ImportOptions> = {}) {
  const dir = tempDir();
  const file = join(dir, 'eurusd.csv');
  writeFileSync(file, text);
  const bad: string[] = [];
  const zone = timeZone('UTC')!;
  const options = { ...vietnamese(dir), zone, tickSize: '0.00001', calendar: null, ...over };
  await importQuotes(file, options, { ...QUIET, bad: ({ line, reason }) => bad.push(`${line}: ${reason}`) });
  const days = openCatalogue(dir).map(({ symbol, day, path }) => {
    const { rows, meta, priceTicks, qty, isQuotes, book } = readColumns(path);
    const at = (i: number): string =>
      [book!.bidPrice, book!.bidQty, book!.askPrice, book!.askQty]
        .map((levels) => levels.map((level) => level[i]).join('/'))
        .join(' ');
    const shown = Array.from({ length: rows }, (_, i) => `${priceTicks[i]} x${qty[i]}: ${at(i)}`);
    return { name: `${symbol} ${day}`, kind: meta.quotes, isQuotes, shown };
  });
  return { kind: await fileKind(file), bad, days };
}

test('bid and ask with sizes are quotes; the price is the middle, or the tick below it', async () => {
  const { kind, bad, days } = await quotes(`time,bid,ask,bid_size,ask_size
2024-01-03 00:00:00.100,1.10000,1.10002,5,7
2024-01-03 00:00:00.200,1.10001,1.10002,6,8
2024-01-04 00:00:00,1.10001,1.10001,6,8
`);
  expect({ kind, bad }).toEqual({ kind: 'quotes', bad: [] });
  expect(days).toEqual([
    {
      name: 'EURUSD 2024-01-03',
      kind: 'sized',
      isQuotes: true,
      shown: ['110001 x1: 110000 5 110002 7', '110001 x1: 110001 6 110002 8'],
    },
    { name: 'EURUSD 2024-01-04', kind: 'sized', isQuotes: true, shown: ['110001 x1: 110001 6 110001 8'] },
  ]);
});

test('without sizes they have no limit', async () => {
  const { days } = await quotes('Timestamp,Ask,Bid\n2024-01-03 00:00:00,1.10002,1.10000\n');
  expect(days[0]).toMatchObject({
    kind: 'unsized',
    shown: [`110001 x1: 110000 ${UNLIMITED_QTY} 110002 ${UNLIMITED_QTY}`],
  });
});

test.each([
  [
    'a crossed quote',
    '1.10003,1.10002,1,1',
    'expected an ask of at least the bid 1.10003 in column ask, was "1.10002"',
  ],
  [
    'a price off the grid',
    '1.100001,1.10002,1,1',
    'expected a price above 0 on the grid of 0.00001 in column bid, was "1.100001"',
  ],
  ['no bid', ',1.10002,1,1', 'expected a price above 0 on the grid of 0.00001 in column bid, was ""'],
  [
    'a size of nothing',
    '1.10000,1.10002,0,1',
    'expected a size above 0 in lots of 1 in column bid_size, was "0"',
  ],
  [
    'a size without end',
    '1.10000,1.10002,1,3000000000',
    'expected a size above 0 in lots of 1 in column ask_size, was "3000000000"',
  ],
])('%s is a bad row with its line', async (_, cells, reason) => {
  const { bad, days } = await quotes(
    `time,bid,ask,bid_size,ask_size\n2024-01-03 00:00:00,1.1,1.1,1,1\n2024-01-03 00:00:01,${cells}\n`,
  );
  expect(bad).toEqual([`3: ${reason}`]);
  expect(days).toEqual([]);
});

test('a size of one side alone is refused', async () => {
  await expect(quotes('time,bid,ask,bid_size\n2024-01-03 00:00:00,1.1,1.1,1\n')).rejects.toThrow(
    'expected a size for bid and ask or for neither',
  );
});

test('a trade with the quote of its moment is a print', async () => {
  const file = join(tempDir(), 'a.csv');
  writeFileSync(file, 'time,price,volume,bid,ask\n');
  expect(await fileKind(file)).toBe('prints');
});

test('a file of one contract, as it was named, holds no rows of another', async () => {
  const text = `time,symbol,bid,ask
2024-01-03 00:00:00.100,EUR/USD,1.10000,1.10002
2024-01-03 00:00:00.200,GBP/USD,1.30001,1.30002
`;
  const { bad } = await quotes(text, { symbol: 'EURUSD' });
  expect(bad).toEqual([expect.stringContaining('3: expected the symbol of the rows before, "EUR/USD"')]);
  const ignored = await quotes(text, { symbol: 'EURUSD', columns: { symbol: 'none' } });
  expect(ignored.bad).toEqual([]);
});

test('levels of a book are read from numbered columns; one without a price or size is not there', async () => {
  const { kind, bad, days } =
    await quotes(`time,bid_1,bid_size_1,ask_1,ask_size_1,bid_price_2,bid_volume_2,ask_price_2,ask_volume_2
2024-01-03 00:00:00.1,1.10000,5,1.10002,7,1.09999,9,1.10004,11
2024-01-03 00:00:00.2,,0,1.10002,7,,,1.10004,11
2024-01-03 00:00:00.3,1.10001,5,1.10000,7,,,,
2024-01-03 00:00:00.4,1.10000,5,1.10002,7,1.10001,1,,
2024-01-03 00:00:00.5,1.10000,5,1.10002,-1,,,,
`);
  expect({ kind, bad }).toEqual({
    kind: 'quotes',
    bad: [
      '4: expected an ask of at least the bid 1.10001 in column ask_1, was "1.10000"',
      '5: expected a price worse than that of the level before in column bid_price_2, was "1.10001"',
      '6: expected a size above 0 in lots of 1 in column ask_size_1, was "-1"',
    ],
  });
  expect(days).toEqual([]);
  const good = await quotes(
    `time,bid_1,bid_size_1,ask_1,ask_size_1,bid_2,bid_size_2,ask_2,ask_size_2
2024-01-03 00:00:00.1,,,1.10002,7,,,,
2024-01-03 00:00:00.2,1.10000,5,1.10002,7,1.09999,9,1.10004,11
2024-01-03 00:00:00.3,,0,1.10002,7,,,1.10004,11
2024-01-03 00:00:00.4,1.10000,${UNLIMITED_QTY},1.10002,7,,,,
`,
  );
  expect(good.days[0]).toMatchObject({
    kind: 'sized',
    shown: [
      '0 x0: 0/0 0/0 110002/0 7/0',
      '110001 x1: 110000/109999 5/9 110002/110004 7/11',
      '110001 x1: 0/0 0/0 110002/110004 7/11',
      `110001 x1: 110000/0 ${UNLIMITED_QTY}/0 110002/0 7/0`,
    ],
  });
});

test('a level lacks no column', async () => {
  await expect(quotes('time,bid_1,bid_size_1,ask_1\n2024-01-03 00:00:00.1,1,1,2\n')).rejects.toThrow(
    'line 1: expected a column for ask_size_1, was: time, bid_1, bid_size_1, ask_1',
  );
});
