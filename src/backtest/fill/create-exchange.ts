import type { TickRows } from '../../recording/columns/tick-columns.ts';
import { BarExchange } from './bar-exchange.ts';
import type { Exchange, FillSink } from './exchange.ts';
import type { FillModel } from './fill-models.ts';
import { TickExchange } from './tick-exchange.ts';

/** The market of one contract on one day, by the model of the run. `held` is the net position in it. */
export function createExchange(
  rows: TickRows,
  model: FillModel,
  sink: FillSink,
  held: () => number,
): Exchange {
  return model.on === 'ticks'
    ? new TickExchange(rows, model, sink)
    : new BarExchange(rows, model, sink, held);
}
