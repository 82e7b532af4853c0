/** A strategy that does everything a strategy may do, at random: enters, protects, changes its mind, cancels. */
import { z } from 'zod';
import type { ClientOrderId } from '../../src/domain/ids.ts';
import { priceTicks, seconds } from '../../src/domain/units.ts';
import { defineStrategy } from '../../src/strategy/index.ts';
import { Draws } from './draws.ts';

const params = z.object({
  seed: z.int().min(1),
  qtyMax: z.int().min(1).max(24),
  /** Chance of an action at each trade, in parts of a thousand. */
  activity: z.int().min(0).max(1_000),
  kinds: z.array(z.enum(['limit', 'stop', 'trailing_stop', 'bracket'])).min(1),
  /** Lets small orders rest and enlarges them. */
  isPatient: z.boolean(),
  /** Chance that an action throws, in parts of a thousand. */
  faulty: z.int().min(0).max(1_000),
  /** Market time, in seconds since 1970, from which it only watches. */
  quietFrom: z.number(),
});

type Kind = z.output<typeof params>['kinds'][number];
type Trader = Parameters<Parameters<typeof defineStrategy<typeof params, 'contract'>>[0]['connect']>[1];

const ORDERS_MAX = 6;
/** Text of a fault that is meant. */
export const THROWN = 'thrown at random';

export const randomTrader = defineStrategy({
  name: 'random-trader',
  summary: 'trades at random, for the simulation of the whole program',
  params,
  legs: ['contract'],
  connect(ticks, trader) {
    const { seed, activity, faulty, quietFrom } = trader.params;
    const draws = new Draws(seed);
    const act = (): void => {
      if (trader.time() / 1e6 >= quietFrom || trader.phase() !== 'continuous') return;
      if (!draws.chance(activity / 1_000)) return;
      if (draws.chance(faulty / 1_000)) throw new Error(THROWN);
      actOnce(trader, draws);
    };
    ticks.trades$.subscribe(act);
    ticks.orders$.subscribe((update) => {
      if (update.lastFilledQty > 0 && draws.chance(0.3)) act();
    });
    const again = (): void => {
      trader.after(seconds(1), () => {
        act();
        if (trader.phase() !== 'closed') again();
      });
    };
    ticks.feed$.subscribe(() => {
      if (draws.chance(0.2)) again();
    });
  },
});

function actOnce(trader: Trader, draws: Draws): void {
  const orders = trader.workingOrders();
  const chosen = orders[draws.whole(0, Math.max(0, orders.length - 1))];
  if (chosen !== undefined && (orders.length >= ORDERS_MAX || draws.chance(0.45)))
    return change(trader, draws, chosen.clientOrderId, chosen.limitPrice, chosen.triggerPrice !== undefined);
  enter(trader, draws);
}

function change(trader: Trader, draws: Draws, order: ClientOrderId, price: number, waits: boolean): void {
  if (draws.chance(trader.params.isPatient ? 0.2 : 0.5)) return trader.cancel(order);
  const moved = priceTicks(price + draws.pick([-2, -1, 1, 2]));
  if (waits) trader.cancel(order);
  else if (draws.chance(trader.params.isPatient ? 0.1 : 0.5)) trader.modify(order, { price: moved });
  else trader.modify(order, { qty: draws.whole(1, trader.params.qtyMax) });
}

function enter(trader: Trader, draws: Draws): void {
  const last = trader.lastTrade();
  if (last === undefined) return;
  const held = trader.position().qty;
  const isExit = held !== 0 && draws.chance(0.4);
  const exitSide = held > 0 ? 'sell' : 'buy';
  const side = isExit ? exitSide : draws.pick(['buy', 'sell']);
  const sign = side === 'buy' ? 1 : -1;
  const { isPatient, qtyMax } = trader.params;
  const qty = isExit ? Math.min(Math.abs(held), Math.max(9, qtyMax)) : draws.whole(1, isPatient ? 1 : qtyMax);
  const head = { side, qty, reason: 'at random' } as const;
  const at = (ticks: number) => priceTicks(last.price + ticks);
  const kind: Kind = draws.pick(asTuple(trader.params.kinds));
  switch (kind) {
    case 'limit':
      trader.submit({
        ...head,
        kind,
        price: at(sign * draws.whole(isPatient ? -9 : -4, isPatient ? -2 : 3)),
      });
      return;
    case 'stop': {
      const away = draws.whole(1, 5);
      const closing = isExit && draws.chance(0.7) ? { reduceOnly: true } : {};
      trader.submit({ ...head, kind, trigger: at(sign * away), price: at(sign * (away + 5)), ...closing });
      return;
    }
    case 'trailing_stop': {
      const away = draws.whole(1, 3);
      const closing = isExit && draws.chance(0.7) ? { reduceOnly: true } : {};
      trader.submit({
        ...head,
        kind,
        activation: at(-sign * away),
        offset: draws.whole(1, 4),
        price: at(sign * 8),
        ...closing,
      });
      return;
    }
    case 'bracket':
      trader.submit({
        ...head,
        kind,
        price: at(sign * draws.whole(-2, 3)),
        stopLoss: at(-sign * draws.whole(4, 9)),
        takeProfit: at(sign * draws.whole(4, 9)),
      });
  }
}

function asTuple<T>(list: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error('expected at least one');
  return [first, ...rest];
}
