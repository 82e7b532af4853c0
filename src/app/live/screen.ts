import type { JournalEntry } from '../../engine/ports/journal-entry.ts';

/** Where the daemon shows what it does; made by the operator's side, in text or JSON. */
export interface Screen {
  note(text: string): void;
  entry(entry: JournalEntry): void;
  /** Several lines as they are: banner, tables. */
  block(text: string): void;
  status(text: string): void;
}
