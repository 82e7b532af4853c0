/** A newcomer's first minutes with the packed program: no file but those of the package, no module but those that it declares. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

const scratch = mkdtempSync(join(tmpdir(), 'tickwright-newcomer-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The package as npm unpacks it. */
const PACKAGE = join(scratch, 'node_modules', 'tickwright');

interface Manifest {
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const node = (args: readonly string[], cwd: string) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { code: status, text: stdout + stderr };
};

/** Packed and unpacked; each declared dependency is a link to the installed one. */
function install(): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own manifest
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const stage = join(scratch, 'stage');
  for (const path of [
    ...manifest.files,
    'package.json',
    '.tsconfig.build.json',
    '.tsconfig.types.json',
    'tsconfig.json',
  ])
    cpSync(join(ROOT, path), join(stage, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(stage, 'node_modules'));
  // `npm test` has checked them.
  const types = node([TSC, '-p', '.tsconfig.types.json', '--noCheck'], stage);
  expect(types.code, types.text).toBe(0);
  const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: stage, encoding: 'utf8' });
  expect(packed.status, packed.stderr).toBe(0);
  mkdirSync(PACKAGE, { recursive: true });
  const archive = join(stage, packed.stdout.trim());
  expect(spawnSync('tar', ['-xzf', archive, '--strip-components=1', '-C', PACKAGE]).status).toBe(0);
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const installed = join(ROOT, 'node_modules', name);
    if (!existsSync(installed)) continue;
    mkdirSync(dirname(join(scratch, 'node_modules', name)), { recursive: true });
    symlinkSync(installed, join(scratch, 'node_modules', name));
  }
}

beforeAll(install, 120_000);

const MAIN = join(PACKAGE, 'dist/src/cli/main.js');

function directory(name: string): string {
  const dir = join(scratch, name);
  mkdirSync(dir);
  return dir;
}

test('a new strategy compiles, its first printed command works, and its test passes', () => {
  const dir = directory('first');
  const { code, text } = node([MAIN, 'new-strategy', 'my-mean'], dir);
  expect(code, text).toBe(0);
  // The package is found above the directory: nothing is linked.
  expect(text).not.toContain('linked');
  const [backtest = '', tested = ''] = text.split('\n').filter((line) => line.startsWith('  '));
  expect(backtest.trim()).toBe('tickwright backtest my-mean.yaml');
  expect(tested.trim()).toBe('node --test my-mean.test.mjs');
  const ran = node([MAIN, 'backtest', 'my-mean.yaml'], dir);
  expect(ran.code, ran.text).toBe(0);
  expect(ran.text).not.toContain('denied or rejected');
  // The package brings no compiler.
  expect(ran.text).toContain('the types of ./my-mean.ts are not checked: npm install --save-dev typescript');
  const checked = node(['--test', 'my-mean.test.mjs'], dir);
  expect(checked.code, checked.text).toBe(0);
  expect(checked.text).toContain('pass 2');
  expect(typesOf(dir, 'my-mean.ts')).toBe('');
});

/** What the compiler says of files in this folder: nothing where their types are right. */
function typesOf(dir: string, ...files: readonly string[]): string {
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', noEmit: true, types: [] };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return node([TSC, '-p', '.'], dir).text;
}

test('the guide for newcomers is true, file by file', () => {
  const dir = directory('guide');
  expect(node([MAIN, 'new-strategy', 'my-breakout'], dir).code).toBe(0);
  const guide = readFileSync(join(ROOT, 'strategies/README.md'), 'utf8');
  const shown = (file: string): string =>
    [...guide.matchAll(/```(?:ts|js|yaml)\n(.*?)```/gs)].find(([, text]) =>
      text?.startsWith(`// ${file}\n`),
    )?.[1] ?? '';
  const [first, ...others] = ['my-breakout', 'my-risk', 'my-range'];
  for (const name of [first, ...others])
    for (const file of [`${name}.ts`, `${name}.test.mjs`]) writeFileSync(join(dir, file), shown(file));
  const yaml = join(dir, 'my-breakout.yaml');
  const more = /```yaml\n# my-breakout\.yaml\n(.*?)```/s.exec(guide)?.[1] ?? '';
  const params = /`(params: \{.*?\})`/.exec(guide)?.[1] ?? '';
  writeFileSync(yaml, readFileSync(yaml, 'utf8').replace(/params: .*/, params));
  const tested = node(['--test', 'my-breakout.test.mjs'], dir);
  expect(tested.code, tested.text).toBe(0);
  expect(tested.text).toContain('pass 3');
  for (const name of others) {
    const { code, text } = node(['--test', `${name}.test.mjs`], dir);
    expect(code, text).toBe(0);
    expect(text).toContain('pass 1');
  }
  expect(typesOf(dir, `${first}.ts`, ...others.map((name) => `${name}.ts`))).toBe('');
  writeFileSync(yaml, more, { flag: 'a' });
  const swept = node([MAIN, 'sweep', 'my-breakout.yaml', '--workers', '1'], dir);
  expect(swept.code, swept.text).toBe(0);
  expect(swept.text).toContain('12 runs in');
});

test('where nothing knows the package it is linked, and the test finds it', () => {
  const dir = tempDir();
  const { code, text } = node([MAIN, 'new-strategy', 'alone'], dir);
  expect(code, text).toBe(0);
  expect(text).toContain('linked node_modules/tickwright to ');
  const checked = node(['--test', '--test-name-pattern', 'buys', 'alone.test.mjs'], dir);
  expect(checked.code, checked.text).toBe(0);
});

