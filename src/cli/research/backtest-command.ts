/** `backtest`: strategies over recorded days, to a report. */
import type { Command } from 'commander';
import type { Backtest } from '../../research/spec/load-backtest.ts';
import type { BacktestOutcome, BacktestRunOptions } from '../../research/backtest/run-backtest-file.ts';
import { formatProblem } from '../../config/problem.ts';
import { type CliContext, type CliIo, EXIT, failed, jsonText, refused } from '../cli-io.ts';
import { columnDigits, formatCell, formatNumber, formatRate } from '../../text/numbers.ts';
import { formatTable } from '../../text/table.ts';
import { ProgressLine } from '../progress-line.ts';
import { durationMs, wholeNumber } from '../options.ts';

interface BacktestFlags extends Pick<BacktestRunOptions, 'out' | 'seed'> {
  readonly verify?: boolean;
  readonly json?: boolean;
  readonly eventLimit?: number;
}

const AFTER_HELP = `
Writes report.html (one page, no network), report.json, trades.csv, fills.csv,
equity.csv and daily.csv. The same build, file, data and seed give the same
journal; its hash is printed. Exit code 1 when a strategy throws or does not
return from an event, and when --verify does not hold.

Examples:
  tickwright backtest config/backtest.yaml
  tickwright backtest config/backtest.yaml --verify
  tickwright backtest my-backtest.yaml --out reports/tuesday --json
`;

export const EVENT_LIMIT = [
  '--event-limit <duration>',
  'longest time that a strategy may take for one event, or to load (20s)',
  durationMs,
] as const;

export function addBacktestCommand(program: Command, { io, finish }: CliContext): void {
  program
    .command('backtest')
    .description('run strategies over recorded prices in virtual time, and write a report')
    .argument('<config>', 'YAML file of the backtest: market, data, models, strategies')
    .option('--out <dir>', 'directory of the report (var/backtest/<name of the file>)')
    .option('--seed <n>', 'seed of drawn latencies instead of the configured one', wholeNumber)
    .option(
      '--verify',
      'run again in a fresh thread and without future prices, compare every decision, say what was not checked',
    )
    .option(...EVENT_LIMIT)
    .option('--json', 'print the figures as JSON')
    .addHelpText('after', AFTER_HELP)
    .action(async (file: string, { json, eventLimit, verify, ...options }: BacktestFlags) => {
      const backtest = await loaded(file, 'in the backtest; nothing was run', io, eventLimit);
      const { runBacktestFile } = await import('../../research/backtest/run-backtest-file.ts');
      const { EVENT_MS_MAX, endingHangs } = await import('../../research/backtest/hang-watch.ts');
      const { strayTexts, withStrays } = await import('../../research/backtest/run-backtest-file.ts');
      const limitMs = eventLimit ?? EVENT_MS_MAX;
      const line = new ProgressLine(io, 'rows');
      const { secondRun } = await import('../../research/backtest/verify-backtest.ts');
      const played = await withStrays(async () => {
        const { seed } = options;
        const second = verify === true ? await secondRun(backtest, { seed, eventMsMax: limitMs }) : undefined;
        return endingHangs(backtest, limitMs, (running, clock) =>
          runBacktestFile(backtest, {
            ...options,
            second,
            watched: { running, clock },
            onProgress: (progress) => line.show(progress),
          }),
        );
      }).catch(refuseHang);
      line.clear();
      const { value: outcome, strays } = played;
      const faults = [...outcome.faults, ...strayTexts(backtest, strays)];
      for (const fault of faults) io.err(`FAILED: ${fault}\n`);
      if (faults.length > 0)
        io.err('The figures are those of a run without it from then on: fix it and run again.\n\n');
      if (json === true) io.out(jsonText(outcome.json));
      else printOutcome(io, outcome);
      if (faults.length + (outcome.verification?.findings.length ?? 0) > 0) finish(EXIT.failed);
    });
}

/** Rethrows the error that ended a run: a strategy that hangs needs no stack. */
export async function refuseHang(error: unknown): Promise<never> {
  const { StrategyHangs } = await import('../../research/backtest/hang-watch.ts');
  throw error instanceof StrategyHangs ? failed(error.message) : error;
}

/** Exit code 2 with every problem of the file. */
export async function loaded(file: string, where: string, io: CliIo, loadMsMax?: number): Promise<Backtest> {
  const { loadBacktest } = await import('../../research/spec/load-backtest.ts');
  const read = await loadBacktest(file, { loadMsMax, note: (text) => io.err(`${text}\n`) });
  if (!read.ok) throw refused(read.problems.map(formatProblem), where);
  return read.backtest;
}

const ROWS_SHOWN = 30;

function printOutcome(io: CliIo, outcome: BacktestOutcome): void {
  const { model, result, runSeconds, reportSeconds } = outcome;
  const { subtitle, headlines, tables, moneyDigits } = model;
  const failed = result.strategies.filter(({ fault }) => fault !== null);
  const isShown = (text: string): boolean => failed.some(({ id }) => text.startsWith(`${id} was stopped: `));
  const warnings = model.warnings.filter((text) => !isShown(text));
  const widest = Math.max(...headlines.map(([name]) => name.length));
  io.out(`${subtitle}\n\n`);
  for (const [name, text] of headlines) io.out(`  ${name.padEnd(widest)}  ${text}\n`);
  for (const table of tables.slice(0, 2)) {
    const more = table.rows.length - ROWS_SHOWN;
    const rows = table.rows.slice(0, ROWS_SHOWN);
    io.out(`\n${table.title}\n${reportTable({ ...table, rows }, moneyDigits)}\n`);
    if (more > 0) io.out(`and ${formatNumber(more)} more rows in the report\n`);
  }
  for (const warning of warnings) io.out(`\nnote: ${warning}`);
  if (warnings.length > 0) io.out('\n');
  io.out('\n');
  for (const [name, text] of result.models) io.out(`${name}: ${text}\n`);
  const speed = formatRate(runSeconds > 0 ? result.counts.rows / runSeconds : 0);
  io.out(`
${formatNumber(result.counts.rows)} rows in ${runSeconds.toFixed(2)} s (${speed}/s), report in ${reportSeconds.toFixed(2)} s
journal ${result.journalHash}
report  ${outcome.report}
${verificationText(outcome.verification)}`);
}

function verificationText(verification: BacktestOutcome['verification']): string {
  if (verification === null) return '';
  const { findings, checked, unchecked } = verification;
  const lines = [
    ...findings.map((each) => `NOT verified: ${each}`),
    ...checked.map((each) => `verified: ${each}`),
    ...unchecked.map((each) => `not checked: ${each}`),
  ];
  return `\n${lines.join('\n')}\n`;
}

export function reportTable(
  { columns, rows }: BacktestOutcome['model']['tables'][number],
  moneyDigits: number,
): string {
  const digits = columns.map((_, column) => columnDigits(rows, column, moneyDigits));
  const shown = (cell: string | number | null, column: number): string =>
    typeof cell === 'number' ? formatCell(cell, digits[column] ?? 0) : (cell ?? '');
  return formatTable(
    columns,
    rows.map((row) => row.map(shown)),
  );
}
