/** `tickwright new-strategy`: writes a strategy, its backtest, prices and a test into one folder. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { packageRoot } from '../../host/program-files.ts';
import { isInstalled } from '../../host/strategy-files/strategy-code.ts';
import { failureText } from '../../domain/failure.ts';
import { type CliContext, failed, wrongUsage } from '../cli-io.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const NAME_MAX = 60;

const AFTER_HELP = `
Writes NAME.ts, NAME.yaml, NAME.csv and NAME.test.mjs into this directory, and
replaces none that is there. Where the directory does not know the package
tickwright, or rxjs or trading-signals, node_modules gets links to those of this
program.

Example:
  tickwright new-strategy three-up
`;

export function addNewStrategyCommand(program: Command, { io }: CliContext): void {
  program
    .command('new-strategy')
    .description('write a strategy of your own, with a backtest and a test that run at once')
    .argument('<name>', 'its name: small letters, digits and hyphens, like three-up')
    .addHelpText('after', AFTER_HELP)
    .action((name: string) => {
      if (!NAME.test(name) || name.length > NAME_MAX)
        throw wrongUsage(
          `expected a name of small letters, digits and hyphens, like three-up, at most ${NAME_MAX} of them, ` +
            `was ${JSON.stringify(name)}; nothing was written`,
        );
      if (isKnown('tickwright/package.json') && !isKnown('tickwright/strategy'))
        throw failed(
          'the checkout of tickwright above this folder is not built: run npm ci && npm run build there, or choose a folder outside of it; nothing was written',
        );
      const files = strategyFiles(name);
      write(files);
      io.out(`wrote ${files.map((file) => file.name).join(', ')}\n`);
      for (const { from, to } of linkPackages()) io.out(`linked ${from} to ${to}\n`);
      io.out(`\nNext:\n  tickwright backtest ${name}.yaml\n  node --test ${name}.test.mjs\n`);
    });
}

function write(files: readonly NewStrategyFile[]): void {
  const there = files.find(({ name }) => existsSync(name));
  if (there !== undefined)
    throw wrongUsage(`${there.name} is there already: choose another name, or move it; nothing was written`);
  const written: string[] = [];
  try {
    for (const { name, text } of files) {
      writeFileSync(name, text, { flag: 'wx' });
      written.push(name);
    }
  } catch (error) {
    for (const name of written) rmSync(name, { force: true });
    throw failed(`${failureText(error)}; nothing was written`);
  }
}

/** So that editors, tests and compilers resolve the imports of the files; none where they resolve already. */
function linkPackages(): readonly { readonly from: string; readonly to: string }[] {
  const root = packageRoot();
  const links = PACKAGES.filter((name) => !isKnown(`${name}/package.json`)).map((name) => ({
    from: join('node_modules', name),
    to: name === 'tickwright' ? root : join(root, 'node_modules', name),
  }));
  if (links.length > 0) mkdirSync('node_modules', { recursive: true });
  for (const { from, to } of links) symlinkSync(to, from);
  return links;
}

const isKnown = (name: string): boolean => isInstalled(name, 'strategy.js');

const PACKAGES = ['tickwright', 'rxjs', 'trading-signals'];

type NewStrategyFile = Readonly<Record<'name' | 'text', string>>;

const strategyFiles = (name: string): readonly NewStrategyFile[] => [
  { name: `${name}.ts`, text: code(name) },
  { name: `${name}.yaml`, text: backtest(name) },
  { name: `${name}.csv`, text: prices() },
  { name: `${name}.test.mjs`, text: test(name) },
];

const code = (name: string): string => `import { filter, tap } from 'rxjs';
import { SMA } from 'trading-signals';
import { defineStrategy, hours, indicate, PositionWorker, seconds, z } from 'tickwright/strategy';

export default defineStrategy({
  name: '${name}',
  summary: 'long while the close is above the mean of the last closes, else flat',
  params: z.object({
    bars: z.int().min(2).default(20).describe('closes that make the mean'),
    size: z.int().min(1).default(1).describe('lots held while long'),
  }),
  legs: ['contract'],
  // Called once: subscribe here. Operators remember, so that you need not.
  connect(ticks, trader) {
    const { bars, size } = trader.params;
    // Brings the position to a target: with limit orders where there is a book, at the market on bars.
    const worker = new PositionWorker(ticks, trader, { rest: seconds(2), reprice: seconds(1), slipTicks: 0 });
    ticks
      .bars({ every: hours(1) })
      .pipe(
        indicate({ mean: () => new SMA(bars) }, (bar) => bar.close),
        filter(({ item }) => item.fresh),
        tap(({ mean }) => trader.plot('mean', mean)),
      )
      .subscribe(({ item, mean }) => {
        if (item.close > mean) worker.aim(size, 'the close is above the mean');
        else worker.aim(0, 'the close is not above the mean');
      });
  },
});
`;

const backtest = (name: string): string => `# tickwright backtest ${name}.yaml
market:
  currency: USD
  contracts: { DEMO: { tick: 0.01 } }
  costs: { valuePercent: 0.05 } # of the value of each fill: put your broker's here
capital: 10000
data: { bars: [{ file: ${name}.csv, symbol: DEMO, every: 1h }] } # prices made up: put yours here
strategies:
  - id: ${name}
    strategy: ./${name}.ts
    symbols: [DEMO]
    overnight: true
    params: { bars: 20, size: 10 }
`;

const test = (name: string): string => `// node --test ${name}.test.mjs
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playBacktest, playCloses } from 'tickwright/testing';

const strategy = new URL('./${name}.ts', import.meta.url);

test('buys above the mean of the last closes, and sells below it', () => {
  const { exitCode, errors, fills } = playCloses({
    strategy,
    params: { bars: 3, size: 2 },
    closes: [100, 100, 100, 101, 102, 99, 98, 98],
  });
  assert.equal(exitCode, 0, errors);
  assert.deepEqual(
    fills.map(({ side, qty }) => [side, qty]),
    [
      ['buy', '2'],
      ['sell', '2'],
    ],
  );
});

test('its backtest uses neither the clock nor the future', () => {
  const { exitCode, errors, trades } = playBacktest(new URL('./${name}.yaml', import.meta.url));
  assert.equal(exitCode, 0, errors);
  assert.ok(trades.length > 0);
});
`;

const BARS = 480;
const MS_PER_HOUR = 3_600_000;
const FIRST_MS = Date.UTC(2026, 0, 5);
const HUNDREDTHS = 100;

/** In hundredths; waves of several lengths, the same each time. */
const level = (hour: number): number =>
  Math.round(10_000 + hour + 300 * Math.sin(hour / 30) + 80 * Math.sin(hour / 7) + 25 * Math.sin(hour * 2));

/** Three weeks of hours. */
function prices(): string {
  const rows = Array.from({ length: BARS }, (_, hour) => {
    const [open, close] = [level(hour), level(hour + 1)];
    const points = [open, Math.max(open, close) + 10, Math.min(open, close) - 10, close];
    const time = new Date(FIRST_MS + hour * MS_PER_HOUR).toISOString().replace('.000', '');
    return [time, ...points.map((each) => (each / HUNDREDTHS).toFixed(2)), 1_000].join(',');
  });
  return `time,open,high,low,close,volume\n${rows.join('\n')}\n`;
}
