/**
 * Ids of our calls: `H.` + account tail (6) + stamp (10) + day (6 digits) + boot (5 digits) + counter (6 digits or letters). Never the same twice,
 * whatever happens to the journal that counts the boots. A UUID, the longest `refId` of the contract, has 36 characters.
 */
import { assert } from '../../domain/assert.ts';
import { clientOrderId, type ClientOrderId } from '../../domain/ids.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { MintedIds } from '../ports/engine-event.ts';

const COUNTER_DIGITS = 6;
const COUNT_OF_FIRST_LETTER = 1_000_000;
const LETTERED = 36;
const FIRST_LETTERED = 10 * LETTERED ** (COUNTER_DIGITS - 1);
const BOOT_MAX = 99_999;
/** An id of a stamped start: the part of the account and the installation in it. Other clients write `H.` and the account too. */
const STAMPED = /^(H\.\w{6})([\da-f]{6})[\da-f]{4}\d{11}[\dA-Z]{6}$/;
/** Starts that are remembered over sessions: far more than an in-day book can show orders of. */
const STARTS_MAX = 64;

/** The ids that a journal holds, by the start that minted them. */
export class MintedLog {
  readonly #counts = new Map<string, number>();

  carryOver(minted: readonly MintedIds[]): void {
    for (const { start, count } of minted) this.#note(start, count);
  }

  add(id: ClientOrderId): void {
    if (STAMPED.test(id)) this.#note(startOf(id), countOf(id));
  }

  has(id: ClientOrderId): boolean {
    return countOf(id) <= (this.#counts.get(startOf(id)) ?? -1);
  }

  /** The latest last. */
  get all(): readonly MintedIds[] {
    return [...this.#counts].slice(-STARTS_MAX).map(([start, count]) => ({ start, count }));
  }

  #note(start: string, count: number): void {
    this.#counts.set(start, Math.max(count, this.#counts.get(start) ?? 0));
  }
}

/** The part of an id before the counter, and the counter. */
const startOf = (id: string): string => id.slice(0, -COUNTER_DIGITS);

/** Beyond 999,999 the counter goes on with a letter in front, so that a later id is the larger text. */
export function countOf(id: string): number {
  const text = id.slice(-COUNTER_DIGITS);
  const count = Number(text);
  return Number.isNaN(count) ? COUNT_OF_FIRST_LETTER + parseInt(text, LETTERED) - FIRST_LETTERED : count;
}

const counterOf = (count: number): string =>
  count < COUNT_OF_FIRST_LETTER
    ? String(count).padStart(COUNTER_DIGITS, '0')
    : (count - COUNT_OF_FIRST_LETTER + FIRST_LETTERED).toString(LETTERED).toUpperCase();

export class ClientOrderIds {
  readonly before = new MintedLog();
  #account = '';
  #prefix = '';
  #count = 0;

  /** False until the first start is known: nothing can be called before. */
  get isReady(): boolean {
    return this.#prefix !== '';
  }

  /** `stamp` is empty in a backtest, in a dry run, and in journals from before there was one. */
  boot(boot: number, accountTail: string, stamp: string, day: TradingDay | null): void {
    assert(
      Number.isSafeInteger(boot) && boot > 0 && boot <= BOOT_MAX,
      'a boot number has at most five digits',
    );
    assert(/^\w{6}$/.test(accountTail), 'an account tail has six characters');
    if (this.isReady) this.before.carryOver([{ start: this.#prefix, count: this.#count }]);
    this.#account = `H.${accountTail}`;
    this.#prefix = this.#account + stampOf(stamp, day) + String(boot).padStart(5, '0');
    this.#count = 0;
  }

  next(): ClientOrderId {
    const id = this.following;
    this.#count += 1;
    return id;
  }

  get following(): ClientOrderId {
    assert(this.isReady, 'an id is made after the boot number is known');
    return clientOrderId(this.#prefix + counterOf(this.#count + 1));
  }

  /** An id of this account, of any start. */
  mayMint(id: ClientOrderId): boolean {
    return this.isReady && id.startsWith(this.#account);
  }

  /**
   * The installation whose daemon minted the id for this account, where this journal did not; null: this one did, or it is unknown. A
   * copied or restored state directory carries the same installation, and counts on by itself.
   */
  strangerOf(id: ClientOrderId): string | null {
    const [, account, installation = null] = STAMPED.exec(id) ?? [];
    if (account !== this.#account || !STAMPED.test(`${this.#prefix}000000`)) return null;
    const isOurs = id.startsWith(this.#prefix) ? countOf(id) <= this.#count : this.before.has(id);
    return isOurs ? null : installation;
  }

  /** Counts on behind an id that the journal holds, so that a replay never mints it again. */
  skipPast(id: ClientOrderId): void {
    if (!this.isReady || !id.startsWith(this.#prefix)) return;
    this.#count = Math.max(this.#count, countOf(id));
  }
}

function stampOf(stamp: string, day: TradingDay | null): string {
  if (stamp === '') return '';
  assert(/^[\da-f]{10}$/.test(stamp), 'a stamp has ten hexadecimal digits');
  assert(day !== null, 'a stamped start belongs to a trading day');
  return stamp + day.replaceAll('-', '').slice(2);
}
