/** A journal in a directory of its own, with timers that fire when the test says. */
import { join } from 'node:path';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { StrategyNames } from '../../src/domain/ids.ts';
import { seq, strategyIndex, tsUs } from '../../src/domain/units.ts';
import type { JournalEntry } from '../../src/engine/ports/journal-entry.ts';
import { JournalStore } from '../../src/journal/journal-store.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';
import type { JournaledInput } from '../../src/journal/compact-input.ts';
import { tempDir } from '../support/temp-dir.ts';

export const DAY = tradingDay('2026-03-04');

export const tempPath = (): string => join(tempDir(), 'journal.db');

export interface OpenedStore {
  readonly store: JournalStore;
  readonly timers: VirtualTimers;
  readonly failures: Error[];
  /** How often everything that had waited was written. */
  readonly recoveries: () => number;
}

export function openStore(path: string, wallUs = 1): OpenedStore {
  const timers = new VirtualTimers();
  const failures: Error[] = [];
  let recovered = 0;
  const store = new JournalStore({
    path,
    wallClock: { nowUs: () => tsUs(wallUs) },
    timers,
    names: new StrategyNames(['strategy-0', 'strategy-1']),
    onFailure: (error) => failures.push(error),
    onRecovered: () => {
      recovered += 1;
    },
  });
  return { store, timers, failures, recoveries: () => recovered };
}

/** An entry that says nothing but its number. */
export const note = (cause: number, text = `note ${cause}`): JournalEntry => ({
  cause: seq(cause),
  tsUs: tsUs(cause * 1_000),
  strategy: strategyIndex(0),
  kind: 'strategy_note',
  text,
});

export const clockInput = (at: number): JournaledInput => ({
  seq: seq(at),
  tsUs: tsUs(at * 1_000),
  kind: 'clock',
});
