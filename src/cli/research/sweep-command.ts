/** `sweep`: many runs of one backtest with varied parameters. */
import { type Command, Option } from 'commander';
import type { SweepFlags, VaryFlag } from '../../app/research/sweep/read-sweep.ts';
import type { SweepFileOptions, SweepOutcome } from '../../app/research/sweep/sweep-files.ts';
import { formatProblem } from '../../config/problem.ts';
import { formatCount, formatRate } from '../../text/numbers.ts';
import { countAboveZero, durationMs, refuse, wholeNumber } from '../argument-values.ts';
import { type CliContext, CliFailure, type CliIo, EXIT, printJson, refused } from '../cli-io.ts';
import { ProgressLine } from '../progress-line.ts';
import { loaded, reportTable } from './backtest-command.ts';

interface Flags extends SweepFlags, Omit<SweepFileOptions, 'onProgress'> {
  readonly json?: boolean;
}

const OBJECTIVE_NAMES = ['sharpe', 'sortino', 'calmar', 'net_profit', 'profit_factor', 'sqn', 'expectancy'];
const TOP = 10;

const AFTER_HELP = `
The section sweep of the file lists the parameters to vary; --vary overrides it:
  ema.fast=3,5,9          these values
  ema.slow=10..60:10      every tenth from 10 to 60
  ema.direction=any       all choices
  ema.bufferTicks=0..5    any number between, in a random search
--trials makes the search random; without it every combination is tried.

Each finished trial is appended to trials-<fingerprint>.jsonl, and an
interrupted sweep continues from there when started again. Writes report.html,
sweep.json, trials.csv and windows.csv. Exit code 1 when a strategy throws in
a trial: such a trial is never picked.

Examples:
  tickwright sweep config/backtest-sweep.yaml
  tickwright sweep my.yaml --vary ema.fast=3..15:2 --walk-forward 8:2
  tickwright sweep my.yaml --trials 200 --seed 7 --monte-carlo 5000 --json
`;

export function addSweepCommand(program: Command, { io, finish }: CliContext): void {
  const command = program
    .command('sweep')
    .description('search the parameters of a backtest on all cores, with tests against overfitting')
    .argument('<config>', 'YAML file of the backtest with a section sweep')
    .option('--vary <id.param=values>', 'values of one parameter; repeatable', varied)
    .addOption(
      new Option('--search <kind>', 'every combination, or a random sample').choices(['grid', 'random']),
    )
    .option('--trials <n>', 'combinations that a random search draws', countAboveZero)
    .option('--seed <n>', 'seed of the random search and of --monte-carlo (1)', wholeNumber)
    .addOption(new Option('--objective <figure>', 'figure to maximize').choices(OBJECTIVE_NAMES))
    .option('--walk-forward [in:out]', 'also choose on some days and test on the next', walkForwardSplit)
    .option('--monte-carlo [paths]', 'also shuffle and resample the trades of the best', countAboveZero)
    .option(
      '--event-limit <duration>',
      'longest time that a strategy may take for one event, or to load (20s)',
      durationMs,
    )
    .option('--workers <n>', 'threads (one per core)', countAboveZero)
    .option('--top <n>', 'trials shown', countAboveZero, TOP)
    .option('--fresh', 'discard the trials of earlier sweeps of this file')
    .option('--out <dir>', 'directory of the results (var/backtest/<name of the file>-sweep)')
    .option('--json', 'print all figures as JSON')
    .addHelpText('after', AFTER_HELP);
  command.action(async (file: string) => {
    const failure = await sweep(file, command.opts<Flags>(), io);
    if (failure === null) return;
    io.err(`\nfailed: ${failure}\n`);
    finish(EXIT.failed);
  });
}

