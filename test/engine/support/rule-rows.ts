/** What each rule says no to. */
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { at, contract } from '../../support/strategy-fixtures.ts';
import { LAST } from './fake-risk-view.ts';
import { type Change, nothing, type Wanted } from './guard-fixture.ts';

export interface RuleRow {
  readonly rule: string;
  readonly change: Change;
  readonly wanted?: Wanted;
  readonly denial: string;
}

/** Each row breaks one rule of an order that is otherwise fine; the order of the rows is the order of the rules. */
export const RULE_ROWS: readonly RuleRow[] = [
  { rule: 'qty_not_positive', change: nothing, wanted: { qty: 0 }, denial: 'qty_not_positive: qty=0' },
  { rule: 'qty_not_positive', change: nothing, wanted: { qty: -1 }, denial: 'qty_not_positive: qty=-1' },
  { rule: 'qty_not_positive', change: nothing, wanted: { qty: 1.5 }, denial: 'qty_not_positive: qty=1.5' },
  {
    rule: 'qty_not_positive',
    change: nothing,
    wanted: { qty: Number.NaN },
    denial: 'qty_not_positive: qty=NaN',
  },
  {
    rule: 'price_off_grid',
    change: nothing,
    wanted: { price: LAST + 0.5 },
    denial: 'price_off_grid: price=13000.5',
  },
  { rule: 'price_off_grid', change: nothing, wanted: { price: 0 }, denial: 'price_off_grid: price=0' },
  { rule: 'qty_above_max', change: nothing, wanted: { qty: 6 }, denial: 'qty_above_max: qty=6 max=5' },
  { rule: 'strategy_stopped', change: (view) => view.stopped.add(0), denial: 'strategy_stopped' },
  { rule: 'stopping', change: (view) => (view.stopping = true), denial: 'stopping' },
  { rule: 'halted', change: (view) => (view.haltedReason = 'by hand'), denial: 'halted: reason=by hand' },
  {
    rule: 'halted',
    change: (view) => view.haltedStrategies.set(0, 'its loss'),
    denial: 'halted: reason=its loss',
  },
  {
    rule: 'calendar_ended',
    change: (view) => {
      view.now = at('10:00', tradingDay('2027-01-04'));
      view.listed = [{ ...contract(0), expiry: tradingDay('2027-01-21') }];
    },
    denial: 'calendar_ended: validTo=2026-12-31 tradingDay=2027-01-04',
  },
  {
    rule: 'contract_expired',
    change: (view) => (view.now = at('10:00', tradingDay('2026-03-20'))),
    denial: 'contract_expired: expiry=2026-03-19 tradingDay=2026-03-20',
  },
  {
    rule: 'session_closed',
    change: (view) => (view.now = at('08:44:59')),
    denial: 'session_closed: phase=closed',
  },
  {
    rule: 'session_closed',
    change: (view) => (view.now = at('08:47')),
    denial: 'session_closed: phase=opening_auction',
  },
  {
    rule: 'session_closed',
    change: (view) => (view.now = at('12:00')),
    denial: 'session_closed: phase=break',
  },
  {
    rule: 'session_closed',
    change: (view) => (view.now = at('14:30')),
    denial: 'session_closed: phase=closing_auction',
  },
  {
    rule: 'session_closed',
    change: (view) => (view.now = at('10:00', tradingDay('2026-03-07'))),
    denial: 'session_closed: phase=closed',
  },
  {
    // Our clock says 11:29:59, the broker's 11:30:01.
    rule: 'session_closed',
    change: (view) => Object.assign(view, { now: at('11:29:59'), skew: -2_000_000 }),
    denial: 'session_closed: phase=break',
  },
  { rule: 'closing_out', change: (view) => view.flattening.add(0), denial: 'closing_out: because=flatten' },
  {
    rule: 'closing_out',
    change: (view) => (view.now = at('14:25')),
    denial: 'closing_out: because=overnight',
  },
  {
    rule: 'closing_out',
    change: (view) => (view.now = at('14:25', tradingDay('2026-03-19'))),
    denial: 'closing_out: because=expiry',
  },
  {
    rule: 'clock_skew',
    change: (view) => (view.skew = 10_000_001),
    denial: 'clock_skew: skewUs=10000001 maxUs=10000000',
  },
  { rule: 'stream_down', change: (view) => (view.streamLive = false), denial: 'stream_down' },
  { rule: 'band_unknown', change: (view) => (view.bands = false), denial: 'band_unknown' },
  { rule: 'band_unknown', change: (view) => (view.referenceFresh = false), denial: 'band_unknown' },
  { rule: 'book_unknown', change: (view) => (view.bookAwaited = true), denial: 'book_unknown' },
  {
    rule: 'price_outside_band',
    change: nothing,
    wanted: { price: 13_911 },
    denial: 'price_outside_band: price=13911 floor=12090 ceiling=13910',
  },
  {
    rule: 'price_outside_band',
    change: nothing,
    wanted: { price: 12_089 },
    denial: 'price_outside_band: price=12089 floor=12090 ceiling=13910',
  },
  {
    rule: 'data_stale',
    change: (view) => (view.dataAge = 15_000_001),
    denial: 'data_stale: ageUs=15000001 maxUs=15000000',
  },
  {
    rule: 'data_stale',
    change: (view) => (view.dataAge = Infinity),
    denial: 'data_stale: ageUs=Infinity maxUs=15000000',
  },
  {
    rule: 'price_outside_collar',
    change: nothing,
    wanted: { price: 13_261 },
    denial: 'price_outside_collar: price=13261 last=13000 collarBps=200',
  },
  {
    rule: 'price_outside_collar',
    change: (view) => (view.trade = undefined),
    wanted: { price: 12_739 },
    denial: 'price_outside_collar: price=12739 last=13000 collarBps=200',
  },
  {
    rule: 'position_unproven',
    change: (view) => (view.unprovenReason = 'mismatch'),
    denial: 'position_unproven: reason=mismatch',
  },
  {
    rule: 'strategy_position_limit',
    change: (view) => view.hold(0, 3),
    wanted: { qty: 2 },
    denial: 'strategy_position_limit: worst=5 max=4',
  },
  {
    rule: 'account_position_limit',
    change: (view) => view.hold(1, 4),
    wanted: { qty: 3 },
    denial: 'account_position_limit: worst=7 max=6',
  },
  {
    rule: 'open_orders_limit',
    change: (view) => ['a', 'b', 'c'].forEach((id) => view.add({ id, side: 'buy', qty: 1, instrument: 1 })),
    denial: 'open_orders_limit: open=3 max=3',
  },
  {
    rule: 'open_orders_limit',
    change: (view) =>
      ['a', 'b', 'c', 'd'].forEach((id) => view.add({ id, side: 'buy', qty: 1, instrument: 1, strategy: 1 })),
    denial: 'open_orders_limit: open=4 max=4',
  },
  {
    rule: 'own_cross',
    change: (view) => view.add({ id: 'a', side: 'sell', qty: 1, strategy: 1 }),
    denial: 'own_cross: price=13000 restingPrice=13000',
  },
  {
    rule: 'daily_loss',
    change: (view) => view.pnl.set(0, -20_000_000),
    denial: 'daily_loss: loss=20000000 max=20000000',
  },
  {
    rule: 'daily_loss',
    change: (view) => (view.accountPnl = -50_000_000),
    denial: 'daily_loss: loss=50000000 max=50000000',
  },
  {
    rule: 'account_unknown',
    change: (view) => (view.accountRead = at('09:58:59')),
    denial: 'account_unknown: ageUs=61000000 maxUs=60000000',
  },
  {
    rule: 'account_unknown',
    change: (view) => (view.hasAccount = false),
    denial: 'account_unknown: ageUs=Infinity maxUs=60000000',
  },
  {
    rule: 'margin',
    change: (view) => (view.buyingPower = 27_600_000),
    denial: 'margin: needed=22100000 available=22080000',
  },
  {
    rule: 'same_rejection',
    change: (view) => (view.rejection = { count: 3, text: 'no money', lastUs: at('09:59:01') }),
    denial: 'same_rejection: rejections=3 text=no money',
  },
  {
    rule: 'order_rate',
    change: (view) => (view.sentTimes = [0, 1, 2].map((i) => at('10:00') - i)),
    denial: 'order_rate: orders=3 max=3 perUs=1000000',
  },
  {
    rule: 'order_rate',
    change: (view) => (view.sentTimes = Array.from({ length: 10 }, (_, i) => at('09:59:58') - i * 2_000_000)),
    denial: 'order_rate: orders=10 max=10 perUs=60000000',
  },
];
