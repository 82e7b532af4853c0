/**
 * `npm run bench -- parts`: the cost of each part, as a ratio to a bare baseline measured in the same run. The figures of one machine say
 * little about another; the ratios say more. Nothing is asserted.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { commandOptions } from '../support/command-options.ts';
import { backtestCandidates, firstRoundCandidates, wideCandidates } from './backtest-bench.ts';
import { decodeAll, frameCandidates, openEngine } from './frame-bench.ts';
import { marketDay } from './market-day.ts';
import { type Candidate, measure, type Measured } from './rounds.ts';
import { restartBench } from './restart-bench.ts';
import { streamCandidates } from './stream-bench.ts';

const values = commandOptions(
  'bench -- parts',
  'the cost of each part, as ratios to bare baselines of the same run',
  {
    short: { type: 'boolean', default: false, help: 'one small round of each: shows that all of it runs' },
  },
);
const part = (whole: number): number => (values.short ? Math.ceil(whole / 50) : whole);

const FRAMES = part(100_000);
const ROUNDS = part(7);
const PROCESS_ROUNDS = part(3);
const BACKTEST_TICKS = part(200_000);

const say = (line = ''): void => void process.stdout.write(`${line}\n`);
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

async function table(
  title: string,
  unit: 'a second' | 'microseconds',
  candidates: readonly Candidate[],
  rounds = ROUNDS,
  notCounted = values.short ? 0 : 1,
): Promise<void> {
  const rows = await measure(candidates, rounds, notCounted);
  const baseline = rows[0]?.ns ?? NaN;
  const shown = ({ ns }: { ns: number }): string =>
    unit === 'a second' ? `${whole(1e9 / ns)}/s` : `${(ns / 1_000).toFixed(1)} us`;
  const spread = ({ min, max }: Measured): string =>
    unit === 'a second'
      ? `${whole(1e9 / max)} .. ${whole(1e9 / min)}`
      : `${(min / 1_000).toFixed(1)} .. ${(max / 1_000).toFixed(1)}`;
  say();
  say(title);
  for (const row of rows) {
    const ratio = row === rows[0] ? 'baseline' : `x ${(row.ns / baseline).toFixed(2)}`;
    say(`  ${row.name.padEnd(68)}${shown(row).padStart(14)}${ratio.padStart(11)}   ${spread(row)}`);
  }
}

async function main(): Promise<void> {
  mkdirSync('var', { recursive: true });
  // Beside the journal of the daemon: another file system may have no disk below it.
  const scratch = mkdtempSync(join('var', 'bench-'));
  const day = marketDay(FRAMES);
  const events = decodeAll(day);
  const { engine, outbound } = openEngine(day);
  for (const event of events) engine.process(event);
  say(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} threads, ${whole(totalmem() / 2 ** 30)} GiB`,
  );
  say(
    `${platform()} ${release()}, node ${process.version}, load ${loadavg()[0]?.toFixed(2) ?? '?'} at the start`,
  );
  say(
    `${whole(FRAMES)} frames of ${day.contracts.length} contracts a round, medians of ${ROUNDS} rounds after one that is not counted`,
  );
  say(`the strategies placed ${outbound.orders} orders in them, ${outbound.denials} were denied`);
  say('"x 2.00" takes twice as long as the baseline; behind it the slowest and the fastest round');
  try {
    await table(
      'Frames from their text to the strategies, in process',
      'a second',
      frameCandidates(day, scratch),
    );
    await table('A tick through a stream, by how a strategy subscribes', 'a second', streamCandidates(part));
    await table(
      'Ticks of a backtest, from columns to the result',
      'a second',
      backtestCandidates(BACKTEST_TICKS),
    );
    await table(
      'The same ticks over many contracts and days, an order at each cross',
      'a second',
      wideCandidates(BACKTEST_TICKS),
    );
    await table(
      'A process that has just begun, ticks of a backtest with orders',
      'a second',
      firstRoundCandidates(BACKTEST_TICKS),
      PROCESS_ROUNDS,
      0,
    );
    const restart = await restartBench(scratch, part);
    await table(`A restart in mid-session, by event: ${restart.about}`, 'microseconds', restart.candidates);
    say(`  ${restart.result()}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

await main();
