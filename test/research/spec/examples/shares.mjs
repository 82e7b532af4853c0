import { defineStrategy, minutes } from 'tickwright/strategy';
import { z } from 'zod';

export default defineStrategy({
  name: 'shares',
  summary: 'buys what fell for three days, sells what rose for two',
  legs: ['share'],
  params: z.object({ shares: z.int().min(1).default(150) }),
  connect(ticks, trader) {
    let before = 0;
    let falls = 0;
    let rises = 0;
    ticks.bars({ every: minutes(1_440) }).subscribe(({ close }) => {
      falls = close < before ? falls + 1 : 0;
      rises = close > before && before > 0 ? rises + 1 : 0;
      before = close;
      const { qty } = trader.position();
      const isFree = trader.workingOrders().length === 0;
      if (falls === 3 && isFree)
        trader.buy({ qty: trader.params.shares, price: 'market', reason: 'fell three days' });
      if (rises === 2 && isFree && qty > 0) trader.sell({ qty, price: 'market', reason: 'rose two days' });
    });
  },
});
