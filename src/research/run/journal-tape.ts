/**
 * The journal of a run: appends numbers and a running hash. Text is made after the run, on demand. Two runs are the same when
 * their hashes are: the hash covers every fact the engine decided or learned, in order, with its market time and its cause.
 */
import { createHash } from 'node:crypto';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { EntryOf, JournalEntry, Proposal } from '../../engine/ports/journal-entry.ts';
import type { Journal } from '../../engine/ports/outbound.ts';
import { formatDenial } from '../../engine/ports/denial.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { SessionStarted } from '../../engine/ports/engine-event.ts';
import type { BacktestNotice } from '../backtest-plan.ts';
import type { RunAccount } from './run-account.ts';

/** Numbers hashed at a time. */
const BLOCK = 8_192;
/** Most numbers that one entry writes. */
const ENTRY_MAX = 24;

export class JournalTape implements Journal {
  readonly #hash = createHash('sha256');
  readonly #numbers = new Float64Array(BLOCK);
  readonly #onEntry: (entry: JournalEntry) => void;
  #at = 0;
  count = 0;
  /** Entries of one order come one after the other. */
  #lastId = '';
  #lastIdWord = 0;

  /** `onEntry` receives each entry after it was written. */
  constructor(onEntry: (entry: JournalEntry) => void) {
    this.#onEntry = onEntry;
  }

  append(entry: JournalEntry): void {
    this.count += 1;
    if (this.#at > BLOCK - ENTRY_MAX) this.#flush();
    if (!this.#writeCommon(entry)) this.#writeText(entry);
    this.#onEntry(entry);
  }

  /** An execution: it is a fact of the venue, not of the engine. */
  note(atUs: number, instrument: number, owner: number, signedQty: number, price: number): void {
    if (this.#at > BLOCK - ENTRY_MAX) this.#flush();
    this.#push(atUs);
    this.#push(instrument);
    this.#push(owner);
    this.#push(signedQty);
    this.#push(price);
  }

  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  /** The kinds that come with each order; false for all others. */
  #writeCommon(entry: JournalEntry): boolean {
    const { kind } = entry;
    if (kind === 'proposal') this.#writeProposal(entry);
    else if (kind === 'place') this.#writePlace(entry);
    else if (kind === 'outcome') this.#writeOutcome(entry);
    else if (kind === 'order_status') this.#writeStatus(entry);
    else if (kind === 'fill') this.#writeFill(entry);
    else return false;
    return true;
  }

  #writeProposal(entry: EntryOf<'proposal'>): void {
    this.#head(1, entry);
    this.#push(entry.by === 'strategy' ? 0 : 1);
    this.#proposal(entry.proposal);
  }

  #writePlace(entry: EntryOf<'place'>): void {
    const { order } = entry;
    this.#head(2, entry);
    this.#id(order.clientOrderId);
    this.#push(order.purpose === 'entry' ? 0 : 1);
    this.#push(order.instrument);
    this.#push(order.side === 'buy' ? 0 : 1);
    this.#push(order.qty);
    this.#push(order.limitPrice);
  }

  #writeOutcome(entry: EntryOf<'outcome'>): void {
    const { outcome } = entry;
    this.#head(3, entry);
    this.#id(entry.clientOrderId);
    this.#word(entry.call);
    this.#word(outcome.status);
    if (outcome.status === 'accepted') this.#word(outcome.orderNo);
    else if (outcome.status === 'rejected') this.#word(outcome.text);
  }

  #writeStatus(entry: EntryOf<'order_status'>): void {
    this.#head(4, entry);
    this.#id(entry.clientOrderId);
    this.#word(entry.to);
    this.#word(entry.event);
  }

  #writeFill(entry: EntryOf<'fill'>): void {
    this.#head(5, entry);
    this.#id(entry.clientOrderId);
    this.#push(entry.cumQty);
    this.#push(entry.cumValue);
    this.#push(entry.fee);
    this.#push(entry.tax);
  }

  #proposal(proposal: Proposal): void {
    if (proposal.do !== 'submit' || proposal.intent.kind !== 'limit') {
      return this.#word(JSON.stringify(proposal));
    }
    const { clientOrderId, intent } = proposal;
    this.#id(clientOrderId);
    this.#push(intent.instrument);
    this.#push(intent.side === 'buy' ? 0 : 1);
    this.#push(intent.qty);
    this.#push(intent.limitPrice);
    this.#word(intent.reason);
  }

  /** Rare entries are hashed as text. */
  #writeText(entry: JournalEntry): void {
    this.#flush();
    this.#hash.update(JSON.stringify(entry));
  }

  #head(kind: number, { cause, tsUs, strategy }: JournalEntry): void {
    this.#push(kind);
    this.#push(cause);
    this.#push(tsUs);
    this.#push(strategy ?? -2);
  }

  #push(number: number): void {
    this.#numbers[this.#at] = number;
    this.#at += 1;
  }

  #word(text: string): void {
    this.#push(wordOf(text));
  }

  #id(id: ClientOrderId): void {
    if (id !== this.#lastId) {
      this.#lastId = id;
      this.#lastIdWord = wordOf(id);
    }
    this.#push(this.#lastIdWord);
  }

  #flush(): void {
    if (this.#at === 0) return;
    this.#hash.update(new Uint8Array(this.#numbers.buffer, 0, this.#at * Float64Array.BYTES_PER_ELEMENT));
    this.#at = 0;
  }
}

/** 53 bits of a text: two 32-bit hashes (FNV-1a, and the same with another prime). */
function wordOf(text: string): number {
  let a = 0x811c9dc5;
  let b = 0x1000193;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
  }
  return (a >>> 0) * 0x20_0000 + (b >>> 11);
}

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

  /** Strategies that restart each day may fail each day: the first fault is kept. */
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
