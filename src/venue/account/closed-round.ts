/** What was closed today of one direction, long or short, in one contract: entry, exit and costs, added up. */
import type { Position } from '../../domain/position.ts';
import type { ClosedState } from '../venue-state.ts';

export type ClosedRound = ClosedState;

export const NOTHING_CLOSED: ClosedRound = {
  qty: 0,
  openValue: 0,
  closeValue: 0,
  fee: 0,
  tax: 0,
  lastUs: 0,
};

export interface Rounds {
  readonly long: ClosedRound;
  readonly short: ClosedRound;
}

export const NO_ROUNDS: Rounds = { long: NOTHING_CLOSED, short: NOTHING_CLOSED };

/** A fill with its costs. */
export interface CostedFill {
  /** Contracts with a sign: bought above zero. */
  readonly change: number;
  readonly fee: number;
  readonly tax: number;
  readonly atUs: number;
}

/** Books a fill that led from `before` to `after`. One that turns the position closes one direction and opens the other. */
export function roundsAfter(rounds: Rounds, before: Position, after: Position, fill: CostedFill): Rounds {
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
  const after1: ClosedRound = {
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
