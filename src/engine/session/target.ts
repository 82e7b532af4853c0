/** One owner in one contract that is to be flat: who asks for it, why, and what was said of it. */
import type { AlertSeverity } from '../ports/journal-entry.ts';
import { codeOf, type Desk, type Place } from './desk.ts';

/** A `person_in_auction` has confirmed an order that nobody can take back; `stop` asks for as long as the process lasts. */
export type Asker = 'person' | 'person_in_auction' | 'settings' | 'stop';

export class Target implements Place {
  readonly askers = new Set<Asker>();
  /** Each matter is told once. */
  readonly told = new Set<string>();
  readonly strategy;
  readonly instrument;
  /** Why it is closed: of the first that asked. */
  readonly reason: string;
  readonly #desk: Desk;

  constructor(desk: Desk, { strategy, instrument }: Place, reason: string) {
    this.#desk = desk;
    this.strategy = strategy;
    this.instrument = instrument;
    this.reason = reason;
  }

  get code(): string {
    return codeOf(this.#desk, this.instrument);
  }

  say(severity: AlertSeverity, code: string, text: string): void {
    const about = `flatten ${this.code} (${this.reason}): ${text}`;
    this.#desk.context.alert(this.strategy, severity, code, about);
  }

  tell(matter: string, severity: AlertSeverity, code: string, text: string): void {
    if (this.told.has(matter)) return;
    this.told.add(matter);
    this.say(severity, code, text);
  }
}
