/**
 * `npm run bench -- footprint`: which files and functions run for a tick, and for an order with its fill, in a backtest, in a session in virtual
 * time and in a daemon against the simulator. Writes the lists of the first two and the table of `src/README.md`; `--check` compares
 * them instead, and ends with 1 where they differ.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { Draws } from '../../simulate/draws.ts';
import { exchangeHours, steadyPlan } from '../../simulate/month.ts';
import type { Owner } from '../../simulate/virtual-time.ts';
import { World } from '../../simulate/world.ts';
import { commandOptions } from '../../support/command-options.ts';
import { benchData, benchPlan } from '../backtest-plan.ts';
import { benchRows } from '../backtest-ticks.ts';
import { medianOf } from '../rounds.ts';
import {
  type Executed,
  FEW,
  fileOf,
  isPackage,
  MANY,
  Samples,
  SamplesOfEvents,
  type SamplesWanted,
  usual,
} from './coverage.ts';
import { footprintTrader } from './footprint-trader.ts';
import { liveFootprint } from './live-footprint.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const LISTS = join(ROOT, 'test/golden/footprint.txt');
const README = join(ROOT, 'src/README.md');
const BEGIN = '<!-- footprint -->';
const END = '<!-- end of footprint -->';

const ROWS = 4_000;
/** Half a minute before the auction that opens the day. */
const START_US = Date.UTC(2026, 2, 9, 1, 57, 30) * 1_000;
const SESSION_SECONDS = 3_600;

/** Not counted in the first figure: types and texts that everything uses. */
const isPlain = (name: string): boolean => /^(?:domain|text)\//.test(name);

const files = (names: Executed): readonly string[] => [...new Set([...names].map(fileOf))].toSorted();

function inBacktest(wanted: SamplesWanted): Samples {
  const plan = benchPlan(
    benchData(benchRows(ROWS)),
    { strategies: 1, trade: true, fast: 2, slow: 3 },
    { crosses: 0, sum: 0 },
  );
  const samples = new Samples(wanted);
  const definition = footprintTrader(samples, () => undefined);
  const [first] = plan.strategies;
  if (first === undefined) throw new Error('expected a strategy');
  runBacktest({ ...plan, strategies: [{ ...first, definition, params: {} }] });
  return filled(samples, 'the backtest');
}

async function inSession(wanted: SamplesWanted): Promise<Samples> {
  const root = mkdtempSync(join(tmpdir(), 'tickwright-footprint-'));
  const draws = new Draws(1);
  const plan = { ...steadyPlan(1, START_US, draws), marketMs: 100 };
  const samples = new SamplesOfEvents(wanted);
  const world = new World({
    plan: { ...plan, strategies: plan.strategies.slice(0, 1) },
    draws,
    root,
    configure: (config) => exchangeHours(config, SESSION_SECONDS / 60),
    definition: footprintTrader(samples, () => undefined),
  });
  try {
    // The broker's work, and that of the checks, is none of the program's.
    const isOurs = ({ name }: Owner): boolean => name.startsWith('daemon') && !samples.isFull;
    world.time.watch = {
      begin: (owner) => {
        if (isOurs(owner)) samples.began();
      },
      end: (owner) => {
        if (isOurs(owner)) samples.ended();
      },
    };
    world.start();
    await world.run(SESSION_SECONDS, () => samples.isFull);
  } finally {
    world.checks.close();
    world.close();
    rmSync(root, { recursive: true });
  }
  return filled(samples, 'the session');
}

function filled(samples: Samples, what: string): Samples {
  if (samples.isFull) return samples;
  throw new Error(
    `${what} has ended after ${samples.ticks.length} ticks without an order and ${samples.orders.length} orders: expected more`,
  );
}

interface Footprint {
  readonly what: string;
  readonly samples: readonly Executed[];
}

const count = (samples: readonly Executed[], of: (names: Executed) => number): number =>
  medianOf(samples.map(of));

/** Medians of files and functions, and the same without `domain` and `text`; packages are named in the lists alone. */
function row({ what, samples }: Footprint): string {
  const ours = samples.map((names) => new Set([...names].filter((name) => !isPackage(name))));
  const own = ours.map((names) => new Set([...names].filter((name) => !isPlain(name))));
  const figures = [own, ours].flatMap((each) => [
    count(each, (names) => files(names).length),
    count(each, (names) => names.size),
  ]);
  return `| ${[what, ...figures.map((figure) => String(Math.round(figure)))].join(' | ')} |`;
}

const list = ({ what, samples }: Footprint, most: number): string =>
  [`${what}:`, ...files(usual(samples.slice(0, most))).map((file) => `  ${file}`)].join('\n');

const values = commandOptions(
  'bench -- footprint',
  'which files and functions run for a tick and for an order',
  {
    check: { type: 'boolean', default: false, help: 'compares the lists with those of the repository' },
    live: {
      type: 'boolean',
      default: false,
      help: 'starts a daemon against the simulator too; printed only',
    },
  },
);

const wanted = values.check ? FEW : MANY;
// A take costs milliseconds, and an event of the session two of them.
const [backtest, session] = [inBacktest(wanted), await inSession(FEW)];
const kept: readonly Footprint[] = [
  { what: 'a tick, backtest', samples: backtest.ticks },
  { what: 'an order and its fill, backtest', samples: backtest.orders },
  { what: 'a tick, session in virtual time', samples: session.ticks },
  { what: 'an order and its fill, session in virtual time', samples: session.orders },
];
const lists = `${kept.map((each, at) => list(each, at % 2 === 0 ? FEW.ticks : FEW.orders)).join('\n\n')}\n`;
if (values.check) check();
else write(kept.map(row));
if (values.live) {
  const { ticks, orders, packages } = await liveFootprint();
  console.log(row({ what: 'a tick, live, both threads', samples: ticks }));
  console.log(row({ what: 'an order and its fill, live, both threads', samples: orders }));
  for (const [thread, names] of Object.entries(packages))
    console.log(`packages of a tick, live, ${thread} thread: ${names.join(' ')}`);
}

function write(rows: readonly string[]): void {
  const head = [
    '| | files | functions | files with `domain` and `text` | functions |',
    '| --- | --- | --- | --- | --- |',
  ];
  const table = [...head, ...rows].join('\n');
  const readme = readFileSync(README, 'utf8');
  const [before, after] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (before < 0 || after < before)
    throw new Error(`${README}: expected ${BEGIN} before ${END}, to write between`);
  writeFileSync(README, `${readme.slice(0, before + BEGIN.length)}\n\n${table}\n\n${readme.slice(after)}`);
  writeFileSync(LISTS, lists);
  console.log(table);
  console.log(`written to ${README} and ${LISTS}`);
}

/** Ends with 1 where a file has come or gone. */
function check(): void {
  for (const line of kept.map(row)) console.log(line);
  const [was, is] = [readFileSync(LISTS, 'utf8'), lists].map((text) => text.trim().split('\n\n'));
  for (const [at, part] of (is ?? []).entries()) {
    const [title = '', ...now] = part.split('\n');
    const [, ...then] = (was?.[at] ?? '').split('\n');
    const changes = [
      ...now.filter((file) => !then.includes(file)).map((file) => `  + ${file.trim()}`),
      ...then.filter((file) => !now.includes(file)).map((file) => `  - ${file.trim()}`),
    ];
    if (changes.length === 0) continue;
    console.log([`files that run have changed for ${title}`, ...changes].join('\n'));
    process.exitCode = 1;
  }
  if (process.exitCode === 1)
    console.log('npm run bench -- footprint writes them again; say in the commit why');
}
