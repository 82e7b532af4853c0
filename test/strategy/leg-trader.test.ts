import { describe, expect, test } from 'vitest';
import type { OrderIntent } from '../../src/domain/order.ts';
import type { OrderUpdate } from '../../src/engine/ports/strategy-port.ts';
import { money, seconds } from '../../src/domain/units.ts';
import { startStrategies, startStrategy, type TestTrader } from './start-strategy.ts';

describe('the trader is open during an event only', () => {
  const calls: Record<string, (trader: TestTrader) => unknown> = {
    submit: (trader) =>
      trader.submit({ kind: 'limit', side: 'buy', qty: 1, price: 13_000 as never, reason: 'test' }),
    buy: (trader) => trader.buy({ qty: 1, price: 13_000 as never, reason: 'test' }),
    sell: (trader) => trader.sell({ qty: 1, price: 13_000 as never, reason: 'test' }),
    cancel: (trader) => trader.cancel('S1' as never),
    modify: (trader) => trader.modify('S1' as never, { qty: 1 }),
    position: (trader) => trader.position(),
    workingOrders: (trader) => trader.workingOrders(),
    equity: (trader) => trader.equity(),
    lotsFor: (trader) => trader.lotsFor({ percent: 95 }),
    band: (trader) => trader.band(),
    lastTrade: (trader) => trader.leg('next').lastTrade(),
    lastBook: (trader) => trader.lastBook(),
    ticks: (trader) => trader.ticks(1300),
    plus: (trader) => trader.plus(13_000 as never, 1),
    nearest: (trader) => trader.nearest(1.5),
    fillPrice: (trader) => trader.fillPrice({} as never),
    time: (trader) => trader.time(),
    phase: (trader) => trader.phase(),
    calendar: (trader) => trader.calendar(),
    contract: (trader) => trader.contract,
    after: (trader) => trader.after(seconds(1), () => {}),
    note: (trader) => trader.note('late'),
    plot: (trader) => trader.plot('late', 1),
  };

  test.each(Object.entries(calls))('%s', (name, call) => {
    let leaked: TestTrader | undefined;
    const trader = startStrategy((_ticks, own) => {
      leaked = own;
    });
    expect(() => call(leaked!)).toThrow(`trader.${name} was called outside the event being processed`);
    expect(trader.faults.map(({ where }) => where)).toEqual([`trader.${name}`]);
    expect(trader.calls).toEqual([]);
    expect(() => call(leaked!), 'a second call reports nothing new').toThrow('this strategy is stopped');
    expect(trader.faults).toHaveLength(1);
  });

  test('the trader of another strategy is closed too', () => {
    let others: TestTrader | undefined;
    const trader = startStrategies([
      (_ticks, own) => {
        others = own;
      },
      (ticks) => ticks.trades$.subscribe(() => others?.time()),
    ]);
    trader.trade(13_000);
    expect(trader.faults[0]).toMatchObject({ strategy: 0, where: 'trader.time' });
  });
});

test('a part of the equity buys so many lots, and none before equity and price are known', () => {
  const seen: (number | undefined)[] = [];
  const trader = startStrategy((ticks, own) => {
    seen.push(own.equity(), own.lotsFor({ percent: 95 }));
    ticks.trades$.subscribe(() => seen.push(own.lotsFor({ percent: 95 })));
  });
  trader.trade(13_000);
  // 1,300.0 points at 100,000 VND: 130 million a contract.
  trader.funds = money(1_300_000_000);
  trader.trade(13_000);
  trader.funds = money(-1);
  trader.trade(13_000);
  expect(seen).toEqual([undefined, 0, 0, 9, 0]);
});

test('notes are cut, and counted by the minute', () => {
  const trader = startStrategy((ticks, own) => ticks.trades$.subscribe(() => own.note('x'.repeat(1_000))));
  for (let i = 0; i < 200; i += 1) trader.trade(13_000);
  expect(trader.notes).toHaveLength(60);
  expect(trader.notes[0]).toHaveLength('0 '.length + 500);
  expect(trader.notes.at(-1)).toContain('the last note of this minute');
  trader.advance(seconds(61));
  trader.trade(13_000);
  expect(trader.notes).toHaveLength(61);
});

test('prices are moved by points and rounded from values; a move off the grid is an error', () => {
  const seen: number[] = [];
  const trader = startStrategy((ticks, own) =>
    ticks.trades$.subscribe(({ price }) => {
      seen.push(own.plus(price, 2), own.plus(price, -0.5), own.nearest(price / 3));
      own.plus(price, 0.05);
    }),
  );
  trader.trade(13_000);
  expect(seen).toEqual([13_020, 12_995, 4_333]);
  expect(trader.faults[0]?.message).toContain(
    'trader.plus: expected a price on the grid of 0.1 points, was 0.05; trader.nearest rounds',
  );
});

