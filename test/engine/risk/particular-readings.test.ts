/** Where a rule could be read in two ways. */
import { expect, test } from 'vitest';
import type { RiskSettings } from '../../../src/domain/settings.ts';
import * as units from '../../../src/domain/units.ts';
import { EngineTrader } from '../../../src/engine/engine-trader.ts';
import { marketPrice } from '../../../src/engine/risk/risk-rules.ts';
import { at } from '../../support/strategy-fixtures.ts';
import { stopSell } from '../support/trigger-rows.ts';
import { SETTINGS, StateRig } from '../support/state-rig.ts';
import {
  type Change,
  ALPHA,
  intent,
  nothing,
  verdict,
  earned,
  holding,
  ID,
  verdictText,
  verdictWhen,
  type Wanted,
} from '../support/guard-fixture.ts';

type Case = readonly [name: string, change: Change, wanted: Wanted, expected: string];

const COUNTED: readonly Case[] = (['unknown', 'pending_cancel', 'submitted'] as const).map((status) => [
  `an order that is ${status} still counts`,
  (rig) => rig.add({ id: 'a', side: 'buy', qty: 3, status }),
  { qty: 2 },
  'strategy_position_limit: worst=5 max=4',
]);

const READINGS: readonly Case[] = [
  ...COUNTED,
  ['a contract that is not listed is no order', nothing, { instrument: 9 }, 'contract_unknown: instrument=9'],
  [
    'a quantity that is being raised counts for the larger one',
    (rig) => rig.change(rig.add({ id: 'a', side: 'buy', qty: 1 }), { qty: 3 }),
    { qty: 2 },
    'strategy_position_limit: worst=5 max=4',
  ],
  [
    'opposite positions are not set off: either may be closed at any time',
    (rig) => [rig.hold(units.OPERATOR_INDEX, 4), rig.hold(1, -4)],
    { qty: 3 },
    'account_position_limit: worst=7 max=6',
  ],
  [
    "another strategy's orders are not its own",
    (rig) => rig.add({ id: 'a', side: 'buy', qty: 3, strategy: 1, price: 12_900 }),
    { qty: 2 },
    'approved as entry',
  ],
  [
    'what only closes a position of another owner enlarges nothing',
    (rig) =>
      rig
        .hold(0, 1)
        .hold(1, 2)
        .hold(-1, -2)
        .add({ id: 'a', side: 'buy', qty: 1, strategy: -1, price: 12_900 }),
    { qty: 3 },
    'approved as entry',
  ],
  [
    'exits that a bracket has earned count before a book shows them',
    (rig) => earned(rig, 'sell', 3),
    { qty: 2 },
    'strategy_position_limit: worst=5 max=4',
  ],
  [
    'the last trade counts, not the book',
    (rig) => rig.book(1, 99_999).trade(13_270),
    {},
    'price_outside_collar: price=13000 last=13270 collarBps=200',
  ],
  [
    'the same refusal is probed once a minute',
    ({ state }) =>
      Array.from({ length: 8 }, () =>
        state.breakers.refusals.onRejected(ALPHA, { ...intent(), trigger: null }, '', at('09:59')),
      ),
    {},
    'approved as entry',
  ],
];

const other =
  (side: 'buy' | 'sell', price: number): Change =>
  (rig) =>
    rig.add({ id: 'a', qty: 1, strategy: 1, side, price });
const lost: Change = (rig) =>
  rig.add({ id: 'a', side: 'buy', qty: 1, strategy: 1, orderNo: null, status: 'unknown' });

const CROSSES: readonly Case[] = [
  ['a buy below our sell', other('sell', 12_991), { price: 12_990 }, 'approved as entry'],
  ['a sell above our buy', other('buy', 13_009), { side: 'sell', price: 13_010 }, 'approved as entry'],
  [
    'a sell at our buy',
    other('buy', 13_010),
    { side: 'sell', price: 13_010 },
    'own_cross: price=13010 restingPrice=13010',
  ],
  ['two buys', other('buy', 13_010), { price: 13_010 }, 'approved as entry'],
  [
    'either price of an open change',
    (rig) =>
      rig.change(rig.add({ id: 'a', side: 'sell', qty: 1, strategy: 1, price: 13_020 }), { price: 12_999 }),
    {},
    'own_cross: price=13000 restingPrice=12999',
  ],
  [
    'an order without a number keeps an entry away',
    lost,
    { side: 'sell' },
    'own_cross: price=13000 restingPrice=13000',
  ],
  [
    'an order without a number does not trap an exit',
    (rig) => [lost(rig), rig.hold(0, 1).read()],
    { side: 'sell' },
    'approved as reduce',
  ],
];

test.each([...READINGS, ...CROSSES])('%s', (_, change, wanted, expected) => {
  expect(verdictWhen(change, wanted)).toBe(expected);
});

