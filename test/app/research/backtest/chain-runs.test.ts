/** Chains of futures contracts on daily bars, worked out by hand: fills, fees and margin on the contract of the day. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { loadBacktest } from '../../../../src/app/research/backtest/load-backtest.ts';
import { planBacktest } from '../../../../src/app/research/backtest/plan-backtest.ts';
import type { BacktestPlan } from '../../../../src/backtest/backtest-plan.ts';
import type { BacktestResult } from '../../../../src/backtest/backtest-result.ts';
import { runBacktest } from '../../../../src/backtest/run/run-backtest.ts';
import { formatProblem } from '../../../../src/config/problem.ts';
import { priceTicks, strategyIndex } from '../../../../src/domain/units.ts';
import { defineStrategy } from '../../../../src/strategy/index.ts';

type Connect = Parameters<typeof defineStrategy>[0]['connect'];
type Trader = Parameters<Connect>[1];

/** Date, price and volume of one bar. */
type Row = readonly [day: string, price: number, volume: number];

/** The next contract trades more on Friday, the fifth. */
const H: readonly Row[] = [
  ['2024-01-03', 100, 1_000],
  ['2024-01-04', 101, 1_000],
  ['2024-01-05', 102, 400],
  ['2024-01-08', 103, 100],
  ['2024-01-09', 104, 50],
  ['2024-01-10', 105, 50],
];
const M: readonly Row[] = [
  ['2024-01-03', 105, 10],
  ['2024-01-04', 106, 100],
  ['2024-01-05', 107.5, 600],
  ['2024-01-08', 108.5, 900],
  ['2024-01-09', 110, 1_000],
  ['2024-01-10', 111, 1_000],
];

interface ChainRun {
  readonly roll?: string;
  readonly h?: readonly Row[];
  readonly m?: readonly Row[];
  readonly every?: '1d' | '1h';
  /** Further keys of the market. */
  readonly market?: string;
  readonly capital?: number;
  /** Further sections of the backtest. */
  readonly more?: string;
  readonly connect: Connect;
}

const bars = (rows: readonly Row[]): string =>
  `time,open,high,low,close,volume\n${rows.map(([day, price, volume]) => `${day},${price},${price},${price},${price},${volume}\n`).join('')}`;

function chainFile({
  roll = '{ by: volume }',
  h = H,
  m = M,
  every = '1d',
  market = '',
  capital = 12_000,
  more = '',
}: Omit<ChainRun, 'connect'>): string {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-chain-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'h.csv'), bars(h));
  writeFileSync(join(dir, 'm.csv'), bars(m));
  const path = join(dir, 'run.yaml');
  writeFileSync(
    path,
    `state: ${dir}
capital: ${capital}
market:
  contracts:
    ES: { tick: 0.25, pointValue: 50, margin: { initial: 5000 }, chain: { ESH4: 2024-01-12, ESM4: 2024-06-21 }, roll: ${roll} }
  costs: { perContract: 2.25 }
${market}data: { bars: [{ file: h.csv, symbol: ESH4, every: ${every} }, { file: m.csv, symbol: ESM4, every: ${every} }] }
strategies: [{ id: one, strategy: ema-cross, symbols: [ES], overnight: true }]
${market === '' ? '' : 'memory: day\n'}${more}`,
  );
  return path;
}

async function chainPlan({ connect, ...run }: ChainRun): Promise<BacktestPlan> {
  const loaded = await loadBacktest(chainFile(run));
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
  const definition = defineStrategy({
    name: 'one',
    summary: 'of a test',
    params: z.object({}),
    legs: ['contract'],
    connect,
  });
  return {
    ...planBacktest(loaded.backtest),
    strategies: [{ index: strategyIndex(0), id: 'one', definition, params: {} }],
  };
}

/** Acts at the end of each bar; the first is 1. */
const onBars =
  (act: (trader: Trader, bar: number, close: number) => void): Connect =>
  (ticks, trader) => {
    let bar = 0;
    ticks.bars().subscribe(({ close }) => {
      bar += 1;
      act(trader, bar, close);
    });
  };

const fillsOf = ({ strategies, instruments }: BacktestResult): readonly string[] =>
  [...strategies[0]!.fills].map(({ tsUs, side, qty, priceTicks, instrument }) => {
    const day = new Date(tsUs / 1_000).toISOString().slice(0, 10);
    return `${day} ${side} ${qty} ${instruments[instrument]!.symbol} at ${priceTicks / 4}`;
  });