/** What failed in a trial, or null. */
async function sweep(file: string, flags: Flags, io: CliIo): Promise<string | null> {
  const where = 'in the sweep; nothing was run';
  const backtest = await loaded(file, where, io, flags.eventLimit);
  const { readSweep } = await import('../../app/research/sweep/read-sweep.ts');
  const read = readSweep(backtest, flags);
  if (!read.ok)
    throw refused(
      read.problems.map((each) => (typeof each === 'string' ? each : formatProblem(each))),
      where,
    );
  const { sweepFile } = await import('../../app/research/sweep/sweep-files.ts');
  let line = new ProgressLine(io, 'runs', () => performance.now());
  let what = '';
  const { StrategyHangs } = await import('../../app/research/backtest/hang-watch.ts');
  const outcome = await sweepFile(backtest, read.plan, {
    ...flags,
    onProgress: (progress) => {
      // Each part has a rate of its own.
      if (progress.what !== what) line = new ProgressLine(io, 'runs', () => performance.now());
      what = progress.what;
      line.show(progress);
    },
  }).catch((error: unknown) => {
    throw error instanceof StrategyHangs ? new CliFailure(EXIT.failed, error.message) : error;
  });
  line.clear();
  if (flags.json === true) printJson(io, outcome.json);
  else printOutcome(io, outcome);
  const { stoppedText } = await import('../../app/research/sweep/sweep-report.ts');
  return stoppedText(outcome.found);
}

function printOutcome(io: CliIo, { found, tables, warnings, memory, report }: SweepOutcome): void {
  for (const table of tables) {
    const { title, note } = table;
    io.out(`${title}${note === '' ? '' : `: ${note}`}\n\n${reportTable(table)}\n\n`);
  }
  for (const warning of warnings) io.out(`note: ${warning}\n`);
  const { ran, resumed, seconds, workers, log, digest } = found;
  const rate = formatRate(seconds > 0 ? ran / seconds : 0);
  const before = resumed === 0 ? '' : `, ${resumed} known from before`;
  const threads = formatCount(workers, 'thread');
  io.out(`
memory: ${memory}
${ran} runs in ${seconds.toFixed(2)} s on ${threads} (${rate}/s)${before}
sweep   ${digest}
trials  ${log}
report  ${report}
`);
}

const NAME = /^([^.=\s]+)\.([^.=\s]+)=(.+)$/;
const NUMBER = String.raw`-?\d+(?:\.\d+)?`;
const RANGE = new RegExp(`^(${NUMBER})\\.\\.(${NUMBER})(?::(\\d+(?:\\.\\d+)?|log))?$`);

/** `ema.fast=3,5,9`, `ema.slow=10..60:10`, `ema.bufferTicks=0..5`, `ema.x=1..100:log`, `ema.direction=any`. */
export function varied(text: string, before: readonly VaryFlag[] = []): readonly VaryFlag[] {
  const [, strategy, param, values] = NAME.exec(text) ?? [];
  if (strategy === undefined || param === undefined || values === undefined)
    return refuse('id.parameter=values like ema.fast=3,5,9 or ema.slow=10..60:10', text);
  return [...before, { text, strategy, param, written: writtenOf(values) }];
}

function writtenOf(values: string): unknown {
  if (values === 'any') return values;
  const [, from, to, step] = RANGE.exec(values) ?? [];
  if (from === undefined) return values.split(',').map(scalar);
  const ends = { from: Number(from), to: Number(to) };
  if (step === undefined) return ends;
  return step === 'log' ? { ...ends, scale: 'log' } : { ...ends, step: Number(step) };
}

function scalar(text: string): number | string | boolean {
  if (new RegExp(`^${NUMBER}$`).test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

type Split = Exclude<SweepFlags['walkForward'], true | undefined>;

/** `8:2`, or `8:2:anchored`. */
export function walkForwardSplit(text: string): Split {
  const match = /^([1-9]\d{0,4}):([1-9]\d{0,4})(:anchored)?$/.exec(text);
  if (match === null) return refuse('days in sample and out of it like 8:2, or 8:2:anchored', text);
  return { inSample: Number(match[1]), outOfSample: Number(match[2]), isAnchored: match[3] !== undefined };
}
