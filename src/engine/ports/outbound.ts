/** The engine's outbound ports. All return nothing: outcomes arrive later as events. */
import type { TsUs } from '../../domain/units.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from './approved.ts';
import type { ReportKind } from './engine-event.ts';
import type { JournalEntry } from './journal-entry.ts';

/**
 * Sends orders, with or without a trigger. The adapter writes the row, then sends; a failed write comes back as `journal_failed`.
 * Each call comes back as one `call_outcome`.
 */
export interface Gateway {
  submit(order: ApprovedOrder): void;
  modify(modify: ApprovedModify): void;
  cancel(cancel: ApprovedCancel): void;
}

/** Fetches what the broker knows. */
export interface Reports {
  /** Asks for one read as soon as the rate limiter allows; requests that wait are merged. */
  read(what: ReportKind): void;
  /** How often the in-day book is read by itself. */
  bookTempo(tempo: 'fast' | 'slow'): void;
}

/** Remembers facts, in order, before anything leaves. */
export interface Journal {
  append(entry: JournalEntry): void;
}

/** Asks for a `clock` event at `at` or soon after; a later call replaces an earlier one. Infinity: none is needed. */
export interface Alarm {
  wakeAt(at: TsUs | typeof Infinity): void;
}

export interface Outbound {
  readonly gateway: Gateway;
  readonly reports: Reports;
  readonly journal: Journal;
  readonly alarm: Alarm;
}
