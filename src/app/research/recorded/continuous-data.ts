/** Writes imported daily bars of futures contracts as one continuous series. */
import { writeFileSync } from 'node:fs';
import { dayAt } from '../../../domain/civil-date.ts';
import { tsUs } from '../../../domain/units.ts';
import { readBarMeta, readBarParts } from '../../../recording/columns/bar-file.ts';
import { barFiles } from '../../../recording/columns/catalogue.ts';
import {
  type BackAdjustment,
  type ContractDay,
  type ContractDays,
  continuousDays,
  NoSeries,
  type Roll,
  type RollRule,
} from '../../../recording/continuous-days.ts';
import { csvText } from '../../../text/csv.ts';
import { decimalsOf } from '../../../text/decimals.ts';
import { timeZone } from '../../../text/time-zone.ts';

export { NoSeries };

export interface ContinuousRequest {
  readonly dir: string;
  /** In the order of their expiries. */
  readonly symbols: readonly string[];
  readonly rule: RollRule;
  readonly adjustment: BackAdjustment;
  readonly out: string;
}

export interface ContinuousWritten {
  readonly out: string;
  readonly rows: number;
  /** Closes in points. */
  readonly rolls: readonly Roll[];
}

const LENGTH = '1d';
/** Digits of a ratio behind those of the tick. */
const RATIO_DIGITS = 6;

/** Throws an error for people where the series cannot be made. */
export function writeContinuous({
  dir,
  symbols,
  rule,
  adjustment,
  out,
}: ContinuousRequest): ContinuousWritten {
  const read = symbols.map((symbol) => contractDays(dir, symbol));
  const tick = Number(read[0]?.tickSize);
  const other = read.find(({ tickSize }) => Number(tickSize) !== tick);
  if (other !== undefined)
    throw new NoSeries(
      `${other.symbol} has a tick of ${other.tickSize}, ${symbols[0] ?? ''} of ${tick}: expected one`,
    );
  const { days, rolls } = continuousDays(read, rule, adjustment);
  const digits = decimalsOf(tick) + (adjustment === 'ratio' ? RATIO_DIGITS : 0);
  const points = (ticks: number): string => (ticks * tick).toFixed(digits);
  const low = days.find((each) => each.low <= 0);
  if (low !== undefined)
    throw new NoSeries(
      `the adjusted price of ${low.day} is ${points(low.low)}, which is no price: take --adjust ratio`,
    );
  const rows = days.map(({ day, open, high, low: least, close, volume, symbol }) => [
    day,
    ...[open, high, least, close].map(points),
    volume,
    symbol,
  ]);
  writeFileSync(out, csvText(['time', 'open', 'high', 'low', 'close', 'volume', 'front'], rows));
  const inPoints = (ticks: number): number => Number((ticks * tick).toFixed(decimalsOf(tick)));
  return {
    out,
    rows: rows.length,
    rolls: rolls.map((roll) => ({
      ...roll,
      closeFrom: inPoints(roll.closeFrom),
      closeTo: inPoints(roll.closeTo),
    })),
  };
}

function contractDays(dir: string, symbol: string): ContractDays & { readonly tickSize: string } {
  const files = barFiles(dir).filter((file) => file.symbol === symbol && file.length === LENGTH);
  const days: ContractDay[] = [];
  let tickSize = '';
  for (const { path } of files) {
    const meta = readBarMeta(path);
    tickSize = meta.tickSize;
    const zone = timeZone(meta.timeZone);
    for (const { rows, startUs, open, high, low, close, volume } of readBarParts(path))
      for (let i = 0; i < rows; i += 1) {
        const at = startUs[i] ?? 0;
        days.push({
          day: dayAt(tsUs(at), zone?.offsetAtMoment(at) ?? 0),
          open: open[i] ?? 0,
          high: high[i] ?? 0,
          low: low[i] ?? 0,
          close: close[i] ?? 0,
          volume: volume[i] ?? 0,
        });
      }
  }
  if (days.length === 0)
    throw new NoSeries(`${dir} has no daily bars of ${symbol}: import them with data import`);
  return { symbol, days, tickSize };
}
