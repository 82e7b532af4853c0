/** The days that files of bars hold: which rows of a file belong to which session. */
import { createHash } from 'node:crypto';
import { tradingDayAt } from '../../../domain/calendar.ts';
import type { TradingDay } from '../../../domain/civil-date.ts';
import { tsUs } from '../../../domain/units.ts';
import { ROWS_PER_BAR } from '../../../backtest/bars/bar-ticks.ts';
import { barFiles } from '../../../recording/bars/bar-catalogue.ts';
import { readBarMeta, readBarParts } from '../../../recording/bars/bar-file.ts';
import type { BarMeta } from '../../../recording/bars/bar-meta.ts';
import type { BacktestMarket } from './backtest-market.ts';
import { wallClock } from './wall-clock.ts';

interface BarDay {
  readonly symbol: string;
  readonly day: TradingDay;
  readonly path: string;
  readonly rows: number;
  readonly digest: string;
  readonly tickSize: string;
  readonly lotSize: string;
  readonly bars: { readonly from: number; readonly to: number; readonly everyUs: number };
  readonly missed: number;
}

/** Of one length, where one is wanted. */
export function barDays(dir: string, market: BacktestMarket, everyUs: number | null): readonly BarDay[] {
  return barFiles(dir).flatMap(({ symbol, path }) => {
    const meta = readBarMeta(path);
    if (everyUs !== null && meta.everyUs !== everyUs) return [];
    const shiftAt = wallClock(market, meta.everyUs);
    const dayAt = (at: number): TradingDay => tradingDayAt(market.calendar, tsUs(at + shiftAt(at)));
    return daysIn({ path, symbol, meta }, dayAt);
  });
}

interface YearFile {
  readonly path: string;
  readonly symbol: string;
  readonly meta: BarMeta;
}

function daysIn(file: YearFile, dayAt: (atUs: number) => TradingDay): readonly BarDay[] {
  const { path, symbol, meta } = file;
  const { everyUs, tickSize, lotSize } = meta;
  const days: BarDay[] = [];
  let row = 0;
  let from = 0;
  let open: TradingDay | null = null;
  const close = (): void => {
    if (open === null || row === from) return;
    const digest = createHash('sha256').update(`${meta.digest} ${from} ${row}`).digest('hex');
    days.push({
      symbol,
      day: open,
      path,
      rows: ROWS_PER_BAR * (row - from),
      digest,
      tickSize,
      lotSize,
      bars: { from, to: row, everyUs },
      missed: 0,
    });
  };
  for (const { startUs, rows } of readBarParts(path)) {
    for (let i = 0; i < rows; i += 1) {
      const day = dayAt(startUs[i] ?? 0);
      if (day !== open) {
        close();
        open = day;
        from = row;
      }
      row += 1;
    }
  }
  close();
  return days;
}
