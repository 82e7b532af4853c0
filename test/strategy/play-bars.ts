/** Plays a script to a stream of bars and writes the bars down, one a line. */
import { expect } from 'vitest';
import type { TradingCalendar } from '../../src/domain/calendar.ts';
import { formatTime, tradingDay } from '../../src/domain/civil-date.ts';
import { tsUs } from '../../src/domain/units.ts';
import type { BarSpec } from '../../src/domain/bars.ts';
import type { Bar } from '../../src/strategy/leg-ticks.ts';
import type { FakeTrader } from '../support/fake-trader.ts';
import { at, EXCHANGE_DAY } from '../support/strategy-fixtures.ts';
import { startStrategy } from './start-strategy.ts';

const time = (moment: number): string => formatTime(tsUs(moment), 420).replace('.000', '');

/** `09:30:00-09:31:00 o h l c vN tN` and what is odd about it. */
export function line(bar: Bar): string {
  const odd = [
    bar.phase === 'continuous' ? '' : bar.phase,
    bar.complete ? '' : 'incomplete',
    bar.fresh ? '' : 'late',
    bar.skipped === 0 ? '' : `skipped ${bar.skipped}`,
  ];
  const prices = `${bar.open} ${bar.high} ${bar.low} ${bar.close}`;
  return [`${time(bar.startUs)}-${time(bar.endUs)} ${prices} v${bar.volume} t${bar.trades}`, ...odd]
    .filter(Boolean)
    .join(' ');
}

interface Setup {
  readonly spec: BarSpec;
  readonly start: string;
  readonly calendar?: TradingCalendar;
}

/** Plays `09:30:01 13000x2`, `gap`, `down`, `live`, `sleep` (the clock jumps) and bare times, one a line; gives the bars. */
export function playBars({ spec, start, calendar = EXCHANGE_DAY }: Setup, script: string): string[] {
  const seen: string[] = [];
  const trader = startStrategy((ticks) => ticks.bars(spec).subscribe((bar) => seen.push(line(bar))), {
    start: at(start),
    calendar,
  });
  for (const row of script.trim().split('\n')) play(trader, row.trim());
  expect(trader.faults).toEqual([]);
  return seen;
}

function play(trader: FakeTrader, row: string): void {
  const [moment = '', what = ''] = row.split(/\s+/);
  const [clock = '', day] = moment.split('/');
  const when = day === undefined ? at(clock) : at(clock, tradingDay(day));
  if (what === 'sleep') {
    trader.jumpTo(when);
    return;
  }
  trader.advanceTo(when);
  if (what === 'gap') trader.gap();
  else if (what === 'down' || what === 'live') trader.feed(what);
  else if (what !== '') {
    const [price, qty] = what.split('x').map(Number);
    trader.trade(price ?? 0, qty ?? 1);
  }
}
