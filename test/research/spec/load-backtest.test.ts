/** Each mistake in the file of a backtest is reported with its line, what was expected, what it was, and what to do. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadBacktest } from '../../../src/research/spec/load-backtest.ts';
import { formatProblem } from '../../../src/config/problem.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MARKET = join(ROOT, 'config/vn30f.yaml');
const SAMPLE = join(ROOT, 'data/sample');

function written(text: string): { readonly dir: string; readonly file: string } {
  const dir = tempDir();
  const file = join(dir, 'run.yaml');
  writeFileSync(file, text);
  return { dir, file };
}

const good = (dir: string): string => `market: ${MARKET}
capital: 2000000000
state: ${dir}
data:
  prints: [${SAMPLE}]
strategies:
  - id: ema
    strategy: ema-cross
    symbols: [VN30F1M]
`;

/** `from` is replaced by `to` in a file without mistakes. */
test.each([
  ['a misspelt key', 'state:', 'stte:', 'stte: expected a known key, was "stte" (did you mean state?)'],
  [
    'the file of a daemon',
    `data:\n  prints: [${SAMPLE}]`,
    'mode: paper',
    'expected a backtest, was a configuration (config/backtest.yaml is a sample)',
  ],
  [
    'a market that is not there',
    'vn30f.yaml',
    'vn31f.yaml',
    'market: expected the name of a file next to this one',
  ],
  [
    'a file that is not there',
    SAMPLE,
    '/nowhere',
    'data.prints[0]: expected an existing file or folder, next to this file, was no /nowhere (check the path)',
  ],
  [
    'a benchmark that is not there',
    'strategies:',
    'statistics: { benchmark: index.csv }\nstrategies:',
    'statistics.benchmark: expected a contract with data in this run, was "index.csv" (name its file in data)',
  ],
  [
    'days the data has not',
    'data:\n',
    'data:\n  from: 2027-01-01\n',
    'data: expected data with a day to be played, was days from 2026-06-03 to 2026-06-03 (check from, to and symbols)',
  ],
  [
    'a strategy file that is not there',
    'ema-cross',
    './mine.mjs',
    'strategies[0].strategy: expected a strategy of the catalogue, or a file next to this one, was no ',
  ],
  [
    'a symbol of another market',
    'VN30F1M',
    'ESU6',
    'strategies[0].symbols[0]: expected a contract of this market (VN30, VN100), was "ESU6"',
  ],
  [
    'a symbol of another market, within limits',
    /VN30F1M]/,
    'fdx]\nrisk: { orderQtyMax: 5, positionMax: 10, dailyLossMax: 100000000 }',
    'strategies[0].symbols[0]: expected a contract of this market, like VN30F1M, was "fdx"',
  ],
  ['a folder that is misspelt', SAMPLE, `${SAMPLE}s`, `was no ${SAMPLE}s (did you mean ${SAMPLE}?)`],
  [
    'a contract of a file that the market does not have',
    /prints: .*/,
    `prints: [{ file: ${SAMPLE}, symbol: VN3O }]`,
    'data.prints[0]: expected a contract of this market (VN30, VN100), was VN3O (did you mean VN30?)',
  ],
  [
    'a length without its unit',
    /prints: .*/,
    `bars: [{ file: ${SAMPLE}, every: 1 }]`,
    'data.bars[0].every: expected a length like 1m, 4h, 1d or 1w, was 1',
  ],
  [
    'a parameter that is none',
    'symbols: [VN30F1M]',
    'symbols: [VN30F1M]\n    params: { fst: 3 }',
    'strategies[0].params.fst: expected a known key, was "fst" (did you mean fast?)',
  ],
  [
    'a model for bars',
    'data:\n',
    'models: { fill: ohlc }\ndata:\n',
    'models.fill: expected a model on ticks: queue, touch, through, was "ohlc"',
  ],
  [
    'a part of volume on ticks',
    'data:\n',
    'models: { volumePercent: 10 }\ndata:\n',
    'models.volumePercent: expected no such key here: it has an effect on bars alone, was 10',
  ],
  [
    'a warm-up that is forgotten',
    'data:\n',
    'warmUpDays: 3\ndata:\n',
    'warmUpDays: expected 0 where strategies restart each day, was 3 (add memory: run, or strategies forget the warm-up each morning)',
  ],
  [
    'a journal that is not there',
    'data:\n',
    'models: { latency: { report: { measured: /nowhere } } }\ndata:\n',
    'models.latency.report.measured: expected a state directory with a journal, was no /nowhere/journal.db (the path counts from where the program is started)',
  ],
  [
    'a file that is no backtest',
    /[^]*/,
    'a: 1',
    'expected a backtest with market, data, capital, strategies, was a file with a',
  ],
] as const)('%s', async (_, from, to, problem) => {
  const { dir, file } = written('');
  writeFileSync(file, good(dir).replace(from, to));
  const loaded = await loadBacktest(file);
  const problems = loaded.ok ? [] : loaded.problems.map(formatProblem);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
  expect(problems[0]).toMatch(new RegExp(`^${file}:\\d+:\\d+ `));
});

