/** Everybody else in the market, as the venue drives them: a next moment, and one action at it. */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { PriceHundredths, TsUs } from '../../domain/units.ts';
import type { ContractBook } from '../exchange/contract-book.ts';

export interface IndexSamples {
  readonly continuous: readonly PriceHundredths[];
  readonly closing: readonly PriceHundredths[];
}

export interface BackgroundFlow {
  /** Infinity while nothing is going to happen. */
  readonly nextUs: number;
  /** Does what is due at `nextUs`. */
  step(): void;
  /** A day begins with these books, nearest expiry first. */
  openDay(books: readonly ContractBook[], at: TsUs): void;
  setPhase(phase: SessionPhase, at: TsUs): void;
  /** The underlying index, when the street has one. */
  index(at: TsUs): PriceHundredths | null;
  /** The index over the last half hour before `endUs`, split where the closing auction began. */
  samples(endUs: TsUs, closingFromUs: TsUs): IndexSamples;
}

/** A market with nobody else in it. */
export const NO_BACKGROUND_FLOW: BackgroundFlow = {
  nextUs: Number.POSITIVE_INFINITY,
  step: () => undefined,
  openDay: () => undefined,
  setPhase: () => undefined,
  index: () => null,
  samples: () => ({ continuous: [], closing: [] }),
};
