/**
 * An account's position in one contract, kept twice: against the price of entry, for the averages people look at, and against
 * the last daily settlement, by which money moves. `applyFill` is exact in sum, so both give the same total over a position's
 * life.
 */
import { applyFill, FLAT_POSITION, openProfit, type Position } from '../../domain/position.ts';
import { type Money, money } from '../../domain/units.ts';

/** Entry, exit and costs of what was closed today, added up. */
export interface Rounds {
  readonly long: Closed;
  readonly short: Closed;
}

/** Against the entry; costs of opening and closing trades. */
interface Closed {
  readonly qty: number;
  readonly openValue: number;
  readonly closeValue: number;
  readonly fee: number;
  readonly tax: number;
  readonly lastUs: number;
}

const NOTHING_CLOSED: Closed = { qty: 0, openValue: 0, closeValue: 0, fee: 0, tax: 0, lastUs: 0 };
const NO_ROUNDS: Rounds = { long: NOTHING_CLOSED, short: NOTHING_CLOSED };

interface CostedFill {
  /** Contracts with a sign: bought above zero. */
  readonly change: number;
  readonly fee: number;
  readonly tax: number;
  readonly atUs: number;
}

/** Books a fill that led from `before` to `after`. One that turns the position closes one direction and opens the other. */
function roundsAfter(rounds: Rounds, before: Position, after: Position, fill: CostedFill): Rounds {
  const size = Math.abs(fill.change);
  const opposes = before.qty !== 0 && Math.sign(before.qty) !== Math.sign(fill.change);
  const closed = opposes ? Math.min(Math.abs(before.qty), size) : 0;
  if (closed === 0) return withCosts(rounds, fill.change > 0, fill.fee, fill.tax);
  const wasLong = before.qty > 0;
  const entry = closed === Math.abs(before.qty) ? before.openValue : before.openValue - after.openValue;
  const gain = after.realised - before.realised;
  const round = wasLong ? rounds.long : rounds.short;
  const fee = Math.round((fill.fee * closed) / size);
  const tax = Math.round((fill.tax * closed) / size);
  const after1: Closed = {
    qty: round.qty + closed,
    openValue: round.openValue + entry,
    closeValue: round.closeValue + entry + (wasLong ? gain : -gain),
    fee: round.fee + fee,
    tax: round.tax + tax,
    lastUs: fill.atUs,
  };
  const next = wasLong ? { ...rounds, long: after1 } : { ...rounds, short: after1 };
  return closed === size ? next : withCosts(next, !wasLong, fill.fee - fee, fill.tax - tax);
}

function withCosts(rounds: Rounds, long: boolean, fee: number, tax: number): Rounds {
  const round = long ? rounds.long : rounds.short;
  const next = { ...round, fee: round.fee + fee, tax: round.tax + tax };
  return long ? { ...rounds, long: next } : { ...rounds, short: next };
}

export interface Holding {
  readonly entry: Position;
  readonly day: Position;
  readonly boughtQty: number;
  readonly boughtValue: number;
  readonly soldQty: number;
  readonly soldValue: number;
  /** Contracts closed today. */
  readonly rounds: Rounds;
}

export const NO_HOLDING: Holding = {
  entry: FLAT_POSITION,
  day: FLAT_POSITION,
  boughtQty: 0,
  boughtValue: 0,
  soldQty: 0,
  soldValue: 0,
  rounds: NO_ROUNDS,
};

export function afterFill(holding: Holding, fill: CostedFill, value: number): Holding {
  const { change } = fill;
  const qty = Math.abs(change);
  const bought = change > 0;
  const entry = applyFill(holding.entry, change, value);
  return {
    entry,
    day: applyFill(holding.day, change, value),
    boughtQty: holding.boughtQty + (bought ? qty : 0),
    boughtValue: holding.boughtValue + (bought ? value : 0),
    soldQty: holding.soldQty + (bought ? 0 : qty),
    soldValue: holding.soldValue + (bought ? 0 : value),
    rounds: roundsAfter(holding.rounds, holding.entry, entry, fill),
  };
}

/** Profit of the day, open and closed: `position x mark - carried x last settlement - signed sum of trades`. */
export const dayProfitAt = (holding: Holding, unitValue: number): Money =>
  money(holding.day.realised + openProfit(holding.day, unitValue));

/** The holding after its profit was paid out at `unitValue`, the money of one contract at the settlement price. */
export function afterSettlement(holding: Holding, unitValue: number): Holding {
  const { qty } = holding.entry;
  return {
    ...NO_HOLDING,
    entry: { ...holding.entry, realised: money(0) },
    day: { qty, openValue: money(Math.abs(qty) * unitValue), realised: money(0) },
  };
}

/** The round that an expiry ends, in cash at `unitValue`. */
export function roundsSettled({ entry }: Holding, unitValue: number, tax: number, atUs: number): Rounds {
  const change = 0 - entry.qty;
  const after = applyFill(entry, change, Math.abs(change) * unitValue);
  return roundsAfter(NO_ROUNDS, entry, after, { change, fee: 0, tax, atUs });
}

/** Nothing held and nothing traded today: the contract may be forgotten. */
export const isEmpty = (holding: Holding): boolean =>
  holding.entry.qty === 0 && holding.boughtQty === 0 && holding.soldQty === 0;
