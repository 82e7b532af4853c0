/** Strategies that cheat: each is refused, named or caught, or --verify says in its own words that nobody checks it. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { loadBacktest } from '../../src/research/spec/load-backtest.ts';
import { formatProblem } from '../../src/config/problem.ts';

const MAIN = join(import.meta.dirname, '../../dist/src/cli/main.js');

interface Liar {
  readonly name: string;
  /** Statements before the strategy. */
  readonly head?: string;
  /** A condition of each bar, under which it buys. */
  readonly when?: string;
  readonly message: string;
}

/** Hourly bars that rise and fall, the same ones each time. */
function bars(hours: number): string {
  let state = 11;
  const next = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  const rows = Array.from({ length: hours }, (_, i) => {
    const open = 10_000 + next(400);
    const close = open + next(100) - 50;
    const [high, low] = [Math.max(open, close) + next(30), Math.min(open, close) - next(30)];
    const at = new Date(Date.UTC(2026, 0, 5, i)).toISOString();
    return `${at},${[open, high, low, close].map((cents) => (cents / 100).toFixed(2)).join(',')},5`;
  });
  return `time,open,high,low,close,volume\n${rows.join('\n')}\n`;
}

const source = ({ name, head = '', when = 'true' }: Liar): string => `${head}
import { defineStrategy } from 'tickwright/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: '${name}', summary: 'cheats', params: z.object({}), legs: ['only'],
  connect(ticks, trader) {
    ticks.bars({ every: 3_600_000_000 }).subscribe((bar) => {
      if (${when}) trader.buy({ qty: 1, price: bar.high, reason: 'cheat' });
    });
  },
});
`;

/** Writes the liars and a backtest of them all; its path. */
function written(liars: readonly Liar[], more = '', hours = 96): string {
  const dir = tempDir();
  writeFileSync(join(dir, 'bars.csv'), bars(hours));
  writeFileSync(join(dir, 'prices.json'), '[1, 2, 3]');
  for (const liar of liars) writeFileSync(join(dir, `${liar.name}.mjs`), source(liar));
  const entries = liars.map(
    ({ name }) => `  - { id: ${name}, strategy: ./${name}.mjs, symbols: [X], overnight: true }`,
  );
  const file = join(dir, 'run.yaml');
  writeFileSync(
    file,
    `state: ${dir}
capital: 100000000
market: { contracts: { X: { tick: 0.01 } } }
data: { bars: [{ file: bars.csv, symbol: X }] }
${more}strategies:
${entries.join('\n')}
`,
  );
  return file;
}

function verified(
  liars: readonly Liar[],
  more = '',
  hours = 96,
): { readonly code: number | null; readonly out: string } {
  const run = spawnSync(process.execPath, [MAIN, 'backtest', written(liars, more, hours), '--verify'], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'en_US.UTF-8' },
  });
  return { code: run.status, out: run.stdout + run.stderr };
}

const REFUSED: readonly Liar[] = [
  { name: 'file', head: "import { readFileSync } from 'node:fs';", message: 'an import of node:fs' },
  { name: 'network', head: "import { request } from 'undici';", message: 'an import of undici' },
  {
    name: 'worker',
    head: "import { Worker } from 'node:worker_threads';",
    message: 'an import of node:worker_threads',
  },
  {
    name: 'process',
    head: "import { execSync } from 'node:child_process';",
    message: 'an import of node:child_process',
  },
  { name: 'dice', head: "import { randomInt } from 'node:crypto';", message: 'an import of node:crypto' },
  { name: 'prices', head: "import prices from './prices.json';", message: 'an import of ./prices.json' },
  { name: 'later-import', when: "import('node:fs') !== null", message: 'import() in later-import.mjs' },
  { name: 'require', head: "const fs = require('fs');", message: 'require() in require.mjs' },
  { name: 'eval', when: "eval('Date.now()') > 0", message: 'eval() in eval.mjs' },
  { name: 'function', when: "new Function('return true')()", message: 'Function() in function.mjs' },
  { name: 'binding', when: "process.binding('fs') !== null", message: 'process.binding in binding.mjs' },
  {
    name: 'builtin',
    when: "process.getBuiltinModule('fs') !== null",
    message: 'getBuiltinModule in builtin.mjs',
  },
];