test('below a checkout of the program that was never built it says what to do, and writes nothing', () => {
  const checkout = directory('checkout');
  cpSync(join(ROOT, 'package.json'), join(checkout, 'package.json'));
  const dir = join(checkout, 'mine');
  mkdirSync(dir);
  const { code, text } = node([MAIN, 'new-strategy', 'below'], dir);
  expect(code, text).toBe(1);
  expect(text).toContain(`tickwright above this folder is not built: run npm ci && npm run build there`);
  expect(readdirSync(dir)).toEqual([]);
});

test('a bad name is refused, and a file that is there stays as it is', () => {
  const dir = directory('second');
  for (const name of ['Three Up', '../up', 'up.ts', 'x'.repeat(61)]) {
    const { code, text } = node([MAIN, 'new-strategy', name], dir);
    expect(code, text).toBe(2);
    expect(text).toContain('nothing was written');
  }
  writeFileSync(join(dir, 'up.csv'), 'mine');
  const { code, text } = node([MAIN, 'new-strategy', 'up'], dir);
  expect(code, text).toBe(2);
  expect(text).toContain('up.csv is there already');
  expect(readdirSync(dir)).toEqual(['up.csv']);
  expect(readFileSync(join(dir, 'up.csv'), 'utf8')).toBe('mine');
});

test('a test plays bars of any length for several legs, and books', () => {
  const dir = directory('legs');
  const head = `import { defineStrategy, seconds, z } from 'tickwright/strategy';
export default defineStrategy({
  name: 'of-test', summary: 'of a test', params: z.object({}),`;
  writeFileSync(
    join(dir, 'pair.ts'),
    `${head} legs: ['front', 'next'],
  connect(ticks, trader) {
    ticks.leg('next').bars({ every: seconds(5) }).subscribe(({ close, complete }) => {
      trader.plot('next', close);
      if (complete && close === trader.ticks(12) && trader.position().qty === 0)
        trader.buy({ qty: 1, price: 'market', reason: 'the other leg is at 12' });
    });
  },
});`,
  );
  writeFileSync(
    join(dir, 'book.ts'),
    `${head} legs: ['only'],
  connect(ticks, trader) {
    ticks.books$.subscribe(({ bids, asks }) => {
      if (asks[0]?.qty === 7 && trader.position().qty === 0)
        trader.buy({ qty: bids[1]?.qty ?? 1, price: asks[0].price, reason: 'seven are offered' });
    });
  },
});`,
  );
  writeFileSync(
    join(dir, 'plays.mjs'),
    `import { playBars } from 'tickwright/testing';
const play = (file, run) => playBars({ strategy: new URL(file, import.meta.url), ...run });
const shown = ({ fills }) => fills.map(({ symbol, side, qty, price }) => [symbol, side, qty, price].join(' '));
const level = { bid: 99, bid_size: 5, ask: 100, ask_size: 7 };
const refused = [];
try { play('./pair.ts', { every: '5 s', legs: { FRONT: [1], NEXT: [1] } }); } catch ({ message }) { refused.push(message); }
console.log(JSON.stringify([
  shown(play('./pair.ts', { every: '5s', tick: 0.5, legs: { FRONT: [10, 10.5, 11, 11.5], NEXT: [12, null, 12, 13] } })),
  shown(play('./book.ts', { every: '1s', legs: { X: [{ ...level, ask_size: 6 }, level, level, level] } })),
  shown(play('./book.ts', { every: '1s', legs: { X: [{ bid_1: 99, bid_size_1: 1, ask_1: 100, ask_size_1: 7, bid_2: 98, bid_size_2: 2, ask_2: 101, ask_size_2: 1 }, { bid_1: 99, bid_size_1: 1, ask_1: 100, ask_size_1: 9, bid_2: 98, bid_size_2: 2, ask_2: 101, ask_size_2: 1 }] } })),
  refused,
]));
`,
  );
  const { code, text } = node(['plays.mjs'], dir);
  expect(code, text).toBe(0);
  expect(JSON.parse(text)).toEqual([
    ['FRONT buy 1 10.0'],
    ['X buy 1 100.00'],
    ['X buy 2 100.00'],
    ['expected a length of bars like 5s, 1h or 1d, was 5 s'],
  ]);
});

/** With this handler of bars. */
const strategy = (body: string): string => `import { defineStrategy, z } from 'tickwright/strategy';
export default defineStrategy({
  name: 'bad', summary: 'fails', params: z.object({}), legs: ['only'],
  connect(ticks) { ticks.bars().subscribe(() => { ${body} }); },
});
`;

test('a test of a strategy sees what it threw, and that it reads the clock', () => {
  const dir = directory('third');
  writeFileSync(join(dir, 'throws.ts'), strategy("throw new Error('boom');"));
  writeFileSync(join(dir, 'clock.ts'), strategy('Date.now();'));
  writeFileSync(
    join(dir, 'minutes.ts'),
    strategy('')
      .replace('{ defineStrategy', '{ minutes, defineStrategy')
      .replace('bars()', 'bars({ every: minutes(1) })'),
  );
  writeFileSync(
    join(dir, 'sees.mjs'),
    `import { playCloses } from 'tickwright/testing';
const play = (file) => playCloses({ strategy: new URL(file, import.meta.url), closes: [1, 2, 3] });
const [thrown, clock, short] = [play('./throws.ts'), play('./clock.ts'), play('./minutes.ts')];
console.log(JSON.stringify({ thrown: thrown.errors, short: short.errors, codes: [thrown.exitCode, clock.exitCode], notes: clock.notes }));
`,
  );
  const { code, text } = node(['sees.mjs'], dir);
  expect(code, text).toBe(0);
  const { thrown, short, codes, notes } = JSON.parse(text);
  expect(thrown).toContain('boom');
  expect(short).toContain("every: '1m'");
  expect(codes).toEqual([1, 1]);
  expect(notes.join('\n')).toContain('Date.now');
});
