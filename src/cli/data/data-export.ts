/** `data export`: ticks, trades or bars of one symbol as CSV or Parquet. */
import { formatNumber } from '../../text/numbers.ts';
import type { Command } from 'commander';
import type { Exported, ExportWhat } from '../../app/research/recorded/export-data.ts';
import { barSize, DATA_DIR, exportPlace, sessionDay } from '../argument-values.ts';
import { type CliContext, CliFailure, type CliIo, EXIT, noData, printJson } from '../cli-io.ts';
import { readConfig } from '../read-config.ts';
import { ProgressLine } from '../progress-line.ts';

interface ExportFlags {
  readonly out: string;
  readonly dir: string;
  readonly config: string;
  readonly from?: string;
  readonly to?: string;
  readonly trades?: boolean;
  readonly bars?: ReturnType<typeof barSize>;
  readonly importedBars?: string;
  readonly json?: boolean;
}

const AFTER_HELP = `
The ending of --out selects the format: .csv, .csv.gz or .parquet. Prices are
decimals; an absent level of the book is empty. An exported CSV can be imported
again.

Examples:
  tickwright data export VN30F2603 --out vn30f2603.parquet
  tickwright data export VN30F2603 --from 2026-03-04 --to 2026-03-06 --trades \\
    --out trades.csv.gz
  tickwright data export VN30F2603 --bars 1m --out minutes.csv
`;

export function addDataExport(data: Command, { io }: CliContext): void {
  const command = data
    .command('export')
    .description('write ticks, trades or bars of one symbol as CSV or Parquet')
    .argument('<symbol>', 'symbol to export')
    .requiredOption('--out <file>', 'file to write: .csv, .csv.gz or .parquet', exportPlace)
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--from <day>', 'first day', sessionDay)
    .option('--to <day>', 'last day', sessionDay)
    .option('--trades', 'trades only, without changes of the book')
    .option('--bars <size>', 'build bars from ticks: 1m, 500t for ticks, 10000v for volume', barSize)
    .option('--imported-bars <length>', 'imported bars of this length: 1m, 5m, 1d')
    .option('--config <file>', 'configuration with the trading hours of the bars', 'config/paper.yaml')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', AFTER_HELP)
    .action(async (symbol: string) => {
      const flags = command.opts<ExportFlags>();
      const exported = await run(symbol, flags, io);
      if (exported === undefined) throw noData(flags.dir, symbol);
      if (flags.json === true) printJson(io, exported);
      else io.out(`${exported.out}: ${formatNumber(exported.rows)} rows of ${spanOf(exported)}\n`);
    });
}

async function run(symbol: string, flags: ExportFlags, io: CliIo): Promise<Exported | undefined> {
  const line = new ProgressLine(io, 'rows', () => performance.now());
  const { exportData, MixedSteps } = await import('../../app/research/recorded/export-data.ts');
  const { dir, from = null, to = null, out } = flags;
  try {
    return await exportData(
      { dir, symbol, from, to, out, what: whatOf(flags) },
      { progress: (done, all) => line.show({ done, all, what: out }) },
    );
  } catch (error) {
    if (error instanceof MixedSteps) throw new CliFailure(EXIT.failed, error.message);
    throw error;
  } finally {
    line.clear();
  }
}

function whatOf({ trades, bars, importedBars, config }: ExportFlags): ExportWhat {
  if ([trades, bars, importedBars].filter((flag) => flag !== undefined).length > 1) {
    throw new CliFailure(EXIT.usage, 'expected at most one of --trades, --bars and --imported-bars');
  }
  if (bars !== undefined) return { kind: 'bars', spec: bars, calendar: readConfig(config).exchangeCalendar };
  if (importedBars !== undefined) return { kind: 'stored_bars', length: importedBars };
  return trades === true ? { kind: 'trades' } : { kind: 'ticks' };
}

function spanOf({ periods }: Exported): string {
  const [first = '', last = first] = [periods[0], periods.at(-1)];
  return first === last ? first : `${first} .. ${last} (${periods.length})`;
}