test('a file that is written in another way is reported like any other mistake, with what to do', async () => {
  const { dir, file } = written('');
  const tape = join(dir, '2026-06-03_VN30F2606.csv');
  const rows = Array.from(
    { length: 1_200 },
    (_, i) => `06/03/2026 09:${String(i % 60).padStart(2, '0')},1900.8,4`,
  );
  writeFileSync(tape, `Time,Price,Volume\n${rows.join('\n')}\n`);
  writeFileSync(file, good(dir).replace(/prints: .*/, `prints: [${tape}]`));
  const loaded = await loadBacktest(file);
  const problems = loaded.ok ? [] : loaded.problems.map(formatProblem);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`${tape}: the first 1000 rows are all bad; line 2: expected`);
  expect(problems[0]).toContain('{ file: ..., dateOrder: dmy }');
});

test.each([
  ['empty', '', 'was an empty file: export or download it again (nothing of it was taken)'],
  ['Parquet', 'PAR1\0', 'was Parquet: export it as CSV (nothing of it was taken)'],
  ['a zip file', 'PK\x03\x04', 'or export its sheet as CSV (nothing of it was taken)'],
  [
    'of five rows with another order of dates',
    `time,open,high,low,close\n${'05/01/2026 00:00,1,1,1,1\n'.repeat(5)}`,
    'and 2 more\n  (write { file: ..., dateOrder: dmy } where the day comes first',
  ],
])('a file that is %s is refused with what to do', async (_, text, problem) => {
  const { dir, file } = written('');
  writeFileSync(join(dir, 'bars.csv'), text);
  writeFileSync(file, ownMarket(dir));
  const loaded = await loadBacktest(file);
  expect(loaded.ok ? '' : loaded.problems.map(formatProblem).join('')).toContain(problem);
});

test('a row that cannot be read stops the import, with its line', async () => {
  const { dir, file } = written('');
  const tape = join(dir, '2026-06-03_VN30F2606.csv');
  writeFileSync(tape, 'Time,Price,Volume,Side\n09:00:00,1900.8,4,-\n09:00:01,x,1,M\n');
  writeFileSync(file, good(dir).replace(SAMPLE, tape));
  const loaded = await loadBacktest(file);
  expect(loaded.ok ? [] : loaded.problems.map(({ path, received }) => [path, received])).toEqual([
    ['data.prints[0]', expect.stringContaining(`1 bad row:\n  ${tape}:3: `)],
  ]);
});

