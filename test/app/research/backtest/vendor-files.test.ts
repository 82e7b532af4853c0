/**
 * Files as vendors write them, each with the line of `data` that data/README.md gives for it. The layouts are those that the vendors
 * document; prices are made here.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadBacktest } from '../../../../src/app/research/backtest/load-backtest.ts';
import { formatProblem } from '../../../../src/config/problem.ts';
import { readBarParts } from '../../../../src/recording/columns/bar-file.ts';
import { barFiles, openCatalogue } from '../../../../src/recording/columns/catalogue.ts';
import { readColumns } from '../../../../src/recording/columns/tick-file.ts';

interface Vendor {
  /** As data/README.md names it. */
  readonly name: string;
  /** Of the section `data`, as data/README.md writes it; `X` is the contract. */
  readonly data: string;
  readonly text: string;
  readonly contract: string;
  readonly zone?: string;
  /** Ticks as `time price xqty side [bid/ask]`, bars as `time open high low close volume`, in ticks and lots. */
  readonly rows: readonly string[];
}

const README = readFileSync(join(import.meta.dirname, '../../../../data/README.md'), 'utf8');
const COIN = '{ tick: 0.1, lot: 0.001 }';
const PAIR = '{ tick: 0.00001 }';

const VENDORS: readonly Vendor[] = [
  {
    name: 'Binance klines',
    data: "bars: [{ file: klines.csv, symbol: X, every: 1m, header: false, columns: { time: '1', open: '2', high: '3', low: '4', close: '5', volume: '6' } }]",
    contract: '{ tick: 0.01, lot: 0.00001 }',
    text: `1735689600000000,93576.00000000,93702.15000000,93489.03000000,93656.18000000,8.21827000,1735689659999999,769202.87,1531,4.12,386000.0,0
1735689660000000,93656.18000000,93656.19000000,93607.03000000,93607.03000000,3.47000000,1735689719999999,324000.1,911,1.2,112000.0,0
`,
    rows: [
      '2025-01-01T00:00:00.000Z 9357600 9370215 9348903 9365618 821827',
      '2025-01-01T00:01:00.000Z 9365618 9365619 9360703 9360703 347000',
    ],
  },
  {
    name: 'Binance klines, futures (with a header)',
    data: 'bars: [{ file: klines.csv, symbol: X, every: 1m }]',
    contract: COIN,
    text: `open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore
1704067200000,42314.00,42335.80,42289.60,42331.90,289.641,1704067259999,12256155.9,3310,175.211,7414459.1,0
`,
    rows: ['2024-01-01T00:00:00.000Z 423140 423358 422896 423319 289641'],
  },
  {
    name: 'Binance aggTrades',
    data: "prints: [{ file: aggTrades.csv, symbol: X, header: false, columns: { price: '2', volume: '3', time: '6', side: '7' }, sides: { buy: false, sell: true } }]",
    contract: '{ tick: 0.01, lot: 0.00001 }',
    text: `2678731297,42313.90,0.00300000,3089000001,3089000001,1704067200012,False,True
2678731298,42313.90,0.02000000,3089000002,3089000003,1704067200112,True,True
`,
    rows: ['2024-01-01T00:00:00.012Z 4231390 x300 1', '2024-01-01T00:00:00.112Z 4231390 x2000 -1'],
  },
  {
    name: 'Binance aggTrades and trades, futures (with a header)',
    data: 'prints: [{ file: trades.csv, symbol: X, columns: { side: is_buyer_maker }, sides: { buy: false, sell: true } }]',
    contract: COIN,
    text: `agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker
2000000001,42314.0,0.157,4418571741,4418571742,1704067200069,false
2000000002,42313.9,0.010,4418571743,4418571743,1704067200107,true
`,
    rows: ['2024-01-01T00:00:00.069Z 423140 x157 1', '2024-01-01T00:00:00.107Z 423139 x10 -1'],
  },
  {
    name: 'Dukascopy ticks',
    data: 'quotes: [{ file: ticks.csv, symbol: X, dateOrder: dmy, columns: { bid_size: none, ask_size: none } }]',
    contract: PAIR,
    text: `Gmt time,Ask,Bid,AskVolume,BidVolume
01.01.2024 22:00:12.205,1.10481,1.10427,0.9,0.75
`,
    rows: ['2024-01-01T22:00:12.205Z 110454 x1 0 110427/110481'],
  },
  {
    name: 'Dukascopy candles',
    data: 'bars: [{ file: candles.csv, symbol: X, every: 1m, dateOrder: dmy, columns: { volume: none } }]',
    contract: PAIR,
    text: `Gmt time,Open,High,Low,Close,Volume
01.01.2024 22:00:00.000,1.10427,1.10468,1.10399,1.10452,148.1
`,
    rows: ['2024-01-01T22:00:00.000Z 110427 110468 110399 110452 0'],
  },
  {
    name: 'HistData, minutes',
    data: "bars: [{ file: m1.csv, symbol: X, every: 1m, header: false, columns: { time: '1', open: '2', high: '3', low: '4', close: '5' } }]",
    contract: PAIR,
    zone: "'-05:00'",
    text: '20240101 170000;1.104270;1.104290;1.104250;1.104290;0\n',
    rows: ['2024-01-01T22:00:00.000Z 110427 110429 110425 110429 0'],
  },
  {
    name: 'HistData, ticks',
    data: "quotes: [{ file: ticks.csv, symbol: X, header: false, columns: { time: '1', bid: '2', ask: '3' } }]",
    contract: PAIR,
    zone: "'-05:00'",
    text: '20240101 170013107,1.104270,1.104810,0\n',
    rows: ['2024-01-01T22:00:13.107Z 110454 x1 0 110427/110481'],
  },
  {
    name: 'Kraken OHLCVT',
    data: "bars: [{ file: X_1.csv, symbol: X, every: 1m, header: false, columns: { time: '1', open: '2', high: '3', low: '4', close: '5', volume: '6' } }]",
    contract: '{ tick: 0.1, lot: 0.00000001 }',
    text: '1704067200,42265.5,42280.0,42265.4,42280.0,3.36214881,65\n',
    rows: ['2024-01-01T00:00:00.000Z 422655 422800 422654 422800 336214881'],
  },
  {
    name: 'Kraken trades',
    data: "prints: [{ file: X.csv, symbol: X, header: false, columns: { time: '1', price: '2', volume: '3' } }]",
    contract: '{ tick: 0.1, lot: 0.00000001 }',
    text: '1704067200,42265.5,0.01000000\n',
    rows: ['2024-01-01T00:00:00.000Z 422655 x1000000 0'],
  },
  {
    name: 'Yahoo, Stooq, by day',
    data: 'bars: [{ file: daily.csv, symbol: X, every: 1d, round: true }]',
    contract: '{ tick: 0.01 }',
    text: `Date,Open,High,Low,Close,Adj Close,Volume
2024-01-02,187.149994,188.440002,183.889999,185.639999,184.734985,82488700
`,
    rows: ['2024-01-02T00:00:00.000Z 18715 18844 18389 18564 82488700'],
  },
  {
    name: 'Stooq, within the day',
    data: 'bars: [{ file: 5m.txt, symbol: X, every: 5m, stamp: end, round: true }]',
    contract: '{ tick: 0.01 }',
    text: `<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>
AAPL.US,5,20240102,153500,187.15,187.44,186.89,187.02,824887,0
`,
    rows: ['2024-01-02T15:30:00.000Z 18715 18744 18689 18702 824887'],
  },
  {
    name: 'MetaTrader 5, bars',
    data: 'bars: [{ file: m1.csv, symbol: X, every: 1m, columns: { volume: TICKVOL } }]',
    contract: PAIR,
    text: `<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>
2024.01.02\t00:01:00\t1.10427\t1.10429\t1.10425\t1.10429\t35\t0\t12
`,
    rows: ['2024-01-02T00:01:00.000Z 110427 110429 110425 110429 35'],
  },
  {
    name: 'MetaTrader 4, bars',
    data: "bars: [{ file: m1.csv, symbol: X, every: 1m, header: false, columns: { date: '1', time: '2', open: '3', high: '4', low: '5', close: '6', volume: '7' } }]",
    contract: PAIR,
    text: '2024.01.02,00:01,1.10427,1.10429,1.10425,1.10429,35\n',
    rows: ['2024-01-02T00:01:00.000Z 110427 110429 110425 110429 35'],
  },
  {
    name: 'tardis.dev trades',
    data: 'prints: [{ file: trades.csv, symbol: X }]',
    contract: '{ tick: 0.5 }',
    text: `exchange,symbol,timestamp,local_timestamp,id,side,price,amount
deribit,BTC-PERPETUAL,1585699202957000,1585699203089980,35172283,sell,6424.5,200
`,
    rows: ['2020-04-01T00:00:02.957Z 12849 x200 -1'],
  },
  {
    name: 'tardis.dev quotes',
    data: 'quotes: [{ file: quotes.csv, symbol: X }]',
    contract: '{ tick: 0.5 }',
    text: `exchange,symbol,timestamp,local_timestamp,ask_amount,ask_price,bid_price,bid_amount
deribit,BTC-PERPETUAL,1585699200077000,1585699200118000,7060,6425.5,6425,2490
`,
    rows: ['2020-04-01T00:00:00.077Z 12850 x1 0 12850*2490/12851*7060'],
  },
  {
    name: 'Databento trades',
    data: 'prints: [{ file: trades.csv, symbol: X, sides: { buy: B, sell: A, none: N } }]',
    contract: '{ tick: 0.25 }',
    text: `ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,depth,price,size,flags,ts_in_delta,sequence,symbol
1609160400099150057,1609160400098821953,0,1,5482,T,A,0,3720.250000000,5,129,19251,1170380,ESH1
1609160400108142648,1609160400107665963,0,1,5482,T,N,0,3720.250000000,21,129,20728,1170414,ESH1
`,
    rows: ['2020-12-28T13:00:00.098Z 14881 x5 -1', '2020-12-28T13:00:00.107Z 14881 x21 0'],
  },
  {
    name: 'Databento mbp-1',
    data: 'quotes: [{ file: mbp-1.csv, symbol: X }]',
    contract: '{ tick: 0.25 }',
    text: `ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,depth,price,size,flags,ts_in_delta,sequence,bid_px_00,ask_px_00,bid_sz_00,ask_sz_00,bid_ct_00,ask_ct_00
1609160400006136329,1609160400006001487,1,1,5482,A,A,0,3720.500000000,1,128,17214,1170362,3720.250000000,3720.500000000,24,11,15,9
`,
    rows: ['2020-12-28T13:00:00.006Z 14881 x1 0 14881*24/14882*11'],
  },
  {
    name: 'Databento ohlcv-1m',
    data: 'bars: [{ file: ohlcv.csv, symbol: X, every: 1m }]',
    contract: '{ tick: 0.25 }',
    text: `ts_event,rtype,publisher_id,instrument_id,open,high,low,close,volume,symbol
1609160400000000000,33,1,5482,3720.250000000,3721.000000000,3720.000000000,3720.500000000,385,ESH1
`,
    rows: ['2020-12-28T13:00:00.000Z 14881 14884 14880 14882 385'],
  },
];

