/** `check`, `strategies` and `doctor`: inspect before a run. */
import type { Command } from 'commander';
import { CATALOG } from '../../host/catalog.ts';
import { diagnose, type Finding, OPEN_READINGS } from '../../daemon/inspect/doctor.ts';
import { configText, writtenConfig } from '../../config/config-text.ts';
import { formatTable, SCREEN_WIDTH, wrapText } from '../../text/table.ts';
import { type CliContext, type CliIo, EXIT, jsonText } from '../cli-io.ts';
import { readRunConfig } from '../read-config.ts';

export function addInspectCommands(program: Command, { io }: CliContext): void {
  const check = program
    .command('check')
    .description('validate a configuration and print what it comes to, defaults filled in')
    .argument('[file]', 'configuration', 'config/paper.yaml')
    .option('--config <file>', 'the same as an option')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tickwright check config/live.yaml\n')
    .action(async (named: string) => {
      const { config = named, json } = check.opts<{ readonly config?: string; readonly json?: boolean }>();
      const { read } = await readRunConfig(config);
      io.out(
        json === true
          ? jsonText(writtenConfig(read))
          : `# ${config} is valid; with all defaults it reads:\n${configText(read)}`,
      );
    });
  const strategies = program
    .command('strategies')
    .description('list the strategies of this build with their parameters')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tickwright strategies\n')
    .action(() => {
      if (strategies.opts<{ readonly json?: boolean }>().json === true)
        io.out(
          jsonText(
            CATALOG.map(({ name, summary, legs, paramRows }) => ({ name, summary, legs, params: paramRows })),
          ),
        );
      else printStrategies(io);
    });
}

function printStrategies(io: CliIo): void {
  for (const { name, summary, legs, paramRows } of CATALOG) {
    const rows = paramRows.map((row) => [row.name, row.type, row.default ?? '(required)', row.meaning]);
    const table = formatTable(['parameter', 'type', 'default', 'meaning'], rows);
    io.out(`${wrapText(`${name}: ${summary}`, SCREEN_WIDTH).join('\n  ')}
  symbols: ${legs.join(', ')}
${table.replaceAll(/^/gm, '  ').trimEnd()}

`);
  }
}

interface DoctorFlags {
  readonly config?: string;
  readonly state?: string;
  readonly json?: boolean;
}

const MARKS: Readonly<Record<Finding['level'], string>> = { good: 'ok  ', warning: 'WARN', bad: 'FAIL' };

export function addDoctorCommand(program: Command, { io, finish }: CliContext): void {
  const command = program
    .command('doctor')
    .description('check this machine, the configuration and the calendar; list assumptions')
    .argument('[file]', 'configuration', 'config/paper.yaml')
    .option('--config <file>', 'the same as an option')
    .option('--state <dir>', 'state directory instead of the configured one')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tickwright doctor config/live.yaml\n')
    .action(async (named: string) => {
      const { config = named, state, json } = command.opts<DoctorFlags>();
      const findings = await diagnose(config, state ?? null);
      io.out(json === true ? jsonText({ findings, assumed: OPEN_READINGS }) : report(findings));
      finish(codeOf(findings));
    });
}

function codeOf(findings: readonly Finding[]): number {
  const bad = findings.filter(({ level }) => level === 'bad');
  if (bad.some(({ what }) => what === 'configuration')) return EXIT.usage;
  return bad.length > 0 ? EXIT.failed : EXIT.ok;
}

export const findingLines = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ level, what, text }) => {
    const label = `${MARKS[level]}  ${what.padEnd(14)} `;
    return label + wrapText(text, SCREEN_WIDTH - label.length).join(`\n${' '.repeat(label.length)}`);
  });

function report(findings: readonly Finding[]): string {
  const assumed = OPEN_READINGS.flatMap(({ key, question, reading }) => [
    `  ${key}`,
    `    open:    ${question}`,
    `    assumed: ${reading}`,
  ]);
  return [
    ...findingLines(findings),
    '',
    'The broker’s documents leave these questions open; this build assumes:',
    ...assumed,
    '',
  ].join('\n');
}
