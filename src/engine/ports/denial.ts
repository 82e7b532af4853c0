/** Reasons of risk: a closed union of codes with their numbers. A denial is ours; a rejection is the broker's. */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TimeInForce } from '../../domain/order.ts';

export type Denial =
  | { readonly code: 'qty_not_positive'; readonly qty: number }
  | { readonly code: 'qty_above_max'; readonly qty: number; readonly max: number }
  | { readonly code: 'price_off_grid'; readonly price: number }
  | {
      readonly code: 'price_outside_band';
      readonly price: number;
      readonly floor: number;
      readonly ceiling: number;
    }
  | { readonly code: 'band_unknown' }
  | {
      readonly code: 'price_outside_collar';
      readonly price: number;
      readonly last: number;
      readonly collarBps: number;
    }
  | { readonly code: 'session_closed'; readonly phase: SessionPhase }
  | { readonly code: 'contract_unknown'; readonly instrument: number }
  | { readonly code: 'contract_expired'; readonly expiry: string; readonly tradingDay: string }
  | { readonly code: 'calendar_ended'; readonly validTo: string; readonly tradingDay: string }
  | { readonly code: 'data_stale'; readonly ageUs: number; readonly maxUs: number }
  | { readonly code: 'stream_down' }
  /** A disconnect emptied the book of the contract, and a side of it has not come back. */
  | { readonly code: 'book_unknown' }
  | { readonly code: 'strategy_position_limit'; readonly worst: number; readonly max: number }
  | { readonly code: 'account_position_limit'; readonly worst: number; readonly max: number }
  | { readonly code: 'position_unproven'; readonly reason: string }
  /** It may only shrink a position, and its owner holds none on the other side. */
  | { readonly code: 'nothing_to_close' }
  | { readonly code: 'open_orders_limit'; readonly open: number; readonly max: number }
  | { readonly code: 'order_rate'; readonly orders: number; readonly max: number; readonly perUs: number }
  | { readonly code: 'own_cross'; readonly price: number; readonly restingPrice: number }
  | { readonly code: 'daily_loss'; readonly loss: number; readonly max: number }
  | { readonly code: 'margin'; readonly needed: number; readonly available: number }
  | { readonly code: 'account_unknown'; readonly ageUs: number; readonly maxUs: number }
  | { readonly code: 'halted'; readonly reason: string }
  /** No entries while positions and orders are taken out: before an auction, before the close or the expiry, in a flatten. */
  | { readonly code: 'closing_out'; readonly because: 'auction' | 'overnight' | 'expiry' | 'flatten' }
  | { readonly code: 'same_rejection'; readonly rejections: number; readonly text: string }
  | { readonly code: 'clock_skew'; readonly skewUs: number; readonly maxUs: number }
  | { readonly code: 'strategy_stopped' }
  /** The past is replayed with a new version of the strategy, and its earlier version did not place this. */
  | { readonly code: 'rebuilding' }
  | { readonly code: 'stopping' }
  | { readonly code: 'order_not_found'; readonly clientOrderId: string }
  | { readonly code: 'order_not_working'; readonly status: string }
  | { readonly code: 'modify_partly_filled'; readonly filledQty: number }
  | { readonly code: 'modify_changes_nothing' }
  /** A change moves the trigger of a waiting order, and price or quantity of a resting one (rulings, 13). */
  | {
      readonly code: 'modify_not_possible';
      readonly change: 'price' | 'qty' | 'trigger';
      readonly order: string;
    }
  /** It needs a reading of the broker's contract that the configuration does not assume. */
  | { readonly code: 'not_assumed'; readonly assumption: string }
  /** The trigger book was not read since the start: a new order could not be distinguished from the rows in it. */
  | { readonly code: 'triggers_unread' }
  | { readonly code: 'trailing_offset_not_positive'; readonly offset: number }
  /** An exit on the wrong side of the entry would trigger at once, or never. */
  | {
      readonly code: 'exit_price_side';
      readonly stopLoss: number;
      readonly limit: number;
      readonly takeProfit: number;
    }
  | { readonly code: 'limit_behind_trigger'; readonly limit: number; readonly trigger: number }
  | { readonly code: 'leg_is_own_contract' }
  /** The market, or a strategy that restarts each day, has only the other one. */
  | { readonly code: 'time_in_force'; readonly asked: TimeInForce };