/** Their code runs before anybody sees what they are. */
const REFUSED_AT_LOAD: readonly Liar[] = [
  { name: 'prototype', head: 'Array.prototype.at = () => 0;', message: 'a change of Array.prototype.at' },
  { name: 'hoard', head: 'globalThis.best = 0;', message: 'a change of globalThis.best' },
  {
    name: 'symbol-hoard',
    head: "globalThis[Symbol.for('best')] = 0;",
    message: 'a change of globalThis.Symbol(best)',
  },
  {
    name: 'listener',
    head: "process.on('exit', () => { process.exitCode = 0; });",
    message: 'a strategy called process.on',
  },
  { name: 'end', head: 'process.exit(0);', message: 'a strategy called process.exit' },
];

async function problemsOf(liars: readonly Liar[]): Promise<readonly string[]> {
  const loaded = await loadBacktest(written(liars));
  return loaded.ok ? [] : loaded.problems.map(formatProblem);
}

test('what a strategy imports or makes of text is refused before anything runs', async () => {
  const problems = await problemsOf(REFUSED);
  expect(problems).toEqual(REFUSED.map(({ message }) => expect.stringContaining(message)));
});

test.each(REFUSED_AT_LOAD)('$name is refused before anything runs', async (liar) => {
  expect(await problemsOf([liar])).toEqual([expect.stringContaining(liar.message)]);
});

const NAMED: readonly Liar[] = [
  { name: 'clock', when: 'Date.now() > 0', message: 'Date.now' },
  { name: 'new-date', when: 'new Date() > 0', message: 'new Date' },
  { name: 'monotonic', when: 'performance.now() > 0', message: 'performance.now' },
  { name: 'format', when: "new Intl.DateTimeFormat('en').format() !== ''", message: 'Intl.DateTimeFormat' },
  { name: 'random', when: 'Math.random() > 0.5', message: 'Math.random' },
  { name: 'uuid', when: "crypto.randomUUID() > '8'", message: 'crypto.randomUUID' },
  { name: 'environment', when: "process.env.HOME !== ''", message: 'process.env' },
  { name: 'process-id', when: 'process.pid > 0', message: 'process.pid' },
  { name: 'parent-id', when: 'process.ppid > 0', message: 'process.ppid' },
  { name: 'report', when: 'process.report !== null', message: 'process.report' },
  { name: 'origin', when: 'performance.timeOrigin > 0', message: 'performance.timeOrigin' },
  { name: 'timer', when: 'setTimeout(() => 0, 1) !== null', message: 'setTimeout' },
  {
    name: 'late-stream',
    head: "import { delay, of } from 'rxjs';",
    when: 'of(bar).pipe(delay(5)).subscribe(() => 0) !== null',
    message: 'delay of rxjs',
  },
  { name: 'fetch', when: "fetch('http://127.0.0.1:1').catch(() => 0) !== null", message: 'fetch' },
  {
    name: 'hidden-binding',
    when: "globalThis['pro' + 'cess']['bind' + 'ing']('config') !== null",
    message: 'process.binding',
  },
  { name: 'indirect-eval', when: "(0, globalThis['ev' + 'al'])('1') === 1", message: 'eval' },
  { name: 'constructor', when: "[].constructor.constructor('return true')()", message: 'code made of text' },
  { name: 'garbage', when: 'new WeakRef(bar).deref() !== undefined', message: 'WeakRef' },
  { name: 'seed', head: 'const seed = Date.now();', when: 'seed % 7 < 9', message: 'Date.now' },
];

test('source maps, which ask for the directory, are not named', () => {
  const liar = { name: 'clock', when: 'Date.now() > 0', message: '' };
  const args = ['--enable-source-maps', MAIN, 'backtest', written([liar]), '--verify'];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stdout).toContain('NOT verified: clock uses the machine it runs on (Date.now)');
});

test('who uses the machine is named, with what it uses', () => {
  // Each look at the clock is traced to its strategy, which takes long.
  const { code, out } = verified(NAMED, '', 24);
  expect(code, out).toBe(1);
  for (const { name, message } of NAMED)
    expect(out).toContain(`NOT verified: ${name} uses the machine it runs on (${message}`);
  expect(out).not.toMatch(/^verified: no strategy calls/m);
});

const CHANGING: readonly Liar[] = [
  {
    name: 'late-prototype',
    when: '(Array.prototype.best ??= bar.high) > 0',
    message: 'Array.prototype.best',
  },
  {
    name: 'late-symbol',
    when: "(globalThis[Symbol.for('best')] ??= bar.high) > 0",
    message: 'globalThis.Symbol(best)',
  },
  { name: 'late-date', when: '(Date.prototype.best ??= bar.high) > 0', message: 'Date.prototype.best' },
];

