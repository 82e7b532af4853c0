import { expect, test } from 'vitest';
import { Flattener } from '../../../src/engine/session/flattener.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import * as units from '../../../src/domain/units.ts';
import { denialText } from '../../../src/engine/ports/denial.ts';
import { RISK_RULES } from '../../../src/engine/risk/risk-rules.ts';
import { at, contract } from '../../support/strategy-fixtures.ts';
import {
  ALPHA,
  type Change,
  earned,
  intent,
  nothing,
  verdict,
  verdictWhen,
  type Wanted,
} from '../support/guard-fixture.ts';
import { LAST, StateRig, type RigFacts } from '../support/state-rig.ts';

const timeIs =
  (time: string, day = '2026-03-04'): Change =>
  (rig) =>
    rig.goTo(at(time, tradingDay(day)));
const buysOf =
  (strategy: number, ...ids: string[]): Change =>
  (rig) =>
    ids.forEach((id) => rig.add({ id, side: 'buy', qty: 1, instrument: 1, strategy }));
const sentAt =
  (...secondsAgo: number[]): Change =>
  ({ state, now }) =>
    secondsAgo.forEach((each) => state.breakers.rate.add(units.addUs(now, -each * 1_000_000)));
const rejected =
  (...times: string[]): Change =>
  ({ state: { breakers } }) =>
    times.forEach((time) =>
      breakers.refusals.onRejected(ALPHA, { ...intent(), trigger: null }, 'no money', at(time)),
    );
const clockOf =
  (clockSkewUs: number, time: string): Change =>
  (rig) =>
    Object.assign(rig.goTo(at(time)).state.session, { clockSkewUs });

