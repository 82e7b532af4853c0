import type { TapeColumns } from '../../domain/ticks.ts';
import { BarExchange } from './bar-exchange.ts';
import type { BookOrder, Exchange, FillSink } from './exchange.ts';
import type { FillModel } from './fill-models.ts';
import { TapeExchange } from './tape-exchange.ts';

/** The market of one contract on one day over recorded rows. `held` is the net position in it. */
export function createExchange<O extends BookOrder>(
  rows: TapeColumns,
  model: FillModel,
  sink: FillSink<O>,
  held: () => number,
): Exchange<O> {
  return model.on === 'ticks'
    ? new TapeExchange(rows, model, sink)
    : new BarExchange(rows, model, sink, held);
}

/** An exchange that turns the extremes of a bar round as it goes gets prices of its own. */
export function playedRows<T extends TapeColumns>(rows: T, model: FillModel): T {
  if (model.on === 'ticks' || model.path !== 'worst_first') return rows;
  return { ...rows, priceTicks: rows.priceTicks.slice() };
}
