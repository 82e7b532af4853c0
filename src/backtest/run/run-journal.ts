/** Reads refusals, ends of strategies, alerts and halts from the journal. */
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import { formatDenial } from '../../engine/ports/denial.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { SessionStarted } from '../../engine/ports/engine-event.ts';
import type { BacktestNotice } from '../backtest-result.ts';
import type { RunAccount } from './run-account.ts';

/** Notices kept; the rest is counted. */
const NOTICES_MAX = 1_000;

export class RunJournal {
  readonly notices: BacktestNotice[] = [];
  /** Entries were halted since this was last set to false. */
  isHalted = false;
  /** Warm-up: denials of strategies are not reported. */
  isWarmUp = false;
  readonly #account: RunAccount;
  readonly #haltedStrategies = new Map<StrategyIndex, string>();
  readonly #stacks = new Map<object, string>();
  #halted: string | null = null;
  dropped = 0;

  constructor(account: RunAccount) {
    this.#account = account;
  }

  take(entry: JournalEntry): void {
    const { kind } = entry;
    if (kind === 'place') this.#placed(entry.order.strategy);
    else if (kind === 'outcome') {
      if (entry.outcome.status === 'rejected')
        this.#deny(entry, 'rejected', entry.outcome.code, entry.outcome.text);
    } else if (kind === 'denied') this.#deny(entry, 'denied', entry.denial.code, formatDenial(entry.denial));
    else if (kind === 'strategy_fault') this.#faulty(entry);
    else if (kind === 'strategy_stopped') this.#stopped(entry.strategy, entry.reason);
    else if (kind === 'halt') this.#halt(entry.strategy, entry.halted ? entry.reason : null);
    else if (kind === 'alert' && entry.severity !== 'info')
      this.#notice({ tsUs: entry.tsUs, code: entry.code, text: entry.text });
  }

  /** Halts that the next day starts with unless they are resumed. */
  halts(): Pick<SessionStarted, 'halted' | 'haltedStrategies'> {
    const strategies = [...this.#haltedStrategies];
    return {
      halted: this.#halted,
      haltedStrategies: strategies.map(([strategy, reason]) => ({ strategy, reason })),
    };
  }

  #halt(strategy: StrategyIndex | null, reason: string | null): void {
    if (reason !== null) this.isHalted = true;
    if (strategy === null) this.#halted = reason;
    else if (reason === null) this.#haltedStrategies.delete(strategy);
    else this.#haltedStrategies.set(strategy, reason);
  }

  #stopped(strategy: StrategyIndex | null, reason: string): void {
    const ledger = this.#account.ledgers[strategy ?? -1];
    if (ledger === undefined) return;
    const { fault } = ledger;
    ledger.stopped = reason === 'fault' && fault !== null ? `${fault.message} (in ${fault.where})` : reason;
  }

  /** Strategies that begin anew each day may fail each day: the first fault is kept. */
  #faulty(entry: JournalEntry & { readonly kind: 'strategy_fault' }): void {
    const ledger = this.#account.ledgers[entry.strategy ?? -1];
    if (ledger === undefined || ledger.fault !== null) return;
    const { tsUs, message, where } = entry;
    ledger.fault = { tsUs, message, where, stack: this.#stacks.get(ledger) ?? null };
  }

  /** Keeps the stack of a throw until its entry comes. */
  threw(strategy: StrategyIndex, error: unknown): void {
    const ledger = this.#account.ledgers[strategy];
    if (ledger === undefined || this.#stacks.has(ledger) || !(error instanceof Error)) return;
    if (error.stack !== undefined) this.#stacks.set(ledger, error.stack);
  }

  #placed(strategy: number): void {
    const ledger = this.#account.ledgers[strategy];
    if (ledger !== undefined) ledger.orders += 1;
  }

  #deny(entry: JournalEntry, by: 'denied' | 'rejected', code: string, text: string): void {
    if (this.isWarmUp) return;
    this.#account.ledgers[entry.strategy ?? -1]?.deny({ tsUs: entry.tsUs, by, code, text });
  }

  #notice(notice: BacktestNotice): void {
    if (this.isWarmUp) return;
    if (this.notices.length < NOTICES_MAX) this.notices.push(notice);
    else this.dropped += 1;
  }
}
