/** What a session earned, from its rows alone: its result after each fill, and each trade from flat to flat of a strategy in a contract. */
import { assert } from '../domain/assert.ts';
import { signOf } from '../domain/order.ts';
import { applyFill, FLAT_POSITION, partOf, type Position } from '../domain/position.ts';
import { OPERATOR } from '../domain/ids.ts';
import type { InstrumentIndex, TsUs } from '../domain/units.ts';
import type { NamedEntry } from './fold-session.ts';

/** Values are money; `qty` contracts were entered for `entryValue` and left for `exitValue`. */
export interface ClosedTrade {
  readonly strategy: string;
  readonly instrument: InstrumentIndex;
  readonly side: 'long' | 'short';
  readonly openedUs: TsUs;
  closedUs: TsUs;
  qty: number;
  entryValue: number;
  exitValue: number;
  /** After fees and tax. */
  net: number;
}

export interface SessionResult {
  /** Realised, after costs; what is open is not in it. */
  readonly net: number;
  readonly curve: readonly (readonly [tsUs: TsUs, net: number])[];
  readonly trades: readonly ClosedTrade[];
}

interface TradedPosition {
  position: Position;
  /** The trade that is open, or the last one that was closed. */
  trade: ClosedTrade | null;
}

/** Rows of one session, oldest first. */
export function sessionResult(entries: Iterable<NamedEntry>): SessionResult {
  const held = new Map<string, TradedPosition>();
  const curve: (readonly [TsUs, number])[] = [];
  const trades: ClosedTrade[] = [];
  let net = 0;
  for (const { strategyName, entry } of entries) {
    const before = net;
    if (entry.kind === 'money_checked' && (entry.verdict === 'accepted' || entry.verdict === 'moved'))
      for (const { what, ours, broker } of entry.figures)
        if (what === 'fee' || what === 'tax') net -= broker - ours;
    if (entry.kind === 'fill' || entry.kind === 'fill_correction' || entry.kind === 'position_event') {
      const strategy = strategyName ?? OPERATOR;
      const key = `${entry.instrument} ${strategy}`;
      const at = held.get(key) ?? { position: FLAT_POSITION, trade: null };
      held.set(key, at);
      if (entry.kind === 'fill_correction') {
        const loss = signOf(entry.side) * entry.value + entry.tax;
        net -= loss;
        if (at.trade !== null) at.trade.net -= loss;
      } else if (entry.qty !== 0) {
        const isFill = entry.kind === 'fill';
        const change = isFill ? signOf(entry.side) * entry.qty : entry.qty;
        const costs = isFill ? entry.fee + entry.tax : 0;
        const { realised } = at.position;
        const head = { strategy, instrument: entry.instrument, tsUs: entry.tsUs };
        trade(at, head, { change, value: entry.value, costs }, trades);
        net += at.position.realised - realised - costs;
      }
    }
    if (net !== before) curve.push([entry.tsUs, net]);
  }
  return { net, curve, trades };
}

interface TradedFill {
  readonly change: number;
  readonly value: number;
  readonly costs: number;
}

/** A fill that turns a position closes one trade and opens the next: its money and costs are shared by quantity. */
function trade(
  at: TradedPosition,
  { strategy, instrument, tsUs }: { strategy: string; instrument: InstrumentIndex; tsUs: TsUs },
  { change, value, costs }: TradedFill,
  trades: ClosedTrade[],
): void {
  const { qty, realised } = at.position;
  const qtyAfter = qty + change;
  const size = Math.abs(change);
  at.position = applyFill(at.position, change, value);
  const closed = qty * change < 0 ? Math.min(Math.abs(qty), size) : 0;
  const exitValue = partOf(value, closed, size);
  const exitCosts = partOf(costs, closed, size);
  if (closed > 0) {
    assert(at.trade !== null, 'a position that is held has a trade');
    at.trade.exitValue += exitValue;
    at.trade.net += at.position.realised - realised - exitCosts;
    at.trade.closedUs = tsUs;
    if (qtyAfter * qty <= 0) trades.push(at.trade);
  }
  if (closed === size) return;
  if (qty * qtyAfter <= 0 || at.trade === null) {
    const side = change > 0 ? 'long' : 'short';
    const none = { qty: 0, entryValue: 0, exitValue: 0, net: 0 };
    at.trade = { strategy, instrument, side, openedUs: tsUs, closedUs: tsUs, ...none };
  }
  at.trade.qty += size - closed;
  at.trade.entryValue += value - exitValue;
  at.trade.net -= costs - exitCosts;
}
