/** Bars of recorded trades, by the builder that strategies get theirs from. */
import type { BarSpec } from '../../../domain/bars.ts';
import type { TradingCalendar } from '../../../domain/calendar.ts';
import type { TradeTick } from '../../../domain/ticks.ts';
import { instrumentIndex, priceTicks, qty, seq, tsUs } from '../../../domain/units.ts';
import { BAR_LAYOUT, BAR_PHASES, type BarRows, barsOf } from '../../../recording/columns/bar-file.ts';
import { allocateTable } from '../../../recording/columns/row-table.ts';
import type { TickGap, TickRows } from '../../../recording/columns/tick-columns.ts';
import { BarBuilder } from '../../../strategy/bars.ts';
import type { Bar } from '../../../strategy/ticks.ts';

/** Of one day, the last one closed as it is. The trades that a gap swallowed may belong to any bar that it touches: such a bar is incomplete. */
export function tickBars(
  parts: Iterable<TickRows>,
  gaps: readonly TickGap[],
  spec: BarSpec,
  calendar: TradingCalendar,
): BarRows {
  const builder = new BarBuilder(spec, calendar, tsUs(0));
  const bars: Bar[] = [];
  const keep = (bar: Bar | null): void => {
    if (bar !== null) bars.push(bar);
  };
  for (const trade of tradesOf(parts)) {
    keep(builder.closeDue(tsUs(Math.min(builder.endUs, trade.tsUs))));
    keep(builder.add(trade));
  }
  if (builder.endUs !== Infinity) keep(builder.closeDue(tsUs(builder.endUs)));
  const into = barsOf(allocateTable(BAR_LAYOUT, bars.length));
  for (const [i, bar] of bars.entries()) {
    into.startUs[i] = bar.startUs;
    into.endUs[i] = bar.endUs;
    into.open[i] = bar.open;
    into.high[i] = bar.high;
    into.low[i] = bar.low;
    into.close[i] = bar.close;
    into.volume[i] = bar.volume;
    into.trades[i] = bar.trades;
    into.phase[i] = BAR_PHASES.indexOf(bar.phase);
    into.complete[i] = Number(!gaps.some(({ fromUs, toUs }) => bar.startUs <= toUs && bar.endUs > fromUs));
  }
  return into;
}

function* tradesOf(parts: Iterable<TickRows>): Generator<TradeTick> {
  for (const { rows, tsUs: at, priceTicks: price, qty: size } of parts) {
    for (let i = 0; i < rows; i += 1) {
      const lots = size[i] ?? 0;
      if (lots === 0) continue;
      yield {
        kind: 'trade',
        seq: seq(i),
        tsUs: tsUs(at[i] ?? 0),
        instrument: instrumentIndex(0),
        price: priceTicks(price[i] ?? 0),
        qty: qty(lots),
        totalVolume: 0,
      };
    }
  }
}
