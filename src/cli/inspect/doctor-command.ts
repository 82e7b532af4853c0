/** `tickwright doctor`: is everything here that a run needs, and which readings of the contract are assumed. */
import type { Command } from 'commander';
import { diagnose, type Finding, OPEN_READINGS } from '../../app/inspect/doctor.ts';
import { EXIT } from '../cli-failure.ts';
import { type CliContext, printJson } from '../cli-io.ts';

interface DoctorFlags {
  readonly config: string;
  readonly state?: string;
  readonly json?: boolean;
}

const MARKS: Readonly<Record<Finding['level'], string>> = { good: 'ok  ', warning: 'WARN', bad: 'FAIL' };

export function addDoctorCommand(program: Command, { io, finish }: CliContext): void {
  const command = program
    .command('doctor')
    .description('look at this machine, the configuration and the calendar; list what is assumed')
    .option('--config <file>', 'configuration', 'config/paper.yaml')
    .option('--state <dir>', 'state directory instead of the configured one')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  tickwright doctor --config config/live.yaml\n')
    .action(async () => {
      const { config, state, json } = command.opts<DoctorFlags>();
      const findings = await diagnose(config, state ?? null);
      if (json === true) printJson(io, { findings, assumed: OPEN_READINGS });
      else io.out(report(findings));
      finish(codeOf(findings));
    });
}

function codeOf(findings: readonly Finding[]): number {
  const bad = findings.filter(({ level }) => level === 'bad');
  if (bad.some(({ what }) => what === 'configuration')) return EXIT.usage;
  return bad.length > 0 ? EXIT.failed : EXIT.ok;
}

function report(findings: readonly Finding[]): string {
  const lines = findings.map(({ level, what, text }) => `${MARKS[level]}  ${what.padEnd(14)} ${text}`);
  const assumed = OPEN_READINGS.flatMap(({ key, question, reading }) => [
    `  ${key}`,
    `    open:    ${question}`,
    `    assumed: ${reading}`,
  ]);
  return [
    ...lines,
    '',
    'Where the contract leaves two readings, this build takes the careful one:',
    ...assumed,
    '',
  ].join('\n');
}
