/** The rows of a day from its file: ticks as they lie there, bars as the trades that a run plays for them. */
import { barTicks } from '../../backtest/bars/bar-ticks.ts';
import { assert } from '../../domain/assert.ts';
import { tradingDayAt } from '../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../domain/civil-date.ts';
import { tsUs, US_PER_DAY } from '../../domain/units.ts';
import { BAR_LAYOUT, type BarRows, barsOf, tableOfBars } from '../../recording/bars/bar-columns.ts';
import { readBarParts } from '../../recording/bars/bar-file.ts';
import { allocateTable, copyTable } from '../../recording/columns/row-table.ts';
import type { TickRows } from '../../recording/columns/tick-columns.ts';
import { readColumns } from '../../recording/columns/tick-file.ts';
import { type BacktestMarket, wallShift } from './backtest-market.ts';
import type { Backtest } from './load-backtest.ts';
import type { SourceDay } from './source-days.ts';

interface OpenFile {
  readonly path: string;
  readonly parts: readonly BarRows[];
}

/** Reads days in any order; the file of bars that was read last stays open for the day after. */
export function rowReader({
  market,
  read,
}: Pick<Backtest, 'market' | 'read'>): (source: SourceDay) => TickRows {
  let file: OpenFile | null = null;
  return ({ path, bars, day }) => {
    if (bars === null) return readColumns(path);
    if (file?.path !== path) file = { path, parts: [...readBarParts(path)] };
    const found = barsBetween(file.parts, bars.from, bars.to);
    return barTicks(market.isAlwaysOpen ? found : withinSession(found, market, day), read.models.path);
  };
}

/** Copies: a day may lie in two parts of its file. */
function barsBetween(parts: readonly BarRows[], from: number, to: number): BarRows {
  const into = allocateTable(BAR_LAYOUT, to - from);
  let before = 0;
  for (const part of parts) {
    const first = Math.max(from, before);
    const last = Math.min(to, before + part.rows);
    if (first < last) copyTable(into, first - from, tableOfBars(part), first - before, last - first);
    before += part.rows;
  }
  return barsOf(into);
}

/** A bar of a whole day begins and ends with the session, not at midnight. */
function withinSession(bars: BarRows, market: BacktestMarket, day: TradingDay): BarRows {
  const { phases, utcOffsetMinutes } = market.calendar;
  const [first, last] = [phases[0], phases.at(-1)];
  assert(first !== undefined && last !== undefined, 'a market that closes has a session');
  const at = (timeUs: number): number => {
    const moment = momentOf(day, timeUs, utcOffsetMinutes);
    return moment - wallShift(market.zone, moment);
  };
  for (let bar = 0; bar < bars.rows; bar += 1) {
    if ((bars.endUs[bar] ?? 0) - (bars.startUs[bar] ?? 0) < US_PER_DAY) continue;
    bars.startUs[bar] = at(first.fromUs);
    bars.endUs[bar] = at(last.toUs);
  }
  return bars;
}

/** The exchange's day of a moment, also in summer. */
export function dayOf({
  calendar,
  zone,
  isZoneFixed,
  isAlwaysOpen,
}: BacktestMarket): (atUs: number) => TradingDay {
  if (isZoneFixed || isAlwaysOpen) return (atUs) => tradingDayAt(calendar, tsUs(atUs));
  // Clocks change at night: one look a day is enough.
  let known = { number: NaN, shift: 0 };
  return (atUs) => {
    const number = Math.floor(atUs / US_PER_DAY);
    if (known.number !== number) known = { number, shift: wallShift(zone, atUs) };
    return tradingDayAt(calendar, tsUs(atUs + known.shift));
  };
}
