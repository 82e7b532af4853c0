/** Keeps undelivered messages for the next start. Written whole or not at all, without delaying trading. */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { errorText, undefinedIfMissing } from '../../domain/failure.ts';
import { isRecord } from '../../domain/parsed.ts';
import type { AlertMemory } from './alert-filter.ts';
import type { AlertMessage } from './alert-message.ts';

export interface WaitingAlerts {
  readonly desk: AlertMemory;
  readonly queues: readonly { readonly channel: string; readonly messages: readonly AlertMessage[] }[];
}

const OWNER_ONLY = 0o600;

export class WaitingFile {
  readonly #path: string;
  readonly #now: () => WaitingAlerts;
  readonly #onFailure: (reason: string) => void;
  #isDirty = false;
  #writing: Promise<void> | undefined = undefined;
  #isFailing = false;

  constructor(path: string, now: () => WaitingAlerts, onFailure: (reason: string) => void) {
    this.#path = path;
    this.#now = now;
    this.#onFailure = onFailure;
  }

  /** Null without a file that can be read: a message that is lost is in the journal. */
  static read(path: string): WaitingAlerts | null {
    try {
      const text = undefinedIfMissing(() => readFileSync(path, 'utf8'));
      const read: unknown = text === undefined ? null : JSON.parse(text);
      return isUndelivered(read) ? read : null;
    } catch {
      return null;
    }
  }

  /** Writes soon; changes of one turn are written once. */
  changed(): void {
    this.#isDirty = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#isDirty) this.changed();
    });
  }

  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    await Promise.resolve();
    this.#isDirty = false;
    try {
      const draft = `${this.#path}.new`;
      await writeFile(draft, JSON.stringify(this.#now()), { mode: OWNER_ONLY });
      await rename(draft, this.#path);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#onFailure(errorText(error));
      this.#isFailing = true;
    }
  }
}

function isUndelivered(value: unknown): value is WaitingAlerts {
  if (!isRecord(value) || !isRecord(value['desk']) || !Array.isArray(value['queues'])) return false;
  const { held, unseen, sent = [] } = value['desk'];
  const lists: unknown[] = [
    held,
    unseen,
    ...value['queues'].map((queue: unknown) => isRecord(queue) && queue['messages']),
  ];
  if (!Array.isArray(sent) || !sent.every((each) => isRecord(each) && isRecord(each['last']))) return false;
  return lists.every((list) => Array.isArray(list) && list.every(isMessage));
}

const isMessage = (value: unknown): value is AlertMessage =>
  isRecord(value) &&
  typeof value['id'] === 'number' &&
  typeof value['atUs'] === 'number' &&
  typeof value['title'] === 'string' &&
  typeof value['text'] === 'string' &&
  typeof value['severity'] === 'string' &&
  typeof value['kind'] === 'string';