test('the price of a fill is the one of its update, without those before; an update without a fill has none', () => {
  const prices: number[] = [];
  const trader = startStrategy((ticks, own) => {
    ticks.orders$.subscribe((update) => {
      if (update.status !== 'accepted') prices.push(own.fillPrice(update));
    });
    ticks.trades$.subscribe(({ price }) => own.buy({ qty: 3, price, reason: 'test' }));
  });
  trader.trade(13_005);
  const [{ clientOrderId: id }] = trader.orders.working(0) as readonly [OrderUpdate];
  trader.dispatch(() => trader.orders.fill(id, 2));
  expect(prices).toEqual([13_005]);
  trader.dispatch(() => trader.orders.set(id, { status: 'canceled' }));
  expect(trader.faults[0]?.message).toContain('an update that filled nothing has no price');
});

/** One order of each kind, and a move. */
const everyKind = (_ticks: unknown, own: TestTrader): void => {
  const head = { side: 'sell', qty: 1, price: own.ticks(1294.5), reason: 'test' } as const;
  const stop = own.submit({ ...head, kind: 'stop', trigger: own.ticks(1295), reduceOnly: true });
  own.submit({ ...head, kind: 'stop', trigger: own.ticks(1295), reduceOnly: false });
  own.submit({ ...head, kind: 'trailing_stop', activation: own.ticks(1305), offset: 20 });
  own.submit({ ...head, kind: 'bracket', stopLoss: own.ticks(1300), takeProfit: own.ticks(1290) });
  own.submit({ ...head, kind: 'arbitrage', after: own.leg('next').contract });
  own.submit({ ...head, kind: 'limit' });
  own.modify(stop, { trigger: own.ticks(1296) });
};

test('every kind of order is reached by its name, and its trigger can be moved', () => {
  const intents: OrderIntent[] = [];
  const answer = (intent: OrderIntent): 'accept' => {
    intents.push(intent);
    return 'accept';
  };
  const trader = startStrategy(everyKind, { answer });
  const sent = { instrument: 0, side: 'sell', qty: 1, limitPrice: 12_945, reason: 'test' };
  expect(intents).toEqual([
    { ...sent, kind: 'stop', triggerPrice: 12_950, triggerWhen: 'at_or_below', reduceOnly: true },
    {
      ...sent,
      kind: 'stop',
      triggerPrice: 12_950,
      triggerWhen: 'at_or_below',
      reduceOnly: false,
      mayReverse: true,
    },
    { ...sent, kind: 'trailing_stop', activationPrice: 13_050, trailingOffset: 20, reduceOnly: false },
    { ...sent, kind: 'bracket', stopLossPrice: 13_000, takeProfitPrice: 12_900 },
    { ...sent, kind: 'arbitrage', leg: 1 },
    { ...sent, kind: 'limit' },
  ]);
  expect(trader.calls.at(-1)).toBe('0 modify trigger 12960');
});

test('a price of market is the one that the engine gives for any price, whatever the kind of order', () => {
  const intents: OrderIntent[] = [];
  const trader = startStrategy(
    (ticks, own) =>
      ticks.trades$.subscribe(() => {
        own.buy({ qty: 1, price: 'market', reason: 'test' });
        own.submit({ kind: 'market', side: 'sell', qty: 2, reason: 'test' });
        const stop = {
          kind: 'stop',
          side: 'sell',
          qty: 3,
          trigger: own.ticks(1290),
          reason: 'test',
        } as const;
        own.submit({ ...stop, price: 'market' });
        const trailing = { qty: 3, activation: own.ticks(1310), offset: 20, reason: 'test' };
        own.submit({ kind: 'trailing_stop', side: 'sell', ...trailing, price: 'market' });
      }),
    {
      answer(intent) {
        intents.push(intent);
        return 'accept';
      },
    },
  );
  trader.trade(13_000);
  const asked = intents.map(({ kind, side, qty, limitPrice }) => `${kind} ${side} ${qty} at ${limitPrice}`);
  // Ceiling and floor of the day, 7 % around 1300.
  expect(asked).toEqual([
    'limit buy 1 at 13910',
    'limit sell 2 at 12090',
    'stop sell 3 at 12850',
    'trailing_stop sell 3 at 13030',
  ]);
});
