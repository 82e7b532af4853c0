/** `backtest`: strategies over recorded days, to a report. */
import type { Command } from 'commander';
import type { BacktestOutcome } from '../../app/research/backtest/run-backtest-file.ts';
import { formatProblem } from '../../config/problem.ts';
import { wholeNumber } from '../argument-values.ts';
import { type CliContext, type CliIo, EXIT, printJson, refused } from '../cli-io.ts';
import { formatNumber, formatRate } from '../../text/numbers.ts';
import { formatTable } from '../../text/table.ts';
import { ProgressLine } from '../progress-line.ts';

interface BacktestFlags {
  readonly out?: string;
  readonly seed?: number;
  readonly json?: boolean;
  readonly verify?: boolean;
}

const AFTER_HELP = `
Writes report.html (one page, no network), report.json, trades.csv, fills.csv,
equity.csv and daily.csv. The same build, file, data and seed give the same
journal; its hash is printed. Exit code 1 when --verify finds a difference, or a
strategy that reads the machine's clock or future prices; it is named.

Examples:
  tickwright backtest config/backtest.yaml
  tickwright backtest config/backtest.yaml --verify
  tickwright backtest my-backtest.yaml --out reports/tuesday --json
`;

export function addBacktestCommand(program: Command, { io, finish }: CliContext): void {
  const command = program
    .command('backtest')
    .description('run strategies over recorded prices in virtual time, and write a report')
    .argument('<config>', 'YAML file of the backtest: market, data, models, strategies')
    .option('--out <dir>', 'directory of the report (var/backtest/<name of the file>)')
    .option('--seed <n>', 'seed of drawn latencies instead of the configured one', wholeNumber)
    .option('--verify', 'run again with another clock and without future prices, and compare every decision')
    .option('--json', 'print the figures as JSON')
    .addHelpText('after', AFTER_HELP);
  command.action(async (file: string) => {
    const flags = command.opts<BacktestFlags>();
    const { loadBacktest } = await import('../../app/research/backtest/load-backtest.ts');
    const loaded = await loadBacktest(file, { note: (text) => io.err(`${text}\n`) });
    if (!loaded.ok) throw refused(loaded.problems.map(formatProblem), 'in the backtest; nothing was run');
    const { runBacktestFile } = await import('../../app/research/backtest/run-backtest-file.ts');
    // The run replaces the global clock, so this one is taken before.
    const now = performance.now.bind(performance);
    const line = new ProgressLine(io, 'rows', now);
    const outcome = runBacktestFile(loaded.backtest, {
      out: flags.out ?? null,
      seed: flags.seed ?? null,
      isVerified: flags.verify ?? false,
      onProgress: (progress) => line.show(progress),
    });
    line.clear();
    if (flags.json === true) printJson(io, outcome.json);
    else printOutcome(io, outcome);
    if ((outcome.verification?.findings.length ?? 0) > 0) finish(EXIT.failed);
  });
}

function printOutcome(io: CliIo, outcome: BacktestOutcome): void {
  const { title, headlines, strategies, warnings, models, rows, runSeconds, reportSeconds } = outcome;
  const widest = Math.max(...headlines.map(({ name }) => name.length));
  io.out(`${title}\n\n`);
  for (const { name, text } of headlines) io.out(`  ${name.padEnd(widest)}  ${text}\n`);
  if (strategies !== undefined) io.out(`\n${formatTable(strategies.columns, strategies.rows.map(cells))}\n`);
  for (const warning of warnings) io.out(`\nnote: ${warning}`);
  if (warnings.length > 0) io.out('\n');
  io.out('\n');
  for (const [name, text] of models) io.out(`${name}: ${text}\n`);
  const speed = formatRate(runSeconds > 0 ? rows / runSeconds : 0);
  io.out(`
${formatNumber(rows)} rows in ${runSeconds.toFixed(2)} s (${speed}/s), report in ${reportSeconds.toFixed(2)} s
journal ${outcome.journalHash}
report  ${outcome.report}
${verificationText(outcome.verification)}`);
}

function verificationText(verification: BacktestOutcome['verification']): string {
  if (verification === null) return '';
  const { isSame, findings } = verification;
  const again = isSame ? 'a second run gives the same journal' : 'a second run gives ANOTHER journal';
  const bias =
    findings.length === 0 ? 'no decision depends on the clock or on the future' : findings.join('\n');
  return `\nverified: ${again}\n${bias}\n`;
}

const cells = (row: readonly (string | number | null)[]): readonly string[] =>
  row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : (cell ?? '')));