/** Each row breaks one rule of an order that is otherwise fine; the order of the rows is the order of the rules. */
const ROWS: readonly (readonly [denial: string, Change, Wanted?, RigFacts?])[] = [
  ['qty_not_positive: qty=0', nothing, { qty: 0 }],
  ['qty_not_positive: qty=-1', nothing, { qty: -1 }],
  ['qty_not_positive: qty=1.5', nothing, { qty: 1.5 }],
  ['qty_not_positive: qty=NaN', nothing, { qty: Number.NaN }],
  ['price_off_grid: price=13000.5', nothing, { price: LAST + 0.5 }],
  ['price_off_grid: price=0', nothing, { price: 0 }],
  ['qty_above_max: qty=6 max=5', nothing, { qty: 6 }],
  ['strategy_stopped', ({ state }) => state.registry.stop(ALPHA, 'test')],
  ['stopping', ({ state }) => void (state.halt.isStopping = true)],
  ['halted: reason=by hand', ({ state }) => state.halt.haltByCommand('by hand', null)],
  ['halted: reason=its loss', ({ state }) => state.halt.haltByCommand('its loss', ALPHA)],
  [
    'calendar_ended: validTo=2026-12-31 tradingDay=2027-01-04',
    nothing,
    {},
    {
      startUs: at('10:00', tradingDay('2027-01-04')),
      listed: [{ ...contract(0), expiry: tradingDay('2027-01-21') }],
    },
  ],
  ['contract_expired: expiry=2026-03-19 tradingDay=2026-03-20', timeIs('10:00', '2026-03-20')],
  [
    'contract_unknown: instrument=0',
    ({ state: { registry } }) => registry.setLegs(ALPHA, registry.legs(ALPHA), true),
  ],
  ['session_closed: phase=closed', timeIs('08:44:59')],
  ['session_closed: phase=opening_auction', timeIs('08:47')],
  ['session_closed: phase=break', timeIs('12:00')],
  ['session_closed: phase=closing_auction', timeIs('14:30')],
  ['session_closed: phase=closed', timeIs('10:00', '2026-03-07')],
  // Our clock says 11:29:59, the broker's 11:30:01.
  ['session_closed: phase=break', clockOf(-2_000_000, '11:29:59')],
  [
    'closing_out: because=flatten',
    ({ state }) => {
      const place = { strategy: ALPHA, instrument: units.instrumentIndex(1) };
      state.targets.all = [new Flattener(state, place, '')];
    },
  ],
  ['closing_out: because=overnight', timeIs('14:25')],
  ['closing_out: because=expiry', timeIs('14:25', '2026-03-19')],
  ['clock_skew: skewUs=10000001 maxUs=10000000', clockOf(10_000_001, '10:00')],
  ['stream_down', ({ state }) => state.market.onStreamDown()],
  ['band_unknown', ({ state }) => state.market.newDay()],
  ['band_unknown', ({ state }) => state.market.onStreamUp()],
  [
    'book_unknown',
    (rig) => {
      rig.state.market.onStreamDown();
      rig.state.market.onStreamUp();
      rig.reference();
    },
  ],
  ['price_outside_band: price=13911 floor=12090 ceiling=13910', nothing, { price: 13_911 }],
  ['price_outside_band: price=12089 floor=12090 ceiling=13910', nothing, { price: 12_089 }],
  ['data_stale: ageUs=15000001 maxUs=15000000', timeIs('10:00:15.000001')],
  [
    'data_stale: ageUs=Infinity maxUs=15000000',
    ({ state }) => (state.market.of(units.instrumentIndex(0)).seenUs = -Infinity),
  ],
  ['price_outside_collar: price=13261 last=13000 collarBps=200', nothing, { price: 13_261 }],
  [
    'price_outside_collar: price=12739 last=13000 collarBps=200',
    nothing,
    { price: 12_739 },
    { has: { trades: false } },
  ],
  [
    'position_unproven: reason=positions have not been compared with the broker since the start',
    (rig) => {
      rig.state.positionReconciler.restart();
      rig.read();
    },
  ],
  ['strategy_position_limit: worst=5 max=4', (rig) => rig.hold(0, 3), { qty: 2 }],
  ['account_position_limit: worst=7 max=6', (rig) => rig.hold(1, 4), { qty: 3 }],
  ['account_position_limit: worst=7 max=6', (rig) => earned(rig, 'buy', 4, 1), { side: 'sell', qty: 3 }],
  ['open_orders_limit: open=3 max=3', buysOf(0, 'a', 'b', 'c')],
  ['open_orders_limit: open=4 max=4', buysOf(1, 'a', 'b', 'c', 'd')],
  [
    'own_cross: price=13000 restingPrice=13000',
    (rig) => rig.add({ id: 'a', side: 'sell', qty: 1, strategy: 1 }),
  ],
  ['daily_loss: loss=20000000 max=20000000', ({ state }) => state.portfolio.charge(ALPHA, 20_000_000, 0)],
  [
    'daily_loss: loss=50000000 max=50000000',
    ({ state }) => state.portfolio.charge(units.OPERATOR_INDEX, 50_000_000, 0),
  ],
  ['account_unknown: ageUs=61000000 maxUs=60000000', (rig) => rig.goTo(at('10:01:01')).trade(LAST)],
  ['account_unknown: ageUs=Infinity maxUs=60000000', nothing, {}, { has: { account: false } }],
  ['margin: needed=22100000 available=22080000', (rig) => rig.account(27_600_000)],
  ['same_rejection: rejections=3 text=no money', rejected('09:59', '09:59', '09:59:01')],
  ['order_rate: orders=3 max=3 perUs=1000000', sentAt(0.000_002, 0.000_001, 0)],
  ['order_rate: orders=10 max=10 perUs=60000000', sentAt(20, 18, 16, 14, 12, 10, 8, 6, 4, 2)],
];

const CASES = ROWS.map(([denial, change, wanted = {}, facts = {}]) => ({
  code: denial.split(':')[0]!,
  denial,
  change,
  wanted,
  facts,
}));

test.each(CASES)('$denial', ({ denial, change, wanted, facts }) => {
  expect(verdictWhen(change, wanted, facts)).toBe(denial);
});

test('every rule has a row, and the rows are in the order of the rules', () => {
  expect([...new Set(CASES.map(({ code }) => code))]).toEqual(Object.keys(RISK_RULES));
});

/** What makes a reduction impossible; the rest is about risk, which it lowers. */
const OF_ALL = new Set([
  'qty_not_positive',
  'price_off_grid',
  'qty_above_max',
  'strategy_stopped',
  'stopping',
  'session_closed',
  'price_outside_band',
  'own_cross',
  'same_rejection',
]);

test.each(CASES.filter(({ code }) => !OF_ALL.has(code)))(
  'a reduction is not held by $denial',
  ({ change, wanted, facts }) => {
    const rig = new StateRig(facts).hold(0, 2);
    change(rig);
    expect(verdict(rig.read(), { ...wanted, side: 'sell', qty: 1 })).toBe('approved as reduce');
  },
);

test.each([
  ['closing_auction', 'risk.auctionEntries'],
  ['closed', 'the market is closed ('],
] as const)('a denial in %s names what helps there', (phase, words) => {
  expect(denialText({ code: 'session_closed', phase })).toContain(words);
});
