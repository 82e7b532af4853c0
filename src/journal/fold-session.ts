/**
 * Sums of a session from its rows alone: orders, fills, costs and positions of each strategy, what it earned, and its trades from flat
 * to flat. The report, the commands and the next session's positions all use them, so they cannot disagree.
 */
import { signOf } from '../domain/order.ts';
import { applyFill, FLAT_POSITION, partOf, type Position } from '../domain/position.ts';
import { type InstrumentIndex, type Money, money, signedQty, type TsUs } from '../domain/units.ts';
import type { EntryOf, JournalEntry } from '../engine/ports/journal-entry.ts';
import { assert } from '../domain/assert.ts';
import { OPERATOR } from '../domain/ids.ts';

/** An entry with the name of its strategy; null for none. */
export interface NamedEntry {
  readonly strategyName: string | null;
  readonly entry: JournalEntry;
}

interface FoldedPosition {
  readonly instrument: InstrumentIndex;
  readonly position: Position;
}

export interface StrategyAccount {
  readonly strategy: string;
  readonly orders: number;
  readonly fills: number;
  readonly filledQty: number;
  readonly rejected: number;
  /** Changes and cancels that the broker refused. */
  readonly refusedChanges: number;
  readonly denials: ReadonlyMap<string, number>;
  readonly fee: Money;
  readonly tax: Money;
  /** Profit of the quantity closed in the session, before costs. */
  readonly realised: Money;
  readonly positions: readonly FoldedPosition[];
}

/** All other entries change no sum. */
export const FOLDED_KINDS = [
  'strategy_started',
  'place',
  'denied',
  'order_status',
  'outcome',
  'fill',
  'fill_correction',
  'position_event',
  'money_checked',
] as const;

/** Folds the rows of one session, oldest first. Strategies come in the order in which they first appear. */
export function foldSession(entries: Iterable<NamedEntry>): readonly StrategyAccount[] {
  const accounts = new SessionAccounts();
  for (const each of entries) accounts.add(each);
  return accounts.view();
}

/** The sums of a session while its rows come one by one. */
export class SessionAccounts {
  readonly #accounts = new Map<string, FoldedAccount>();

  add({ strategyName, entry }: NamedEntry): void {
    const name = strategyName ?? OPERATOR;
    const account = this.#accounts.get(name) ?? new FoldedAccount(name);
    if (account.add(entry)) this.#accounts.set(name, account);
  }

  view(): readonly StrategyAccount[] {
    return [...this.#accounts.values()].map((account) => account.view());
  }
}

class FoldedAccount {
  readonly #name: string;
  readonly #denials = new Map<string, number>();
  readonly #positions = new Map<InstrumentIndex, Position>();
  #orders = 0;
  #fills = 0;
  #filledQty = 0;
  #rejected = 0;
  #refusedChanges = 0;
  #fee = 0;
  #tax = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** False for an entry without orders or positions. */
  add(entry: JournalEntry): boolean {
    if (entry.kind === 'place') this.#orders += 1;
    else if (entry.kind === 'denied') {
      this.#denials.set(entry.denial.code, (this.#denials.get(entry.denial.code) ?? 0) + 1);
    } else if (entry.kind === 'order_status' && entry.to === 'rejected') this.#rejected += 1;
    else if (entry.kind === 'outcome' && entry.call !== 'place' && entry.outcome.status === 'rejected')
      this.#refusedChanges += 1;
    else if (entry.kind === 'fill') {
      this.#fills += 1;
      this.#filledQty += entry.qty;
      this.#fee += entry.fee;
      this.#tax += entry.tax;
      this.#fill(entry.instrument, signOf(entry.side) * entry.qty, entry.value);
    } else if (entry.kind === 'fill_correction') {
      this.#tax += entry.tax;
      this.#correct(entry.instrument, signOf(entry.side), entry.value);
    } else if (entry.kind === 'position_event') this.#fill(entry.instrument, entry.qty, entry.value);
    else if (entry.kind === 'money_checked') return this.#accept(entry);
    else return entry.kind === 'strategy_started';
    return true;
  }

  /** Costs without an order behind them. */
  #accept({ verdict, figures }: EntryOf<'money_checked'>): boolean {
    if (verdict !== 'accepted' && verdict !== 'moved') return false;
    for (const { what, ours, broker } of figures) {
      if (what === 'fee') this.#fee += broker - ours;
      else if (what === 'tax') this.#tax += broker - ours;
    }
    return true;
  }

  view(): StrategyAccount {
    let realised = 0;
    const positions: FoldedPosition[] = [];
    for (const [instrument, position] of this.#positions) {
      realised += position.realised;
      if (position.qty !== 0) positions.push({ instrument, position });
    }
    return {
      strategy: this.#name,
      orders: this.#orders,
      fills: this.#fills,
      filledQty: this.#filledQty,
      rejected: this.#rejected,
      refusedChanges: this.#refusedChanges,
      denials: this.#denials,
      fee: money(this.#fee),
      tax: money(this.#tax),
      realised: money(realised),
      positions,
    };
  }

  #fill(instrument: InstrumentIndex, change: number, value: number): void {
    if (change === 0) return;
    this.#positions.set(
      instrument,
      applyFill(this.#positions.get(instrument) ?? FLAT_POSITION, change, value),
    );
  }

  /** Corrects money already booked: a buy that cost more lowers the profit. */
  #correct(instrument: InstrumentIndex, sign: number, value: number): void {
    const position = this.#positions.get(instrument) ?? FLAT_POSITION;
    this.#positions.set(instrument, {
      ...position,
      realised: money(position.realised - sign * value),
      qty: signedQty(position.qty),
    });
  }
}

// The result after each fill, and each trade of a strategy in a contract.

/** Values are money; `qty` contracts were entered for `entryValue` and left for `exitValue`. */
interface ClosedTrade {
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

interface TradedPosition {
  position: Position;
  /** The trade that is open, or the last one that was closed. */
  trade: ClosedTrade | null;
}

/** Of the rows of one session, oldest first. `net`: realised, after costs; what is open is not in it. */
export function sessionResult(entries: Iterable<NamedEntry>) {
  const held = new Map<string, TradedPosition>();
  const curve: (readonly [tsUs: TsUs, net: number])[] = [];
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

/** A fill that turns a position closes one trade and opens the next: its money and costs are shared by quantity. */
function trade(
  at: TradedPosition,
  { strategy, instrument, tsUs }: { strategy: string; instrument: InstrumentIndex; tsUs: TsUs },
  { change, value, costs }: Readonly<Record<'change' | 'value' | 'costs', number>>,
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
