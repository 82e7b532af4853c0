/** The days that files of bars hold: which rows of a file belong to which session. */
import { createHash } from 'node:crypto';
import type { TradingDay } from '../../domain/civil-date.ts';
import { ROWS_PER_BAR } from '../../backtest/bars/bar-ticks.ts';
import { barFiles } from '../../recording/bars/bar-catalogue.ts';
import { readBarParts } from '../../recording/bars/bar-file.ts';
import type { BacktestMarket } from './backtest-market.ts';
import { dayOf } from './read-rows.ts';

interface BarDay {
  readonly symbol: string;
  readonly day: TradingDay;
  readonly path: string;
  readonly rows: number;
  readonly digest: string;
  readonly bars: { readonly from: number; readonly to: number };
  readonly missed: number;
}

export function barDays(dir: string, market: BacktestMarket): readonly BarDay[] {
  const dayAt = dayOf(market);
  return barFiles(dir).flatMap(({ symbol, path }) => daysIn(path, symbol, dayAt));
}

function daysIn(path: string, symbol: string, dayAt: (atUs: number) => TradingDay): readonly BarDay[] {
  const days: BarDay[] = [];
  let row = 0;
  let from = 0;
  let open: TradingDay | null = null;
  let fileDigest = '';
  const close = (): void => {
    if (open === null || row === from) return;
    const digest = createHash('sha256').update(`${fileDigest} ${from} ${row}`).digest('hex');
    days.push({
      symbol,
      day: open,
      path,
      rows: ROWS_PER_BAR * (row - from),
      digest,
      bars: { from, to: row },
      missed: 0,
    });
  };
  for (const { meta, startUs, rows } of readBarParts(path)) {
    fileDigest = meta.digest;
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
