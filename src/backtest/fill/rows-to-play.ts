import type { TickRows } from '../../recording/columns/tick-columns.ts';
import type { FillModel } from './fill-models.ts';

/** Where the worse extreme of a bar comes first, only the run knows which one that is: it gets prices of its own to turn round. */
export function rowsToPlay(rows: TickRows, model: FillModel): TickRows {
  if (model.on === 'ticks' || model.path !== 'worst_first') return rows;
  return { ...rows, priceTicks: rows.priceTicks.slice() };
}