test.each([
  ['an import of a package', "import { x } from 'undici';", 'was an import of undici in mine.mjs'],
  ['files', "import { readFileSync } from 'node:fs';", 'was an import of node:fs in mine.mjs'],
  ['data of the future', "import prices from './prices.json';", 'was an import of ./prices.json in mine.mjs'],
  ['parts of the program', `import '${join(ROOT, 'src/journal/journal-reader.ts')}';`, 'was an import of /'],
  ['a file next to it that reads files', "import './part.mjs';", 'was an import of node:fs in part.mjs'],
  ['an import while it runs', "const fs = await import('node:' + 'fs');", 'was import() in mine.mjs'],
  ['require', "const fs = require('fs');", 'was require() in mine.mjs'],
  ['code made of text', "const now = eval('Date.now()');", 'was eval() in mine.mjs'],
  ['modules by name', "process.getBuiltinModule('fs');", 'was getBuiltinModule in mine.mjs'],
  ['half a module', 'export default {', 'expected a module that can be loaded'],
  ['a throw', "throw new Error('boom');", 'mine.mjs:1:7'],
  [
    'no strategy',
    'export default 5;',
    'expected a module whose default export is a strategy, was ./mine.mjs without one',
  ],
])('a strategy file with %s is reported at its line', async (_, text, problem) => {
  const { dir, file } = written('');
  writeFileSync(join(dir, 'mine.mjs'), text);
  writeFileSync(join(dir, 'part.mjs'), "import { readFileSync } from 'node:fs';");
  writeFileSync(file, good(dir).replace('ema-cross', './mine.mjs'));
  const loaded = await loadBacktest(file);
  const problems = loaded.ok ? [] : loaded.problems.map(formatProblem);
  expect(problems).toEqual([expect.stringContaining(problem)]);
  expect(problems[0]).toContain(`${file}:8:15 strategies[0].strategy: expected a module `);
});

test('a file without mistakes names its days, and reads its data once', async () => {
  const { dir, file } = written('');
  writeFileSync(file, good(dir));
  const notes: string[] = [];
  const first = await loadBacktest(file, { note: (text) => notes.push(text) });
  const second = await loadBacktest(file, { note: (text) => notes.push(text) });
  expect(first.ok && first.backtest.sources.days).toEqual(['2026-06-03']);
  expect(second.ok).toBe(true);
  const tape = join(SAMPLE, '2026-06-03_vn30f2606.csv.gz');
  expect(notes).toEqual([
    `importing ${tape}`,
    `${tape}: finest step of prices 0.1 (line 2007), of volumes 1 (line 3)`,
  ]);
});

const CONFIG = join(ROOT, 'config');
const shipped = readdirSync(CONFIG).filter((name) => /^backtest.*\.yaml$/.test(name));

test('finds the shipped backtests', () => {
  expect(shipped).toContain('backtest.yaml');
});

test.each(shipped)('%s is right as it is shipped', async (name) => {
  const { dir, file } = written('');
  const text = readFileSync(join(CONFIG, name), 'utf8');
  // Beside the file as it is shipped, but with what it writes in a folder of the test.
  writeFileSync(
    file,
    `state: ${dir}\n${text.replaceAll(/\.\.\/data|vn30f\.yaml/g, (path) => join(CONFIG, path))}`,
  );
  const loaded = await loadBacktest(file);
  expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([]);
});

const ownMarket = (
  dir: string,
  more: { readonly file?: string; readonly symbol?: string } = {},
): string => `state: ${dir}
capital: 10000
market: { contracts: { X: { tick: 0.1 }, Y: { tick: 0.1 } } }
data: { bars: [{ file: bars.csv, symbol: X${more.file ?? ''} }] }
strategies: [{ id: one, strategy: ema-cross, symbols: [${more.symbol ?? 'X'}], overnight: true }]
`;

const hours = (...closes: readonly string[]): string =>
  `time,open,high,low,close\n${closes.map((close, i) => `2026-01-05T0${i}:00:00Z,${close},${close},${close},${close}\n`).join('')}`;

test('a contract of the market without data in the run is refused: its strategy would wait for ever', async () => {
  const { dir, file } = written('');
  writeFileSync(join(dir, 'bars.csv'), hours('1.0', '1.1'));
  writeFileSync(file, ownMarket(dir, { symbol: 'Y' }));
  const loaded = await loadBacktest(file);
  expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([
    expect.stringContaining(
      'strategies[0].symbols[0]: expected a contract with data in this run (X), was "Y" (name its file in data, or leave it out)',
    ),
  ]);
});

