/**
 * Carries out the reaction that the settings name for a failure: `hold` alerts, `cancel_orders` withdraws entries too, `flatten`
 * closes the positions of strategies too. Adopted positions are for the operator to decide.
 */
import type { EngineSettings, PolicySettings } from '../../domain/settings.ts';
import { type InstrumentIndex, OPERATOR_INDEX, type StrategyIndex } from '../../domain/units.ts';
import type { Flattener } from './flattener.ts';
import type { SessionActions } from './session-actions.ts';

/** One owner in one contract; null is the account. */
type Concerned = { readonly strategy: StrategyIndex; readonly instrument: InstrumentIndex } | null;

export class FailurePolicies {
  readonly #actions: SessionActions;
  readonly #settings: EngineSettings;
  readonly #flattener: Flattener;

  constructor(actions: SessionActions, settings: EngineSettings, flattener: Flattener) {
    this.#actions = actions;
    this.#settings = settings;
    this.#flattener = flattener;
  }

  act(failure: keyof PolicySettings, text: string, concerned: Concerned): void {
    const policy = this.#settings.policies?.[failure] ?? 'hold';
    const owner = concerned === null ? null : concerned.strategy;
    this.#actions.alert(owner, 'critical', 'failure_policy', `${text}: policies.${failure} is ${policy}`);
    if (policy === 'hold') return;
    this.#cancelEntries(concerned);
    if (policy === 'flatten') this.#flatten(concerned, text);
  }

  #cancelEntries(concerned: Concerned): void {
    for (const {
      purpose,
      isAdopted,
      strategy,
      instrument,
      clientOrderId,
    } of this.#actions.view.openOrders()) {
      const isMeant =
        concerned === null || (concerned.strategy === strategy && concerned.instrument === instrument);
      if (isMeant && purpose === 'entry' && !isAdopted) this.#actions.cancel(strategy, clientOrderId);
    }
  }

  #flatten(concerned: Concerned, reason: string): void {
    if (concerned !== null) return this.#flattener.flatten(concerned.strategy, concerned.instrument, reason);
    for (const { strategy, instrument } of this.#actions.heldPositions())
      if (strategy !== OPERATOR_INDEX) this.#flattener.flatten(strategy, instrument, reason);
  }
}