test('what is changed that all code shares is named', () => {
  const { code, out } = verified(CHANGING);
  expect(code, out).toBe(1);
  const named = /^NOT verified: a strategy changes what all code shares \((.*?)\):/m
    .exec(out)?.[1]
    ?.split(', ');
  expect(named).toEqual(expect.arrayContaining(CHANGING.map(({ message }) => message)));
});

const STOPPED: readonly Liar[] = [
  {
    name: 'own-money',
    when: '(trader.contract.spec.hundredthsPerTick *= 10) > 0',
    message: "Cannot assign to read only property 'hundredthsPerTick'",
  },
  { name: 'late-end', when: 'process.exit(0) === undefined', message: 'a strategy called process.exit' },
  { name: 'handed-end', when: '[0].map(process.exit).length > 0', message: 'a strategy called process.exit' },
];

test('who changes its own money or ends the process is stopped', () => {
  const { code, out } = verified(STOPPED);
  expect(code, out).toBe(1);
  for (const { name, message } of STOPPED)
    expect(out).toMatch(new RegExp(`^FAILED: ${name} crashed at .*: ${message}`, 'm'));
});

const CAUGHT: readonly Liar[] = [
  // The first run fills the list, the second knows what comes.
  {
    name: 'future-bar',
    head: 'const closes = [];',
    when: 'closes.push(bar.close) > 0 && (closes[96] ?? bar.close) !== closes[0]',
    message: 'NOT verified: the future is known: ',
  },
  {
    name: 'time-zone',
    when: 'new Date(0).getTimezoneOffset() === 0',
    message:
      'NOT verified: a second run, at another time and with other random numbers, gives another journal',
  },
  {
    name: 'end-in-promise',
    when: 'queueMicrotask(() => process.exit(0)) === undefined',
    message: 'failed: the process was ended before the run was over',
  },
  {
    name: 'end-at-load',
    head: 'queueMicrotask(() => process.exit(0));',
    message: 'failed: the process was ended before the run was over',
  },
  {
    name: 'timer-without-end',
    head: 'setInterval(() => 0, 1000);',
    when: 'Math.random() > 0.5',
    message: 'NOT verified: timer-without-end uses the machine it runs on (',
  },
  {
    name: 'language',
    when: "(1234.5).toLocaleString() === '1,234.5'",
    message:
      'NOT verified: a second run, at another time and with other random numbers, gives another journal',
  },
];

test.each(CAUGHT)('$name is caught', (liar) => {
  const { code, out } = verified([liar]);
  expect(code, out).toBe(1);
  expect(out).toContain(liar.message);
});

const UNCHECKED_ALWAYS: readonly Liar[] = [
  {
    name: 'survivor',
    message:
      'not checked: symbols, days and parameters that were chosen because of what came after them (survivors',
  },
  {
    name: 'known-prices',
    head: 'const known = [100.5, 99.2];',
    when: 'known.length === 2',
    message: 'not checked: prices that the code of a strategy holds itself',
  },
];

const UNCHECKED: readonly (Liar & { readonly more: string })[] = [
  {
    name: 'same-bar',
    more: 'models: { fill: close }\n',
    message: 'not checked: fills at the close that an order was decided on',
  },
  {
    name: 'path-oracle',
    more: 'models: { fill: ohlc, path: nearest }\n',
    message: 'not checked: the order of the extremes within a bar',
  },
];

test.each(UNCHECKED)('$name: --verify says that nobody checks it', (liar) => {
  const { out } = verified([liar, ...UNCHECKED_ALWAYS], liar.more);
  for (const { message } of [liar, ...UNCHECKED_ALWAYS]) expect(out).toContain(message);
});

test('a repainting indicator earns nothing: orders meet prices after the bar that they were decided on', () => {
  const repaint = { name: 'repaint', head: 'let seen = [];', message: '' };
  const when =
    '(seen = [...seen, bar.close].map((close) => Math.max(close, bar.close))).length > 3 && seen[0] > bar.open';
  const { code, out } = verified([{ ...repaint, head: '', when: when.replaceAll('seen', 'trader.seen') }]);
  expect(code, out).toBe(1);
  const kept = source({ ...repaint, when })
    .replace('let seen = [];', '')
    .replace('ticks.bars', 'let seen = [];\n    ticks.bars');
  const file = written([repaint]);
  writeFileSync(file.replace('run.yaml', 'repaint.mjs'), kept);
  const honest = spawnSync(process.execPath, [MAIN, 'backtest', file, '--verify'], { encoding: 'utf8' });
  expect(honest.status, honest.stdout + honest.stderr).toBe(0);
  expect(honest.stdout).toMatch(/^verified: without the data from .* every decision before is the same/m);
});
