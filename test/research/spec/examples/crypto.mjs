import { defineStrategy, minutes } from 'tickwright/strategy';
import { z } from 'zod';

export default defineStrategy({
  name: 'crypto',
  summary: 'holds a quarter of a coin above the mean of the last minutes',
  legs: ['coin'],
  params: z.object({ bars: z.int().min(1).default(5), lots: z.int().min(1).default(250) }),
  connect(ticks, trader) {
    const { bars, lots } = trader.params;
    const closes = [];
    ticks.bars({ every: minutes(1) }).subscribe(({ close }) => {
      closes.push(close);
      if (closes.length > bars) closes.shift();
      if (closes.length < bars || trader.workingOrders().length > 0) return;
      const isAbove = close * bars > closes.reduce((sum, each) => sum + each, 0);
      const { qty } = trader.position();
      if (isAbove && qty === 0) trader.buy({ qty: lots, price: 'market', reason: 'above its mean' });
      if (!isAbove && qty > 0) trader.sell({ qty, price: 'market', reason: 'below its mean' });
    });
  },
});
