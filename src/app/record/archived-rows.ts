/**
 * The main thread's part of archiving a session: the journal has one writer. Its rows leave in steps between other work, so that no
 * heartbeat and no call waits; what a death leaves undone the next round does.
 */
import { rmSync } from 'node:fs';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import { errorText } from '../../domain/failure.ts';
import { milliseconds } from '../../domain/units.ts';
import { archivePath } from '../../journal/journal-archive.ts';
import type { ArchivedSession } from '../../journal/journal-database.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { earnedIn, firstNetAssetValue } from '../../journal/session-results.ts';

/** A step takes some milliseconds. */
const ROWS_A_STEP = 500;
const PAUSE = milliseconds(50);

export class ArchivedRows {
  readonly #journal: JournalStore;
  readonly #timers: Timers;
  readonly #onFailure: (text: string) => void;
  #leaving: ArchivedSession[] = [];
  #cancelTimer: CancelTimer | undefined = undefined;

  constructor(journal: JournalStore, timers: Timers, onFailure: (text: string) => void) {
    this.#journal = journal;
    this.#timers = timers;
    this.#onFailure = onFailure;
  }

  /** Sessions whose archives are proven; some of them from an earlier round. */
  take(archived: readonly ArchivedSession[]): void {
    this.stop();
    this.#leaving = [...archived];
    this.#attempt(() => {
      for (const each of archived) {
        if (this.#journal.read.archived(each.session) !== undefined) continue;
        // Sums over all sessions go on from these once the rows have left.
        earnedIn(this.#journal, each.session);
        firstNetAssetValue(this.#journal);
        this.#journal.keepArchive(each);
      }
      this.#step();
    });
  }

  /** Deletes archives that are past their retention. The journal knows it first. */
  drop(path: string, expired: readonly ArchivedSession[]): void {
    this.#attempt(() => {
      for (const each of expired) {
        this.#journal.keepArchive({ ...each, sha256: null });
        rmSync(archivePath(path, each.session), { force: true });
      }
    });
  }

  stop(): void {
    this.#cancelTimer?.();
  }

  #step(): void {
    const [first] = this.#leaving;
    if (first === undefined) return;
    if (!this.#journal.freeArchived(first.session, ROWS_A_STEP)) this.#leaving.shift();
    this.#cancelTimer = this.#timers.after(PAUSE, () => this.#attempt(() => this.#step()));
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#leaving = [];
      this.#onFailure(`archived rows stay in the journal until the next round: ${errorText(error)}`);
    }
  }
}
