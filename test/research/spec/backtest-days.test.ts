/** Which contracts a day lists, what their reference prices are, and that the front month rolls by itself. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Backtest, loadBacktest } from '../../../src/research/spec/load-backtest.ts';
import { rowsPlayed, planBacktest } from '../../../src/research/spec/plan-backtest.ts';
import { runBacktestFile } from '../../../src/research/backtest/run-backtest-file.ts';
import type { BacktestPlan } from '../../../src/research/backtest-plan.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { formatProblem } from '../../../src/config/problem.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';

const MARKET = join(import.meta.dirname, '../../../config/vn30f.yaml');

interface Setup {
  readonly files: Readonly<Record<string, string>>;
  readonly yaml: string;
}

const planOf = async (setup: Setup): Promise<BacktestPlan> => planBacktest(await load(setup));

async function load({ files, yaml }: Setup): Promise<Backtest> {
  const dir = tempDir();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const file = join(dir, 'run.yaml');
  writeFileSync(file, `state: ${dir}\ncapital: 2000000000\n${yaml}`);
  return loadedBacktest(file);
}

const tape = (...prices: readonly number[]): string =>
  `Time,Price,Volume,Side\n${prices.map((price, i) => `10:00:0${i},${price},5,M\n`).join('')}`;

const EMA = 'strategies:\n  - { id: ema, strategy: ema-cross, symbols: [VN30F1M] }\n';

/** VN30F2606 is traded for the last time on 2026-06-18. */
const ROLL: Setup = {
  files: {
    '2026-06-17_VN30F2606.csv': tape(1900, 1901.5),
    '2026-06-18_VN30F2606.csv': tape(1902, 1903),
    '2026-06-18_VN30F2607.csv': tape(1910),
    '2026-06-19_VN30F2607.csv': tape(1911),
  },
  yaml: `market: ${MARKET}\ndata: { prints: [.] }\n${EMA}`,
};

test('each day lists the four months of that day, and a contract keeps its place in the run', async () => {
  const { data } = await planOf(ROLL);
  expect(data.days).toEqual(['2026-06-17', '2026-06-18', '2026-06-19']);
  const tables = data.days.map((day) =>
    data.open(day).contracts.map(({ index, orderCode }) => `${index} ${orderCode}`),
  );
  expect(tables[0]).toEqual(['0 VN30F2606', '1 VN30F2607', '2 VN30F2609', '3 VN30F2612']);
  expect(tables[1]).toEqual(tables[0]);
  expect(tables[2]).toEqual(['1 VN30F2607', '4 VN30F2608', '2 VN30F2609', '3 VN30F2612']);
});

test('a run that begins after a contract expired has no place for it, whether or not there are prices of later days', async () => {
  const market = `{ contracts: { OLD: { tick: 1, expiry: 2026-06-17 }, NEW: { tick: 1 } }, hours: [{ phase: continuous, from: '09:00', to: '11:00' }] }`;
  const days = ['2026-06-17', '2026-06-18'];
  for (const old of [days.slice(0, 1), days]) {
    const files = [...old.map((day) => `${day}_OLD.csv`), ...days.map((day) => `${day}_NEW.csv`)];
    const prints = files.map((file) => `{ file: ${file}, symbol: ${file.slice(11, 14)}, sides: { buy: M } }`);
    const plan = await planOf({
      files: Object.fromEntries(
        files.map((file) => [file, file.includes('OLD') ? tape(10, 11) : tape(20, 21)]),
      ),
      yaml: `market: ${market}\ndata: { prints: [${prints.join(', ')}], from: 2026-06-18 }\n${EMA.replace('VN30F1M', 'NEW')}`,
    });
    expect(runBacktest(plan).instruments.map(({ symbol, prices }) => [symbol, prices.values.at(-1)])).toEqual(
      [['NEW', 21]],
    );
  }
});

test('a symbol is played where its contract of some day has prices, under either of its codes', async () => {
  const { market, sources } = await load(ROLL);
  const symbols = ['VN30F1M', 'VN30F2M', 'VN30F1Q', 'VN30F2607', '41I1G7000', 'VN30F2609', 'VN100F1M'];
  expect(symbols.filter((symbol) => rowsPlayed(market, sources, symbol) > 0)).toEqual([
    'VN30F1M',
    'VN30F2M',
    'VN30F2607',
    '41I1G7000',
  ]);
});

test('a notice names a strategy on a contract without prices', async () => {
  const yaml = ROLL.yaml.replace('VN30F1M', 'VN30F2609');
  const { result } = runBacktestFile(await load({ ...ROLL, yaml }), {});
  expect(result.notices.map(({ text }) => text)).toContain(
    'ema placed no order: no price of VN30F2609 is in the data (VN30F2606, VN30F2607) on any day of the run',
  );
});

test('the reference price is the close of the session before; where there is none the first price, and that is reported', async () => {
  const { data } = await planOf(ROLL);
  const found = data.days.map((day) =>
    data.open(day).tapes.map(({ contract, reference }) => `${contract.orderCode} ${reference}`),
  );
  expect(found).toEqual([
    ['VN30F2606 190000'],
    ['VN30F2606 190150', 'VN30F2607 191000'],
    ['VN30F2607 191000'],
  ]);
  const [first] = data.open(data.days[0]!).notices;
  expect(first!.text).toContain('VN30F2606 on 2026-06-17, VN30F2607 on 2026-06-18: the first price is');
});

