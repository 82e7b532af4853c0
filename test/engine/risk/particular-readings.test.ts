/** Where a rule could be read in two ways. */
import { expect, test } from 'vitest';
import type { EngineSettings } from '../../../src/domain/settings.ts';
import * as units from '../../../src/domain/units.ts';
import { formatDenial } from '../../../src/engine/ports/denial.ts';
import { RiskGuard } from '../../../src/engine/risk/risk-guard.ts';
import { marketPrice } from '../../../src/engine/risk/rules/price-rules.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { at, bookTick, tradeTick } from '../../support/strategy-fixtures.ts';
import { COSTS, FakeRiskView, SETTINGS } from '../support/fake-risk-view.ts';
import {
  ALPHA,
  type Change,
  ID,
  intent,
  nothing,
  verdictWhen,
  type Wanted,
} from '../support/guard-fixture.ts';

type Case = readonly [name: string, change: Change, wanted: Wanted, expected: string];

const COUNTED: readonly Case[] = (['unknown', 'presumed_absent', 'pending_cancel', 'submitted'] as const).map(
  (status) => [
    `an order that is ${status} still counts`,
    (view) => view.add({ id: 'a', side: 'buy', qty: 3, status }),
    { qty: 2 },
    'strategy_position_limit: worst=5 max=4',
  ],
);

const READINGS: readonly Case[] = [
  ...COUNTED,
  ['a contract that is not listed is no order', nothing, { instrument: 9 }, 'contract_unknown: instrument=9'],
  [
    'a quantity that is being raised counts for the larger one',
    (view) => view.add({ id: 'a', side: 'buy', qty: 1, pendingQty: 3 }),
    { qty: 2 },
    'strategy_position_limit: worst=5 max=4',
  ],
  [
    'opposite positions are not set off: either may be closed at any time',
    (view) => [view.hold(units.OPERATOR_INDEX, 4), view.hold(1, -4)],
    { qty: 3 },
    'account_position_limit: worst=7 max=6',
  ],
  [
    'the last trade counts, not the book',
    (view) => {
      view.book = bookTick({ seq: 1, tsUs: at('09:59') }, 1, 99_999);
      view.trade = tradeTick({ seq: 1, tsUs: at('09:59') }, 13_270);
    },
    {},
    'price_outside_collar: price=13000 last=13270 collarBps=200',
  ],
  [
    'the same refusal is probed once a minute',
    (view) => (view.rejection = { count: 8, text: '', lastUs: at('09:59') }),
    {},
    'approved as entry',
  ],
];

const other =
  (side: 'buy' | 'sell', price: number): Change =>
  (view) =>
    view.add({ id: 'a', qty: 1, strategy: 1, side, price });
const lost: Change = (view) =>
  view.add({ id: 'a', side: 'buy', qty: 1, strategy: 1, orderNo: null, status: 'unknown' });

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
    (view) => view.add({ id: 'a', side: 'sell', qty: 1, strategy: 1, price: 13_020, pendingPrice: 12_999 }),
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
    (view) => [lost(view), view.hold(0, 1)],
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
  ['what closes needs none', (view) => view.hold(1, 4), { side: 'sell', qty: 4 }, 'approved as entry'],
  ['only the rest opens', (view) => view.hold(1, 2), { side: 'sell', qty: 3 }, 'approved as entry'],
  [
    'what a working order closes is not closed twice',
    (view) => [view.hold(1, 2), view.add({ id: 'a', side: 'sell', qty: 2, strategy: 1 })],
    { side: 'sell', qty: 2 },
    'margin: needed=44200000 available=22100000',
  ],
  [
    'an order sent since the read is not in the figure',
    (view) => view.add({ id: 'a', side: 'buy', qty: 1, createdUs: at('10:00') }),
    {},
    'margin: needed=22100000 available=0',
  ],
  [
    'an order sent before it is',
    (view) => view.add({ id: 'a', side: 'buy', qty: 1 }),
    {},
    'approved as entry',
  ],
  [
    'an order without a number is not',
    (view) => view.add({ id: 'a', side: 'buy', qty: 1, orderNo: null }),
    {},
    'margin: needed=22100000 available=0',
  ],
  [
    'what an order was enlarged by since the read is not',
    (view) =>
      Object.assign(view.add({ id: 'a', side: 'buy', qty: 2 }), {
        grownUs: at('10:00'),
        grownFrom: units.qty(1),
      }),
    {},
    'margin: needed=22100000 available=0',
  ],
  [
    'what it was enlarged by before is',
    (view) =>
      Object.assign(view.add({ id: 'a', side: 'buy', qty: 2 }), {
        grownUs: at('09:59'),
        grownFrom: units.qty(1),
      }),
    {},
    'approved as entry',
  ],
  [
    'an exit frees margin, it takes none',
    (view) => view.add({ id: 'a', side: 'buy', qty: 1, orderNo: null, purpose: 'reduce' }),
    {},
    'approved as entry',
  ],
];

test.each(MARGINS)('margin: %s', (_, change, wanted, expected) => {
  const set: Change = (view) => {
    view.buyingPower = 27_625_000;
    change(view);
  };
  expect(verdictWhen(set, wanted)).toBe(expected);
});

function answerOf(settings: EngineSettings, change: Change, wanted: Wanted = {}): string {
  const view = new FakeRiskView();
  change(view);
  const answer = new RiskGuard(settings, MARKET_CALENDAR, COSTS).checkSubmit(
    view,
    ALPHA,
    ID,
    intent(wanted),
    'any',
  );
  return answer.ok ? 'approved' : formatDenial(answer.denial);
}

const timeIs =
  (time: string): Change =>
  (view) =>
    Object.assign(view, { now: at(time), accountRead: at(time) });

test('the exchange allows 500 contracts, whatever is configured', () => {
  const generous = { ...SETTINGS, risk: { ...SETTINGS.risk, orderQtyMax: units.qty(1_000) } };
  expect(answerOf(generous, nothing, { qty: 501 })).toBe('qty_above_max: qty=501 max=500');
});

test('entries into an auction, where they are configured', () => {
  const open = { ...SETTINGS, risk: { ...SETTINGS.risk, auctionEntries: true } };
  expect(answerOf(open, timeIs('08:50'))).toBe('approved');
});

test('nothing is entered that would be carried into an auction', () => {
  const strategies = SETTINGS.strategies.map((each) => ({ ...each, overnight: true }));
  const overnight = { ...SETTINGS, strategies };
  expect(answerOf(overnight, timeIs('14:29:29'))).toBe('approved');
  expect(answerOf(overnight, timeIs('14:29:30'))).toBe('closing_out: because=auction');
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
    const view = new FakeRiskView();
    view.trade = last === null ? undefined : tradeTick({ seq: 1, tsUs: at('09:59') }, last);
    const contract = view.contract(units.instrumentIndex(0))!;
    const limit = marketPrice(view, SETTINGS, contract, side);
    expect(limit).toBe(furthest);
    const verdict = new RiskGuard(SETTINGS, MARKET_CALENDAR, COSTS).checkSubmit(
      view,
      ALPHA,
      ID,
      intent({ side, price: limit }),
      'any',
    );
    expect(verdict.ok).toBe(true);
  },
);
