/** Quotes of a currency pair, as a new user brings them: one CSV, one YAML, one strategy, and a report. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../..');

const YAML = `market:
  currency: USD
  contracts: { EURUSD: { tick: 0.00001, lot: 1000 } }
  costs: { marginPercent: 5 }
capital: 10000
data: { quotes: [{ file: eurusd.csv, symbol: EURUSD }] }
strategies:
  - { id: cross, strategy: ./cross.mjs, symbols: [EURUSD], overnight: true }
`;

const STRATEGY = `import { defineStrategy, minutes } from 'tickwright/strategy';
import { z } from 'zod';
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
export default defineStrategy({
  name: 'fx-cross', summary: 'holds while the last minute closed above the mean of five', legs: ['pair'],
  params: z.object({ qty: z.int().default(10) }),
  connect(ticks, trader) {
    const closes = [];
    ticks.bars({ every: minutes(1) }).subscribe(({ close }) => {
      closes.push(close);
      if (closes.length < 5) return;
      const wanted = close > mean(closes.slice(-5)) ? trader.params.qty : 0;
      const change = wanted - trader.position().qty;
      if (change > 0) trader.buy({ qty: change, price: 'market', reason: 'above' });
      if (change < 0) trader.sell({ qty: -change, price: 'market', reason: 'below' });
    });
  },
});
`;

interface Quote {
  readonly at: number;
  /** Hundred-thousandths. */
  readonly bid: number;
  readonly ask: number;
}

/** A quote every seven seconds of two hours. */
function quotes(): readonly Quote[] {
  let state = 11;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  let bid = 109_500;
  return Array.from({ length: 1_028 }, (_, i) => {
    bid += next(21) - 10;
    return { at: Date.UTC(2024, 0, 3) + i * 7_000, bid, ask: bid + 1 + next(12) };
  });
}

const points = (ticks: number): string => (ticks / 100_000).toFixed(5);

/** A plain loop: decides on the middle at the end of each minute, trades at the quote of that moment. */
function plainly(all: readonly Quote[]): { readonly fills: readonly string[]; readonly profit: number } {
  const closes: number[] = [];
  const fills: string[] = [];
  let [held, cash] = [0, 0];
  all.forEach(({ at, bid, ask }, i) => {
    const following = all[i + 1];
    if (following === undefined || Math.floor(following.at / 60_000) === Math.floor(at / 60_000)) return;
    closes.push(Math.floor((bid + ask) / 2));
    if (closes.length < 5) return;
    const mean = closes.slice(-5).reduce((sum, value) => sum + value, 0) / 5;
    const wanted = closes.at(-1)! > mean ? 10 : 0;
    if (wanted === held) return;
    const price = wanted > held ? ask : bid;
    fills.push(`${wanted > held ? 'buy' : 'sell'},10000,${points(price)}`);
    cash -= (wanted - held) * price;
    held = wanted;
  });
  const last = all.at(-1)!;
  // A tick of a thousand is a cent; what is held counts at the middle, a whole tick.
  return { fills, profit: (cash + held * Math.floor((last.bid + last.ask) / 2)) / 100 };
}

test('quotes in one CSV give the fills and the profit of a plain loop, and are verified', () => {
  expect(YAML.trim().split('\n').length).toBeLessThanOrEqual(15);
  expect(STRATEGY.trim().split('\n').length).toBeLessThanOrEqual(30);
  const dir = tempDir();
  const all = quotes();
  const lines = all.map(
    ({ at, bid, ask }) => `${new Date(at).toISOString()},${points(bid)},${points(ask)}\n`,
  );
  writeFileSync(join(dir, 'eurusd.csv'), `time,bid,ask\n${lines.join('')}`);
  writeFileSync(join(dir, 'fx.yaml'), YAML);
  writeFileSync(join(dir, 'cross.mjs'), STRATEGY);
  const main = join(ROOT, 'dist/src/cli/main.js');
  const args = [main, 'backtest', 'fx.yaml', '--verify', '--out', 'out', '--json'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: dir });
  expect(status, stderr).toBe(0);
  const expected = plainly(all);
  expect(expected.fills.length).toBeGreaterThan(20);
  const [head = '', ...rows] = readFileSync(join(dir, 'out/fills.csv'), 'utf8').trim().split('\n');
  const names = head.split(',');
  const shown = rows.map((row) =>
    ['side', 'qty', 'price'].map((name) => row.split(',')[names.indexOf(name)]).join(','),
  );
  expect(shown).toEqual(expected.fills);
  const report = JSON.parse(stdout) as { readonly statistics: { readonly netProfit: number } };
  expect(report.statistics.netProfit).toBeCloseTo(expected.profit, 2);
  expect(existsSync(join(dir, 'out/report.html'))).toBe(true);
});
