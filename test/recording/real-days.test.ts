/** Real prints, where they are next to the repository: what they come to must be what the exchange's bars say. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayAt, type TradingDay } from '../../src/domain/civil-date.ts';
import { legacyCode, listedMonths } from '../../src/domain/contract-code.ts';
import { minutes, tsUs } from '../../src/domain/units.ts';
import { BAR_PHASES, type BarRows, readBarParts } from '../../src/recording/columns/bar-file.ts';
import { tickBars } from '../../src/research/recorded/stored-data.ts';
import { openCatalogue } from '../../src/recording/columns/catalogue.ts';
import { readColumns } from '../../src/recording/columns/tick-file.ts';
import { type BarImportOptions, importBars } from '../../src/recording/import/import-bars.ts';
import { importPrints } from '../../src/recording/import/import-ticks.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { QUIET, vietnamese } from './import/import-settings.ts';

const DATA = join(
  process.env['TICKWRIGHT_DATA'] ?? join(import.meta.dirname, '../../../shared/data'),
  'vn30f',
);
const TICKS = join(DATA, 'ticks');
const MINUTE_BARS = join(DATA, 'vn30f1m_1min_2025-01-13_2026-03-17.csv.gz');
const isThere = existsSync(TICKS) && existsSync(MINUTE_BARS);

interface MinuteBar {
  readonly at: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

const listed = (bars: BarRows): MinuteBar[] =>
  Array.from({ length: bars.rows }, (_, i) => ({
    at: bars.startUs[i]!,
    open: bars.open[i]!,
    high: bars.high[i]!,
    low: bars.low[i]!,
    close: bars.close[i]!,
    volume: bars.volume[i]!,
  }));

const frontMonth = (dir: string): BarImportOptions => ({
  ...vietnamese(dir),
  symbol: 'VN30F1M',
  stamp: 'start',
});

const frontMonthOn = (day: TradingDay): string => legacyCode(listedMonths(MARKET_CALENDAR, 'VN30', day)[0]!);

const dayOf = (at: number): string => dayAt(tsUs(at), 420);

function dayTotal(bars: readonly MinuteBar[]): Omit<MinuteBar, 'at'> {
  return {
    open: bars[0]!.open,
    high: Math.max(...bars.map(({ high }) => high)),
    low: Math.min(...bars.map(({ low }) => low)),
    close: bars.at(-1)!.close,
    volume: bars.reduce((sum, { volume }) => sum + volume, 0),
  };
}

describe('real prints', () => {
  let dir = '';
  let badRows = 0;
  let barsRead = 0;
  /** By day: bars made of prints, and bars as the other file has them. */
  const made = new Map<string, BarRows>();
  const barsByDay = new Map<string, MinuteBar[]>();

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tickwright-real-'));
    if (!isThere) return;
    for (const name of readdirSync(TICKS)) {
      const report = await importPrints(join(TICKS, name), vietnamese(dir), QUIET);
      badRows += report.badRows;
    }
    const report = await importBars(MINUTE_BARS, frontMonth(dir), QUIET);
    badRows += report.badRows;
    barsRead = report.rows;
    for (const {
      day,
      path,
      meta: { gaps },
    } of openCatalogue(dir)) {
      made.set(day, tickBars([readColumns(path)], gaps, { every: minutes(1) }, MARKET_CALENDAR));
    }
    const bars = report.stored.flatMap(({ path }) => [...readBarParts(path)].flatMap(listed));
    for (const bar of bars) barsByDay.set(dayOf(bar.at), [...(barsByDay.get(dayOf(bar.at)) ?? []), bar]);
  });

  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('rebuild all 723 one-minute bars of the three days that can be compared to the letter', (context) => {
    context.skip(!isThere, 'needs the real days');
    const days = ['2026-02-12', '2026-02-27', '2026-03-04'];
    const rebuilt = days.flatMap((day) => listed(made.get(day)!));
    expect(rebuilt).toHaveLength(723);
    expect(rebuilt).toEqual(days.flatMap((day) => barsByDay.get(day)));
  });

  it('come to the open, high, low, close and volume of every day that both files have', (context) => {
    context.skip(!isThere, 'needs the real days');
    // The bars are of the front month; the prints of one day are of the month behind it.
    const common = openCatalogue(dir)
      .filter(({ day, symbol }) => symbol === frontMonthOn(day) && barsByDay.has(day))
      .map(({ day }) => day);
    expect([common.length, made.size]).toEqual([15, 16]);
    expect(common.map((day) => [day, dayTotal(listed(made.get(day)!))])).toEqual(
      common.map((day) => [day, dayTotal(barsByDay.get(day)!)]),
    );
  });

  it('of the next month come to the last price of every minute', async (context) => {
    context.skip(!isThere, 'needs the real days');
    const file = join(DATA, 'vn30f2m_1min_close_2026-01-05_2026-02-13.csv.gz');
    const columns = { open: 'close', high: 'close', low: 'close' };
    const report = await importBars(file, { ...frontMonth(dir), symbol: 'VN30F2M', columns }, QUIET);
    const bars = report.stored.flatMap(({ path }) => [...readBarParts(path)].flatMap(listed));
    const closes = bars.filter(({ at }) => dayOf(at) === '2026-02-13').map(({ at, close }) => [at, close]);
    expect(closes).toHaveLength(241);
    expect(listed(made.get('2026-02-13')!).map(({ at, close }) => [at, close])).toEqual(closes);
  });

  it('are read to the last row', (context) => {
    context.skip(!isThere, 'needs the real days');
    const rows = openCatalogue(dir).map(({ meta }) => meta.rows);
    expect({
      badRows,
      barsRead,
      days: rows.length,
      prints: rows.reduce((sum, count) => sum + count, 0),
    }).toEqual({
      badRows: 0,
      barsRead: 69_678,
      days: 16,
      prints: 1_529_149,
    });
  });

  it('have no gaps in these days, so that every bar is complete, and the closing print is alone', (context) => {
    context.skip(!isThere, 'needs the real days');
    for (const bars of made.values()) {
      expect([...bars.complete].every((complete) => complete === 1)).toBe(true);
      expect(BAR_PHASES[bars.phase.at(-1)!]).toBe('closing_auction');
      expect(bars.trades.at(-1)).toBeGreaterThan(0);
    }
  });
});