test('steps finer than tick and lot are refused with their lines and the lines to write', async () => {
  const { dir, file } = written('');
  writeFileSync(
    join(dir, 'bars.csv'),
    'time,open,high,low,close,volume\n2026-01-05T00:00:00Z,1,1.5,1,1.25,3\n2026-01-05T01:00:00Z,2,2,2,2,0.5\n',
  );
  writeFileSync(file, ownMarket(dir));
  const loaded = await loadBacktest(file);
  expect(loaded.ok ? '' : loaded.problems.map(formatProblem).join('')).toContain(
    'write tick: 0.25, lot: 0.5 for its contract (finest step of prices 0.25 (line 2), of volumes 0.5 (line 3))',
  );
});

test('a warm-up of all days is refused: nothing would be traded', async () => {
  const { dir, file } = written('');
  writeFileSync(join(dir, 'bars.csv'), hours('1.0', '1.1'));
  writeFileSync(file, `${ownMarket(dir)}warmUpDays: 1\n`);
  const loaded = await loadBacktest(file);
  expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([
    expect.stringContaining('warmUpDays: expected fewer days than the 1 of the data, was 1'),
  ]);
});

test('a file whose first rows are all finer than the tick is refused with its step', async () => {
  const { dir, file } = written('');
  const rows = Array.from({ length: 1_500 }, (_, i) => {
    const price = (1.000_03 + 0.000_2 * (i % 40)).toFixed(5);
    return `${new Date(Date.UTC(2026, 0, 5) + i * 60_000).toISOString()},${price},${price},${price},${price}\n`;
  });
  writeFileSync(join(dir, 'bars.csv'), `time,open,high,low,close\n${rows.join('')}`);
  writeFileSync(file, ownMarket(dir));
  const loaded = await loadBacktest(file);
  const [problem = ''] = loaded.ok ? [] : loaded.problems.map(formatProblem);
  expect(problem).toContain('in column open, was "1.00');
  expect(problem).toContain('; finest step of prices 0.00001 (line 3)');
  expect(problem).toContain('write a tick and a lot of these steps');
});

test('prices finer than the tick are refused with what helps: the right tick, or rounding', async () => {
  const { dir, file } = written('');
  writeFileSync(join(dir, 'bars.csv'), hours('1.04', '1.16'));
  writeFileSync(file, ownMarket(dir));
  const refused = await loadBacktest(file);
  expect(refused.ok ? '' : refused.problems.map(formatProblem).join('')).toContain(
    '{ file: ..., round: true }',
  );
  writeFileSync(file, ownMarket(dir, { file: ', round: true' }));
  expect((await loadBacktest(file)).ok).toBe(true);
});

test('a comma in a price is a decimal one: the file is refused with the key that reads it', async () => {
  const { dir, file } = written('');
  const head = 'time;open;high;low;close\n';
  writeFileSync(
    join(dir, 'bars.csv'),
    `${head}2026-01-05T00:00:00Z;1,1;1,1;1,1;1,1\n2026-01-05T01:00:00Z;1,2;1,2;1,2;1,2\n`,
  );
  writeFileSync(file, ownMarket(dir));
  const refused = await loadBacktest(file);
  expect(refused.ok ? '' : refused.problems.map(formatProblem).join('')).toContain('decimalComma: true');
  writeFileSync(file, ownMarket(dir, { file: ', decimalComma: true' }));
  expect((await loadBacktest(file)).ok).toBe(true);
});

test.each([
  ['"1,234.5"', ''],
  ['"1.234,5"', ''],
  ['"1.234,5"', ', decimalComma: true'],
])(
  'a number with separators of thousands is refused, and the hint can be carried out: %s%s',
  async (number, key) => {
    const { dir, file } = written('');
    const row = (hour: number): string => `2026-01-05T0${hour}:00:00Z;${Array(4).fill(number).join(';')}\n`;
    writeFileSync(join(dir, 'bars.csv'), `time;open;high;low;close\n${row(0)}${row(1)}`);
    writeFileSync(file, ownMarket(dir, { file: key }));
    const refused = await loadBacktest(file);
    const text = refused.ok ? '' : refused.problems.map(formatProblem).join('');
    expect(text).toContain('separators of thousands');
    expect(text).not.toContain('decimalComma');
  },
);

