import type { PriceTicks } from '../../domain/units.ts';

/** A stop-loss and a take-profit price, absolute; one cancels the other. */
export interface Bracket {
  readonly stopLossPrice: PriceTicks;
  readonly takeProfitPrice: PriceTicks;
}
