/** What a flatten has to say, each matter once. */
import type { InstrumentIndex, StrategyIndex } from '../../domain/units.ts';
import type { SessionActions } from './session-actions.ts';
import type { AlertSeverity } from '../ports/journal-entry.ts';

export interface FlattenTarget {
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
  /** Why it is closed. */
  readonly reason: string;
}

export class FlattenAlerts {
  readonly #actions: SessionActions;
  readonly #target: FlattenTarget;
  readonly #told = new Set<string>();

  constructor(actions: SessionActions, target: FlattenTarget) {
    this.#actions = actions;
    this.#target = target;
  }

  get code(): string {
    const { instrument } = this.#target;
    return this.#actions.view.contract(instrument)?.orderCode ?? `contract ${instrument}`;
  }

  say(severity: AlertSeverity, code: string, text: string): void {
    const { strategy, reason } = this.#target;
    this.#actions.alert(strategy, severity, code, `flatten ${this.code} (${reason}): ${text}`);
  }

  tell(matter: string, severity: AlertSeverity, code: string, text: string): void {
    if (this.#told.has(matter)) return;
    this.#told.add(matter);
    this.say(severity, code, text);
  }

  hasTold(matter: string): boolean {
    return this.#told.has(matter);
  }

  forget(matter: string): void {
    this.#told.delete(matter);
  }
}
