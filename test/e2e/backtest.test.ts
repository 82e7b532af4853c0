/** `tickwright backtest` as a user runs it: the compiled program, files on the disk, exit codes. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHROMIUM = '/usr/bin/chromium';
const FILES = ['report.html', 'report.json', 'trades.csv', 'fills.csv', 'equity.csv', 'daily.csv'];

interface Report {
  readonly hashes: { readonly journal: string };
  readonly counts: { readonly rows: number; readonly fills: number };
  readonly statistics: { readonly netProfit: number; readonly trades: { readonly count: number } };
}

function folder(): string {
  return tempDir();
}

function backtest(...args: readonly string[]): { code: number | null; out: string; err: string } {
  const main = join(ROOT, 'dist/src/cli/main.js');
  const run = spawnSync(process.execPath, [main, 'backtest', ...args], { encoding: 'utf8', cwd: folder() });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

const rowsOf = (path: string): readonly string[] => readFileSync(path, 'utf8').trim().split('\n').slice(1);

test('the sample runs to a report that a browser draws, and gives the same journal again', async () => {
  const dir = folder();
  const file = join(ROOT, 'config/backtest.yaml');
  const first = backtest(file, '--out', dir, '--json');
  expect(first).toMatchObject({ code: 0, err: expect.not.stringContaining('\r') });
  const report = JSON.parse(first.out) as Report;
  expect(report.counts.rows).toBeGreaterThan(80_000);
  expect(report.statistics.trades.count).toBeGreaterThan(5);
  for (const name of FILES) expect(existsSync(join(dir, name)), name).toBe(true);
  expect(JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'))).toEqual(report);
  expect(rowsOf(join(dir, 'fills.csv'))).toHaveLength(report.counts.fills);
  const closed = rowsOf(join(dir, 'trades.csv')).filter((row) => row.endsWith(',closed'));
  expect(closed).toHaveLength(report.statistics.trades.count);
  const net = rowsOf(join(dir, 'daily.csv')).reduce((sum, row) => sum + Number(row.split(',')[1]), 0);
  expect(net).toBe(report.statistics.netProfit);

  const again = backtest(file, '--out', dir);
  expect(again.code).toBe(0);
  expect(again.out).toContain(`journal ${report.hashes.journal}\n`);
  expect(again.out).toContain(join(dir, 'report.html'));
  if (existsSync(CHROMIUM)) await drawn(join(dir, 'report.html'));
  else process.stderr.write(`not looked at in a browser: there is none at ${CHROMIUM}\n`);
});

async function drawn(path: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const trouble: string[] = [];
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector('html[data-drawn]', { state: 'attached' });
  expect(trouble).toEqual([]);
  expect(Number(await page.getAttribute('html', 'data-drawn'))).toBeGreaterThanOrEqual(4);
}

const entry = (id: string, strategy: string): string =>
  `  - { id: ${id}, strategy: ${strategy}, symbols: [VN30F1M] }\n`;

/** A strategy of one file that buys in the first minute that `when` allows. */
const cheat = (name: string, remembers: string, when: string): string => `
import { defineStrategy, seconds } from 'tickwright/strategy';
import { z } from 'zod';
let best = 0;
export default defineStrategy({
  name: '${name}', summary: 'cheats', params: z.object({}), legs: ['contract'],
  connect(ticks, trader) {
    ticks.bars({ every: seconds(60) }).subscribe((bar) => {
      const known = best;
      ${remembers}
      if (bar.phase !== 'continuous' || trader.position().qty !== 0 || trader.workingOrders().length > 0) return;
      if (${when}) trader.buy({ qty: 1, price: bar.close, reason: 'cheat' });
    });
  },
});
`;

test('--verify names who reads the clock and who knows the future, and nobody else', () => {
  const dir = folder();
  // Of today alone: the second run's clock shows another day.
  const today = `Math.abs(Date.now() - ${Date.now()}) < 86_400_000`;
  writeFileSync(join(dir, 'clock.mjs'), cheat('clock-reader', '', today));
  writeFileSync(
    join(dir, 'memory.mjs'),
    cheat('rememberer', 'best = Math.max(best, bar.high);', 'known > bar.close + 60'),
  );
  const file = join(dir, 'cheats.yaml');
  const head = `market: ${join(ROOT, 'config/vn30f.yaml')}
capital: 2000000000
state: ${dir}
data: { prints: [${join(ROOT, 'data/sample')}] }
strategies:
${entry('honest', 'ema-cross')}`;
  writeFileSync(file, head);
  const honest = backtest(file, '--verify');
  expect(honest.code, honest.err).toBe(0);
  expect(honest.out).toContain(
    'verified: a second run, with strategies loaded afresh, another clock, time zone, environment and other random numbers, gives the same journal\n',
  );
  expect(honest.out).not.toContain('NOT verified');
  expect(honest.out).toMatch(
    /verified: without the data from .*, and from .* on, every decision before is the same/,
  );
  expect(honest.out).toContain('not checked: prices that the code of a strategy holds itself');

  writeFileSync(
    join(dir, 'seed.mjs'),
    cheat('seeded', '', 'seed % 7 < 9').replace('let best', 'const seed = Date.now();\nlet best'),
  );
  writeFileSync(
    file,
    `${head}${entry('clocky', './clock.mjs')}${entry('memo', './memory.mjs')}${entry('seeded', './seed.mjs')}`,
  );
  const caught = backtest(file, '--verify');
  expect(caught.code, caught.err).toBe(1);
  expect(caught.out).toMatch(
    /^NOT verified: a second run, .* gives another journal; first clocky decides otherwise/m,
  );
  expect(caught.out).not.toMatch(/^verified/m);
  expect(caught.out).toContain('clocky uses the machine it runs on (Date.now)');
  expect(caught.out).toContain('seeded uses the machine it runs on (Date.now)');
  expect(caught.out).toMatch(/the future is known: without the data from .* memo decides otherwise/);
  expect(caught.out).not.toContain('honest uses');
  expect(caught.out).not.toContain('honest decides');
});

