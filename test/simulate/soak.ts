/** Lives through a month. Ends with 1 when a promise is broken, a trading day has no trade, memory or handles grow, or the journal is not intact. */
import { commandOptions } from '../support/command-options.ts';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { liveMonth, type MeasuredDay } from './month.ts';

const values = commandOptions('soak --', 'lives through a month of trading days in virtual time', {
  days: { type: 'string', default: '31', help: 'days, closed ones too' },
  from: { type: 'string', default: '2026-04-06', help: 'the first of them' },
  minutes: { type: 'string', default: '1', help: 'of each continuous phase' },
  disconnects: { type: 'string', default: '200', help: 'over all days' },
  seed: { type: 'string', default: '1', help: 'of market and strategies' },
});

const MB = 1e6;
const SLOPE_MB_MAX = 5;
/** Code is compiled and caches fill on the first days. */
const WARM_UP_DAYS = 2;
const DAYS_OF_MONTH = 31;

/** Least squares, in MB a month. */
function slopeOf(days: readonly MeasuredDay[]): number {
  const meanX = (days.length - 1) / 2;
  const meanY = days.reduce((sum, { heapBytes }) => sum + heapBytes, 0) / days.length;
  let [xy, xx] = [0, 0];
  for (const [i, { heapBytes }] of days.entries()) {
    xy += (i - meanX) * (heapBytes - meanY);
    xx += (i - meanX) ** 2;
  }
  return xx === 0 ? 0 : ((xy / xx) * DAYS_OF_MONTH) / MB;
}

/** More at the end than on any of the first days. */
const hasGrown = (days: readonly MeasuredDay[], of: (day: MeasuredDay) => number): boolean => {
  const first = days.slice(0, Math.ceil(days.length / 3)).map(of);
  return Math.min(...days.slice(-3).map(of)) > Math.max(...first);
};

function print(day: MeasuredDay): void {
  console.log(
    [
      `${day.day} ${day.isTrading ? 'trading' : 'closed '}`,
      `heap ${(day.heapBytes / MB).toFixed(2)} MB`,
      `files ${day.files}, sockets ${day.sockets}, timers ${day.timers}`,
      `journal ${(day.journalBytes / MB).toFixed(2)} MB`,
      `engines ${day.engines}, sessions ${day.sessions}`,
      `${day.fills} fills, ${day.tokens} tokens, ${day.cuts} disconnects so far`,
    ].join(' | '),
  );
}

const { days, starts, violations, story, journal } = await liveMonth({
  seed: Number(values.seed),
  firstDay: tradingDay(values.from),
  days: Number(values.days),
  disconnects: Number(values.disconnects),
  minutes: Number(values.minutes),
  onDay: print,
});
const problems = [...violations];
const steady = days.slice(WARM_UP_DAYS);
const slope = slopeOf(steady);
if (slope > SLOPE_MB_MAX) problems.push(`the heap grows by ${slope.toFixed(2)} MB a month`);
const handles = ['files', 'sockets', 'timers', 'engines', 'engineThreads', 'sessions'] as const;
const leaks = handles.filter((name) => hasGrown(steady, (day) => day[name]));
if (leaks.length > 0) problems.push(`handles leak: ${leaks.join(', ')}`);
if (journal.faults.length > 0) problems.push(`the journal has ${journal.faults.length} faults`);
if (starts !== 1) problems.push(`the daemon started ${starts} times`);
for (const [i, { day, isTrading, fills }] of days.entries())
  if (isTrading && fills === (days[i - 1]?.fills ?? 0)) problems.push(`${day} has no fill`);
console.log(`heap ${slope.toFixed(2)} MB a month after ${WARM_UP_DAYS} days, at most ${SLOPE_MB_MAX}`);
console.log(`handle leak: ${leaks.length > 0 ? 'yes' : 'no'}`);
console.log(
  `journal verify: ${journal.sessions.length} sessions, ${journal.faults.length > 0 ? 'damaged' : 'intact'}`,
);
if (violations.length > 0) console.log(story);
for (const problem of problems) console.log(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
