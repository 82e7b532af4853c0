import type { Contract } from '../domain/contract.ts';
import type { OrderIntent, Side } from '../domain/order.ts';
import { qty } from '../domain/units.ts';
import type { OrderRequest, SubmitRequest } from './trader.ts';

export const limitIntent = (
  contract: Contract,
  side: Side,
  { qty: wanted, price, reason }: OrderRequest,
): OrderIntent => ({
  kind: 'limit',
  instrument: contract.index,
  side,
  qty: qty(wanted),
  limitPrice: price,
  reason,
});

/** What the engine is asked for, in its own words. */
export function intentOf(contract: Contract, request: SubmitRequest): OrderIntent {
  const { side, reason } = request;
  const head = { instrument: contract.index, side, qty: qty(request.qty), limitPrice: request.price, reason };
  switch (request.kind) {
    case 'limit':
      return limitIntent(contract, side, request);
    case 'stop': {
      const triggerWhen = request.when ?? (side === 'buy' ? 'at_or_above' : 'at_or_below');
      const reduceOnly = request.reduceOnly ?? false;
      return { ...head, kind: 'stop', triggerPrice: request.trigger, triggerWhen, reduceOnly };
    }
    case 'trailing_stop': {
      const { activation, offset, reduceOnly = false } = request;
      return {
        ...head,
        kind: 'trailing_stop',
        activationPrice: activation,
        trailingOffset: offset,
        reduceOnly,
      };
    }
    case 'bracket': {
      const { stopLoss, takeProfit } = request;
      return { ...head, kind: 'bracket', stopLossPrice: stopLoss, takeProfitPrice: takeProfit };
    }
    case 'arbitrage':
      return { ...head, kind: 'arbitrage', leg: request.after.index };
  }
}
