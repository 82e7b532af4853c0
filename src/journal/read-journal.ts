import { JournalReader } from './journal-reader.ts';
import { openReadOnly } from './open-database.ts';

export interface OpenedJournal {
  readonly read: JournalReader;
  close(): void;
}

/** Opens a journal to look at, beside a running daemon or after it. Throws when there is none at `path`. */
export function readJournal(path: string): OpenedJournal {
  const database = openReadOnly(path);
  return {
    read: new JournalReader(database),
    close: () => {
      database.close();
    },
  };
}