const manyAt = (dir: string, otherTick: string): string => {
  const rows = [3, 4, 5].flatMap((day) =>
    ['A', 'B'].map((symbol, i) => `2024-01-0${day},${symbol},${day + i},20,1,${day + i},7`),
  );
  writeFileSync(join(dir, 'many.csv'), `date,symbol,open,high,low,close,volume\n${rows.join('\n')}\n`);
  return `market: { contracts: { A: { tick: 0.01 }, B: { tick: ${otherTick} }, C: { tick: 0.01 } } }
capital: 1000
state: ${dir}
data: { bars: [{ file: many.csv, every: 1d }] }
strategies: [{ id: one, strategy: ema-cross, symbols: [A], params: { fast: 2, slow: 3 } }]
`;
};

test('one file has the bars of several contracts where a column names them', async () => {
  const { dir, file } = written('');
  writeFileSync(file, manyAt(dir, '0.01'));
  const loaded = await loadBacktest(file);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
  const { all } = loaded.backtest.sources;
  expect(all.map(({ day, code }) => `${day} ${code}`)).toEqual([
    '2024-01-03 A',
    '2024-01-03 B',
    '2024-01-04 A',
    '2024-01-04 B',
    '2024-01-05 A',
    '2024-01-05 B',
  ]);
});

test('a file of several contracts is refused where their ticks differ', async () => {
  const { dir, file } = written('');
  writeFileSync(file, manyAt(dir, '0.05'));
  const loaded = await loadBacktest(file);
  expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([
    expect.stringContaining('a file with a column of symbols needs contracts of one tick and lot'),
  ]);
});

test('a contract expires where trading stops alone', async () => {
  const { dir, file } = written('');
  writeFileSync(file, ownMarket(dir).replace('X: { tick: 0.1', '$&, expiry: 2026-01-05'));
  const loaded = await loadBacktest(file);
  expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([
    expect.stringContaining('market.contracts.X.expiry: expected no expiry where trading never stops'),
  ]);
});

const ticks = (dir: string, data: string): string => {
  writeFileSync(
    join(dir, 't.csv'),
    'time,price,volume\n2025-03-03T09:00:00Z,10.1,5\n2025-03-04T09:00:00Z,10.2,5\n',
  );
  writeFileSync(join(dir, 'u.csv'), 'time,price,volume\n2025-03-04T09:00:00Z,10.3,5\n');
  writeFileSync(
    join(dir, 'q.csv'),
    'time,bid,ask\n2025-03-03T09:00:00Z,10.0,10.1\n2025-03-04T09:00:00Z,10.1,10.3\n',
  );
  return `market: { contracts: { ACME: { tick: 0.1 } } }
capital: 1000
state: ${dir}
data:
  ${data}
strategies: [{ id: one, strategy: ema-cross, symbols: [ACME], overnight: true }]
`;
};

test('quotes next to the trades of the same days are refused, and a day in two files of trades is noted by their names', async () => {
  const { dir, file } = written('');
  const T = '{ file: t.csv, symbol: ACME }';
  writeFileSync(file, ticks(dir, `prints: [${T}]\n  quotes: [{ file: q.csv, symbol: ACME }]`));
  const refused = await loadBacktest(file);
  expect(refused.ok ? [] : refused.problems.map(formatProblem)).toEqual([
    expect.stringMatching(
      /run\.yaml:6:\d+ data\.quotes\[0\]: expected .* of ACME .* 2025-03-03, 2025-03-04 .*bid_1/,
    ),
  ]);
  writeFileSync(file, ticks(dir, `prints: [${T}, { file: u.csv, symbol: ACME }]`));
  const twice = await loadBacktest(file);
  expect(twice.ok ? twice.backtest.sources.remarks : twice.problems).toEqual([
    `ACME on 2025-03-04: ${join(dir, 'u.csv')} is left out, ${join(dir, 't.csv')} has that day too`,
  ]);
});
