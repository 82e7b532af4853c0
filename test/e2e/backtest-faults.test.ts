/** Backtests whose strategies fail: the compiled program, strategies from files, exit codes. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../..');

const BARS = `time,open,high,low,close,volume
2026-01-05T00:00:00Z,100,101,99,100,5
2026-01-05T01:00:00Z,100,101,99,100,5
2026-01-05T02:00:00Z,100,101,99,100,5
2026-01-05T03:00:00Z,100,101,99,100,5
`;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a strategy with this handler of bars over four hours; one of JavaScript, which no compiler has to check. */
function run(
  handler: string,
  {
    file = 'own.mjs',
    command = 'backtest',
    params = '',
    more = '',
    costs = '',
    flags = [] as readonly string[],
  }: Partial<Record<'file' | 'command' | 'params' | 'more' | 'costs', string>> & {
    readonly flags?: readonly string[];
  } = {},
): Ended {
  const dir = tempDir();
  writeFileSync(join(dir, 'bars.csv'), BARS);
  writeFileSync(
    join(dir, file),
    `import { defineStrategy, hours } from 'tickwright/strategy';
import { z } from 'zod'; import { of } from 'rxjs';
${file.endsWith('.ts') ? 'interface Seen {\n  readonly bars: number;\n}\nconst seen: Seen = { bars: 0 };\n' : 'const seen = { bars: 0 };\n'}
export default defineStrategy({
  name: 'own', summary: 'x', params: z.object({ ${params} }), legs: ['only'],
  connect(ticks, trader) {
    ticks.bars({ every: hours(1) }).subscribe((bar) => {
      ${handler}
    });
  },
});
`,
  );
  writeFileSync(
    join(dir, 'run.yaml'),
    `state: ${dir}
capital: 10000
market: { contracts: { X: { tick: 0.01 } }${costs} }
data: { bars: [{ file: bars.csv, symbol: X, every: 1h }] }
strategies: [{ id: one, strategy: ./${file}, symbols: [X], overnight: true }]
${more}`,
  );
  const main = join(ROOT, 'dist/src/cli/main.js');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [main, command, join(dir, 'run.yaml'), ...flags],
    {
      encoding: 'utf8',
      cwd: dir,
    },
  );
  return { code: status, out: stdout, err: stderr };
}

test.each([
  ['own.ts', 12],
  ['own.mjs', 9],
])('a throw in %s fails the run, with strategy, market time, file and line', (file, line) => {
  const { code, out, err } = run(`if (bar.close > 0) throw new RangeError('boom');`, { file });
  expect(code, err).toBe(1);
  expect(err).toContain('one crashed at 2026-01-05 01:00:00');
  expect(err).toContain('boom');
  expect(err).toMatch(new RegExp(`/${file}:${line}:\\d+`));
  expect(`${err}${out}`.match(/boom/g)).toHaveLength(1);
});

test('money has the digits of its currency in the tables of the console', () => {
  const { code, out, err } = run(
    "trader.submit({ kind: 'limit', side: 'buy', qty: 20, price: 'market', reason: 'in' });",
    {
      costs: ', costs: { valuePercent: 0.0637 }',
    },
  );
  expect(code, err).toBe(0);
  expect(out).toMatch(/^one +-\d\.\d\d .* \d\.\d\d$/m);
});

test('the first frame of a fault is in the file of its author, wherever the fault was noticed', () => {
  const { err } = run('trader.ticks(100.123);');
  expect(err).toMatch(/one crashed at .*\n +at .*own\.mjs:9:\d+/);
});

test('a price of plain numbers does not compile, and the compiler says how to make one', () => {
  const prices = ['bar.close + 2', 'trader.points(bar.close)', '1300'];
  const { err } = run(
    prices.map((price) => `trader.buy({ qty: 1, price: ${price}, reason: 'x' });`).join('\n'),
    { file: 'own.ts' },
  );
  for (const line of [12, 13, 14])
    expect(err).toMatch(new RegExp(`own\\.ts:${line}:\\d+ TS2322: Type 'number' is not assignable`));
  expect(err).toContain('trader.plus(price, points) moves a price, trader.ticks(points) makes one');
});

test.each([
  [
    'Promise.resolve().then(() => trader.buy({ qty: 1, price: bar.close, reason: "late" }));',
    'trader.buy was called',
  ],
  ['void (async () => { throw new Error(`boom ${bar.close}`); })();', 'boom 10000'],
])('a failure that no event sees fails the run all the same: %s', (handler, message) => {
  const { code, err } = run(handler);
  expect(code, err).toBe(1);
  expect(err).toContain(
    `one failed in a promise or a timer of the machine, after the event was over: ${message}`,
  );
  expect(err).toMatch(/at .*own\.mjs:9:\d+/);
});

