/**
 * Sums of a session from its rows alone: orders, fills, costs and positions of each strategy, what it earned, and its trades from flat
 * to flat. The report, the commands and the next session's positions all use them, so they cannot disagree.
 */
import { signOf } from '../domain/order.ts';
import { applyFill, FLAT_POSITION, partOf, type Position } from '../domain/position.ts';
import { type InstrumentIndex, type Money, money, type TsUs } from '../domain/units.ts';
import type { EntryOf, JournalEntry } from '../engine/ports/journal-entry.ts';
import { OPERATOR } from '../domain/ids.ts';

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

  /** Returns what the row earned, after its costs. */
  add({ strategyName, entry }: NamedEntry): number {
    const name = strategyName ?? OPERATOR;
    const account = this.#accounts.get(name) ?? new FoldedAccount(name);
    const before = account.net;
    if (account.add(entry)) this.#accounts.set(name, account);
    return account.net - before;
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
  #realised = 0;

  constructor(name: string) {
    this.#name = name;
  }

  get net(): number {
    return this.#realised - this.#fee - this.#tax;
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
      // Money already booked: a buy that cost more lowers the profit.
      const loss = signOf(entry.side) * entry.value;
      this.#book(entry.instrument, (held) => ({ ...held, realised: money(held.realised - loss) }));
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
    const held = [...this.#positions].filter(([, { qty }]) => qty !== 0);
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
      realised: money(this.#realised),
      positions: held.map(([instrument, position]) => ({ instrument, position })),
    };
  }

  #fill(instrument: InstrumentIndex, change: number, value: number): void {
    if (change !== 0) this.#book(instrument, (position) => applyFill(position, change, value));
  }

  #book(instrument: InstrumentIndex, change: (position: Position) => Position): void {
    const before = this.#positions.get(instrument) ?? FLAT_POSITION;
    const after = change(before);
    this.#realised += after.realised - before.realised;
    this.#positions.set(instrument, after);
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
  net: number;
}

/** Of the rows of one session, oldest first. `net`: realised, after costs; what is open is not in it. */
export function sessionResult(entries: Iterable<NamedEntry>) {
  const accounts = new SessionAccounts();
  const trades = new SessionTrades();
  const curve: (readonly [tsUs: TsUs, net: number])[] = [];
  let net = 0;
  for (const each of entries) {
    const earned = accounts.add(each);
    trades.add(each, earned);
    if (earned === 0) continue;
    net += earned;
    curve.push([each.entry.tsUs, net]);
  }
  return { net, curve, trades: trades.closed };
}

class SessionTrades {
  /** What is held, and the trade that is open, or the last one that was closed. */
  readonly #held = new Map<string, { qty: number; trade: ClosedTrade }>();
  readonly closed: ClosedTrade[] = [];

  /** A fill that turns a position closes one trade and opens the next: its money and costs are shared by quantity. */
  add({ strategyName, entry }: NamedEntry, earned: number): void {
    if (entry.kind !== 'fill' && entry.kind !== 'fill_correction' && entry.kind !== 'position_event') return;
    const { instrument, tsUs, value } = entry;
    const strategy = strategyName ?? OPERATOR;
    const key = `${instrument} ${strategy}`;
    const held = this.#held.get(key);
    if (entry.kind === 'fill_correction') {
      if (held !== undefined) held.trade.net += earned;
      return;
    }
    const [change, costs] =
      entry.kind === 'fill' ? [signOf(entry.side) * entry.qty, entry.fee + entry.tax] : [entry.qty, 0];
    const [size, before] = [Math.abs(change), held?.qty ?? 0];
    const left = before * change < 0 ? Math.min(Math.abs(before), size) : 0;
    const exitValue = partOf(value, left, size);
    const entryCosts = costs - partOf(costs, left, size);
    if (held !== undefined) {
      held.qty = before + change;
      if (left > 0) {
        held.trade.exitValue += exitValue;
        held.trade.net += earned + entryCosts;
        held.trade.closedUs = tsUs;
        if (held.qty * before <= 0) this.closed.push(held.trade);
      }
    }
    if (left === size) return;
    let trade = held?.trade;
    if (trade === undefined || before * (before + change) <= 0) {
      const begun = { openedUs: tsUs, closedUs: tsUs, qty: 0, entryValue: 0, exitValue: 0, net: 0 };
      trade = { strategy, instrument, side: change > 0 ? 'long' : 'short', ...begun };
      this.#held.set(key, { qty: before + change, trade });
    }
    trade.qty += size - left;
    trade.entryValue += value - exitValue;
    trade.net -= entryCosts;
  }
}
