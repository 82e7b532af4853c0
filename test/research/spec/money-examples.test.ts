/** From a file of prices to the files of a report, against plain loops over whole numbers. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planBacktest } from '../../../src/research/spec/plan-backtest.ts';
import { resultCsv } from '../../../src/research/backtest/result-files.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { runStatistics } from '../../../src/research/statistics/run-statistics.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';

const EXAMPLES = join(import.meta.dirname, 'examples');

/** The files of an example's report, as rows by column. */
async function example(name: string, prices: readonly [file: string, text: string]) {
  const dir = tempDir();
  for (const [kind, linesMax] of [
    ['yaml', 15],
    ['mjs', 30],
  ] as const) {
    const file = `${name}.${kind}`;
    expect(readFileSync(join(EXAMPLES, file), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(
      linesMax,
    );
    copyFileSync(join(EXAMPLES, file), join(dir, file));
  }
  writeFileSync(
    join(dir, `${name}.yaml`),
    `${readFileSync(join(dir, `${name}.yaml`), 'utf8')}state: ${dir}\n`,
  );
  writeFileSync(join(dir, prices[0]), prices[1]);
  const backtest = await loadedBacktest(join(dir, `${name}.yaml`));
  const result = runBacktest(planBacktest(backtest));
  expect(result.strategies.map(({ denialCount, fault }) => [denialCount, fault])).toEqual([[0, null]]);
  const files = resultCsv(result, runStatistics(result), () => 0);
  return (file: string): readonly Readonly<Record<string, string>>[] => {
    const [head = '', ...rows] = (files[file] ?? '').trimEnd().split('\n');
    const columns = head.split(',');
    return rows.map((row) => Object.fromEntries(row.split(',').map((cell, i) => [columns[i]!, cell])));
  };
}

interface Bar {
  readonly open: number;
  readonly close: number;
}

/** A walk of whole ticks that comes back to its beginning. */
function walk(count: number, first: number, step: number): readonly Bar[] {
  let state = 12_345;
  const draw = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648 - 0.5) * 2 * step);
  };
  let close = first;
  return Array.from({ length: count }, () => {
    const open = close + draw();
    close = open + draw() + Math.round((first - open) / 20);
    return { open, close };
  });
}

const text = (whole: bigint, decimals: number): string => {
  const digits = (whole < 0n ? -whole : whole).toString().padStart(decimals + 1, '0');
  return `${whole < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};

/** `parts / whole`, half and more up. */
const halfUp = (parts: bigint, whole: bigint): bigint => (2n * parts + whole) / (2n * whole);

const csvOf = (bars: readonly Bar[], decimals: number, timeOf: (at: number) => string): string =>
  bars
    .map(({ open, close }, i) => {
      const [high, low] = [Math.max(open, close), Math.min(open, close)];
      const cells = [open, high, low, close].map((price) => text(BigInt(price), decimals));
      return `${timeOf(i)},${cells.join()},1000000\n`;
    })
    .join('');

const HEAD = 'time,open,high,low,close,volume\n';

test('minutes of a coin with eight decimals around the clock, a quarter of a coin at a time', async () => {
  // Friday 22:00 to Sunday.
  const bars = walk(1_800, 5_123_456, 4_000);
  const from = Date.UTC(2024, 0, 5, 22);
  const read = await example('crypto', [
    'ethbtc.csv',
    HEAD + csvOf(bars, 8, (i) => new Date(from + i * 60_000).toISOString().replace('.000', '')),
  ]);
  // Money in 10^-11 BTC: ticks of 10^-8 of thousandths of a coin. Fees in 10^-8.
  let cash = 150_000_000_000n;
  let fees = 0n;
  let lots = 0n;
  let fills = 0;
  let ordered: 'buy' | 'sell' | null = null;
  bars.forEach(({ open, close }, i) => {
    if (ordered !== null) {
      const value = BigInt(open) * 250n;
      const fee = halfUp(value, 1_000_000n) * 1_000n;
      cash += (ordered === 'buy' ? -value : value) - fee;
      lots = ordered === 'buy' ? 250n : 0n;
      fees += fee;
      fills += 1;
      ordered = null;
    }
    if (i < 4) return;
    const sum = bars.slice(i - 4, i + 1).reduce((all, bar) => all + bar.close, 0);
    const isAbove = close * 5 > sum;
    if (isAbove && lots === 0n) ordered = 'buy';
    if (!isAbove && lots > 0n) ordered = 'sell';
  });
  const rows = read('fills.csv');
  expect(fills).toBeGreaterThan(300);
  expect(rows).toHaveLength(fills);
  expect(new Set(rows.map(({ qty }) => qty))).toEqual(new Set(['0.25']));
  expect(rows[0]).toMatchObject({ price: text(BigInt(bars[5]!.open), 8) });
  const charged = rows.reduce((sum, { fee }) => sum + BigInt(fee!.replace('.', '')), 0n);
  expect(charged).toBe(fees);
  const last = read('equity.csv').at(-1)!;
  const equity = cash + lots * BigInt(bars.at(-1)!.close);
  expect([last['equity'], last['cash']]).toEqual([text(equity, 11), text(cash, 11)]);
});

test('days of a share in dollars: a least fee, a tax on what is sold, cents', async () => {
  const bars = walk(600, 12_345, 180);
  const from = Date.UTC(2022, 0, 3);
  const dates: string[] = [];
  for (let day = from; dates.length < bars.length; day += 86_400_000)
    if (![0, 6].includes(new Date(day).getUTCDay())) dates.push(new Date(day).toISOString().slice(0, 10));
  const read = await example('shares', ['acme.csv', HEAD + csvOf(bars, 2, (i) => dates[i]!)]);
  // Money in cents.
  let cash = 5_000_000n;
  let shares = 0n;
  let ordered = 0n;
  let [before, falls, rises, fills] = [0, 0, 0, 0];
  for (const { open, close } of bars) {
    if (ordered !== 0n) {
      const size = ordered < 0n ? -ordered : ordered;
      const perShare = halfUp(size * 5n, 10n);
      const tax = ordered < 0n ? halfUp(size * BigInt(open) * 278n, 10_000_000n) : 0n;
      cash -= ordered * BigInt(open) + (perShare < 100n ? 100n : perShare) + tax;
      shares += ordered;
      ordered = 0n;
      fills += 1;
    }
    falls = close < before ? falls + 1 : 0;
    rises = close > before && before > 0 ? rises + 1 : 0;
    before = close;
    if (falls === 3) ordered = 150n;
    if (rises === 2 && shares > 0n) ordered = -shares;
  }
  expect(fills).toBeGreaterThan(50);
  expect(read('fills.csv')).toHaveLength(fills);
  const last = read('equity.csv').at(-1)!;
  const equity = cash + shares * BigInt(bars.at(-1)!.close);
  expect([last['equity'], last['cash']]).toEqual([`${text(equity, 2)}00`, `${text(cash, 2)}00`]);
});