test('what the file says of a reference price holds', async () => {
  const yaml = `market: ${MARKET}\ndata: { prints: [.], references: { VN30F2606: { 2026-06-17: 1899.3 } } }\n${EMA}`;
  const { data } = await planOf({ ...ROLL, yaml });
  expect(data.open(data.days[0]!).tapes.map(({ reference }) => reference)).toEqual([189_930]);
});

test('days of another time zone are refused by name, not played as days of the market', async () => {
  const dir = tempDir();
  const run = (yaml: string) => {
    const file = join(dir, 'run.yaml');
    writeFileSync(file, `state: ${dir}\ncapital: 2000000000\n${yaml}`);
    return loadBacktest(file);
  };
  for (const [name, text] of Object.entries(ROLL.files)) writeFileSync(join(dir, name), text);
  expect((await run(ROLL.yaml)).ok).toBe(true);
  const columns = readdirSync(join(dir, 'data')).find((name) =>
    existsSync(join(dir, 'data', name, 'ticks', 'VN30F2606')),
  );
  const own = (zone: string): string => `market:
  timeZone: ${zone}
  contracts: { VN30F2606: { tick: 0.1, pointValue: 100000 } }
  costs: { perContract: 1, marginPercent: 10 }
data: { catalogue: data/${columns!} }
strategies:
  - { id: ema, strategy: ema-cross, symbols: [VN30F2606] }
`;
  expect(await run(own('Asia/Ho_Chi_Minh'))).toMatchObject({ ok: true });
  const loaded = await run(own('America/New_York'));
  expect(loaded).toMatchObject({ ok: false });
  const text = loaded.ok ? '' : loaded.problems.map(formatProblem).join('\n');
  expect(text).toMatch(/VN30F2606 on 2026-06-1[78]: left out, .* is a day at \+07:00, .* America\/New_York/);
});

test('a series of the front month is another contract after each expiry', async () => {
  const bars = ['2026-06-18 10:00', '2026-06-18 10:01', '2026-06-19 10:00'].map(
    (at) => `${at},1900,1901,1899,1900,40\n`,
  );
  const { data } = await planOf({
    files: { 'front.csv': `time,open,high,low,close,volume\n${bars.join('')}` },
    yaml: `market: ${MARKET}\ndata: { bars: [{ file: front.csv, symbol: VN30F1M, every: 1m }] }\n${EMA}`,
  });
  const codes = data.days.map((day) =>
    data.open(day).tapes.map(({ contract, rows }) => `${contract.orderCode} ${rows.rows}`),
  );
  expect(codes).toEqual([['VN30F2606 8'], ['VN30F2607 4']]);
});

test('the same file makes the same run', async () => {
  const plan = await planOf(ROLL);
  const again = await planOf(ROLL);
  expect([plan.configDigest, plan.data.digest]).toEqual([again.configDigest, again.data.digest]);
  expect(runBacktest(plan).journalHash).toBe(runBacktest(again).journalHash);
});

const esYaml = (tick: string, data: string): string => `market: { contracts: { ES: { tick: ${tick} } } }
data: ${data}
strategies: [{ id: ema, strategy: ema-cross, symbols: [ES] }]
`;

test('columns that count in other steps than the market are left out, and that is reported', async () => {
  const bars = 'time,open,high,low,close,volume\n2024-01-16 09:30,10,11,9,10,40\n';
  const dir = tempDir();
  writeFileSync(join(dir, 'es.csv'), bars);
  const file = join(dir, 'run.yaml');
  const head = `state: ${dir}\ncapital: 1000\n`;
  writeFileSync(file, head + esYaml('0.25', '{ bars: [{ file: es.csv, symbol: ES, every: 5m }] }'));
  expect((await loadBacktest(file)).ok).toBe(true);
  const [columns] = readdirSync(join(dir, 'data'));
  const other = `${head}models: { fill: ohlc }\n${esYaml('0.5', `{ catalogue: data/${columns!} }`)}`;
  writeFileSync(file, other);
  const loaded = await loadBacktest(file);
  expect(loaded.ok ? '' : loaded.problems.map(formatProblem).join()).toMatch(
    /data with a day to be played, was none at all \(ES on 2024-01-16: left out, .* counts in ticks of 0.25 and lots of 1, the market in 0.5 and 1\)/,
  );
});

/** New York: five hours behind in winter, four in summer; the session opens at half past nine in both. */
test('hours of the exchange stay on its clocks when they change', async () => {
  const rows = ['2024-01-16 09:30', '2024-07-16 09:30'].map((at) => `${at},10,11,9,10,40\n`);
  const { data, calendar } = await planOf({
    files: { 'es.csv': `time,open,high,low,close,volume\n${rows.join('')}` },
    yaml: `market:
  timeZone: America/New_York
  hours: [{ phase: continuous, from: "09:30", to: "16:00" }]
  contracts: { ES: { tick: 0.25 } }
data: { bars: [{ file: es.csv, symbol: ES, every: 5m }] }
strategies:
  - { id: ema, strategy: ema-cross, symbols: [ES] }
`,
  });
  expect(data.days).toEqual(['2024-01-16', '2024-07-16']);
  const first = data.days.map((day) =>
    new Date(data.open(day).tapes[0]!.rows.tsUs[0]! / 1_000).toISOString(),
  );
  expect(first).toEqual(['2024-01-16T14:30:00.000Z', '2024-07-16T14:30:00.000Z']);
  expect(calendar.utcOffsetMinutes).toBe(-300);
  expect(data.open(tradingDay('2024-07-16')).day).toBe('2024-07-16');
});
