/** Two averages over every trade; one contract long above, short below; it turns with one order through the touch. */
import { z } from 'zod';
import { priceTicks } from '../../src/domain/units.ts';
import type { TradeTick } from '../../src/domain/ticks.ts';
import { defineStrategy, type Trader, type StrategyDefinition } from '../../src/strategy/index.ts';

/** What it saw, to be compared with what the peers saw: how many crosses, and a sum over their places and prices. */
export interface CrossTally {
  crosses: number;
  sum: number;
}

const SUM_BELOW = 2 ** 31 - 1;
/** Worst price beyond the last: the order takes what is there. */
const THROUGH_TICKS = 10;

/** The tally is a global of the process that measures: a strategy has no way out but its orders. */
export function tickCross(tally: CrossTally): StrategyDefinition {
  return defineStrategy({
    name: 'tick-cross',
    summary: 'one contract with the faster of two averages over ticks',
    params,
    legs: ['contract'],
    connect(ticks, trader) {
      const cross = new Cross(trader, tally);
      ticks.trades$.subscribe((trade) => cross.next(trade));
    },
  });
}

const params = z.object({ fast: z.int(), slow: z.int(), trade: z.boolean() });

/** Numbers that change with every tick are fields of a class: in a closure each change of one makes an object. */
class Cross {
  readonly #trader: Trader<z.infer<typeof params>, 'contract'>;
  readonly #tally: CrossTally;
  #fastPart = 0;
  #slowPart = 0;
  #warm = 0;
  #fast = 0;
  #slow = 0;
  #seen = 0;
  #held = 0;

  constructor(trader: Trader<z.infer<typeof params>, 'contract'>, tally: CrossTally) {
    const { fast, slow } = trader.params;
    this.#trader = trader;
    this.#tally = tally;
    this.#fastPart = 2 / (fast + 1);
    this.#slowPart = 2 / (slow + 1);
    this.#warm = slow;
  }

  next({ price }: TradeTick): void {
    this.#seen += 1;
    const isFirst = this.#seen === 1;
    this.#fast += (isFirst ? 1 : this.#fastPart) * (price - this.#fast);
    this.#slow += (isFirst ? 1 : this.#slowPart) * (price - this.#slow);
    if (this.#seen <= this.#warm) return;
    const aim = this.#fast > this.#slow ? 1 : -1;
    if (aim !== this.#held) this.#turn(aim, price);
  }

  #turn(aim: 1 | -1, price: number): void {
    const qty = Math.abs(aim - this.#held);
    this.#held = aim;
    const tally = this.#tally;
    tally.crosses += 1;
    tally.sum = (tally.sum * 31 + this.#seen * 7 + price) % SUM_BELOW;
    const { params: chosen } = this.#trader;
    if (!chosen.trade) return;
    const limit = priceTicks(price + aim * THROUGH_TICKS);
    if (aim > 0) this.#trader.buy({ qty, price: limit, reason: 'cross' });
    else this.#trader.sell({ qty, price: limit, reason: 'cross' });
  }
}
