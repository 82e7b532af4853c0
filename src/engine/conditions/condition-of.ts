import type { TriggerIntent, Trigger } from '../../domain/order.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { InstrumentIndex } from '../../domain/units.ts';

/** What leaves the house for what was asked; undefined for a leg that is no contract. */
export function conditionOf(
  intent: TriggerIntent,
  codeOf: (leg: InstrumentIndex) => OrderCode | undefined,
): Trigger | undefined {
  switch (intent.kind) {
    case 'stop':
      return { kind: 'stop', triggerPrice: intent.triggerPrice, triggerWhen: intent.triggerWhen };
    case 'trailing_stop': {
      const { activationPrice, trailingOffset } = intent;
      return { kind: 'trailing_stop', activationPrice, trailingOffset };
    }
    case 'bracket': {
      const { stopLossPrice, takeProfitPrice } = intent;
      return { kind: 'bracket', stopLossPrice, takeProfitPrice };
    }
    case 'arbitrage': {
      const legCode = codeOf(intent.leg);
      return legCode === undefined ? undefined : { kind: 'arbitrage', leg: intent.leg, legCode };
    }
  }
}