/** `CODE: key=value key=value`, stable for logs and tests. */
export function formatDenial(denial: Denial): string {
  const { code, ...numbers } = denial;
  const figures = Object.entries(numbers).map(([key, value]) => `${key}=${value}`);
  return figures.length === 0 ? code : `${code}: ${figures.join(' ')}`;
}

/** Keys are spelled as in the YAML; a test compares them with the schemas. */
const WORDS: Readonly<Record<Denial['code'], string>> = {
  qty_not_positive: 'the quantity is not above zero',
  qty_above_max:
    'the quantity is above the limit of one order: risk.orderQtyMax, live.firstDayQtyMax or contracts.NAME.orderQtyMax',
  price_off_grid: 'the price is not on a tick',
  price_outside_band: "the price is outside the day's band",
  band_unknown: "the day's price band is not known: entries wait for the reference prices",
  price_outside_collar: 'the price is too far from the last trade: risk.collarPercent',
  session_closed:
    'the market does not take this order in this phase; entries in an auction need risk.auctionEntries',
  contract_unknown: 'the contract, or the month that a symbol means, is not listed today',
  contract_expired: 'the contract has expired',
  calendar_ended: 'the calendar ends before this day: add days to the file of calendar.closures',
  data_stale: 'the last price is too old: risk.dataAgeMax',
  stream_down: 'prices do not come in: entries wait for the stream',
  book_unknown: 'the order book is not known after a disconnect: entries wait for both sides',
  strategy_position_limit: "the strategy's position limit: strategies[].risk.positionMax",
  account_position_limit: "the account's position limit: risk.positionMax",
  position_unproven: 'positions are not proven against the broker',
  nothing_to_close:
    'nothing is held that it could close: send it once the entry has filled, use a bracket, or set reduceOnly: false',
  open_orders_limit: 'too many open orders: strategies[].risk.openOrdersMax or risk.openOrdersMax',
  order_rate: 'too many orders in a short time: risk.ordersPerSecondMax or risk.ordersPerMinuteMax',
  own_cross: 'it would trade with an order of ours: cancel that one first, or take another price',
  daily_loss: "the day's loss limit is reached: strategies[].risk.dailyLossMax or risk.dailyLossMax",
  margin: 'the margin does not suffice: risk.marginUsePercent',
  account_unknown: 'the account was not read for too long: risk.accountAgeMax',
  halted: 'entries are halted until a resume',
  closing_out:
    'positions are being closed: no new entries (session.cancelBeforeAuction, session.flatBeforeClose without strategies[].overnight), and nothing that would rest in the way of an exit',
  same_rejection: 'the broker keeps rejecting orders for the same reason: risk.sameRejectionsMax',
  clock_skew: "the clock is too far from the broker's: risk.clockSkewMax",
  strategy_stopped: 'the strategy is stopped until it is started again',
  rebuilding: 'the day is being replayed',
  stopping: 'the daemon is ending',
  order_not_found: 'the order to change is not known',
  order_not_working: 'the order to change is not working',
  modify_partly_filled: 'the order to change is filled in part: cancel it, and send a new one',
  modify_changes_nothing: 'the order has this price or quantity already',
  modify_not_possible: 'this change is not possible for this kind of order',
  not_assumed: "it needs a reading of the broker's contract that live.assume does not name",
  triggers_unread: 'the trigger book was not read since the start',
  trailing_offset_not_positive: 'the trailing offset is not above zero',
  exit_price_side: 'an exit is on the wrong side of the entry',
  limit_behind_trigger: 'the limit price is behind the trigger price',
  leg_is_own_contract: 'both legs are the same contract',
  time_in_force:
    'this time in force does not exist here: an order is for the day, or until canceled where trading never stops',
};

/** For people. A denial names no contract, so its prices stay ticks. */
export function denialText(denial: Denial): string {
  const text = formatDenial(denial);
  const words = denialWords(denial.code, text);
  if ('reason' in denial) return `${words} (${denial.reason})`;
  const figures = text.replaceAll(/\d{6,}/g, (digits) => Number(digits).toLocaleString('en-US'));
  return `${words} (${figures}${'price' in denial ? ', prices in ticks' : ''})`;
}

export const DENIAL_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(WORDS));

/** `text` is that of `formatDenial`: no setting opens a market that is closed. */
export const denialWords = (code: string, text: string): string =>
  /^session_closed: phase=(closed|break)$/.test(text)
    ? 'the market is closed'
    : (DENIAL_WORDS.get(code) ?? code);
