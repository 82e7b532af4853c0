/** Reference prices and bands of a day, as the engine and the venue are told them. */
import { type PriceBand, priceBand } from '../../domain/contract.ts';
import type { ReferenceRow } from '../../engine/ports/engine-event.ts';
import type { BacktestDay } from '../backtest-plan.ts';

export class DayOpening {
  readonly references: readonly ReferenceRow[];
  /** By instrument. */
  readonly bands: Map<number, PriceBand>;

  constructor({ contracts, references }: BacktestDay) {
    this.bands = new Map();
    const rows: ReferenceRow[] = [];
    for (const contract of contracts) {
      const reference = references.get(contract);
      if (reference === undefined) continue;
      const band = priceBand(contract.spec, reference);
      this.bands.set(contract.index, band);
      rows.push({ instrument: contract.index, ...band, lastPrice: null });
    }
    this.references = rows;
  }
}
