/**
 * `npm run bench -- memory`: a long run of synthetic ticks in one process, and the most memory it ever held. Each day's columns are made
 * when the day is opened and dropped after it, as a run over files does. What stays is what the report shows: fills, round
 * trips, samples.
 */
import { cpus } from 'node:os';
import { runBacktest } from '../../src/research/run/run-backtest.ts';
import { addDays, type TradingDay, weekdayOf } from '../../src/domain/civil-date.ts';
import { benchDays, benchPlan } from './backtest-plan.ts';
import { BENCH_DAY, BenchWalk } from './backtest-ticks.ts';

const [ticksText = '100000000'] = process.argv.slice(2);
const ROWS_A_DAY = 2_000_000;
const MIB = 2 ** 20;
/** Slower averages than where orders are measured: about an order every 1,400 ticks. */
const [FAST, SLOW] = [500, 2_000];

function weekdays(count: number): TradingDay[] {
  const days: TradingDay[] = [];
  for (let day = BENCH_DAY; days.length < count; day = addDays(day, 1)) {
    const weekday = weekdayOf(day);
    if (weekday >= 1 && weekday <= 5) days.push(day);
  }
  return days;
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const days = weekdays(Math.ceil(Number(ticksText) / ROWS_A_DAY));
const walk = new BenchWalk(1);
const data = benchDays(days, ROWS_A_DAY, 1, (day) => walk.next(ROWS_A_DAY, day));
const tally = { crosses: 0, sum: 0 };
const plan = benchPlan(data, { strategies: 1, trade: true, fast: FAST, slow: SLOW }, tally);
const start = performance.now();
const result = runBacktest(plan);
const seconds = (performance.now() - start) / 1_000;
const { rows, orders, fills, journalEntries } = result.counts;
const peakMiB = process.resourceUsage().maxRSS / 1_024;
say(`${cpus()[0]?.model ?? 'unknown processor'}, node ${process.version}`);
say(`${whole(rows)} ticks on ${days.length} days, ${whole(seconds)} s with making them`);
say(`${whole(orders)} orders, ${whole(fills)} fills, ${whole(journalEntries)} journal entries`);
say(`peak of resident memory ${whole(peakMiB)} MiB, now ${whole(process.memoryUsage().rss / MIB)} MiB`);
