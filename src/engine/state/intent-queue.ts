/** Calls queued during an event. They are carried out after it, in order: nothing re-enters. */
import { assert } from '../../domain/assert.ts';
import { clientOrderId, type ClientOrderId } from '../../domain/ids.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { Proposal, ProposalSource } from '../ports/journal-entry.ts';
import type { DueWork } from './timer-heap.ts';

export interface Call {
  readonly strategy: StrategyIndex;
  readonly by: ProposalSource;
  readonly proposal: Proposal;
}

export const callIdOf = (proposal: Proposal): ClientOrderId =>
  proposal.do === 'submit' ? proposal.clientOrderId : proposal.callId;

export class IntentQueue {
  readonly #dueWork: DueWork;
  #waiting: Call[] = [];
  #next = 0;

  constructor(dueWork: DueWork) {
    this.#dueWork = dueWork;
  }

  get isWaiting(): boolean {
    return this.#next < this.#waiting.length;
  }

  push(call: Call): void {
    this.#waiting.push(call);
    this.#dueWork.open();
  }

  take(): Call | undefined {
    const call = this.#waiting[this.#next];
    this.#next += 1;
    if (this.#next >= this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    return call;
  }

  /** Calls that still wait, of the strategy that asks without end. */
  drop(): readonly Call[] {
    const dropped = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    return dropped;
  }
}

/**
 * Mints the ids of our calls: `H.` + account tail (6) + stamp (10) + day (6 digits) + boot (5 digits) + counter (6 digits). Never the
 * same twice, whatever happens to the journal that counts the boots. A UUID, the longest `refId` of the contract, has 36 characters.
 */
const COUNTER_DIGITS = 6;
const COUNTER_MAX = 999_999;
const BOOT_MAX = 99_999;

export class ClientOrderIds {
  #account = '';
  #prefix = '';
  #count = 0;

  /** False until the first start is known: nothing can be called before. */
  get isReady(): boolean {
    return this.#prefix !== '';
  }

  /** `stamp` is empty in a backtest, and in journals from before there was one. */
  boot(boot: number, accountTail: string, stamp: string, day: TradingDay | null): void {
    assert(
      Number.isSafeInteger(boot) && boot > 0 && boot <= BOOT_MAX,
      'a boot number has at most five digits',
    );
    assert(/^\w{6}$/.test(accountTail), 'an account tail has six characters');
    this.#account = `H.${accountTail}`;
    this.#prefix = this.#account + stampOf(stamp, day) + String(boot).padStart(5, '0');
    this.#count = 0;
  }

  next(): ClientOrderId {
    assert(this.isReady, 'an id is made after the boot number is known');
    assert(this.#count < COUNTER_MAX, 'one start makes at most 999,999 calls');
    this.#count += 1;
    return clientOrderId(this.#prefix + String(this.#count).padStart(COUNTER_DIGITS, '0'));
  }

  /** An id of this account, of any start. */
  mayMint(id: ClientOrderId): boolean {
    return this.isReady && id.startsWith(this.#account);
  }

  /** Counts on behind an id that the journal holds, so that a replay never mints it again. */
  skipPast(id: ClientOrderId): void {
    if (!this.isReady || !id.startsWith(this.#prefix)) return;
    this.#count = Math.max(this.#count, Number(id.slice(this.#prefix.length)));
  }
}

function stampOf(stamp: string, day: TradingDay | null): string {
  if (stamp === '') return '';
  assert(/^[\da-f]{10}$/.test(stamp), 'a stamp has ten hexadecimal digits');
  assert(day !== null, 'a stamped start belongs to a trading day');
  return stamp + day.replaceAll('-', '').slice(2);
}
