/** `tickwright calendar`: the days that the file of closures knows. */
import type { Command } from 'commander';
import { calendarEnd, type CalendarView, calendarView } from '../../daemon/inspect/calendar-view.ts';
import { systemClock } from '../../host/system-clock.ts';
import { tradingDayAt } from '../../domain/calendar.ts';
import { weekdayOf } from '../../domain/civil-date.ts';
import { formatCount } from '../../text/numbers.ts';
import { formatTable, SCREEN_WIDTH, wrapText } from '../../text/table.ts';
import { type CliContext, EXIT, jsonText } from '../cli-io.ts';
import { readConfig } from '../read-config.ts';

interface CalendarFlags {
  readonly config?: string;
  readonly json?: boolean;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

export function addCalendarCommand(program: Command, { io, finish }: CliContext): void {
  const command = program
    .command('calendar')
    .description('show the sessions, holidays and expiries ahead, and where the calendar ends')
    .argument('[file]', 'configuration', 'config/paper.yaml')
    .option('--config <file>', 'the same as an option')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
A running daemon takes a changed file of closures by tickwright reload;
tickwright reload --check shows what that would change.

Example:
  tickwright calendar config/live.yaml
`,
    )
    .action((named: string) => {
      const { config = named, json } = command.opts<CalendarFlags>();
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