test('a throw in a stream of one’s own is a fault of the event in which it begins', () => {
  const { code, err } = run("of(1).subscribe(() => { throw new Error('boom'); });");
  expect(code, err).toBe(1);
  expect(err).toContain('boom');
  expect(err).not.toContain('after the event was over');
});

test('a run in which time does not move ends, and says when and why', () => {
  const { code, err } = run('const again = () => void trader.after(0, again); again();');
  expect(code, err).toBe(1);
  expect(err).toContain('the run does not get beyond 2026-01-05T01:00:00.000Z');
});

test('what a strategy writes to the console is no part of the figures', () => {
  const { code, out, err } = run("console.log('seen', bar.close);", { file: 'own.ts', flags: ['--json'] });
  expect(code, err).toBe(0);
  expect(err).toContain('seen 10000');
  expect(err).not.toContain('type errors');
  expect(JSON.parse(out)).toHaveProperty('notices', [expect.objectContaining({ code: 'bias' })]);
});

const LIMIT = ['--event-limit', '2s'];

test('an endless loop ends the run, with strategy and market time', () => {
  const { code, err } = run('while (bar.close > 0);', { flags: LIMIT });
  expect(code, err).toBe(1);
  expect(err).toContain('one did not return from the event at 2026-01-05 01:00:00');
});

test('an endless loop in the second run of a verification is a finding', () => {
  // The second run has a clock years ahead.
  const { code, err, out } = run(`while (Date.now() > ${Date.UTC(2029, 5, 1)} && bar.close > 0);`, {
    flags: [...LIMIT, '--verify'],
  });
  expect(code, err).toBe(1);
  expect(out).toContain(
    'a second run does not run the backtest: one did not return from the event within 2 s',
  );
});

test('an endless loop outside of connect() ends the load, and names the file', () => {
  const { code, err } = run('}); } }); for (;;); ({ a() { [].map(() => {', { flags: LIMIT });
  expect(code, err).toBe(2);
  expect(err).toContain('code outside of connect() that did not end within 2 s');
});

test('an endless loop in a trial ends the sweep, with trial and strategy', () => {
  const { code, err } = run('while (trader.params.loops > 2);', {
    command: 'sweep',
    params: 'loops: z.int().default(1)',
    more: 'sweep: { parameters: { one: { loops: [1, 2, 3] } }, tradesMin: 0, objective: net_profit }\n',
    flags: [...LIMIT, '--workers', '1'],
  });
  expect(code, err).toBe(1);
  expect(err).toContain('one did not return from the event within 2 s');
  expect(err).toContain('trial {"one":{"loops":3}}');
});

test('a trial finds nothing in a module that an earlier one left there', () => {
  const remember = 'Object.assign(seen, { bars: seen.bars + 1 });';
  const { code, err } = run(
    `${remember} if (seen.bars > 4) trader.buy({ qty: 1, price: trader.ticks(99), reason: 'a second run' });`,
    {
      command: 'sweep',
      params: 'loops: z.int().default(1)',
      more: 'sweep: { parameters: { one: { loops: [1, 2] } }, tradesMin: 0, objective: net_profit }\n',
      flags: ['--workers', '1'],
    },
  );
  // The best trial runs again, and must give the same.
  expect(code, err).toBe(0);
});

test('a throw in a trial fails the sweep, and that trial is never picked', () => {
  const buyOnce = "if (seen.bars === 0) trader.buy({ qty: 1, price: trader.ticks(99), reason: 'low' });";
  const fail = "if (trader.params.loops === 2 && trader.position().qty > 0) throw new Error('boom');";
  const { code, out, err } = run(`${buyOnce} Object.assign(seen, { bars: 1 }); ${fail}`, {
    command: 'sweep',
    params: 'loops: z.int().default(1)',
    more: 'sweep: { parameters: { one: { loops: [2, 1] } }, tradesMin: 0, objective: net_profit }\n',
    flags: ['--workers', '1', '--json'],
  });
  expect(code, out).toBe(1);
  expect(err).toContain('failed: In 1 of 2 trials a strategy was stopped, first: one: boom');
  expect(JSON.parse(out)).toMatchObject({ ranked: [2] });
});
