import { describe, expect, test } from 'vitest';
import type { TradingCalendar } from '../../src/domain/calendar.ts';
import { formatTime, tradingDay } from '../../src/domain/civil-date.ts';
import { minutes, seconds, tsUs } from '../../src/domain/units.ts';
import type { Bar, BarSpec } from '../../src/strategy/bar.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { at, contract, EXCHANGE_DAY, OPEN_ALL_DAY } from '../support/strategy-fixtures.ts';
import { startStrategy } from './start-strategy.ts';

const time = (moment: number): string => formatTime(tsUs(moment), 420).replace('.000', '');

/** `09:30:00-09:31:00 o h l c vN tN` and what is odd about it. */
function line(bar: Bar): string {
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
function bars({ spec, start, calendar = EXCHANGE_DAY }: Setup, script: string): string[] {
  const seen: string[] = [];
  const desk = startStrategy((ticks) => ticks.bars(spec).subscribe((bar) => seen.push(line(bar))), {
    start: at(start),
    calendar,
  });
  for (const row of script.trim().split('\n')) play(desk, row.trim());
  expect(desk.faults).toEqual([]);
  return seen;
}

function play(desk: FakeDesk, row: string): void {
  const [moment = '', what = ''] = row.split(/\s+/);
  const [clock = '', day] = moment.split('/');
  const when = day === undefined ? at(clock) : at(clock, tradingDay(day));
  if (what === 'sleep') {
    desk.jumpTo(when);
    return;
  }
  desk.advanceTo(when);
  if (what === 'gap') desk.gap();
  else if (what === 'down' || what === 'live') desk.feed(what);
  else if (what !== '') {
    const [price, qty] = what.split('x').map(Number);
    desk.trade(price ?? 0, qty ?? 1);
  }
}

const minute = { spec: { every: minutes(1) }, start: '09:30:00' };

describe('bars by time', () => {
  test('sum up the trades of a stretch, closed by the clock', () => {
    expect(
      bars(
        minute,
        `09:30:00 13000x2
         09:30:20 13004x3
         09:30:40 12999
         09:30:59 13001x4
         09:31:00`,
      ),
    ).toEqual(['09:30:00-09:31:00 13000 13004 12999 13001 v10 t4']);
  });

  test('a trade at the end of a stretch belongs to the next one', () => {
    expect(
      bars(
        minute,
        `09:30:59.999 13000
         09:31:00 13005
         09:32:00`,
      ),
    ).toEqual([
      '09:30:00-09:31:00 13000 13000 13000 13000 v1 t1',
      '09:31:00-09:32:00 13005 13005 13005 13005 v1 t1',
    ]);
  });

  test('a stretch without trades makes no bar; the next one counts it', () => {
    expect(
      bars(
        minute,
        `09:30:10 13000
         09:31:30
         09:33:10 13002
         09:34:00`,
      ),
    ).toEqual([
      '09:30:00-09:31:00 13000 13000 13000 13000 v1 t1',
      '09:33:00-09:34:00 13002 13002 13002 13002 v1 t1 incomplete late skipped 2',
    ]);
  });

  test('the bar in which the strategy starts is not complete', () => {
    expect(
      bars(
        { ...minute, start: '09:30:30' },
        `09:30:40 13000
         09:31:40 13001
         09:32:00`,
      ),
    ).toEqual([
      '09:30:00-09:31:00 13000 13000 13000 13000 v1 t1 incomplete',
      '09:31:00-09:32:00 13001 13001 13001 13001 v1 t1',
    ]);
  });

  test('no bar crosses the break', () => {
    expect(
      bars(
        { spec: { every: minutes(20) }, start: '11:00:00' },
        `11:21:00 13000
         11:29:00 13001
         13:00:05 13010
         13:20:00`,
      ),
    ).toEqual([
      '11:20:00-11:30:00 13000 13001 13000 13001 v2 t2',
      '13:00:00-13:20:00 13010 13010 13010 13010 v1 t1',
    ]);
  });

  test('the print of the opening auction opens the first bar', () => {
    expect(
      bars(
        { ...minute, start: '08:50:00' },
        `09:00:00 12990x500
         09:00:10 12995
         09:01:00`,
      ),
    ).toEqual(['09:00:00-09:01:00 12990 12995 12990 12995 v501 t2']);
  });

  test('the print of the closing auction has a bar of its own', () => {
    expect(
      bars(
        { spec: { every: minutes(30) }, start: '14:00:00' },
        `14:29:58 13020
         14:45:00 13030x900
         15:00:00`,
      ),
    ).toEqual([
      '14:00:00-14:30:00 13020 13020 13020 13020 v1 t1',
      '14:45:00-15:00:00 13030 13030 13030 13030 v900 t1 closing_auction',
    ]);
  });

  test('a change of day closes, also in a market without hours', () => {
    expect(
      bars(
        { spec: { every: minutes(7) }, start: '23:50:00', calendar: OPEN_ALL_DAY },
        `23:56:00 13000
         00:01:00/2026-03-05 13001
         00:07:00/2026-03-05`,
      ),
    ).toEqual([
      '23:55:00-00:00:00 13000 13000 13000 13000 v1 t1',
      '00:00:00-00:07:00 13001 13001 13001 13001 v1 t1',
    ]);
  });

  test('a gap spoils the bar in which it is found, and no other', () => {
    expect(
      bars(
        minute,
        `09:30:10 13000
         09:31:10 13000
         09:31:20 gap
         09:31:20 13001
         09:32:10 13002
         09:33:00`,
      ),
    ).toEqual([
      '09:30:00-09:31:00 13000 13000 13000 13000 v1 t1',
      '09:31:00-09:32:00 13000 13001 13000 13001 v2 t2 incomplete',
      '09:32:00-09:33:00 13002 13002 13002 13002 v1 t1',
    ]);
  });

  test('a gap found before the first trade of a stretch spoils that stretch', () => {
    expect(
      bars(
        minute,
        `09:30:10 13000
         09:31:10 gap
         09:31:10 13001
         09:32:00`,
      ),
    ).toEqual([
      '09:30:00-09:31:00 13000 13000 13000 13000 v1 t1',
      '09:31:00-09:32:00 13001 13001 13001 13001 v1 t1 incomplete',
    ]);
  });

  test('what was traded while the stream was down is missing from every bar it touches', () => {
    expect(
      bars(
        minute,
        `09:30:10 13000
         09:30:50 down
         09:31:30 live
         09:31:40 13002
         09:32:10 13003
         09:33:00`,
      ),
    ).toEqual([
      '09:30:00-09:31:00 13000 13000 13000 13000 v1 t1 incomplete',
      '09:31:00-09:32:00 13002 13002 13002 13002 v1 t1 incomplete',
      '09:32:00-09:33:00 13003 13003 13003 13003 v1 t1',
    ]);
  });
});

describe('after a standby', () => {
  test('at most one bar comes out, and it says that it is late', () => {
    expect(
      bars(
        minute,
        `09:30:10 13000
         10:15:30 sleep
         10:15:30 13050
         10:15:30 13051
         10:15:31 13052
         10:16:10 13053
         10:17:00`,
      ),
    ).toEqual([
      '09:30:00-09:31:00 13000 13000 13000 13000 v1 t1 incomplete late',
      '10:15:00-10:16:00 13050 13052 13050 13052 v3 t3 incomplete late skipped 44',
      '10:16:00-10:17:00 13053 13053 13053 13053 v1 t1',
    ]);
  });

  test('old ticks that arrive in one burst make no fresh bar by ticks', () => {
    expect(
      bars(
        { spec: { everyTicks: 2 }, start: '09:30:00' },
        `09:30:10 13000
         10:15:30 sleep
         10:15:30 13050
         10:15:30 13051
         10:15:30 13052
         10:15:33 13053
         10:15:34 13054`,
      ),
    ).toEqual([
      '09:30:10-10:15:30 13000 13050 13000 13050 v2 t2 incomplete late',
      '10:15:30-10:15:30 13051 13052 13051 13052 v2 t2 incomplete late',
      '10:15:33-10:15:34 13053 13054 13053 13054 v2 t2',
    ]);
  });

  test('the pause between two sessions is none', () => {
    expect(
      bars(
        { spec: { everyTicks: 1 }, start: '11:29:00' },
        `11:29:30 13000
         13:00:05 13001`,
      ),
    ).toEqual([
      '11:29:30-11:29:30 13000 13000 13000 13000 v1 t1',
      '13:00:05-13:00:05 13001 13001 13001 13001 v1 t1',
    ]);
  });
});

describe('bars by ticks and by volume', () => {
  test('close with the trade that fills them', () => {
    expect(
      bars(
        { spec: { everyTicks: 3 }, start: '09:30:00' },
        `09:30:01 13000
         09:30:02 13003
         09:30:03 13002
         09:30:04 13001`,
      ),
    ).toEqual(['09:30:01-09:30:03 13000 13003 13000 13002 v3 t3']);
  });

  test('a trade is not split over two bars', () => {
    expect(
      bars(
        { spec: { everyVolume: 10 }, start: '09:30:00' },
        `09:30:01 13000x6
         09:30:02 13001x9
         09:30:03 13002x10`,
      ),
    ).toEqual([
      '09:30:01-09:30:02 13000 13001 13000 13001 v15 t2',
      '09:30:03-09:30:03 13002 13002 13002 13002 v10 t1',
    ]);
  });

  test('close unfilled with the session', () => {
    expect(
      bars(
        { spec: { everyTicks: 100 }, start: '11:20:00' },
        `11:29:59 13000
         13:00:00 13001`,
      ),
    ).toEqual(['11:29:59-11:30:00 13000 13000 13000 13000 v1 t1']);
  });

  test.each<BarSpec>([{ everyTicks: 0 }, { everyVolume: 1.5 }, { every: seconds(0) }])(
    '%j is no size',
    (spec) => {
      const desk = startStrategy((ticks) => void ticks.bars(spec).subscribe());
      expect(desk.faults[0]?.message).toBe('Invariant: a bar has a whole, positive size');
    },
  );
});

describe('the stream of bars', () => {
  test('starts again with the new contract at a rollover', () => {
    const seen: string[] = [];
    const contracts = [contract(0), contract(1), contract(2)];
    const desk = startStrategy(
      (ticks) => void ticks.bars({ every: minutes(1) }).subscribe((bar) => seen.push(line(bar))),
      {
        contracts,
        start: at('09:30:00'),
      },
    );
    desk.advanceTo(at('09:30:10'));
    desk.trade(13_000);
    desk.roll(0, [{ leg: 0, contract: contract(2) }]);
    desk.trade(13_000);
    desk.trade(13_200, 1, 2);
    desk.advanceTo(at('09:31:00'));
    expect(seen).toEqual(['09:30:00-09:31:00 13200 13200 13200 13200 v1 t1 incomplete']);
  });

  test('keeps one timer, whatever the number of bars', () => {
    const desk = startStrategy((ticks) => void ticks.bars({ everyTicks: 1 }).subscribe());
    for (let i = 0; i < 100; i += 1) desk.trade(13_000);
    expect(desk.timersWaiting).toBeLessThanOrEqual(1);
  });

  test('closes nothing and sets no timer for a strategy that is stopped', () => {
    let count = 0;
    const desk = startStrategy((ticks) => {
      ticks.bars({ every: minutes(1) }).subscribe(() => (count += 1));
      ticks.books$.subscribe(() => {
        throw new Error('boom');
      });
    });
    desk.trade(13_000);
    desk.book(12_999, 13_001);
    desk.advance(minutes(5));
    expect(count).toBe(0);
    expect(desk.timersWaiting).toBe(0);
  });
});