/** One contract at 1,300.0 needs 22,100,000; four fifths of what is free may be used: just enough for one. */
const MARGINS: readonly Case[] = [
  ['exactly enough', nothing, {}, 'approved as entry'],
  ['not for two', nothing, { qty: 2 }, 'margin: needed=44200000 available=22100000'],
  ['what closes needs none', (rig) => rig.hold(1, 4), { side: 'sell', qty: 4 }, 'approved as entry'],
  ['only the rest opens', (rig) => rig.hold(1, 2), { side: 'sell', qty: 3 }, 'approved as entry'],
  [
    'what a working order closes is not closed twice',
    (rig) => [rig.hold(1, 2), rig.add({ id: 'a', side: 'sell', qty: 2, strategy: 1 })],
    { side: 'sell', qty: 2 },
    'margin: needed=44200000 available=22100000',
  ],
  [
    'an order sent since the read is not in the figure',
    (rig) => rig.add({ id: 'a', side: 'buy', qty: 1, createdUs: at('10:00') }),
    {},
    'margin: needed=22100000 available=0',
  ],
  ['an order sent before it is', (rig) => rig.add({ id: 'a', side: 'buy', qty: 1 }), {}, 'approved as entry'],
  [
    'an order that waits for its price is not',
    (rig) => rig.add({ id: 'a', side: 'buy', qty: 1, isWaiting: true }),
    {},
    'margin: needed=22100000 available=0',
  ],
  [
    'an order without a number is not',
    (rig) => rig.add({ id: 'a', side: 'buy', qty: 1, orderNo: null }),
    {},
    'margin: needed=22100000 available=0',
  ],
  [
    'what an order was enlarged by since the read is not',
    (rig) =>
      Object.assign(rig.add({ id: 'a', side: 'buy', qty: 2 }).writableExtras(), {
        grownUs: at('10:00'),
        grownFrom: units.qty(1),
      }),
    {},
    'margin: needed=22100000 available=0',
  ],
  [
    'what it was enlarged by before is',
    (rig) =>
      Object.assign(rig.add({ id: 'a', side: 'buy', qty: 2 }).writableExtras(), {
        grownUs: at('09:59'),
        grownFrom: units.qty(1),
      }),
    {},
    'approved as entry',
  ],
  [
    'an exit frees margin, it takes none',
    (rig) => rig.add({ id: 'a', side: 'buy', qty: 1, orderNo: null, purpose: 'reduce' }),
    {},
    'approved as entry',
  ],
];

test.each(MARGINS)('margin: %s', (_, change, wanted, expected) => {
  const set: Change = (rig) => {
    rig.account(27_625_000);
    change(rig);
  };
  expect(verdictWhen(set, wanted)).toBe(expected);
});

const withRisk = (risk: Partial<RiskSettings>) => ({ settings: { risk: { ...SETTINGS.risk, ...risk } } });

test('the exchange allows 500 contracts, whatever is configured', () => {
  const generous = withRisk({ orderQtyMax: units.qty(1_000) });
  expect(verdictWhen(nothing, { qty: 501 }, generous)).toBe('qty_above_max: qty=501 max=500');
});

test('a stop of the engine is as large as its position, and opens no order', () => {
  const rig = new StateRig().hold(0, 7).read();
  const stop = { ...stopSell(12_950, 7), reason: 'protect' };
  expect(verdictText(rig.guard.checkSubmit(ALPHA, ID, stop, 'system', false))).toBe('approved as reduce');
  ['a', 'b', 'c'].forEach((id) => rig.add({ id, side: 'sell', qty: 1, instrument: 1, isProtective: true }));
  expect(verdict(rig, { instrument: 1, side: 'sell' })).toBe('approved as entry');
});

test('entries into an auction, where they are configured', () => {
  const open = { ...withRisk({ auctionEntries: true }), startUs: at('08:50') };
  expect(verdictWhen(nothing, {}, open)).toBe('approved as entry');
});

test('nothing is entered that would be carried into an auction', () => {
  const strategies = SETTINGS.strategies.map((each) => ({ ...each, overnight: true }));
  const atTime = (time: string) => verdictWhen(nothing, {}, { settings: { strategies }, startUs: at(time) });
  expect(atTime('14:29:29')).toBe('approved as entry');
  expect(atTime('14:29:30')).toBe('closing_out: because=auction');
});

test.each([
  // The collar of 2 % around 1300.0 is nearer than the band; a trade near its edge leaves the band; no trade, the reference.
  [13_000, 'buy', 13_260],
  [13_000, 'sell', 12_740],
  [13_800, 'buy', 13_910],
  [12_200, 'sell', 12_090],
  [null, 'buy', 13_260],
] as const)(
  'last trade %s: a %s at the market may go to %s, which no rule refuses',
  (last, side, furthest) => {
    const rig = new StateRig({ has: { trades: false } });
    if (last !== null) rig.trade(last);
    const { market, contracts } = rig.state;
    const limit = marketPrice(market, SETTINGS, contracts.all[0]!, side);
    expect(limit).toBe(furthest);
    expect(verdict(rig, { side, price: limit })).toBe('approved as entry');
  },
);

test.each([12_600, 12_750])('a stop at the market that closes sells below its trigger of %s', (trigger) => {
  const sell = (rig: StateRig): string => {
    const [front] = rig.state.contracts.all;
    const limitPrice = new EngineTrader(rig.state).marketPrice(
      ALPHA,
      front!,
      'sell',
      units.priceTicks(trigger),
    );
    const answer = rig.guard.checkSubmit(ALPHA, ID, stopSell(trigger, 2, { limitPrice }), 'strategy', false);
    return `${limitPrice} ${verdictText(answer)}`;
  };
  // 2 % of the trigger.
  expect(sell(holding())).toBe(`${trigger - Math.floor(trigger / 50)} approved as reduce`);
  // What opens stays within 2 % of the last trade.
  expect(sell(new StateRig())).toMatch(
    trigger === 12_600 ? /^12740 limit_behind_trigger/ : /^12740 approved as entry/,
  );
});
