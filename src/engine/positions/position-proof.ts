/**
 * Proves our positions against the broker's. A read counts when it lies between two complete walks over the book that show
 * the same cumulative quantities; a difference counts when two such reads show the same one (rulings, 39).
 */
import type { BrokerPosition } from '../../domain/broker-order.ts';
import {
  type InstrumentIndex,
  type SignedQty,
  signedQty,
  type TsUs,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { ContractTable } from '../state/contract-table.ts';
import type { BookSnapshot, PositionSnapshot } from '../ports/engine-event.ts';

export interface Difference {
  readonly instrument: InstrumentIndex;
  /** Broker's minus ours. */
  readonly qty: SignedQty;
}

export type Verdict =
  | { readonly kind: 'none' }
  /** Look again: a difference was seen for the first time, or the book moved while positions were read. */
  | { readonly kind: 'again' }
  | { readonly kind: 'agreed' }
  | { readonly kind: 'differs'; readonly differences: readonly Difference[] };

/** Both reads of a difference are at least this far apart: positions may lag a moment behind the book. */
const CONFIRM_AFTER_US = 3 * US_PER_SECOND;

interface Reading {
  readonly positions: readonly BrokerPosition[];
  readonly startedUs: TsUs;
  readonly arrivedUs: TsUs;
  readonly fillVersion: number;
}

const NOTHING: Verdict = { kind: 'none' };
const AGAIN: Verdict = { kind: 'again' };

export class PositionProof {
  readonly #contracts: ContractTable;
  readonly #ours: (instrument: InstrumentIndex) => SignedQty;
  /** Arrival of the first walk since which no cumulative quantity has changed. */
  #quietSinceUs = Infinity;
  #fillVersion = -1;
  #reading: Reading | null = null;
  #suspected: { readonly key: string; readonly atUs: number } | null = null;

  constructor(contracts: ContractTable, ours: (instrument: InstrumentIndex) => SignedQty) {
    this.#contracts = contracts;
    this.#ours = ours;
  }

  /** A read waits for the walk that encloses it. */
  get isWaiting(): boolean {
    return this.#reading !== null;
  }

  /** A difference was seen once. */
  get isSuspicious(): boolean {
    return this.#suspected !== null;
  }

  /** What was read before says nothing any more. */
  reset(): void {
    this.#quietSinceUs = Infinity;
    this.#fillVersion = -1;
    this.#reading = null;
    this.#suspected = null;
  }

  takePositions(snapshot: PositionSnapshot, fillVersion: number): void {
    const isAfterBook = snapshot.startedUs >= this.#quietSinceUs && fillVersion === this.#fillVersion;
    this.#reading = isAfterBook
      ? {
          positions: snapshot.positions,
          startedUs: snapshot.startedUs,
          arrivedUs: snapshot.tsUs,
          fillVersion,
        }
      : null;
  }

  /** To be called after the book has been compared with our orders. `isSettled`: no order's fate is open. */
  takeBook({ complete, startedUs, tsUs }: BookSnapshot, fillVersion: number, isSettled: boolean): Verdict {
    if (!complete) return NOTHING;
    const reading = this.#reading;
    const isEnclosing = reading !== null && startedUs >= reading.arrivedUs;
    if (fillVersion !== this.#fillVersion) this.#quietSinceUs = tsUs;
    this.#fillVersion = fillVersion;
    if (!isEnclosing) return NOTHING;
    this.#reading = null;
    // While an order's fate is open a difference may be that order: the next poll will do.
    if (!isSettled) return NOTHING;
    if (reading.fillVersion !== fillVersion) return AGAIN;
    return this.#judge(reading);
  }

  #judge(reading: Reading): Verdict {
    const differences = this.#compare(reading.positions);
    if (differences.length === 0) {
      this.#suspected = null;
      return { kind: 'agreed' };
    }
    const key = differences.map(({ instrument, qty }) => `${instrument}:${qty}`).join(' ');
    if (this.#suspected?.key !== key) {
      this.#suspected = { key, atUs: reading.startedUs };
      return AGAIN;
    }
    if (reading.startedUs - this.#suspected.atUs < CONFIRM_AFTER_US) return AGAIN;
    return { kind: 'differs', differences };
  }

  #compare(positions: readonly BrokerPosition[]): readonly Difference[] {
    const differences: Difference[] = [];
    for (const contract of this.#contracts.all) {
      let theirs = 0;
      for (const { orderCode, qty } of positions) if (orderCode === contract.orderCode) theirs += qty;
      const difference = theirs - this.#ours(contract.index);
      if (difference !== 0) differences.push({ instrument: contract.index, qty: signedQty(difference) });
    }
    return differences;
  }
}
