/**
 * Sums of a session from its rows alone: orders, fills, costs and positions of each strategy. The report, the commands and the
 * next session's positions all use them, so they cannot disagree.
 */
import { signOf } from '../domain/order.ts';
import { applyFill, FLAT_POSITION, type Position } from '../domain/position.ts';
import { OPERATOR } from '../domain/ids.ts';
import { type InstrumentIndex, type Money, money, signedQty } from '../domain/units.ts';
import type { EntryOf, JournalEntry } from '../engine/ports/journal-entry.ts';

/** An entry with the name of its strategy; null for none. */
export interface NamedEntry {
  readonly strategyName: string | null;
  readonly entry: JournalEntry;
}

export interface FoldedPosition {
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
