/** `tickwright backtest` as a user runs it: the compiled program, files on the disk, exit codes. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const CHROMIUM = '/usr/bin/chromium';
const FILES = ['report.html', 'report.json', 'trades.csv', 'fills.csv', 'equity.csv', 'daily.csv'];

interface Told {
  readonly hashes: { readonly journal: string };
  readonly counts: { readonly rows: number; readonly fills: number };
  readonly statistics: { readonly netProfit: number; readonly trades: { readonly count: number } };
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-backtest-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function backtest(...args: readonly string[]): { code: number | null; out: string; err: string } {
  const main = join(ROOT, 'dist/src/cli/main.js');
  const run = spawnSync(process.execPath, [main, 'backtest', ...args], { encoding: 'utf8', cwd: folder() });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

const rowsOf = (path: string): readonly string[] => readFileSync(path, 'utf8').trim().split('\n').slice(1);

test(
  'the sample runs to a report that a browser draws, and gives the same journal again',
  { timeout: 120_000 },
  async () => {
    const dir = folder();
    const file = join(ROOT, 'config/backtest.yaml');
    const first = backtest(file, '--out', dir, '--json');
    expect(first).toMatchObject({ code: 0, err: expect.not.stringContaining('\r') });
    const told = JSON.parse(first.out) as Told;
    expect(told.counts.rows).toBeGreaterThan(80_000);
    expect(told.statistics.trades.count).toBeGreaterThan(5);
    for (const name of FILES) expect(existsSync(join(dir, name)), name).toBe(true);
    expect(JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'))).toEqual(told);
    expect(rowsOf(join(dir, 'fills.csv'))).toHaveLength(told.counts.fills);
    const closed = rowsOf(join(dir, 'trades.csv')).filter((row) => row.endsWith(',closed'));
    expect(closed).toHaveLength(told.statistics.trades.count);
    const net = rowsOf(join(dir, 'daily.csv')).reduce((sum, row) => sum + Number(row.split(',')[1]), 0);
    expect(net).toBe(told.statistics.netProfit);

    const again = backtest(file, '--out', dir);
    expect(again.code).toBe(0);
    expect(again.out).toContain(`journal ${told.hashes.journal}\n`);
    expect(again.out).toContain(join(dir, 'report.html'));
    if (existsSync(CHROMIUM)) await drawn(join(dir, 'report.html'));
    else process.stderr.write(`not looked at in a browser: there is none at ${CHROMIUM}\n`);
  },
);

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
  connect(ticks, desk) {
    ticks.bars({ every: seconds(60) }).subscribe((bar) => {
      const known = best;
      ${remembers}
      if (bar.phase !== 'continuous' || desk.position().qty !== 0 || desk.workingOrders().length > 0) return;
      if (${when}) desk.buy({ qty: 1, price: bar.close, reason: 'cheat' });
    });
  },
});
`;

test(
  '--verify names who reads the clock and who knows the future, and nobody else',
  { timeout: 120_000 },
  () => {
    const dir = folder();
    writeFileSync(
      join(dir, 'clock.mjs'),
      cheat('clock-reader', '', 'Math.floor(Date.now() / 1e9) % 2 === 0'),
    );
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
      'verified: a second run gives the same journal\nno decision depends on the clock or on the future\n',
    );

    writeFileSync(file, `${head}${entry('clocky', './clock.mjs')}${entry('memo', './memory.mjs')}`);
    const caught = backtest(file, '--verify');
    expect(caught.code, caught.err).toBe(1);
    expect(caught.out).toContain('verified: a second run gives ANOTHER journal');
    expect(caught.out).toContain('clocky asks the machine for time or chance (Date.now)');
    expect(caught.out).toMatch(/the future is known: without the data from .* memo decides otherwise/);
    expect(caught.out).not.toContain('honest asks');
    expect(caught.out).not.toContain('honest decides');
  },
);

test('a mistake ends with exit code 2, its line and what to do', () => {
  const dir = folder();
  const file = join(dir, 'wrong.yaml');
  writeFileSync(file, 'market: nowhere.yaml\ncapital: 0\ndata: {}\nstrategies: []\n');
  const { code, out, err } = backtest(file);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err.split('\n').filter((line) => line.startsWith(`${file}:`)).length).toBeGreaterThan(1);
  expect(err).toContain(`${file}:2:10 capital: expected more than 0, was 0`);
});
