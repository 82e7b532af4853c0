/** What a strategy asks of the trader is checked where it asks: a fault names the call, the key, what was expected and what was given. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startStrategy } from './start-strategy.ts';

type Call = (trader: Readonly<Record<string, (...given: unknown[]) => unknown>>) => unknown;

/** The faults of a strategy that makes one call at the first trade, and what reached the engine. */
function played(call: Call) {
  const trader = startStrategy((ticks, own) =>
    ticks.trades$.subscribe(() => void call(own as unknown as Parameters<Call>[0])),
  );
  trader.trade(13_000);
  return { faults: trader.faults.map(({ message }) => message), calls: trader.calls };
}

const HEAD = { side: 'buy', qty: 1, price: 13_000, reason: 'test' };
const { side: _, ...PLAIN } = HEAD;

describe('an order that is refused', () => {
  const REFUSED: readonly (readonly [string, Call, string])[] = [
    [
      'without a kind',
      ({ submit }) => submit?.(HEAD),
      "trader.submit: kind: expected 'limit' or 'market' or 'stop' or 'trailing_stop' or 'bracket' or 'arbitrage', was nothing",
    ],
    [
      'with a misspelt stop-loss',
      ({ submit }) => submit?.({ kind: 'bracket', ...HEAD, stop_loss: 12_900, takeProfit: 13_100 }),
      'trader.submit of a bracket order: nothing reads "stop_loss"; expected kind, side, reason, qty, price, timeInForce, stopLoss, takeProfit',
    ],
    ['of two sides', ({ sell }) => sell?.(HEAD), 'trader.sell: side: expected \'sell\', was "buy"'],
    ['for no number', ({ buy }) => buy?.({ ...PLAIN, qty: NaN }), 'trader.buy: qty: expected a whole number'],
    [
      'without a reason',
      ({ buy }) => buy?.({ ...PLAIN, reason: undefined }),
      'trader.buy: reason: expected a few words for the journal, was nothing',
    ],
    [
      'at a price between two ticks',
      ({ buy }) => buy?.({ ...PLAIN, price: 100.5 }),
      'trader.buy: price: expected whole ticks',
    ],
    [
      'with a stop between two ticks',
      ({ submit }) => submit?.({ kind: 'stop', ...HEAD, trigger: 12_900.5 }),
      'trader.submit of a stop order: trigger: expected whole ticks',
    ],
    [
      'that ends at a time',
      ({ buy }) => buy?.({ ...PLAIN, timeInForce: 'gtd' }),
      "trader.buy: timeInForce: expected 'day' or 'gtc', was \"gtd\"",
    ],
  ];
  test.each(REFUSED)('%s', (_name, call, message) => {
    const { faults, calls } = played(call);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(message);
    expect(calls).toEqual([]);
  });
});

test.each([
  ['both at once', { price: 13_000, qty: 2 }],
  ['nothing', {}],
  ['what no order has', { side: 'sell' }],
])('a change of %s is refused', (_name, change) => {
  const { faults, calls } = played(({ modify }) => modify?.('S1', change));
  expect(faults[0]).toContain(
    'trader.modify: expected one of { price }, { qty } and { trigger }, was an object',
  );
  expect(calls).toEqual([]);
});

const CALLS = (
  'submit buy sell modify cancel ticks plus nearest points fillPrice after note plot leg position workingOrders band lastTrade ' +
  'lastBook hasBooks time phase calendar'
).split(' ');
const ORDER_KEYS = [
  'kind',
  'side',
  'qty',
  'price',
  'reason',
  'timeInForce',
  'trigger',
  'when',
  'stopLoss',
  'after',
  'offset',
];

/** Anything, and orders that are nearly right. */
const value = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withSparseArray: true }),
  fc.constantFrom('buy', 'sell', 'market', 'S1', Symbol('odd'), () => 0, 13_000),
  fc.dictionary(
    fc.constantFrom(...ORDER_KEYS),
    fc.oneof(fc.constantFrom('limit', 'stop', 'bracket', 'buy', 'market', 'day', 1, 13_000), fc.anything()),
  ),
);

test('whatever a strategy asks for, it is done, or the fault says which call expected what', () => {
  fc.assert(
    fc.property(fc.constantFrom(...CALLS), fc.array(value, { maxLength: 3 }), (name, given) => {
      const { faults } = played((trader) => {
        const call = trader[name];
        if (call !== undefined) Reflect.apply(call, trader, given);
      });
      expect(faults.length).toBeLessThan(2);
      for (const message of faults) expect(message).toMatch(/^(trader\.\w+|no leg |Invariant: an update)/);
    }),
    { numRuns: 3_000 },
  );
});
