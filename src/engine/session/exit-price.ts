/** Where an exit is priced: at the touch plus some ticks, inside the band (rulings, 38). */
import type { Contract } from '../../domain/contract.ts';
import type { Side } from '../../domain/order.ts';
import { type PriceTicks, priceTicks } from '../../domain/units.ts';
import type { RiskView } from '../risk/risk-view.ts';

export interface ExitPrice {
  readonly price: PriceTicks;
  /** Nobody is on the other side, and the market stands at the limit: the order can only queue there. */
  readonly isLocked: boolean;
}

/** Undefined when nothing at all is known of the price. */
export function exitPrice(
  view: RiskView,
  { index, spec }: Contract,
  side: Side,
  slipTicks: number,
): ExitPrice | undefined {
  const sign = side === 'buy' ? 1 : -1;
  const band = view.band(index);
  const touch = touchOf(view, index, side);
  const last = view.lastTrade(index)?.price;
  const reference = band === undefined ? undefined : Math.round(band.reference / spec.hundredthsPerTick);
  const base = touch ?? last ?? reference;
  if (base === undefined) return undefined;
  const limit = side === 'buy' ? band?.ceiling : band?.floor;
  const wanted = base + sign * slipTicks;
  const price = limit === undefined ? wanted : sign * Math.min(sign * wanted, sign * limit);
  const isLocked = touch === undefined && limit !== undefined && last === limit;
  return { price: priceTicks(Math.max(1, price)), isLocked };
}

/** The best price of the other side; a crossed book is torn, and not to be traded on (rulings, 21). */
function touchOf(view: RiskView, instrument: Contract['index'], side: Side): PriceTicks | undefined {
  const book = view.lastBook(instrument);
  if (book === undefined || book.crossed) return undefined;
  return (side === 'buy' ? book.asks : book.bids)[0]?.price;
}
