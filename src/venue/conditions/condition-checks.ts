/** What the broker checks before an order may wait. Margin is looked at when it is sent, not before. */
import { priceRefusal, qtyRefusal } from '../orders/order-checks.ts';
import { refusal } from '../orders/refusals.ts';
import type { PlaceCondition } from './condition-command.ts';
import type { PlaceLimit, Refusal } from '../venue-command.ts';
import type { Listing } from '../venue-event.ts';

export function conditionRefusal(command: PlaceCondition, listing: Listing): Refusal | null {
  return (
    qtyRefusal(command.qty, listing.contract.spec.orderQtyMax) ??
    priceRefusal(command.limitPrice, listing) ??
    triggerRefusal(command, listing)
  );
}

function triggerRefusal(command: PlaceCondition, listing: Listing): Refusal | null {
  switch (command.kind) {
    case 'stop':
      return priceRefusal(command.triggerPrice, listing);
    case 'trailing_stop': {
      const { offset } = command;
      // Wider than the band it would never trigger.
      const max = listing.band.ceiling - listing.band.floor;
      if (!Number.isSafeInteger(offset) || offset < 1 || offset > max)
        return refusal(-6021, 'Invalid trailing step');
      return priceRefusal(command.activationPrice, listing);
    }
    case 'arbitrage':
      // Its own fills would send it again and again.
      return command.leg === command.orderCode ? refusal(-6003, 'The leg is another contract') : null;
  }
}

/** A stop-loss lies on the losing side of the order's price, a take-profit on the winning one. */
export function bracketRefusal({ bracket, side, limitPrice }: PlaceLimit, listing: Listing): Refusal | null {
  if (bracket === undefined) return null;
  const { stopLossPrice, takeProfitPrice } = bracket;
  const outside = priceRefusal(stopLossPrice, listing) ?? priceRefusal(takeProfitPrice, listing);
  if (outside !== null) return outside;
  const [low, high] = side === 'buy' ? [stopLossPrice, takeProfitPrice] : [takeProfitPrice, stopLossPrice];
  return low < limitPrice && limitPrice < high ? null : refusal(-6021);
}
