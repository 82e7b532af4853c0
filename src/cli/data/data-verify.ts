/** `data verify`: every file read whole and compared with what it says of itself. */
import type { Command } from 'commander';
import type { VerifiedFile } from '../../app/research/recorded/inspect-data.ts';
import { EXIT } from '../cli-failure.ts';
import { type CliContext, printJson } from '../cli-io.ts';
import { nothing } from './data-list.ts';
import { DATA_DIR } from './data-place.ts';
import { formatNumber } from '../../text/numbers.ts';
import { formatTable } from '../../text/table.ts';
import { ProgressLine } from '../progress-line.ts';

interface VerifyFlags {
  readonly dir: string;
  readonly json?: boolean;
}

export function addDataVerify(data: Command, { io, finish }: CliContext): void {
  const command = data
    .command('verify')
    .description('read every file whole: rows, order of times, digests, archive against columns')
    .argument('[symbol]', 'only this one')
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExit code 1 when a file is damaged.\n\nExample:\n  tickwright data verify\n')
    .action(async (symbol: string | undefined) => {
      const flags = command.opts<VerifyFlags>();
      const { filesToVerify, verifyData } = await import('../../app/research/recorded/inspect-data.ts');
      const total = filesToVerify(flags.dir, symbol ?? null);
      if (total === 0) throw nothing(flags.dir, symbol);
      const progress = new ProgressLine(io, 'rows', () => performance.now());
      const files: VerifiedFile[] = [];
      let count = 0;
      for (const file of verifyData(flags.dir, symbol ?? null)) {
        files.push(file);
        count += file.rows;
        progress.show({ done: files.length, all: total, what: file.path, counted: count });
      }
      progress.clear();
      const damaged = files.filter(({ problems }) => problems.length > 0);
      if (flags.json === true) printJson(io, files);
      else io.out(shown(files, damaged));
      if (damaged.length > 0) finish(EXIT.failed);
    });
}

function shown(files: readonly VerifiedFile[], damaged: readonly VerifiedFile[]): string {
  const rows = files.map(({ symbol, period, kind, rows: count, problems }) => [
    symbol,
    period,
    kind,
    formatNumber(count),
    problems.length === 0 ? 'good' : 'DAMAGED',
  ]);
  const table = formatTable(['symbol', 'period', 'kind', 'rows', ''], rows);
  const told = damaged.flatMap(({ path, problems }) =>
    problems.map((problem) => `${pathed(path, problem)}\n`),
  );
  return `${table}\n${told.join('')}${files.length - damaged.length} of ${files.length} files are good\n`;
}

const pathed = (path: string, problem: string): string =>
  problem.startsWith(path) ? problem : `${path}: ${problem}`;
