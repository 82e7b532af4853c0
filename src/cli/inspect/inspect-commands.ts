/** `check`, `strategies` and `doctor`: inspect before a run. */
import type { Command } from 'commander';
import { CATALOG } from '../../host/strategy-files/own-strategies.ts';
import { diagnose, type Finding, OPEN_READINGS } from '../../daemon/inspect/doctor.ts';
import { formatTable, SCREEN_WIDTH, wrapText } from '../../text/table.ts';
import { type CliContext, type CliIo, EXIT, jsonText } from '../cli-io.ts';
import { readConfig, readRunConfig } from '../read-config.ts';
import { calendarEnd, type CalendarView, calendarView } from '../../daemon/inspect/calendar-view.ts';
import { systemClock } from '../../host/system-clock.ts';
import { tradingDayAt } from '../../domain/calendar.ts';
import { weekdayOf } from '../../domain/civil-date.ts';
import { formatCount } from '../../text/numbers.ts';
import { configText, writtenConfig } from '../../config/config-schema.ts';
import { example } from '../options.ts';

// `tickwright calendar`: the days that the file of closures knows.

interface InspectFlags {
  readonly config?: string;
  readonly state?: string;
  readonly json?: boolean;
}

const configCommand = (program: Command, name: string, description: string): Command =>
  program
    .command(name)
    .description(description)
    .argument('[file]', 'configuration', 'config/paper.yaml')
    .option('--config <file>', 'the same as an option')
    .option('--json', 'print JSON');

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

function addCalendar(program: Command, { io, finish }: CliContext): void {
  const description = 'show the sessions, holidays and expiries ahead, and where the calendar ends';
  configCommand(program, 'calendar', description)
    .addHelpText(
      'after',
      `
A running daemon takes a changed file of closures by tickwright reload;
tickwright reload --check shows what that would change.

Example:
  tickwright calendar config/live.yaml
`,
    )
    .action((named: string, { config = named, json }: InspectFlags) => {
      const { exchangeCalendar: calendar, contracts } = readConfig(config);
      const today = tradingDayAt(calendar, systemClock.nowUs());
      const view = calendarView(calendar, Object.keys(contracts), today);
      const end = calendarEnd(calendar, today);
      io.out(json === true ? jsonText(view) : textOf(view, end));
      if (view.daysKnown < 0) finish(EXIT.failed);
    });
}

function textOf(view: CalendarView, end: string | null): string {
  const { name, timeZone, validFrom, validTo, daysKnown, sessions, holidays, expiries } = view;
  const left = daysKnown < 0 ? 'it has ended' : `${formatCount(daysKnown, 'day')} from today`;
  const lines = [
    `${name}, ${timeZone}: known from ${validFrom} until ${validTo}, ${left}`,
    ...(end === null ? [] : [`${end}; add the new year’s days without a session, then tickwright reload`]),
  ];
  const rows = [
    ...sessions.map((day) => [day, WEEKDAYS[weekdayOf(day)], 'session']),
    ...holidays.map((day) => [day, WEEKDAYS[weekdayOf(day)], 'no session']),
    ...expiries.map(({ contract, day, isKnown }) => [
      day,
      WEEKDAYS[weekdayOf(day)],
      `${contract} expires${isKnown ? '' : ': after the calendar’s end, so a holiday may move it'}`,
    ]),
  ].toSorted(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0));
  return `${lines.flatMap((line) => wrapText(line, SCREEN_WIDTH)).join('\n')}\n\n${formatTable(['day', '', ''], rows)}\n`;
}

export function addInspectCommands(program: Command, context: CliContext): void {
  const { io } = context;
  addCalendar(program, context);
  configCommand(program, 'check', 'validate a configuration and print what it comes to, defaults filled in')
    .addHelpText('after', example('tickwright check config/live.yaml'))
    .action(async (named: string, { config = named, json }: InspectFlags) => {
      const { read } = await readRunConfig(config);
      io.out(
        json === true
          ? jsonText(writtenConfig(read))
          : `# ${config} is valid; with all defaults it reads:\n${configText(read)}`,
      );
    });
  program
    .command('strategies')
    .description('list the strategies of this build with their parameters')
    .option('--json', 'print JSON')
    .addHelpText('after', example('tickwright strategies'))
    .action(({ json }: InspectFlags) => {
      if (json !== true) return printStrategies(io);
      const strategies = CATALOG.map(({ name, summary, legs, paramRows: params }) => ({
        name,
        summary,
        legs,
        params,
      }));
      return io.out(jsonText(strategies));
    });
  addDoctor(program, context);
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

const MARKS: Readonly<Record<Finding['level'], string>> = { good: 'ok  ', warning: 'WARN', bad: 'FAIL' };

function addDoctor(program: Command, { io, finish }: CliContext): void {
  configCommand(program, 'doctor', 'check this machine, the configuration and the calendar; list assumptions')
    .option('--state <dir>', 'state directory instead of the configured one')
    .addHelpText('after', example('tickwright doctor config/live.yaml'))
    .action(async (named: string, { config = named, state, json }: InspectFlags) => {
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
