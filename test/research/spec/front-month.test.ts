/** The front month over three expiries: files of single contracts, which the engine rolls as it does live, and a file of the front month. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planBacktest } from '../../../src/research/spec/plan-backtest.ts';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { strategyIndex } from '../../../src/domain/units.ts';
import { strategyOf, loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';

const VN30F = `market: ${join(import.meta.dirname, '../../../config/vn30f.yaml')}`;

/** The day before each expiry (a third Thursday), the expiry, and the day after; its front month and the price of that. */
const DAYS = [
  ['2026-06-17', 'VN30F2606', 1_900],
  ['2026-06-18', 'VN30F2606', 1_900],
  ['2026-06-19', 'VN30F2607', 1_950],
  ['2026-07-15', 'VN30F2607', 1_950],
  ['2026-07-16', 'VN30F2607', 1_950],
  ['2026-07-17', 'VN30F2608', 2_000],
  ['2026-08-19', 'VN30F2608', 2_000],
  ['2026-08-20', 'VN30F2608', 2_000],
  ['2026-08-21', 'VN30F2609', 2_050],
] as const;

const MINUTES = ['10:00', '10:01', '10:02', '14:25', '14:26', '14:27', '14:28', '14:29'];

/** In Vietnam. */
const NOON_UTC = 5;

/** Each contract is in its file on the day before it becomes the front month too. */
const SINGLES = Object.fromEntries(
  DAYS.flatMap(([day, code, price], i) => {
    const next = DAYS[i + 1];
    const more = next === undefined || next[1] === code ? [] : [[next[1], next[2]] as const];
    return [[code, price] as const, ...more].map(([of, at]) => [
      `${day}_${of}.csv`,
      `Time,Price,Volume,Side\n${MINUTES.map((minute) => `${minute}:00,${at},5,M\n`).join('')}`,
    ]);
  }),
);

const SERIES = `time,open,high,low,close,volume\n${DAYS.flatMap(([day, , price]) =>
  MINUTES.map((minute) => `${day} ${minute},${price},${price},${price},${price},50\n`),
).join('')}`;

interface Run {
  readonly files: Readonly<Record<string, string>>;
  /** Sections `market` and `data`. */
  readonly yaml: string;
  readonly symbol?: string;
  readonly memory: 'day' | 'run';
}

/** Buys one in the morning where it holds nothing. `day code side qty cause` of each fill, and the contracts of its rollovers. */
async function played({ files, yaml, symbol = 'VN30F1M', memory }: Run) {
  const dir = tempDir();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const file = join(dir, 'run.yaml');
  writeFileSync(
    file,
    `state: ${dir}
capital: 2000000000
memory: ${memory}
${yaml}
strategies: [{ id: front, strategy: ema-cross, symbols: [${symbol}], overnight: true, params: { barSeconds: 60 } }]
`,
  );
  const backtest = await loadedBacktest(file);
  const rolledTo: string[] = [];
  const strategy = strategyOf(
    'front',
    (ticks, trader) => {
      ticks.trades$.subscribe(({ price, tsUs }) => {
        const isFree = trader.position().qty === 0 && trader.workingOrders().length === 0;
        const isMorning = new Date(tsUs / 1_000).getUTCHours() < NOON_UTC;
        if (isFree && isMorning) trader.buy({ qty: 1, price: trader.plus(price, 1), reason: 'morning' });
      });
      ticks.rollovers$.subscribe(({ contract }) => rolledTo.push(contract.orderCode));
    },
    ['front'],
  );
  const rolled: string[] = [];
  const { strategies, instruments } = runBacktest(
    {
      ...planBacktest(backtest),
      strategies: [{ ...strategy, index: strategyIndex(0) }],
    },
    { onEntry: (entry) => entry.kind === 'alert' && entry.code === 'rolled_over' && rolled.push(entry.text) },
  );
  const [one] = strategies;
  expect([one!.fault, one!.denials]).toEqual([null, []]);
  const fills = [...one!.fills].map(({ tsUs, instrument, side, qty, cause }) => {
    const day = new Date(tsUs / 1_000).toISOString().slice(0, 10);
    return `${day} ${instruments[instrument]!.symbol} ${side} ${qty} ${cause}`;
  });
  return { fills, rolledTo, rolled };
}

const ROLLED = [
  '2026-06-17 VN30F2606 buy 1 order',
  '2026-06-18 VN30F2606 sell 1 order',
  '2026-06-19 VN30F2607 buy 1 order',
  '2026-07-16 VN30F2607 sell 1 order',
  '2026-07-17 VN30F2608 buy 1 order',
  '2026-08-20 VN30F2608 sell 1 order',
  '2026-08-21 VN30F2609 buy 1 order',
];
const NEXT = ['VN30F2607', 'VN30F2608', 'VN30F2609'];

test.each(['day', 'run'] as const)(
  'files of single contracts roll by the engine, with memory: %s',
  async (memory) => {
    const run = await played({ files: SINGLES, yaml: `${VN30F}\ndata: { prints: [.] }`, memory });
    expect(run.fills).toEqual(ROLLED);
    // A fresh engine each morning begins with the contract of its day.
    const next = memory === 'day' ? [] : NEXT;
    expect(run.rolledTo).toEqual(next);
    expect(run.rolled).toEqual(next.map((code) => `front trades VN30F1M (${code}) from now on`));
  },
);

test.each(['day', 'run'] as const)(
  'a file of the front month is the contract of its day, with memory: %s',
  async (memory) => {
    const yaml = `${VN30F}\ndata: { bars: [{ file: front.csv, symbol: VN30F1M, every: 1m }] }`;
    const run = await played({ files: { 'front.csv': SERIES }, yaml, memory });
    expect(run.fills).toEqual(ROLLED);
    expect(run.rolledTo).toEqual(memory === 'day' ? [] : NEXT);
  },
);

test.each(['day', 'run'] as const)(
  'in a market of its own it is one contract, held over each expiry, with memory: %s',
  async (memory) => {
    const yaml = `market: { currency: VND, timeZone: Asia/Ho_Chi_Minh, hours: [{ phase: continuous, from: '09:00', to: '14:30' }], contracts: { FRONT: { tick: 0.1, pointValue: 100000 } } }
data: { bars: [{ file: front.csv, symbol: FRONT, every: 1m }] }`;
    const run = await played({ files: { 'front.csv': SERIES }, yaml, symbol: 'FRONT', memory });
    expect(run).toEqual({ fills: ['2026-06-17 FRONT buy 1 order'], rolledTo: [], rolled: [] });
  },
);