const iso = (us: number): string => new Date(us / 1_000).toISOString();
const UNSIZED = 2 ** 31 - 1;
const level = (price: number, qty: number): string => (qty === UNSIZED ? `${price}` : `${price}*${qty}`);

function* stored(dir: string): Generator<string> {
  for (const { path } of openCatalogue(dir)) {
    const { rows, tsUs, priceTicks, qty, side, book } = readColumns(path);
    for (let i = 0; i < rows; i += 1) {
      const trade = `${iso(tsUs[i]!)} ${priceTicks[i]} x${qty[i]} ${side[i]}`;
      if (book === null) yield trade;
      else {
        const [bid, ask] = [book.bidPrice[0]![i]!, book.askPrice[0]![i]!];
        yield `${trade} ${level(bid, book.bidQty[0]![i]!)}/${level(ask, book.askQty[0]![i]!)}`;
      }
    }
  }
  for (const { path } of barFiles(dir))
    for (const { rows, startUs: at, open, high, low, close, volume } of readBarParts(path))
      for (let i = 0; i < rows; i += 1)
        yield `${iso(at[i]!)} ${open[i]} ${high[i]} ${low[i]} ${close[i]} ${volume[i]}`;
}

test.each(VENDORS)('$name', async ({ name, data, text, contract, zone = 'UTC', rows }) => {
  expect(README.split('\n').find((line) => line.includes(`| ${name} `))).toContain(`\`${data}\``);
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-vendor-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, /file: ([^,]+),/.exec(data)![1]!), text);
  const path = join(dir, 'run.yaml');
  writeFileSync(
    path,
    `market: { timeZone: ${zone}, contracts: { X: ${contract} } }
capital: 10000
state: ${dir}
data: { ${data} }
strategies: [{ id: one, strategy: ema-cross, symbols: [X], overnight: true }]
`,
  );
  const loaded = await loadBacktest(path);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
  const found = readdirSync(join(dir, 'data')).flatMap((each) => [...stored(join(dir, 'data', each))]);
  expect(found).toEqual(rows);
});
