import { describe, expect, test } from 'vitest';
import type { OrderIntent } from '../../src/domain/order.ts';
import { seconds } from '../../src/domain/units.ts';
import type { LegDesk } from '../../src/strategy/desk.ts';
import { startStrategies, startStrategy, type TestDesk } from './start-strategy.ts';

describe('the desk is open during an event only', () => {
  const calls: Record<string, (desk: TestDesk) => unknown> = {
    submit: (desk) => desk.buy({ qty: 1, price: 13_000 as never, reason: 'test' }),
    cancel: (desk) => desk.cancel('S1' as never),
    modify: (desk) => desk.modify('S1' as never, { qty: 1 }),
    position: (desk) => desk.position(),
    workingOrders: (desk) => desk.workingOrders(),
    band: (desk) => desk.band(),
    lastTrade: (desk) => desk.leg('next').lastTrade(),
    lastBook: (desk) => desk.lastBook(),
    ticks: (desk) => desk.ticks(1300),
    time: (desk) => desk.time(),
    phase: (desk) => desk.phase(),
    calendar: (desk) => desk.calendar(),
    contract: (desk) => desk.contract,
    after: (desk) => desk.after(seconds(1), () => {}),
    note: (desk) => desk.note('late'),
  };

  test.each(Object.entries(calls))('%s', (name, call) => {
    let leaked: TestDesk | undefined;
    const desk = startStrategy((_ticks, own) => {
      leaked = own;
    });
    expect(() => call(leaked!)).toThrow(`desk.${name} was called outside the event being processed`);
    expect(desk.faults.map(({ where }) => where)).toEqual([`desk.${name}`]);
    expect(desk.calls).toEqual([]);
    expect(() => call(leaked!), 'a second call reports nothing new').toThrow('this strategy is stopped');
    expect(desk.faults).toHaveLength(1);
  });

  test('the desk of another strategy is closed too', () => {
    let others: TestDesk | undefined;
    const desk = startStrategies([
      (_ticks, own) => {
        others = own;
      },
      (ticks) => ticks.trades$.subscribe(() => others?.time()),
    ]);
    desk.trade(13_000);
    expect(desk.faults[0]).toMatchObject({ strategy: 0, where: 'desk.time' });
  });
});

test('notes are cut, and counted by the minute', () => {
  const desk = startStrategy((ticks, own) => ticks.trades$.subscribe(() => own.note('x'.repeat(1_000))));
  for (let i = 0; i < 200; i += 1) desk.trade(13_000);
  expect(desk.notes).toHaveLength(60);
  expect(desk.notes[0]).toHaveLength('0 '.length + 500);
  expect(desk.notes.at(-1)).toContain('the last note of this minute');
  desk.advance(seconds(61));
  desk.trade(13_000);
  expect(desk.notes).toHaveLength(61);
});

test('desk calls reach the engine as intents', () => {
  const desk = startStrategy((_ticks, own: LegDesk) => {
    const order = own.buy({ qty: 3, price: own.ticks(1300.5), reason: 'test' });
    own.modify(order, { price: own.ticks(1300.6) });
    own.modify(order, { qty: 2 });
    own.cancel(order);
  });
  expect(desk.calls).toEqual([
    '0 submit buy 3 VN30F1M @ 13005',
    '0 modify price 13006',
    '0 modify qty 2',
    '0 cancel',
  ]);
});

/** One order of each kind, and a move. */
const everyKind = (_ticks: unknown, own: TestDesk): void => {
  const head = { side: 'sell', qty: 1, price: own.ticks(1294.5), reason: 'test' } as const;
  const stop = own.submit({ ...head, kind: 'stop', trigger: own.ticks(1295), reduceOnly: true });
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
  const desk = startStrategy(everyKind, { answer });
  const sent = { instrument: 0, side: 'sell', qty: 1, limitPrice: 12_945, reason: 'test' };
  expect(intents).toEqual([
    { ...sent, kind: 'stop', triggerPrice: 12_950, triggerWhen: 'at_or_below', reduceOnly: true },
    { ...sent, kind: 'trailing_stop', activationPrice: 13_050, trailingOffset: 20, reduceOnly: false },
    { ...sent, kind: 'bracket', stopLossPrice: 13_000, takeProfitPrice: 12_900 },
    { ...sent, kind: 'arbitrage', leg: 1 },
    { ...sent, kind: 'limit' },
  ]);
  expect(desk.calls.at(-1)).toBe('0 modify trigger 12960');
});
