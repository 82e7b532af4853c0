import { assert } from '../../domain/assert.ts';
import type { TickRows } from '../../recording/columns/tick-columns.ts';
import type { Exchange, FillSink } from './exchange.ts';
import type { FillModel } from './fill-models.ts';
import { TickExchange } from './tick-exchange.ts';

/** The market of one contract on one day, by the model of the run. */
export function createExchange(rows: TickRows, model: FillModel, sink: FillSink): Exchange {
  assert(model.on === 'ticks', 'bars have markets of their own');
  return new TickExchange(rows, model, sink);
}
