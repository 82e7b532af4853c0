/** `check` and `strategies`: look before anything runs. */
import type { Command } from 'commander';
import { CATALOG } from '../../app/host/catalog.ts';
import type { CliContext, CliIo } from '../cli-io.ts';
import { printJson } from '../cli-io.ts';
import { effectiveConfig } from './effective-config.ts';
import { readConfig } from '../read-config.ts';
import { formatTable } from '../../text/table.ts';
import { formatTree } from '../format-tree.ts';

export function addInspectCommands(program: Command, { io }: CliContext): void {
  const check = program
    .command('check')
    .description('validate a configuration and print what it comes to, defaults filled in')
    .option('--config <file>', 'configuration', 'config/paper.yaml')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  tickwright check --config config/live.yaml\n')
    .action(() => {
      const flags = check.opts<{ readonly config: string; readonly json?: boolean }>();
      const effective = effectiveConfig(readConfig(flags.config));
      if (flags.json === true) printJson(io, effective);
      else io.out(`# ${flags.config} is valid; this is what it comes to\n${formatTree(effective)}`);
    });
  const strategies = program
    .command('strategies')
    .description('list the strategies of this build with their parameters')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  tickwright strategies\n')
    .action(() => {
      if (strategies.opts<{ readonly json?: boolean }>().json === true)
        printJson(
          io,
          CATALOG.map(({ name, summary, legs, paramRows }) => ({ name, summary, legs, params: paramRows })),
        );
      else printStrategies(io);
    });
}

function printStrategies(io: CliIo): void {
  for (const { name, summary, legs, paramRows } of CATALOG) {
    const rows = paramRows.map((row) => [row.name, row.type, row.default ?? '(required)', row.meaning]);
    const table = formatTable(['parameter', 'type', 'default', 'meaning'], rows);
    io.out(`${name}: ${summary}
  symbols: ${legs.join(', ')}
${table.replaceAll(/^/gm, '  ').trimEnd()}

`);
  }
}
