/** The engine's outbound ports. All return nothing: outcomes arrive later as events. */
import type { BrokerAccount } from '../../domain/broker-order.ts';
import type { InstrumentIndex, StrategyIndex, TsUs } from '../../domain/units.ts';
import type { ApprovedCancel, ApprovedModify, ApprovedOrder } from './approved.ts';
import type { ReadKind } from './engine-event.ts';
import type { JournalEntry } from './journal-entry.ts';

/** Sends orders. The adapter writes the row, then sends: a failed write is `journal_failed`, the answer one `execution_report`. */
export interface Gateway {
  submit(order: ApprovedOrder): void;
  modify(modify: ApprovedModify): void;
  cancel(cancel: ApprovedCancel): void;
}

export interface Reports {
  /** Asks for one read as soon as the rate limiter allows; requests that wait are merged. */
  read(what: ReadKind): void;
  /** How often the in-day book is read by itself. */
  pollPace(pace: 'fast' | 'slow'): void;
  /** Where the broker is in the process and the account needs no polling; absent: it is read. */
  readonly accountNow?: AccountNow | undefined;
  /** The broker is in the process: it reports the end of an order once, and no later read shows the order. */
  readonly reportsOnce?: boolean;
}

export interface AccountNow {
  figures(): BrokerAccount;
  /** Calls that were sent before are in it, answered or not; Infinity where none is on its way. */
  readonly arrivedUs: number;
}

/** Remembers facts, in order, before anything leaves. */
export interface Journal {
  append(entry: JournalEntry): void;
}

/** Asks for a `clock` event at `at` or soon after; a later call replaces an earlier one. Infinity: none is needed. */
export interface Alarm {
  wakeAt(at: TsUs | typeof Infinity): void;
}

/** A value that a strategy publishes for people. */
export interface PlotValue {
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
  readonly name: string;
  readonly tsUs: TsUs;
  /** Ticks, with fractions. */
  readonly value: number;
}

/** Takes each value that strategies publish, where the latest ones of the view are not enough. */
export interface PlotSink {
  plot(value: PlotValue): void;
}

export interface Outbound {
  readonly gateway: Gateway;
  readonly reports: Reports;
  readonly journal: Journal;
  readonly alarm: Alarm;
  readonly plots?: PlotSink;
}