const BUYS_TWO = onBars((trader, bar) => {
  if (bar === 1) trader.buy({ qty: 2, price: 'market', reason: 'test' });
});

const hourly = (rows: readonly Row[]): readonly Row[] =>
  rows.flatMap(([day, price, volume]): readonly Row[] => [
    [`${day}T09:00:00Z`, price, volume],
    [`${day}T10:00:00Z`, price + 1, volume],
  ]);

const HOURS = "  hours: [{ phase: continuous, from: '09:00', to: '11:00' }]\n";

describe('a chain of two contracts', () => {
  test('takes a position along, with fees and margin of each contract', async () => {
    const seen: number[] = [];
    const held: number[] = [];
    const connect = onBars((trader, bar, close) => {
      seen.push(close / 4);
      held.push(trader.position().qty);
      if (bar === 1) trader.buy({ qty: 2, price: 'market', reason: 'test' });
    });
    const result = runBacktest(await chainPlan({ connect }));
    expect(fillsOf(result)).toEqual([
      '2024-01-04 buy 2 ESH4 at 101',
      '2024-01-08 sell 2 ESH4 at 103',
      '2024-01-08 buy 2 ESM4 at 108.5',
    ]);
    expect(seen).toEqual([100, 101, 102, 108.5, 110, 111]);
    expect(held).toEqual([0, 2, 2, 2, 2, 2]);
    expect(result.strategies[0]!.denials).toEqual([]);
    // 2 * 50 * (103 - 101) + 2 * 50 * (111 - 108.5) - 6 * 2.25
    expect(result.dayEquity.at(-1)! / result.moneyScale).toBe(12_000 + 200 + 250 - 13.5);
    expect(result.funds.marginUsed.at(-1)! / result.moneyScale).toBe(10_000);
    expect(result.rolls).toEqual([
      {
        chain: 'ES',
        day: '2024-01-08',
        from: 'ESH4',
        to: 'ESM4',
        closeFrom: 102,
        closeTo: 107.5,
        rule: 'volume',
      },
    ]);
  });

  test('rolls so many days before the last one, and a short position too', async () => {
    const connect = onBars((trader, bar) => {
      if (bar === 1) trader.sell({ qty: 1, price: 'market', reason: 'test' });
    });
    const result = runBacktest(await chainPlan({ roll: '{ by: date, days: 3 }', connect }));
    expect(fillsOf(result)).toEqual([
      '2024-01-04 sell 1 ESH4 at 101',
      '2024-01-10 buy 1 ESH4 at 105',
      '2024-01-10 sell 1 ESM4 at 111',
    ]);
    expect(result.rolls.map(({ day, rule }) => `${day} ${rule}`)).toEqual([
      '2024-01-10 3 days before the last day',
    ]);
  });

  test('decides each roll by the days before it', async () => {
    const m = M.map((row): Row => (row[0] < '2024-01-08' ? row : [row[0], 90, 1]));
    expect(fillsOf(runBacktest(await chainPlan({ m, connect: BUYS_TWO })))).toEqual([
      '2024-01-04 buy 2 ESH4 at 101',
      '2024-01-08 sell 2 ESH4 at 103',
      '2024-01-08 buy 2 ESM4 at 90',
    ]);
  });

  test('cancels what waits in the old contract, and tells the strategy', async () => {
    const told: string[] = [];
    const connect: Connect = (ticks, trader) => {
      ticks.rollovers$.subscribe(({ contract }) => void told.push(contract.orderCode));
      ticks.orders$.subscribe(({ status }) => void told.push(status));
      onBars((_, bar) => {
        if (bar === 1) trader.buy({ qty: 1, price: priceTicks(200), reason: 'test' });
      })(ticks, trader);
    };
    const result = runBacktest(await chainPlan({ connect }));
    expect(fillsOf(result)).toEqual([]);
    expect(told.filter((each) => each === 'ESM4' || each === 'canceled')).toEqual(['ESM4', 'canceled']);
  });

  test('rolls after the first bar of a session, with an engine made anew each day', async () => {
    const connect = onBars((trader) => {
      if (trader.contract.orderCode !== 'ESH4' || trader.position().qty !== 0) return;
      if (trader.workingOrders().length === 0) trader.buy({ qty: 2, price: 'market', reason: 'test' });
    });
    const result = runBacktest(
      await chainPlan({ h: hourly(H), m: hourly(M), every: '1h', market: HOURS, connect }),
    );
    expect(fillsOf(result)).toEqual([
      '2024-01-03 buy 2 ESH4 at 101',
      '2024-01-08 sell 2 ESH4 at 104',
      '2024-01-08 buy 2 ESM4 at 109.5',
    ]);
  });

  /** A bar gives 4 % of its volume, or 2 %: the position would be 25 after three days of what is left. */
  test.each([
    [
      'an order that goes on',
      '',
      4,
      [
        '2024-01-08 sell 4 ESH4 at 103',
        '2024-01-08 buy 10 ESM4 at 108.5',
        '2024-01-09 sell 2 ESH4 at 104',
        '2024-01-10 sell 2 ESH4 at 105',
      ],
      '6 of 10 ESH4 has not been closed (partially_filled)',
    ],
    [
      'an order of each day',
      HOURS,
      2,
      [
        '2024-01-08 sell 2 ESH4 at 104',
        '2024-01-08 buy 10 ESM4 at 109.5',
        '2024-01-09 sell 1 ESH4 at 105',
        '2024-01-10 sell 1 ESH4 at 106',
      ],
      '8 of 10 ESH4 was not closed (expired)',
    ],
  ])(
    'closes the rest by %s, opens no more, and says so',
    async (_name, market, volumePercent, fills, text) => {
      const isDaily = market === '';
      const connect = onBars((trader) => {
        if (trader.contract.orderCode !== 'ESH4' || trader.position().qty !== 0) return;
        if (trader.workingOrders().length === 0) trader.buy({ qty: 10, price: 'market', reason: 'test' });
      });
      const result = runBacktest(
        await chainPlan({
          h: isDaily ? H : hourly(H),
          m: isDaily ? M : hourly(M),
          every: isDaily ? '1d' : '1h',
          market,
          capital: 1_000_000,
          more: `models: { volumePercent: ${volumePercent} }\n`,
          connect,
        }),
      );
      expect(fillsOf(result).slice(1)).toEqual(fills);
      expect(result.notices[0]).toMatchObject({
        code: 'roll_incomplete',
        text: `roll to ESM4: ${text}: its legs differ`,
      });
    },
  );

  test.each([
    ['the broker', 60, '', 'rejected'],
    ['risk', 103, 'risk: { ordersPerSecondMax: 1 }\n', 'denied'],
  ])('says that %s let nothing in', async (_name, price, more, status) => {
    const h = H.map(([day, at, volume]): Row => [day, day < '2024-01-08' ? at : price, volume]);
    const connect = onBars((trader) => {
      if (trader.contract.orderCode !== 'ESH4' || trader.position().qty !== 0) return;
      if (trader.workingOrders().length === 0) trader.buy({ qty: 2, price: 'market', reason: 'test' });
    });
    const result = runBacktest(
      await chainPlan({ h: hourly(h), m: hourly(M), every: '1h', market: HOURS, more, connect }),
    );
    expect(fillsOf(result).slice(1)).toEqual([`2024-01-08 sell 2 ESH4 at ${price + 1}`]);
    expect(result.notices.map(({ text }) => text)).toEqual([
      `roll to ESM4: 2 of 2 ESM4 was not opened (${status}): its legs differ`,
    ]);
  });

  test('names the contract without prices on the day of the roll', async () => {
    const loaded = await loadBacktest(chainFile({ h: H.filter(([day]) => day !== '2024-01-08') }));
    expect(loaded.ok ? [] : loaded.problems.map(formatProblem).join()).toContain('none of ESH4');
  });

  test.each([
    ['{ by: volume }', 'expiry: 2024-01-12', 'no expiry beside a chain'],
    ['{ by: date }', '', 'days'],
  ])('refuses %s with %s', async (roll, more, message) => {
    const loaded = await loadBacktest(chainFile({ roll: more === '' ? roll : `${roll}, ${more}` }));
    expect(loaded.ok ? '' : loaded.problems.map(formatProblem).join()).toContain(message);
  });
});
