/** Several contracts side by side, worked out by hand. */
import type { BacktestResult } from '../../../src/research/backtest-result.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planBacktest } from '../../../src/research/spec/plan-backtest.ts';
import { strategyOf, loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { accountSamples } from '../../../src/research/report/report-pictures.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { strategyIndex } from '../../../src/domain/units.ts';

interface SeveralContracts {
  /** In YAML. */
  readonly contracts: string;
  /** Text of CSV files by name of the contract. */
  readonly bars: Readonly<Record<string, string>>;
}

function writeRun({ contracts, bars }: SeveralContracts): string {
  const dir = tempDir();
  for (const [name, text] of Object.entries(bars)) writeFileSync(join(dir, `${name}.csv`), text);
  const legs = JSON.stringify(Object.keys(bars));
  writeFileSync(
    join(dir, 'legs.mjs'),
    `import { defineStrategy } from 'tickwright/strategy';
import { z } from 'zod';
export default defineStrategy({ name: 'legs', summary: 'of a test', legs: ${legs}, params: z.object({}), connect() {} });
`,
  );
  const path = join(dir, 'run.yaml');
  const named = Object.keys(bars).map((name) => `{ file: ${name}.csv, symbol: ${name}, every: 1h }`);
  writeFileSync(
    path,
    `market: { contracts: { ${contracts} } }
capital: 10000
state: ${dir}
data: { bars: [${named.join(', ')}] }
strategies: [{ id: one, strategy: ./legs.mjs, symbols: [${Object.keys(bars).join(', ')}], overnight: true }]
`,
  );
  return path;
}

const time = (us: number): string => new Date(us / 1_000).toISOString().slice(5, 16).replace('T', ' ');

interface Seen {
  /** `time symbol side qty at price` of each fill. */
  readonly fills: readonly string[];
  readonly run: BacktestResult;
}

/** `orders`: market orders by the bar at whose end they are sent. */
async function play(
  run: SeveralContracts,
  orders: Readonly<Record<string, readonly [symbol: string, side: 'buy' | 'sell', qty: number]>> = {},
): Promise<Seen> {
  const backtest = await loadedBacktest(writeRun(run));
  const [first = '', ...others] = Object.keys(run.bars);
  const strategy = strategyOf(
    'one',
    (ticks, trader) => {
      for (const symbol of [first, ...others])
        ticks
          .leg(symbol)
          .bars()
          .subscribe(({ endUs, close }) => {
            const line = `${time(endUs)} ${symbol} ${close}`;
            const [leg, side, qty] = orders[line] ?? [];
            if (leg !== undefined && side !== undefined)
              trader.leg(leg)[side]({ qty: qty ?? 0, price: 'market', reason: 'test' });
          });
    },
    [first, ...others],
  );
  const plan = planBacktest(backtest);
  const result = runBacktest({
    ...plan,
    strategies: [{ ...strategy, index: strategyIndex(0) }],
  });
  const [one] = result.strategies;
  expect([one!.fault, one!.denialCount]).toEqual([null, 0]);
  const fills = [...one!.fills].map(
    ({ tsUs, instrument, side, qty, priceTicks }) =>
      `${time(tsUs)} ${result.instruments[instrument]!.symbol} ${side} ${qty} at ${priceTicks}`,
  );
  return { fills, run: result };
}

const csv = (rows: readonly (readonly [time: string, price: number])[]): string =>
  `time,open,high,low,close,volume\n${rows.map(([at, price]) => `${at},${price},${price},${price},${price},1000\n`).join('')}`;

/** 2 of X at 100 are 200; 3 of Y sold at 55 are 165 below zero; X is sold at 110. */
test('a report adds positions of several kinds by their value', async () => {
  const { run } = await play(
    {
      contracts: 'X: { tick: 1 }, Y: { tick: 1 }',
      bars: {
        X: csv([100, 100, 100, 100, 100, 110].map((price, i) => [`2024-07-03 0${i}:00`, price])),
        Y: csv([55, 55, 55, 55, 55, 55].map((price, i) => [`2024-07-03 0${i}:00`, price])),
      },
    },
    {
      '07-03 01:00 X 100': ['X', 'buy', 2],
      '07-03 02:00 Y 55': ['Y', 'sell', 3],
      '07-03 05:00 X 100': ['X', 'sell', 2],
    },
  );
  const { positionUnit, position: values } = accountSamples(run, Infinity);
  expect(positionUnit).toBe('USD');
  expect(values.map((value) => Math.round(value)).filter((value, i, all) => value !== all[i - 1])).toEqual([
    0, 200, 35, -165,
  ]);
});

const flat = (price: number) =>
  csv([0, 1, 2, 3].map((hour) => [`2024-01-02T0${hour}:00:00Z`, price] as const));

/** All of 10,000 goes from one to the other: both orders fill at the open of the next bar. */
test('an event that sells one contract at market may buy another for the money', async () => {
  const { fills } = await play(
    {
      contracts: 'A: { tick: 0.01 }, B: { tick: 0.01 }',
      bars: { A: flat(100), B: flat(50) },
    },
    {
      '01-02 01:00 A 10000': ['A', 'buy', 100],
      '01-02 03:00 A 10000': ['A', 'sell', 100],
      '01-02 03:00 B 5000': ['B', 'buy', 200],
    },
  );
  expect(fills).toEqual([
    '01-02 01:00 A buy 100 at 10000',
    '01-02 03:00 A sell 100 at 10000',
    '01-02 03:00 B buy 200 at 5000',
  ]);
});