test('a mistake ends with exit code 2, its line and what to do', () => {
  const dir = folder();
  const file = join(dir, 'wrong.yaml');
  writeFileSync(file, 'market: nowhere.yaml\ncapital: 0\ndata: {}\nstrategies: []\n');
  const { code, out, err } = backtest(file);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.split('\n').filter((line) => line.startsWith(`${file}:`)).length).toBeGreaterThan(1);
  expect(err).toContain(`${file}:2:10 capital: expected more than 0, was 0`);
});

const CROSS = `
import { defineStrategy, seconds } from 'tickwright/strategy';
import { z } from 'zod';
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
export default defineStrategy({
  name: 'mean-cross', summary: 'holds while the last closes are above the ones before', legs: ['share'],
  params: z.object({ qty: z.int().default(100) }),
  connect(ticks, trader) {
    const closes = [];
    ticks.bars({ every: seconds(86400) }).subscribe((bar) => {
      closes.push(bar.close);
      if (closes.length < 10) return;
      const wanted = mean(closes.slice(-3)) > mean(closes.slice(-10)) ? trader.params.qty : 0;
      const change = wanted - trader.position().qty;
      const price = Math.round(bar.close * (change > 0 ? 1.5 : 0.5));
      if (change !== 0) trader.submit(change > 0 ? 'buy' : 'sell', { qty: Math.abs(change), price, reason: 'cross' });
    });
  },
});
`;

interface DayBar {
  readonly day: string;
  readonly open: number;
  readonly close: number;
  readonly line: string;
}

/** Weekdays of a year and a half with prices in cents, the same ones each time. */
function dayBars(): readonly DayBar[] {
  const bars: DayBar[] = [];
  let state = 7;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  let price = 19_000;
  for (let at = Date.UTC(2023, 0, 2); bars.length < 300; at += 86_400_000) {
    if ([0, 6].includes(new Date(at).getUTCDay())) continue;
    const open = price + next(200) - 100;
    const close = open + next(500) - 248;
    const [high, low] = [Math.max(open, close) + next(90), Math.min(open, close) - next(90)];
    const day = new Date(at).toISOString().slice(0, 10);
    const cells = [open, high, low, close].map((cents) => (cents / 100).toFixed(2));
    bars.push({ day, open, close, line: `${day};${cells.join(';')};${1_000 + next(9_000)}` });
    price = close;
  }
  return bars;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** What a textbook does: decide on the close, trade at the next open. */
function textbook(bars: readonly DayBar[]): readonly string[] {
  const fills: string[] = [];
  let held = 0;
  bars.forEach((bar, i) => {
    const closes = bars.slice(0, i).map(({ close }) => close);
    if (closes.length < 10) return;
    const wanted = mean(closes.slice(-3)) > mean(closes.slice(-10)) ? 100 : 0;
    if (wanted !== held)
      fills.push(`${bar.day},${wanted > held ? 'buy' : 'sell'},100,${(bar.open / 100).toFixed(2)}`);
    held = wanted;
  });
  return fills;
}

test('daily bars of any market and a strategy of one file give what a textbook gives, trade by trade', () => {
  const dir = folder();
  const bars = dayBars();
  writeFileSync(join(dir, 'share.csv'), `when;o;h;l;c;v\n${bars.map(({ line }) => line).join('\n')}\n`);
  writeFileSync(join(dir, 'cross.mjs'), CROSS);
  const file = join(dir, 'share.yaml');
  writeFileSync(
    file,
    `market:
  currency: USD
  timeZone: America/New_York
  contracts: { SHARE: { tick: 0.01 } }
  costs: { valuePercent: 0.1, orderMin: 1 }
capital: 100000
state: ${dir}
data:
  bars:
    - { file: share.csv, symbol: SHARE, columns: { time: when, open: o, high: h, low: l, close: c, volume: v } }
strategies:
  - { id: cross, strategy: ./cross.mjs, symbols: [SHARE], overnight: true }
`,
  );
  const { code, err } = backtest(file, '--verify', '--out', dir);
  expect(code, err).toBe(0);
  const fills = rowsOf(join(dir, 'fills.csv')).map((row) => row.split(','));
  const expected = textbook(bars);
  expect(expected.length).toBeGreaterThan(20);
  expect(
    fills.map(([time, , , , side, qty, price]) => [time!.slice(0, 10), side, qty, price].join(',')),
  ).toEqual(expected);
  for (const [, , , , , , , value, fee] of fills)
    expect(Number(fee), 'a tenth of a percent, a dollar at least').toBeCloseTo(
      Math.max(1, Number(value) / 1_000),
      3,
    );
});
