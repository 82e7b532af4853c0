/**
 * Proves our figures against a read of the broker's. A read counts when it lies between two complete scans of the book that show
 * the same cumulative quantities; a difference counts when two such reads show the same one (rulings, 39).
 */
import { type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { BookSnapshot, ReportKind } from '../ports/engine-event.ts';

/** Requests reads of the broker's state; two requests before the answer are one read. */
export interface ReadRequests {
  want(what: ReportKind): void;
}

/** Our side when a scan of the book has been compared with our orders. */
export interface BookState {
  readonly fillVersion: number;
  /** Orders of unknown fate. */
  readonly unresolved: number;
  /** The book did not show an order, which may explain a difference. */
  readonly hasUnconfirmedOrder: boolean;
}

export type ProofVerdict<T> =
  | { readonly kind: 'none' }
  /** The book moved while the read was made. */
  | { readonly kind: 'moved' }
  /** A difference was seen for the first time, or too soon after that. */
  | { readonly kind: 'suspected' }
  | { readonly kind: 'agreed'; readonly reading: T }
  /** `sinceUs`: start of the first read that showed it. */
  | { readonly kind: 'differs'; readonly reading: T; readonly sinceUs: number };

/** Both reads of a difference are at least this far apart: the broker's figures may lag a moment behind the book. */
export const CONFIRM_AFTER_US = 3 * US_PER_SECOND;

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
  /** Arrival of the first scan since which no cumulative quantity has changed. */
  #quietSinceUs = Infinity;
  #fillVersion = -1;
  #read: EnclosedRead<T> | null = null;
  #suspected: { readonly key: string; readonly atUs: number } | null = null;

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

  takeReading(reading: T, startedUs: TsUs, arrivedUs: TsUs, fillVersion: number): void {
    const isAfterBook = startedUs >= this.#quietSinceUs && fillVersion === this.#fillVersion;
    this.#read = isAfterBook ? { reading, startedUs, arrivedUs, fillVersion } : null;
  }

  /**
   * To be called after the book has been compared with our orders. `keyOf` names the differences of a reading from ours; empty when
   * there are none.
   */
  takeBook(
    { complete, startedUs, tsUs }: BookSnapshot,
    { fillVersion, unresolved }: BookState,
    keyOf: (reading: T) => string,
  ): ProofVerdict<T> {
    if (!complete) return NOTHING;
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
    return startedUs - sinceUs < CONFIRM_AFTER_US ? SUSPECTED : { kind: 'differs', reading, sinceUs };
  }
}
