/**
 * Proves our figures against a read of the broker's. A read counts when it lies between two complete scans of the book that show
 * the same cumulative quantities; a difference counts when two such reads show the same one (rulings, 39), the later one not while an
 * auction settles.
 */
import { isAuctionSettling, type TradingCalendar } from '../../domain/calendar.ts';
import type { TsUs } from '../../domain/units.ts';
import { CONFIRM_AFTER_US } from '../orders/carried-orders.ts';
import type { OrderListSnapshot } from '../ports/engine-event.ts';

/** Our side when a scan of the book has been compared with our orders. */
export interface BookState {
  readonly fillVersion: number;
  /** Orders of unknown fate. */
  readonly unresolved: number;
}

type ProofVerdict<T> =
  | { readonly kind: 'none' }
  /** The book moved while the read was made. */
  | { readonly kind: 'moved' }
  /** A difference was seen for the first time, or too soon after that. */
  | { readonly kind: 'suspected' }
  | { readonly kind: 'agreed'; readonly reading: T }
  /** `sinceUs`: start of the first read that showed it. */
  | { readonly kind: 'differs'; readonly reading: T; readonly sinceUs: number };

interface EnclosedRead<T> {
  readonly reading: T;
  readonly startedUs: TsUs;
  readonly arrivedUs: TsUs;
  readonly fillVersion: number;
}

const NOTHING = { kind: 'none' } as const;
const MOVED = { kind: 'moved' } as const;
const SUSPECTED = { kind: 'suspected' } as const;

export class EnclosedProof<T> {
  readonly #calendar: TradingCalendar;
  /** Arrival of the first scan since which no cumulative quantity has changed. */
  #quietSinceUs = Infinity;
  #fillVersion = -1;
  #read: EnclosedRead<T> | null = null;
  #suspected: { readonly key: string; readonly atUs: number } | null = null;

  constructor(calendar: TradingCalendar) {
    this.#calendar = calendar;
  }

  /** A read waits for the scan that encloses it. */
  get isWaiting(): boolean {
    return this.#read !== null;
  }

  /** A difference was seen once. */
  get isSuspicious(): boolean {
    return this.#suspected !== null;
  }

  /** Earlier reads prove nothing any more. */
  reset(): void {
    this.#quietSinceUs = Infinity;
    this.#fillVersion = -1;
    this.#read = null;
    this.#suspected = null;
  }

  onRead(reading: T, startedUs: TsUs, arrivedUs: TsUs, fillVersion: number): void {
    const isAfterBook = startedUs >= this.#quietSinceUs && fillVersion === this.#fillVersion;
    this.#read = isAfterBook ? { reading, startedUs, arrivedUs, fillVersion } : null;
  }

  /** After a complete scan was compared with our orders. `keyOf` names a reading's differences from ours; empty when there are none. */
  onOrderList(
    { startedUs, tsUs }: OrderListSnapshot,
    { fillVersion, unresolved }: BookState,
    keyOf: (reading: T) => string,
  ): ProofVerdict<T> {
    const read = this.#read;
    const isEnclosing = read !== null && startedUs >= read.arrivedUs;
    if (fillVersion !== this.#fillVersion) this.#quietSinceUs = tsUs;
    this.#fillVersion = fillVersion;
    if (!isEnclosing) return NOTHING;
    this.#read = null;
    // With an order of unknown fate a difference may be that order: the next poll decides.
    if (unresolved > 0) return NOTHING;
    if (read.fillVersion !== fillVersion) return MOVED;
    return this.#judge(read, keyOf(read.reading));
  }

  #judge({ reading, startedUs }: EnclosedRead<T>, key: string): ProofVerdict<T> {
    if (key === '') {
      this.#suspected = null;
      return { kind: 'agreed', reading };
    }
    if (this.#suspected?.key !== key) {
      this.#suspected = { key, atUs: startedUs };
      return SUSPECTED;
    }
    const { atUs: sinceUs } = this.#suspected;
    const isEarly = startedUs - sinceUs < CONFIRM_AFTER_US || isAuctionSettling(this.#calendar, startedUs);
    return isEarly ? SUSPECTED : { kind: 'differs', reading, sinceUs };
  }
}
