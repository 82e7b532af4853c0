/** The journal of a run as numbers, and a running hash of every fact with its market time and cause: it says whether runs are the same. */
import { createHash } from 'node:crypto';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import type { Journal } from '../../engine/ports/outbound.ts';
import { formatDenial } from '../../engine/ports/denial.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { OrderToSend } from '../../engine/ports/approved.ts';
import type { BacktestNotice } from '../backtest-plan.ts';
import type { RunAccount } from './run-account.ts';

/** Numbers hashed at a time. */
const BLOCK = 8_192;
/** Most numbers that one entry writes. */
const ENTRY_MAX = 24;

type OrderTerms = Pick<OrderToSend, 'instrument' | 'side' | 'qty' | 'limitPrice'>;

export class JournalDigest implements Journal {
  readonly #hash = createHash('sha256');
  readonly #numbers = new Float64Array(BLOCK);
  readonly #onEntry: (entry: JournalEntry) => void;
  #at = 0;
  count = 0;
  /** Entries of one order come one after the other. */
  #lastId = '';
  #lastIdWord = 0;

  constructor(onEntry: (entry: JournalEntry) => void) {
    this.#onEntry = onEntry;
  }

  append(entry: JournalEntry): void {
    this.count += 1;
    if (this.#at > BLOCK - ENTRY_MAX) this.#flush();
    this.#write(entry);
    this.#onEntry(entry);
  }

  /** An execution: it is a fact of the venue, not of the engine. */
  addExecution(atUs: number, instrument: number, owner: number, signedQty: number, price: number): void {
    if (this.#at > BLOCK - ENTRY_MAX) this.#flush();
    const to = this.#numbers;
    to[this.#at++] = atUs;
    to[this.#at++] = instrument;
    to[this.#at++] = owner;
    to[this.#at++] = signedQty;
    to[this.#at++] = price;
  }

  digest(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  /** The kinds that come with each order as numbers, all others as text. */
  #write(entry: JournalEntry): void {
    const { kind } = entry;
    const to = this.#numbers;
    let at = this.#at;
    if (kind === 'proposal') {
      const { by, proposal } = entry;
      at = writeHead(to, at, 1, entry);
      to[at++] = by === 'strategy' ? 0 : 1;
      if (proposal.do === 'submit' && proposal.intent.kind === 'limit') {
        to[at++] = this.#wordOf(proposal.clientOrderId);
        at = writeTerms(to, at, proposal.intent);
        to[at++] = wordOf(proposal.intent.reason);
      } else to[at++] = wordOf(JSON.stringify(proposal));
    } else if (kind === 'place') {
      const { order } = entry;
      at = writeHead(to, at, 2, entry);
      to[at++] = this.#wordOf(order.clientOrderId);
      to[at++] = order.purpose === 'entry' ? 0 : 1;
      at = writeTerms(to, at, order);
    } else if (kind === 'outcome') {
      const { outcome } = entry;
      at = writeHead(to, at, 3, entry);
      to[at++] = this.#wordOf(entry.clientOrderId);
      to[at++] = wordOf(entry.call);
      to[at++] = wordOf(outcome.status);
      if (outcome.status === 'accepted') to[at++] = wordOf(outcome.orderNo);
      else if (outcome.status === 'rejected') to[at++] = wordOf(outcome.text);
    } else if (kind === 'order_status') {
      at = writeHead(to, at, 4, entry);
      to[at++] = this.#wordOf(entry.clientOrderId);
      to[at++] = wordOf(entry.to);
      to[at++] = wordOf(entry.event);
    } else if (kind === 'fill') {
      at = writeHead(to, at, 5, entry);
      to[at++] = this.#wordOf(entry.clientOrderId);
      to[at++] = entry.cumQty;
      to[at++] = entry.cumValue;
      to[at++] = entry.fee;
      to[at++] = entry.tax;
    } else {
      this.#flush();
      this.#hash.update(JSON.stringify(entry));
      return;
    }
    this.#at = at;
  }

  #wordOf(id: ClientOrderId): number {
    if (id !== this.#lastId) {
      this.#lastId = id;
      this.#lastIdWord = wordOf(id);
    }
    return this.#lastIdWord;
  }

  #flush(): void {
    if (this.#at === 0) return;
    this.#hash.update(new Uint8Array(this.#numbers.buffer, 0, this.#at * Float64Array.BYTES_PER_ELEMENT));
    this.#at = 0;
  }
}

// Each returns the place behind the numbers that it writes.

function writeHead(to: Float64Array, at: number, kind: number, entry: JournalEntry): number {
  to[at] = kind;
  to[at + 1] = entry.cause;
  to[at + 2] = entry.tsUs;
  to[at + 3] = entry.strategy ?? -2;
  return at + 4;
}

function writeTerms(to: Float64Array, at: number, { instrument, side, qty, limitPrice }: OrderTerms): number {
  to[at] = instrument;
  to[at + 1] = side === 'buy' ? 0 : 1;
  to[at + 2] = qty;
  to[at + 3] = limitPrice;
  return at + 4;
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
  readonly #stacks = new Map<object, string>();
  dropped = 0;

  constructor(account: RunAccount) {
    this.#account = account;
  }

  take(entry: JournalEntry): void {
    // Not its time: read from an entry of any shape it takes memory of its own.
    const { kind } = entry;
    // Most entries of an order change nothing here.
    if (kind === 'proposal' || kind === 'order_status' || kind === 'fill') return;
    const ledger = this.#account.ledgers[entry.strategy ?? -1];
    if (kind === 'halt') this.isHalted ||= entry.halted;
    else if (kind === 'alert' && entry.severity !== 'info' && !this.isWarmUp) {
      const { tsUs, code, text } = entry;
      if (this.notices.length < NOTICES_MAX) this.notices.push({ tsUs, code, text });
      else this.dropped += 1;
    }
    if (ledger === undefined) return;
    if (kind === 'place') ledger.orders += 1;
    else if (kind === 'outcome' && entry.outcome.status === 'rejected' && !this.isWarmUp) {
      const { code, text } = entry.outcome;
      ledger.deny({ tsUs: entry.tsUs, by: 'rejected', code, text });
    } else if (kind === 'denied' && !this.isWarmUp) {
      const { tsUs, denial } = entry;
      ledger.deny({ tsUs, by: 'denied', code: denial.code, text: formatDenial(denial) });
    } else if (kind === 'strategy_fault') {
      const { tsUs, message, where } = entry;
      // Strategies that restart each day may fail each day: the first fault is kept.
      ledger.fault ??= { tsUs, message, where, stack: this.#stacks.get(ledger) ?? null };
    } else if (kind === 'strategy_stopped') {
      const { fault } = ledger;
      const isFault = entry.reason === 'fault' && fault !== null;
      ledger.stopped = isFault ? `${fault.message} (in ${fault.where})` : entry.reason;
    }
  }

  /** Keeps the stack of a throw until its entry comes. */
  keepStack(strategy: StrategyIndex, error: unknown): void {
    const ledger = this.#account.ledgers[strategy];
    if (ledger === undefined || this.#stacks.has(ledger) || !(error instanceof Error)) return;
    if (error.stack !== undefined) this.#stacks.set(ledger, error.stack);
  }
}
