import { describe, expect, it } from 'vitest';
import type { BarSpec } from '../../../src/domain/bars.ts';
import { formatTime, momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { minutes, tsUs } from '../../../src/domain/units.ts';
import { BAR_PHASES, type BarRows } from '../../../src/recording/columns/bar-file.ts';
import { tickBars } from '../../../src/research/recorded/stored-data.ts';
import { allocateRows, type TickGap, type TickRows } from '../../../src/recording/columns/tick-file.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

const DAY = tradingDay('2026-03-04');

/** Microseconds of `HH:MM:SS` on the day. */
function at(time: string): number {
  const [h = 0, m = 0, s = 0] = time.split(':').map(Number);
  return momentOf(DAY, (h * 3_600 + m * 60 + s) * 1_000_000, 420);
}

interface Trade {
  readonly at: number;
  readonly price: number;
  readonly qty: number;
}

function ticksOf(trades: readonly Trade[]): TickRows {
  const rows = allocateRows(0, trades.length);
  for (const [i, trade] of trades.entries()) {
    rows.tsUs[i] = trade.at;
    rows.priceTicks[i] = trade.price;
    rows.qty[i] = trade.qty;
  }
  return rows;
}

function barsOf(spec: BarSpec, trades: readonly Trade[], gaps: readonly TickGap[] = []): BarRows {
  return tickBars([ticksOf(trades)], gaps, spec, MARKET_CALENDAR);
}

const clock = (us: number): string => formatTime(tsUs(us), 420).slice(0, 8);

/** `09:00:00-09:01:00 19500 19510 19490 19505 v12 n3 continuous`. */
const shown = (bars: BarRows): string[] =>
  Array.from(
    { length: bars.rows },
    (_, i) =>
      `${clock(bars.startUs[i]!)}-${clock(bars.endUs[i]!)} ${bars.open[i]} ${bars.high[i]} ${bars.low[i]} ${bars.close[i]} v${bars.volume[i]} n${bars.trades[i]} ${BAR_PHASES[bars.phase[i]!]}${bars.complete[i] === 1 ? '' : ' incomplete'}`,
  );

const trade = (time: string, price: number, size = 1): Trade => ({ at: at(time), price, qty: size });

describe('bars of a minute', () => {
  it('hold what was traded in them; the auctions are where they belong and nothing crosses the break', () => {
    const bars = barsOf({ every: minutes(1) }, [
      trade('09:00:00', 100, 50),
      trade('09:00:59', 103, 2),
      trade('09:02:00', 99),
      trade('11:29:59', 98),
      trade('11:30:00', 97),
      trade('13:00:00', 96),
      trade('14:29:59', 95),
      trade('14:45:00', 94, 70),
      trade('14:45:00', 94, 30),
    ]);
    expect(shown(bars)).toEqual([
      '09:00:00-09:01:00 100 103 100 103 v52 n2 continuous',
      '09:02:00-09:03:00 99 99 99 99 v1 n1 continuous',
      '11:29:00-11:30:00 98 98 98 98 v1 n1 continuous',
      '11:30:00-11:31:00 97 97 97 97 v1 n1 break',
      '13:00:00-13:01:00 96 96 96 96 v1 n1 continuous',
      '14:29:00-14:30:00 95 95 95 95 v1 n1 continuous',
      '14:45:00-14:46:00 94 94 94 94 v100 n2 closing_auction',
    ]);
  });

  it('of longer than a session end with it', () => {
    const bars = barsOf({ every: minutes(240) }, [
      trade('11:29:00', 1),
      trade('13:00:00', 2),
      trade('14:29:59', 3),
    ]);
    expect(shown(bars)).toEqual([
      '09:00:00-11:30:00 1 1 1 1 v1 n1 continuous',
      '13:00:00-14:30:00 2 3 2 3 v2 n2 continuous',
    ]);
  });

  it('are made of trades alone, not of changes of the book', () => {
    expect(barsOf({ every: minutes(1) }, [trade('09:30:00', 7, 0)]).rows).toBe(0);
  });

  it('are none without trades', () => {
    expect(barsOf({ every: minutes(1) }, []).rows).toBe(0);
  });
});

it('closes bars of ticks and of volume when they are full, and at the end of a session', () => {
  const trades = [
    trade('11:29:57', 1, 2),
    trade('11:29:58', 2, 2),
    trade('11:29:59', 3, 2),
    trade('13:00:00', 4, 9),
    trade('13:00:01', 5, 1),
  ];
  expect(shown(barsOf({ everyTicks: 2 }, trades))).toEqual([
    '11:29:57-11:29:58 1 2 1 2 v4 n2 continuous',
    '11:29:59-11:30:00 3 3 3 3 v2 n1 continuous',
    '13:00:00-13:00:01 4 5 4 5 v10 n2 continuous',
  ]);
  expect(shown(barsOf({ everyVolume: 5 }, trades))).toEqual([
    '11:29:57-11:29:59 1 3 1 3 v6 n3 continuous',
    '13:00:00-13:00:00 4 4 4 4 v9 n1 continuous',
    '13:00:01-14:30:00 5 5 5 5 v1 n1 continuous',
  ]);
});

it('marks the bars in which a gap began, lies or ended', () => {
  const gap: TickGap = { fromUs: at('09:01:30'), toUs: at('09:03:10'), kind: 'missed', qty: 5 };
  const times = ['09:00:00', '09:01:30', '09:03:10', '09:04:00'];
  const trades = times.map((time) => trade(time, 5));
  const complete = (spec: BarSpec): number[] => [...barsOf(spec, trades, [gap]).complete];
  expect(complete({ every: minutes(1) })).toEqual([1, 0, 0, 1]);
  expect(complete({ everyTicks: 1 })).toEqual([1, 1, 0, 1]);
  expect(complete({ everyTicks: 3 })).toEqual([0, 1]);
});
