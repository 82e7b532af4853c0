/** `backtest`: strategies over recorded days, to a report. */
import type { Command } from 'commander';
import type { BacktestOutcome } from '../app/backtest/run-backtest-file.ts';
import { formatProblem, type Problem } from '../config/problem.ts';
import { wholeNumber } from './argument-values.ts';
import { CliFailure, EXIT } from './cli-failure.ts';
import { type CliContext, type CliIo, printJson } from './cli-io.ts';
import { formatTable } from './format-table.ts';
import { ProgressLine, rateText } from './progress-line.ts';

interface BacktestFlags {
  readonly out?: string;
  readonly seed?: number;
  readonly json?: boolean;
}

const AFTER_HELP = `
Writes report.html (one page, no network), report.json, trades.csv, fills.csv, equity.csv and daily.csv.
The same build, file, data and seed give the same journal, whose hash is printed.

Examples:
  tickwright backtest config/backtest.yaml
  tickwright backtest my-backtest.yaml --out reports/tuesday --json
`;

export function addBacktestCommand(program: Command, { io }: CliContext): void {
  const command = program
    .command('backtest')
    .description('run strategies over recorded prices in virtual time, and write a report')
    .argument('<config>', 'YAML file of the backtest: market, data, models, strategies')
    .option('--out <dir>', 'where the report goes (var/backtest/<name of the file>)')
    .option('--seed <n>', 'seed of drawn latencies instead of that of the file', wholeNumber)
    .option('--json', 'print the figures for machines')
    .addHelpText('after', AFTER_HELP);
  command.action(async (file: string) => {
    const flags = command.opts<BacktestFlags>();
    const { loadBacktest } = await import('../app/backtest/load-backtest.ts');
    const loaded = await loadBacktest(file, { note: (text) => io.err(`${text}\n`) });
    if (!loaded.ok) throw refused(loaded.problems);
    const { runBacktestFile } = await import('../app/backtest/run-backtest-file.ts');
    const line = new ProgressLine(io, 'rows', () => performance.now());
    const outcome = runBacktestFile(loaded.backtest, {
      out: flags.out ?? null,
      seed: flags.seed ?? null,
      onProgress: (progress) => line.show(progress),
    });
    line.clear();
    if (flags.json === true) printJson(io, outcome.json);
    else printOutcome(io, outcome);
  });
}

function refused(problems: readonly Problem[]): CliFailure {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return new CliFailure(
    EXIT.usage,
    [...problems.map(formatProblem), `${count} in the backtest; nothing was run`].join('\n'),
  );
}

function printOutcome(io: CliIo, outcome: BacktestOutcome): void {
  const { title, headlines, strategies, warnings, models, rows, runSeconds, reportSeconds } = outcome;
  const widest = Math.max(...headlines.map(({ name }) => name.length));
  io.out(`${title}\n\n`);
  for (const { name, text } of headlines) io.out(`  ${name.padEnd(widest)}  ${text}\n`);
  if (strategies !== undefined) io.out(`\n${formatTable(strategies.columns, strategies.rows.map(cells))}`);
  for (const warning of warnings) io.out(`\nnote: ${warning}`);
  if (warnings.length > 0) io.out('\n');
  io.out('\n');
  for (const [name, text] of models) io.out(`${name}: ${text}\n`);
  const speed = rateText(runSeconds > 0 ? rows / runSeconds : 0);
  io.out(`
${rows.toLocaleString('en-US')} rows in ${runSeconds.toFixed(2)} s (${speed}/s), report in ${reportSeconds.toFixed(2)} s
journal ${outcome.journalHash}
report  ${outcome.report}
`);
}

const cells = (row: readonly (string | number | null)[]): readonly string[] =>
  row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : (cell ?? '')));
