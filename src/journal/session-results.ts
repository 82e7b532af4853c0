/**
 * Results of the sessions that are over, kept as counters: a month that ends with a stop must not be read again. A result counts as
 * long as its session has as many entries as when it was made.
 */
import { type Money, money } from '../domain/units.ts';
import { foldSession, type StrategyAccount } from './fold-session.ts';
import type { JournalReader } from './journal-reader.ts';
import type { JournalStore } from './journal-store.ts';

/** Names of counters: profit of a session that was closed, less fees and tax; and the number of entries that it rests on. */
const EARNED = 'earned';
const EARNED_ENTRIES = 'earned_entries';
/** Name of a counter: net asset value of the account before the journal's first order, under no day. */
const FIRST_VALUE = 'first_value';

/** Realised profit less fees and tax of one session. Reads its rows unless the result is kept. */
export function earnedIn(journal: JournalStore, session: string): Money {
  const { read } = journal;
  const entries = read.entryCount(session);
  const isKept = read.hasCounter(EARNED, session) && journal.counter(EARNED_ENTRIES, session) === entries;
  if (isKept) return money(journal.counter(EARNED, session));
  const rows = read.entries({
    session,
    kinds: ['fill', 'fill_correction', 'position_event', 'money_checked'],
  });
  return keepEarned(journal, session, foldSession(rows));
}

/** Keeps the result of a session whose rows are all written: nobody has to read them again. */
export function keepEarned(
  journal: JournalStore,
  session: string,
  accounts: readonly StrategyAccount[],
): Money {
  let earned = 0;
  for (const { realised, fee, tax } of accounts) earned += realised - fee - tax;
  journal.keepCounter(EARNED, session, earned);
  journal.keepCounter(EARNED_ENTRIES, session, journal.read.entryCount(session));
  return money(earned);
}

/** Null when the account was never read. */
export function firstNetAssetValue(journal: JournalStore): Money | null {
  const { read } = journal;
  if (read.hasCounter(FIRST_VALUE, '')) return money(journal.counter(FIRST_VALUE, ''));
  const value = firstRead(read);
  if (value !== null) journal.keepCounter(FIRST_VALUE, '', value);
  return value;
}

function firstRead(read: JournalReader): Money | null {
  for (const { day } of read.sessions()) {
    const first = read.firstInput(day, 'account_snapshot');
    if (first?.kind === 'account_snapshot') return first.account.netAssetValue;
  }
  return null;
}
