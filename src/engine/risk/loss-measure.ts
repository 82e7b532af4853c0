/**
 * The loss of the day as the limits count it (rulings, 37). A person who resumes after a limit was reached has accepted the
 * loss: from then on it is measured from there, or the same loss would halt entries again at once. Resuming for another reason
 * leaves the measure of other limits unchanged.
 */
import type { EngineSettings } from '../../domain/settings.ts';
import { type Money, money, type StrategyIndex, strategyIndex } from '../../domain/units.ts';
import type { EntryHalt } from './entry-halt.ts';
import type { Portfolio } from '../positions/portfolio.ts';
import type { EventContext } from '../state/event-context.ts';

export interface LossMeasureParts {
  readonly context: EventContext;
  readonly portfolio: Portfolio;
  readonly halt: EntryHalt;
}

export class LossMeasure {
  readonly #parts: LossMeasureParts;
  readonly #settings: EngineSettings;
  /** Loss that a person has accepted; zero or more. */
  #accountBase = 0;
  readonly #bases = new Map<StrategyIndex, number>();

  constructor(parts: LossMeasureParts, settings: EngineSettings) {
    this.#parts = parts;
    this.#settings = settings;
  }

  /** Below zero is a gain. */
  ofAccount(): Money {
    return money(0 - this.#parts.portfolio.accountDayPnl() - this.#accountBase);
  }

  of(strategy: StrategyIndex): Money {
    return money(0 - this.#parts.portfolio.dayPnl(strategy) - (this.#bases.get(strategy) ?? 0));
  }

  /** Call before the halts end: they show which limits were reached. */
  resume(): void {
    const { halt, portfolio } = this.#parts;
    const { risk, strategies } = this.#settings;
    if (halt.isLossReached || this.ofAccount() >= risk.accountDailyLossMax) {
      this.#accountBase = this.#restart(null, 0 - portfolio.accountDayPnl(), risk.accountDailyLossMax);
    }
    strategies.forEach(({ risk: { dailyLossMax } }, place) => {
      const strategy = strategyIndex(place);
      if (halt.strategyReason(strategy) === null && this.of(strategy) < dailyLossMax) return;
      this.#bases.set(strategy, this.#restart(strategy, 0 - portfolio.dayPnl(strategy), dailyLossMax));
    });
  }

  /** A new trading day. */
  clear(): void {
    this.#accountBase = 0;
    this.#bases.clear();
  }

  #restart(strategy: StrategyIndex | null, loss: number, max: number): number {
    const base = Math.max(0, loss);
    const what = strategy === null ? "the account's loss" : 'its loss';
    const text = `${what} of the day is ${loss} and was accepted: the next ${max} are measured from there`;
    this.#parts.context.alert(strategy, 'warning', 'loss_accepted', text);
    return base;
  }
}
