/** `data continuous`: daily bars of futures contracts as one series. */
import { type Command, Option } from 'commander';
import type { ContinuousRequest, ContinuousWritten } from '../../app/research/recorded/continuous-data.ts';
import { formatCount } from '../../text/numbers.ts';
import { DATA_DIR, refuse } from '../argument-values.ts';
import { type CliContext, CliFailure, EXIT, printJson } from '../cli-io.ts';

interface ContinuousFlags {
  readonly out: string;
  readonly dir: string;
  readonly roll: ContinuousRequest['rule'];
  readonly adjust: ContinuousRequest['adjustment'];
  readonly json?: boolean;
}

const AFTER_HELP = `
A roll looks at the days before it alone: by volume it comes on the day after
the next contract traded more, by days so long before the last day. Days before
a roll are brought to the prices of the next contract, by the difference or the
ratio of both closes on the last day before it. Signals come from this series;
orders go to the contract that the column "front" names. Its levels depend on
later rolls, its differences (or ratios) do not.

Examples:
  tickwright data continuous ESH4 ESM4 ESU4 --out es.csv
  tickwright data continuous ESH4 ESM4 --roll 5 --adjust ratio --out es.csv
`;

export function addDataContinuous(data: Command, { io }: CliContext): void {
  const command = data
    .command('continuous')
    .description('write daily bars of futures contracts as one continuous series')
    .argument('<symbols...>', 'contracts with imported daily bars, by their expiries')
    .requiredOption('--out <file>', 'file to write: .csv')
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--roll <rule>', 'volume, or so many days before the last day', rollRule, rollRule('volume'))
    .addOption(
      new Option('--adjust <how>', 'prices of days before a roll')
        .choices(['none', 'difference', 'ratio'])
        .default('difference'),
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', AFTER_HELP)
    .action(async (symbols: readonly string[]) => {
      const { dir, out, roll: rule, adjust: adjustment, json } = command.opts<ContinuousFlags>();
      const { NoSeries, writeContinuous } = await import('../../app/research/recorded/continuous-data.ts');
      try {
        const written = writeContinuous({ dir, symbols, rule, adjustment, out });
        if (json === true) printJson(io, written);
        else io.out(textOf(written));
      } catch (error) {
        if (error instanceof NoSeries) throw new CliFailure(EXIT.failed, error.message);
        throw error;
      }
    });
}

function rollRule(text: string): ContinuousRequest['rule'] {
  if (text === 'volume') return { by: 'volume' };
  return /^\d{1,3}$/.test(text)
    ? { by: 'expiry', daysBefore: Number(text) }
    : refuse('volume, or a number of days', text);
}

const textOf = ({ out, rows, rolls }: ContinuousWritten): string =>
  [
    ...rolls.map(
      ({ day, from, to, closeFrom, closeTo }) => `${day}: ${from} at ${closeFrom} to ${to} at ${closeTo}\n`,
    ),
    `${out}: ${formatCount(rows, 'day')}, ${formatCount(rolls.length, 'roll')}\n`,
  ].join('');
