/** `data synth`: synthetic days. */
import type { Command } from 'commander';
import { recordedMarket } from '../../app/research/recorded/recorded-market.ts';
import type { SynthRequest } from '../../app/research/recorded/synth-data.ts';
import type { Config } from '../../config/config.ts';
import { tradingDay } from '../../domain/civil-date.ts';
import { parsePoints } from '../../domain/contract.ts';
import { countAboveZero, DATA_DIR, sessionDay, wholeNumber } from '../argument-values.ts';
import { type CliContext, CliFailure, type CliIo, EXIT, printJson } from '../cli-io.ts';
import { readConfig } from '../read-config.ts';
import { partLine } from './data-import.ts';
import { ProgressLine } from '../progress-line.ts';
import type { ImportedPart } from '../../app/research/recorded/import-file.ts';

interface SynthFlags {
  readonly from: string;
  readonly days: number;
  readonly seed: number;
  readonly contracts: number;
  readonly underlying: string;
  readonly start: string;
  readonly dir: string;
  readonly config: string;
  readonly replace?: boolean;
  readonly archive: boolean;
  readonly json?: boolean;
}

export function addDataSynth(data: Command, { io, finish }: CliContext): void {
  const command = data
    .command('synth')
    .description('make days that never were: trades and books of the synthetic exchange')
    .requiredOption('--from <day>', 'first day', sessionDay)
    .option('--days <n>', 'so many sessions', countAboveZero, 1)
    .option('--seed <n>', 'the same seed gives the same data', wholeNumber, 1)
    .option('--contracts <n>', 'so many, front month first', countAboveZero, 1)
    .option('--underlying <name>', 'whose contracts', 'VN30')
    .option('--start <points>', 'price of the front month at the start', '1900')
    .option('--dir <dir>', 'data directory', DATA_DIR)
    .option('--config <file>', 'configuration that names the market', 'config/paper.yaml')
    .option('--replace', 'write over other data of the same days')
    .option('--no-archive', 'write no compressed archive beside the columns')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  tickwright data synth --from 2026-06-01 --days 5 --seed 7 --dir var/synth\n',
    )
    .action(async () => {
      const flags = command.opts<SynthFlags>();
      const parts = await run(flags, io);
      if (flags.json === true) printJson(io, parts);
      if (parts.some(({ outcome }) => outcome === 'kept')) finish(EXIT.failed);
    });
}

async function run(flags: SynthFlags, io: CliIo): Promise<readonly ImportedPart[]> {
  const config = readConfig(flags.config);
  const request = requestOf(flags, config);
  const { synthData } = await import('../../app/research/recorded/synth-data.ts');
  const { dayPart } = await import('../../app/research/recorded/import-file.ts');
  const line = new ProgressLine(io, 'rows', () => performance.now());
  const parts: ImportedPart[] = [];
  const watch = {
    progress: (done: number, all: number, rows: number) =>
      line.show({ done, all, what: `seed ${flags.seed}`, counted: rows }),
  };
  for (const stored of synthData(request, recordedMarket(config), watch)) {
    const part = dayPart(stored);
    parts.push(part);
    line.clear();
    if (flags.json !== true) io.out(partLine(part));
  }
  line.clear();
  return parts;
}

function requestOf(flags: SynthFlags, { contracts, costs }: Config): SynthRequest {
  const spec = contracts[flags.underlying];
  if (spec === undefined) {
    const known = Object.keys(contracts).join(', ');
    throw new CliFailure(EXIT.usage, `--underlying: expected one of ${known}, was ${flags.underlying}`);
  }
  const price = parsePoints(spec, Number(flags.start), '--start');
  if (!price.ok || price.value <= 0) {
    throw new CliFailure(EXIT.usage, `--start: expected a price above 0 on the grid, was ${flags.start}`);
  }
  const { dir, days, seed, replace = false, archive } = flags;
  const from = tradingDay(flags.from);
  return {
    dir,
    from,
    days,
    seed,
    contracts: flags.contracts,
    startPrice: price.value,
    spec,
    costs,
    replace,
    archive,
  };
}
