/**
 * The halt state of the main thread (rulings, 32): the last check before a call leaves. Its row is durable before an answer is given, with
 * or without an open session; the engine's row follows when it has read the command. The last row holds over sessions and restarts. No
 * strategy code runs here, so a halt stops entries at once, before the engine has read the command.
 */
import type { Clock } from '../../domain/clock.ts';
import { thrownText } from '../../domain/failure.ts';
import { type HaltEntry, type JournalEntry, NO_EVENT } from '../../engine/ports/journal-entry.ts';
import type { HaltCode, HaltReason } from '../../engine/ports/engine-event.ts';

type HaltState = Pick<HaltEntry, 'halted' | 'reason' | 'code'>;

export interface HaltParts {
  readonly clock: Clock;
  readonly journal: {
    append(entry: JournalEntry): void;
    flush(): void;
  };
  readonly last: HaltState | null;
  /** Receives every row once the journal has it. */
  readonly onEntry: (entry: HaltEntry) => void;
}

export class Halt {
  readonly #parts: HaltParts;
  #last: HaltState;
  #inForce: HaltReason | null;
  /** An engine has been given the last halt or resume: one that comes between two sessions waits for the next. */
  #isDelivered = true;
  /** Rows of the engine that are not durable yet. */
  #engineRows: HaltEntry[] = [];

  constructor(parts: HaltParts) {
    this.#parts = parts;
    this.#last = parts.last ?? { halted: false, reason: '' };
    this.#inForce = this.#last.halted ? this.#last : null;
  }

  get reason(): string | null {
    return this.#inForce?.reason ?? null;
  }

  /** The halt in force, as an engine gets it; null without one. */
  get inForce(): HaltReason | null {
    return this.#inForce && { reason: this.#inForce.reason, code: this.#inForce.code };
  }

  /** The account's orders go, unless another daemon's are among them. */
  get clearsBooks(): boolean {
    return this.#inForce !== null && this.#inForce.code !== 'second_daemon';
  }

  /** The first reason stays until `end`, unless it leaves the books alone. False where it stayed. */
  begin(reason: string, code?: HaltCode): boolean {
    if (this.clearsBooks) return false;
    this.#isDelivered = false;
    this.#inForce = {
      reason: this.#inForce === null ? reason : `${reason}; before it: ${this.#inForce.reason}`,
      code,
    };
    this.#keep(this.#ownEntry(true, this.#inForce));
    return true;
  }

  /** Entries are allowed once the row is durable; throws, and changes nothing, when it cannot be. */
  end(reason: string): void {
    if (this.#inForce !== null) this.#writeEnd(reason, this.#inForce);
    this.#inForce = null;
  }

  /** The last halt: an engine reads it, or begins its day with it. */
  markDelivered(): void {
    this.#isDelivered = true;
  }

  /** Rows that a full disk refuses wait, and are written once there is room: the last of them is the valid one. */
  #writeEnd(reason: string, held: HaltReason): void {
    try {
      this.#write(this.#ownEntry(false, { reason }));
    } catch (error) {
      this.#parts.journal.append(this.#ownEntry(true, held));
      throw error;
    }
  }

  /**
   * A limit that the engine found, or the echo of a command, which is not shown twice. `isOutdated`: a newer command is on its way to the
   * engine, and decides whether entries are off, also after a kill.
   */
  takeEngineRow(entry: HaltEntry, isOutdated = false): void {
    const { halted, reason } = entry;
    const isOlder = isOutdated || (!halted && !this.#isDelivered);
    if (isOlder && halted !== (this.#inForce !== null)) {
      this.#parts.journal.append(entry);
      return this.#parts.journal.append(
        this.#ownEntry(!halted, this.#inForce ?? { reason: this.#last.reason }),
      );
    }
    const isEcho = halted === this.#last.halted && (!halted || reason === this.#last.reason);
    this.#inForce = halted ? (this.#inForce ?? entry) : null;
    if (isEcho) return this.#parts.journal.append(entry);
    const { journal } = this.#parts;
    this.#last = entry;
    this.#engineRows.push(entry);
    void thrownText(() => journal.append(entry));
    if (this.#inForce === null || this.#inForce.reason === reason) return;
    // A kill finds the reason that holds.
    const held = this.#ownEntry(true, this.#inForce);
    this.#last = held;
    void thrownText(() => journal.append(held));
  }

  /** Call it once all that the engine decided with them is appended: a kill in between would leave a journal that cannot be replayed. */
  writeEngineRows(): void {
    const rows = this.#engineRows.splice(0);
    if (rows.length === 0) return;
    // A journal that fails alerts that itself, and the emergency file halts entries at the next start.
    void thrownText(() => this.#parts.journal.flush());
    for (const entry of rows) this.#parts.onEntry(entry);
  }

  /** Why a call may not leave now, or null; exits always may. */
  refuse(purpose: 'entry' | 'reduce' | 'cancel'): string | null {
    return purpose === 'entry' ? this.reason : null;
  }

  #ownEntry(halted: boolean, { reason, code }: HaltReason): HaltEntry {
    const { clock } = this.#parts;
    return { kind: 'halt', cause: NO_EVENT, tsUs: clock.nowUs(), strategy: null, halted, reason, code };
  }

  /** A journal that fails has alerted that itself, and the emergency file halts entries at the next start. */
  #keep(entry: HaltEntry): void {
    try {
      this.#write(entry);
    } catch {
      this.#last = entry;
      this.#parts.onEntry(entry);
    }
  }

  #write(entry: HaltEntry): void {
    const { journal, onEntry } = this.#parts;
    journal.append(entry);
    journal.flush();
    this.#last = entry;
    onEntry(entry);
  }
}
