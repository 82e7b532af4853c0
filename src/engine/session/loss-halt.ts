/** Latches entries off when the day's loss reaches its limit; only a person opens the latch again (rulings, 37). */
import type { EngineSettings } from '../../domain/settings.ts';
import { strategyIndex } from '../../domain/units.ts';
import type { SessionActions } from './session-actions.ts';

export class LossHalt {
  readonly #actions: SessionActions;
  readonly #settings: EngineSettings;

  constructor(actions: SessionActions, settings: EngineSettings) {
    this.#actions = actions;
    this.#settings = settings;
  }

  step(): void {
    const { view } = this.#actions;
    const accountMax = this.#settings.risk.accountDailyLossMax;
    const accountLoss = view.accountLoss();
    if (view.halted() === null && accountLoss >= accountMax)
      this.#actions.halt(`the account's loss of the day, ${accountLoss}, has reached ${accountMax}`);
    const { strategies } = this.#settings;
    for (let i = 0; i < strategies.length; i += 1) {
      const strategy = strategyIndex(i);
      const max = strategies[i]?.risk.dailyLossMax ?? 0;
      const loss = view.lossOf(strategy);
      if (loss >= max && view.latched(strategy) === null)
        this.#actions.latchStrategy(strategy, `its loss of the day, ${loss}, has reached ${max}`);
    }
  }
}
