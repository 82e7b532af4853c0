import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../../src/domain/units.ts';
import type { BarSpec } from '../../src/domain/bars.ts';
import { OPEN_ALL_DAY } from '../support/strategy-fixtures.ts';
import { playBars } from './play-bars.ts';
import { startStrategy } from './start-strategy.ts';

const minute = { spec: { every: minutes(1) }, start: '09:30:00' };

/** What happens, and the bars that come of it. */
const STORIES: readonly (readonly [
  name: string,
  setup: Parameters<typeof playBars>[0],
  story: string,
  bars: string,
])[] = [
  [
    'sum up the trades of a stretch, closed by the clock',
    minute,
    `09:30:00 13000x2
     09:30:20 13004x3
     09:30:40 12999
     09:30:59 13001x4
     09:31:00`,
    `09:30:00-09:31:00 13000 13004 12999 13001 v10 t4`,
  ],
  [
    'a stretch without trades makes no bar; the next one counts it',
    minute,
    `09:30:10 13000
     09:31:30
     09:33:10 13002
     09:34:00`,
    `09:30:00-09:31:00 13000 13000 13000 13000 v1 t1
     09:33:00-09:34:00 13002 13002 13002 13002 v1 t1 incomplete late skipped 2`,
  ],
  [
    'the bar in which the strategy starts is not complete',
    { ...minute, start: '09:30:30' },
    `09:30:40 13000
     09:31:40 13001
     09:32:00`,
    `09:30:00-09:31:00 13000 13000 13000 13000 v1 t1 incomplete
     09:31:00-09:32:00 13001 13001 13001 13001 v1 t1`,
  ],
  [
    'no bar crosses the break',
    { spec: { every: minutes(20) }, start: '11:00:00' },
    `11:21:00 13000
     11:29:00 13001
     13:00:05 13010
     13:20:00`,
    `11:20:00-11:30:00 13000 13001 13000 13001 v2 t2
     13:00:00-13:20:00 13010 13010 13010 13010 v1 t1`,
  ],
  [
    'the print of the opening auction opens the first bar',
    { ...minute, start: '08:50:00' },
    `09:00:00 12990x500
     09:00:10 12995
     09:01:00`,
    `09:00:00-09:01:00 12990 12995 12990 12995 v501 t2`,
  ],
  [
    'the print of the closing auction has a bar of its own',
    { spec: { every: minutes(30) }, start: '14:00:00' },
    `14:29:58 13020
     14:45:00 13030x900
     15:00:00`,
    `14:00:00-14:30:00 13020 13020 13020 13020 v1 t1
     14:45:00-15:00:00 13030 13030 13030 13030 v900 t1 closing_auction`,
  ],
  [
    'a change of day closes, also in a market without hours',
    { spec: { every: minutes(7) }, start: '23:50:00', calendar: OPEN_ALL_DAY },
    `23:56:00 13000
     00:01:00/2026-03-05 13001
     00:07:00/2026-03-05`,
    `23:55:00-00:00:00 13000 13000 13000 13000 v1 t1
     00:00:00-00:07:00 13001 13001 13001 13001 v1 t1`,
  ],
  [
    'a gap spoils the bar in which it is found, and no other',
    minute,
    `09:30:10 13000
     09:31:10 13000
     09:31:20 gap
     09:31:20 13001
     09:32:10 13002
     09:33:00`,
    `09:30:00-09:31:00 13000 13000 13000 13000 v1 t1
     09:31:00-09:32:00 13000 13001 13000 13001 v2 t2 incomplete
     09:32:00-09:33:00 13002 13002 13002 13002 v1 t1`,
  ],
  [
    'what was traded while the stream was down is missing from every bar it touches',
    minute,
    `09:30:10 13000
     09:30:50 down
     09:31:30 live
     09:31:40 13002
     09:32:10 13003
     09:33:00`,
    `09:30:00-09:31:00 13000 13000 13000 13000 v1 t1 incomplete
     09:31:00-09:32:00 13002 13002 13002 13002 v1 t1 incomplete
     09:32:00-09:33:00 13003 13003 13003 13003 v1 t1`,
  ],
  [
    'after a standby at most one bar comes out, and it says that it is late',
    minute,
    `09:30:10 13000
     10:15:30 sleep
     10:15:30 13050
     10:15:30 13051
     10:15:31 13052
     10:16:10 13053
     10:17:00`,
    `09:30:00-09:31:00 13000 13000 13000 13000 v1 t1 incomplete late
     10:15:00-10:16:00 13050 13052 13050 13052 v3 t3 incomplete late skipped 44
     10:16:00-10:17:00 13053 13053 13053 13053 v1 t1`,
  ],
  [
    'old ticks that arrive in one burst after a standby make no fresh bar by ticks',
    { spec: { everyTicks: 2 }, start: '09:30:00' },
    `09:30:10 13000
     10:15:30 sleep
     10:15:30 13050
     10:15:30 13051
     10:15:30 13052
     10:15:33 13053
     10:15:34 13054`,
    `09:30:10-10:15:30 13000 13050 13000 13050 v2 t2 incomplete late
     10:15:30-10:15:30 13051 13052 13051 13052 v2 t2 incomplete late
     10:15:33-10:15:34 13053 13054 13053 13054 v2 t2`,
  ],
  [
    'the pause between two sessions is no standby',
    { spec: { everyTicks: 1 }, start: '11:29:00' },
    `11:29:30 13000
     13:00:05 13001`,
    `11:29:30-11:29:30 13000 13000 13000 13000 v1 t1
     13:00:05-13:00:05 13001 13001 13001 13001 v1 t1`,
  ],
];

test.each(STORIES)('bars: %s', (_name, setup, story, bars) => {
  expect(playBars(setup, story)).toEqual(bars.split('\n').map((line) => line.trim()));
});

describe('bars by ticks and by volume', () => {
  test('close unfilled with the session', () => {
    expect(
      playBars(
        { spec: { everyTicks: 100 }, start: '11:20:00' },
        `11:29:59 13000
         13:00:00 13001`,
      ),
    ).toEqual(['11:29:59-11:30:00 13000 13000 13000 13000 v1 t1']);
  });

  test.each<BarSpec>([{ everyTicks: 0 }, { everyVolume: 1.5 }, { every: seconds(0) }])(
    '%j is no size',
    (spec) => {
      const trader = startStrategy((ticks) => void ticks.bars(spec).subscribe());
      expect(trader.faults[0]?.message).toBe('Invariant: a bar has a whole, positive size');
    },
  );
});

test('single trades have no length of their own: a strategy that names none is stopped', () => {
  const trader = startStrategy((ticks) => ticks.bars().subscribe());
  trader.trade(13_000);
  expect(trader.faults).toMatchObject([{ message: expect.stringContaining('the data are single trades') }]);
});

test('a price of a quote is refused: bars are made of trades', () => {
  const asked = { every: minutes(1), price: 'bid' };
  const { faults } = startStrategy((ticks) => ticks.bars(asked).subscribe());
  expect(faults[0]?.message).toContain('books$ has each quote');
});
