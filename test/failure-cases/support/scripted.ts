/** A strategy that follows a script: each step is taken at the first price that it names, also in a replay. */
import { z } from 'zod';
import { minutes, priceTicks, seconds } from '../../../src/domain/units.ts';
import { defineStrategy, type LegTrader, PositionWorker } from '../../../src/strategy/index.ts';

/** Prices in ticks. */
const step = z.object({
  at: z.int(),
  /** Price of a trade, or the best bid. */
  on: z.enum(['trade', 'bid']).default('trade'),
  /** Seconds between the price and the step. */
  after: z.number().default(0),
  /** `aim` has a worker bring the position to `qty`. */
  do: z.enum(['buy', 'sell', 'cancel', 'aim']),
  qty: z.int().default(1),
  price: z.int().default(0),
  /** A stop that sends `price`. */
  trigger: z.int().optional(),
  /** The way to the trigger; absent: that of a stop. */
  when: z.enum(['at_or_above', 'at_or_below']).optional(),
  /** Exits of a bracket, as prices. */
  stopLoss: z.int().optional(),
  takeProfit: z.int().optional(),
});

export type Step = z.input<typeof step>;

export const scripted = defineStrategy({
  name: 'scripted',
  summary: 'does what a script says, for scenarios',
  params: z.object({
    steps: z.array(step),
    /** Notes every book, or bars of two trades, as text. */
    notes: z.enum(['none', 'books', 'bars']).default('none'),
  }),
  legs: ['contract'],
  connect(ticks, trader) {
    const left = new Set(trader.params.steps);
    const settings = { rest: minutes(5), reprice: seconds(1), slipTicks: 0 };
    const worker = trader.params.steps.some((each) => each.do === 'aim')
      ? new PositionWorker(ticks, trader, settings)
      : null;
    const follow = (on: 'trade' | 'bid', price: number): void => {
      for (const each of left) {
        if (each.at !== price || each.on !== on) continue;
        left.delete(each);
        if (each.do === 'aim') worker?.aim(each.qty, 'the script');
        else if (each.after === 0) take(trader, each);
        else trader.after(seconds(each.after), () => take(trader, each));
      }
    };
    ticks.trades$.subscribe(({ price }) => follow('trade', price));
    ticks.books$.subscribe(({ bids: [bid], asks: [ask] }) => {
      if (trader.params.notes === 'books') trader.note(`${bid?.price ?? '-'}/${ask?.price ?? '-'}`);
      if (bid !== undefined) follow('bid', bid.price);
    });
    if (trader.params.notes !== 'bars') return;
    ticks.bars({ everyTicks: 2 }).subscribe(({ open, close, complete, fresh }) => {
      trader.note(`${open}-${close}${complete ? '' : ' incomplete'}${fresh ? '' : ' late'}`);
    });
  },
});

function take(trader: LegTrader, each: z.output<typeof step>): void {
  if (each.do === 'aim') return;
  if (each.do === 'cancel') {
    for (const { clientOrderId } of trader.workingOrders()) trader.cancel(clientOrderId);
    return;
  }
  const head = { side: each.do, qty: each.qty, price: priceTicks(each.price), reason: 'the script' };
  if (each.trigger !== undefined) {
    const trigger = priceTicks(each.trigger);
    trader.submit({
      ...head,
      kind: 'stop',
      trigger,
      ...(each.when === undefined ? {} : { when: each.when }),
    });
  } else if (each.stopLoss !== undefined && each.takeProfit !== undefined) {
    const [stopLoss, takeProfit] = [priceTicks(each.stopLoss), priceTicks(each.takeProfit)];
    trader.submit({ ...head, kind: 'bracket', stopLoss, takeProfit });
  } else trader.submit({ ...head, kind: 'limit' });
}
